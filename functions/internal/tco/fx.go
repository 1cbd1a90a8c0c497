package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Conversion turns amounts of one currency into another by dated monthly rates:
// amount x To.UnitsPerUSD / From.UnitsPerUSD.
type Conversion struct{ From, To catalog.FXRate }

// Convert applies the conversion to an amount.
func (c Conversion) Convert(q Quotient) Quotient {
	if c.From.Currency == c.To.Currency {
		return q
	}
	return q.Times(c.To.UnitsPerUSD).Over(c.From.UnitsPerUSD)
}

// Identity reports whether nothing is converted.
func (c Conversion) Identity() bool { return c.From.Currency == c.To.Currency }

// Converter finds conversions into one currency for prices of any date. The
// target's rate is the newest one; a price's own currency is converted at the
// latest month not after the price's date.
type Converter struct {
	snapshot *catalog.Snapshot
	to       catalog.FXRate
}

// NewConverter makes a converter into a currency. ok is false if the catalogue
// has no rate for it.
func NewConverter(snapshot *catalog.Snapshot, to catalog.Currency) (converter Converter, ok bool) {
	rate, ok := snapshot.FX(to, catalog.Date{})
	return Converter{snapshot: snapshot, to: rate}, ok
}

// From is the conversion of a price in a currency as of a date. ok is false if
// there is no rate: such a price is shown natively and never ranked.
func (c Converter) From(currency catalog.Currency, asOf catalog.Date) (conversion Conversion, ok bool) {
	if currency == c.to.Currency {
		return Conversion{From: c.to, To: c.to}, true
	}
	from, ok := c.snapshot.FX(currency, asOf)
	return Conversion{From: from, To: c.to}, ok
}

// Target is the currency that amounts are converted into.
func (c Converter) Target() catalog.Currency { return c.to.Currency }

// UnitsPerUSD is how many units of the target currency a dollar buys.
func (c Converter) UnitsPerUSD() decimal.Decimal { return c.to.UnitsPerUSD }
