package awsfeed

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// document reads a list in JSON: products, then what they cost.
func (l *list) document(d *feed.Document) (published catalog.Date, err error) {
	j, err := feed.NewJSON(d)
	if err != nil {
		return published, err
	}
	err = j.Object(func(key string) error {
		switch key {
		case "publicationDate":
			raw, err := j.Value()
			if err == nil {
				published, err = day(raw)
			}
			return err
		case "products":
			return j.Object(func(id string) error { return l.readProduct(j, id) })
		case "terms":
			if len(l.products) == 0 {
				return &feed.Fault{Row: 1, Column: "terms", Want: "products before them, with at least one Linux machine of shared tenancy"}
			}
			return j.Object(func(kind string) error { return l.readTerms(j, kind) })
		}
		return j.Skip()
	})
	if err == nil {
		err = j.End()
	}
	return published, err
}

// day is the day of "2026-11-27T19:02:11Z".
func day(raw json.RawMessage) (catalog.Date, error) {
	const length = len("2026-11-27")
	text := string(bytes.Trim(raw, `"`))
	at, err := catalog.ParseDate(text[:min(length, len(text))])
	if err != nil {
		return at, &feed.Fault{Row: 1, Column: "publicationDate", Got: text, Want: "a day"}
	}
	return at, nil
}

// readProduct reads a product.
func (l *list) readProduct(j *feed.JSON, id string) error {
	raw, err := j.Value()
	if err != nil {
		return err
	}
	l.batch.Read++
	// Most of a list is about volumes and traffic: it need not be understood.
	if !bytes.Contains(raw, []byte(`"Compute Instance`)) {
		l.batch.Skip("no machine")
		return nil
	}
	var p struct {
		ProductFamily string     `json:"productFamily"`
		Attributes    attributes `json:"attributes"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return l.batch.Fault(unfit(l.batch.Read, raw, err))
	}
	p.Attributes.Family = p.ProductFamily
	if why := p.Attributes.other(); why != "" {
		l.batch.Skip(why)
		return nil
	}
	if err := l.keep(id, l.batch.Read, &p.Attributes); err != nil {
		return l.batch.Fault(err)
	}
	return nil
}

// unfit is an object that has other fields than it should.
func unfit(row int, raw json.RawMessage, err error) *feed.Fault {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &feed.Fault{Row: row, Column: wrong.Field, Got: wrong.Value, Want: wrong.Type.String()}
	}
	return &feed.Fault{Row: row, Got: string(raw), Want: "a JSON object"}
}

// jsonTerm is a term as the document has it.
type jsonTerm struct {
	PriceDimensions map[string]struct {
		Unit         string            `json:"unit"`
		PricePerUnit map[string]string `json:"pricePerUnit"`
	} `json:"priceDimensions"`
	TermAttributes struct {
		LeaseContractLength string
		OfferingClass       string
		PurchaseOption      string
	} `json:"termAttributes"`
}

// readTerms reads the prices of one kind of terms, product by product.
func (l *list) readTerms(j *feed.JSON, kind string) error {
	if kind != "OnDemand" && kind != "Reserved" {
		return j.Skip()
	}
	return j.Object(func(id string) error {
		raw, err := j.Value()
		if err != nil {
			return err
		}
		p := l.products[id]
		if p == nil {
			return nil
		}
		var terms map[string]jsonTerm
		if err := json.Unmarshal(raw, &terms); err != nil {
			return l.batch.Fault(unfit(p.row.Number, raw, err))
		}
		for code, x := range terms {
			l.terms[termID{id, code}] = x.term(code, kind == "Reserved")
		}
		return nil
	})
}

// term is the term that a document has.
func (x *jsonTerm) term(code string, reserved bool) *term {
	t := &term{code: code, reserved: reserved, length: x.TermAttributes.LeaseContractLength, class: x.TermAttributes.OfferingClass, payment: x.TermAttributes.PurchaseOption}
	for _, d := range x.PriceDimensions {
		for currency, amount := range d.PricePerUnit {
			t.add(d.Unit, part{amount, currency})
		}
	}
	return t
}
