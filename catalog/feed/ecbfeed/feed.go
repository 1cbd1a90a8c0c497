package ecbfeed

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the feed.
const Name = "ecb"

// URL is where the rates of the last 90 days are.
const URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml"

// source says where a rate is from.
const source = "European Central Bank, euro foreign exchange reference rates"

// euro is the currency that rates are quoted against.
const euro catalog.Currency = "EUR"

// Read reads rates.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Source: catalog.Provenance{Source: source}}
	r := reader{batch: &b, months: make(map[key]*average), broken: make(map[catalog.Date]bool)}
	err := of.Each(ctx, from, &b, func(d *feed.Document) error {
		if err := d.Expect("XML", "<"); err != nil {
			return err
		}
		return r.document(d)
	})
	if err == nil {
		err = r.rates()
	}
	return b, err
}

// cube is an element of the document: the list, a day, or a rate.
type cube struct {
	Time     string `xml:"time,attr"`
	Currency string `xml:"currency,attr"`
	Rate     string `xml:"rate,attr"`
	Cubes    []cube `xml:"Cube"`
}

// key is a month of a currency.
type key struct {
	month    catalog.Date
	currency catalog.Currency
}

// average is what the days of a month come to.
type average struct {
	sum  decimal.Decimal
	days int64
}

// reader collects the days of a document.
type reader struct {
	batch  *feed.Batch
	months map[key]*average
	broken map[catalog.Date]bool // months with a day that can't be read
	first  time.Time             // day of the document
	last   time.Time
}

// document reads every day. An element "Cube" with a time is one.
func (r *reader) document(d *feed.Document) error {
	in := xml.NewDecoder(d)
	in.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, &feed.Fault{Row: 1, Column: "encoding", Got: charset, Want: "UTF-8"}
	}
	for {
		token, err := in.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return r.unfit(in, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "Cube" || !slices.ContainsFunc(start.Attr, func(a xml.Attr) bool { return a.Name.Local == "time" }) {
			continue
		}
		var day cube
		if err := in.DecodeElement(&day, &start); err != nil {
			return r.unfit(in, err)
		}
		r.batch.Read++
		if err := r.day(day); err != nil {
			return err
		}
	}
}

// unfit says where a document is no XML, or cut. An error of the source stays one.
func (r *reader) unfit(in *xml.Decoder, err error) error {
	if fault, ok := errors.AsType[*feed.Fault](err); ok {
		return fault
	}
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		line, _ := in.InputPos()
		return &feed.Fault{Row: line, Got: syntax.Msg, Want: "XML"}
	}
	return fmt.Errorf("read XML: %w", err)
}

// day adds a day's rates to their months. A day counts whole or not at all, and a month
// that lacks one has no average.
func (r *reader) day(c cube) error {
	at, err := time.Parse(time.DateOnly, c.Time)
	if err != nil {
		return &feed.Fault{Row: r.batch.Read, Column: "time", Got: c.Time, Want: "a day"}
	}
	month := catalog.Date{Year: int16(at.Year()), Month: int8(at.Month())}
	rates, err := r.perEuro(c)
	if err != nil {
		r.broken[month] = true
		return r.batch.Fault(err)
	}
	if r.first.IsZero() || at.Before(r.first) {
		r.first = at
	}
	if at.After(r.last) {
		r.last = at
	}
	dollar := rates[catalog.USD]
	for currency, rate := range rates {
		if currency == catalog.USD {
			continue
		}
		k := key{month, currency}
		if r.months[k] == nil {
			r.months[k] = new(average)
		}
		r.months[k].sum = r.months[k].sum.Add(rate.DivRound(dollar, guardDigits))
		r.months[k].days++
	}
	return nil
}

// A rate is computed with guard digits, and rounded once.
const (
	guardDigits = 20
	rateDigits  = 6
)

// perEuro are the rates of a day, the euro's own included.
func (r *reader) perEuro(c cube) (map[catalog.Currency]decimal.Decimal, error) {
	rates := map[catalog.Currency]decimal.Decimal{euro: decimal.NewFromInt(1)}
	for _, x := range c.Cubes {
		rate, err := feed.Decimal(x.Rate)
		switch {
		case len(x.Currency) != 3 || !feed.Name(x.Currency):
			return nil, &feed.Fault{Row: r.batch.Read, Column: "currency", Got: x.Currency, Want: "a currency's code"}
		case err != nil || !rate.IsPositive():
			return nil, &feed.Fault{Row: r.batch.Read, Column: "rate", Got: x.Rate, Want: "a decimal above 0, of " + x.Currency}
		}
		rates[catalog.Currency(x.Currency)] = rate
	}
	if _, ok := rates[catalog.USD]; !ok {
		return nil, &feed.Fault{Row: r.batch.Read, Column: "currency", Got: c.Time, Want: "a rate of USD on this day"}
	}
	return rates, nil
}

// rates are the averages of the months.
func (r *reader) rates() error {
	switch {
	case r.batch.Read == 0:
		return &feed.Fault{Row: 1, Column: "Cube", Want: "at least one day of rates"}
	case len(r.months) == 0:
		return r.batch.Faults[0]
	}
	oneMonth := r.first.Year() == r.last.Year() && r.first.Month() == r.last.Month()
	const firstWorkingDays = 4 // a month begins with a holiday and a weekend at most
	for k, of := range r.months {
		if r.broken[k.month] {
			r.batch.Skip("rates of a month with a day that can't be read")
			continue
		}
		if !oneMonth && k.month.Year == int16(r.first.Year()) && k.month.Month == int8(r.first.Month()) && r.first.Day() > firstWorkingDays {
			r.batch.Skip("rates of a month that the document begins in")
			continue
		}
		rate := of.sum.DivRound(decimal.NewFromInt(of.days), guardDigits).RoundBank(rateDigits)
		if !rate.IsPositive() {
			r.batch.Skip("rate that rounds to nothing")
			continue
		}
		r.batch.Rates = append(r.batch.Rates, catalog.FXRate{Currency: k.currency, Month: k.month, UnitsPerUSD: rate, Source: source})
	}
	slices.SortFunc(r.batch.Rates, func(x, y catalog.FXRate) int {
		return cmp.Or(cmp.Compare(x.Month.String(), y.Month.String()), cmp.Compare(x.Currency, y.Currency))
	})
	r.batch.AsOf = catalog.DateOf(r.last)
	return nil
}
