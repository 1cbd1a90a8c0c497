package feed

import (
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Item is one object of a JSON document, read like a row of a table. The first
// field that is not what it should be makes the item faulty; what is read after it
// is zero. A field that is null is one that is not there, but for Needs.
type Item struct {
	Number int
	fields map[string]json.RawMessage
	within string // the names of the objects around, for faults
	fault  **Fault
}

// NewItem is an object as an item. It fails with a Fault if the text is no object.
func NewItem(number int, raw json.RawMessage) (*Item, error) {
	x := &Item{Number: number, fault: new(*Fault)}
	if err := json.Unmarshal(raw, &x.fields); err != nil || x.fields == nil {
		return nil, &Fault{Row: number, Got: string(raw), Want: "a JSON object"}
	}
	return x, nil
}

// Fail calls the item faulty for a field.
func (x *Item) Fail(field, got, want string) {
	if *x.fault == nil {
		*x.fault = &Fault{Row: x.Number, Column: x.within + field, Got: got, Want: want}
	}
}

// OK reports whether no field was faulty so far.
func (x *Item) OK() bool { return *x.fault == nil }

// Err is the Fault of the item, nil if it has none.
func (x *Item) Err() error {
	if x.OK() {
		return nil
	}
	return *x.fault
}

// Needs makes the item faulty if it lacks a field: a source that drops or renames
// one means something else. A null is there.
func (x *Item) Needs(fields ...string) {
	for _, field := range fields {
		if !x.Has(field) {
			x.Fail(field, "", "a field of this name")
		}
	}
}

// Has reports whether there is a field, null or not.
func (x *Item) Has(field string) bool {
	_, ok := x.fields[field]
	return ok
}

// raw is a field as it stands, "" if it is null or not there.
func (x *Item) raw(field string) string {
	text := string(x.fields[field])
	if text == "null" {
		return ""
	}
	return text
}

// Text is a field as a name: one line of text in UTF-8.
func (x *Item) Text(field string) string {
	raw := x.raw(field)
	if raw == "" {
		return ""
	}
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		x.Fail(field, raw, "a text")
		return ""
	}
	if text = strings.Trim(text, blanks); !Name(text) || !whole(text) {
		x.Fail(field, text, "one line of text in UTF-8")
		return ""
	}
	return text
}

// Required is a name that must not be empty.
func (x *Item) Required(field string) string {
	text := x.Text(field)
	if text == "" {
		x.Fail(field, text, "a text")
	}
	return text
}

// Literal is a field as a number stands in the document, "" if there is none.
func (x *Item) Literal(field string) string {
	raw := x.raw(field)
	if raw == "" || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		return raw
	}
	x.Fail(field, raw, "a number")
	return ""
}

// Price is a field as a price in a currency, and its text.
func (x *Item) Price(field string, basis catalog.Basis, currency catalog.Currency) (price catalog.Price, text string) {
	text = x.Literal(field)
	price, err := Amount(text, basis, currency)
	if err != nil {
		x.Fail(field, text, "a decimal in digits")
	}
	return price, text
}

// Figure is a field as a number of at least 0; 0 if there is none.
func (x *Item) Figure(field string) float64 {
	n, err := Figure(x.Literal(field))
	if err != nil {
		x.Fail(field, x.raw(field), "a number of at least 0")
	}
	return n
}

// Count is a field as a number of GPUs; not valid if there is none.
func (x *Item) Count(field string) decimal.NullDecimal {
	n, err := Count(x.Literal(field))
	if err != nil {
		x.Fail(field, x.raw(field), "a number of GPUs")
	}
	return n
}

// True reports whether a field is true, or 1.
func (x *Item) True(field string) bool {
	switch raw := x.raw(field); raw {
	case "true", "1":
		return true
	case "false", "0", "":
		return false
	default:
		x.Fail(field, raw, "true or false")
		return false
	}
}

// Item is an object within; one without fields if there is none.
func (x *Item) Item(field string) *Item {
	inner := &Item{Number: x.Number, within: x.within + field + ".", fault: x.fault}
	raw := x.raw(field)
	if raw == "" {
		return inner
	}
	if err := json.Unmarshal([]byte(raw), &inner.fields); err != nil {
		x.Fail(field, raw, "a JSON object")
	}
	return inner
}

// Items are the objects of a list within.
func (x *Item) Items(field string) []*Item {
	raw := x.raw(field)
	if raw == "" {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		x.Fail(field, raw, "a list")
		return nil
	}
	var items []*Item
	for _, element := range list {
		inner := &Item{Number: x.Number, within: x.within + field + ".", fault: x.fault}
		if err := json.Unmarshal(element, &inner.fields); err != nil || inner.fields == nil {
			x.Fail(field, string(element), "a list of JSON objects")
			return nil
		}
		items = append(items, inner)
	}
	return items
}
