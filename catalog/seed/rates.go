package seed

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// egress reads one tier of a transfer rate and adds it to the rate before it if
// it belongs to that.
func (l *loader) egress(x *row) {
	r := catalog.EgressRate{
		Place: place(x), Scope: parse(x, scope), Unit: parse(x, volumeUnit), Currency: catalog.Currency(x.required()),
		FreePerMonth: x.decimal().Decimal,
	}
	upTo := x.decimal()
	last := l.lastEgress(r)
	if last != nil {
		checkOrder(x, last.Tiers[len(last.Tiers)-1].UpTo, upTo)
	}
	tier := catalog.EgressTier{UpTo: upTo, Price: x.amount()}
	r.AsOf = l.dated(x)
	r.Source = noted(l.cited(x).Source, x.text())
	if last != nil {
		last.Tiers = append(last.Tiers, tier)
		return
	}
	r.Tiers = []catalog.EgressTier{tier}
	l.parts.Egress = append(l.parts.Egress, r)
}

// lastEgress is the transfer rate read last if it is about the same traffic as
// r, else nil.
func (l *loader) lastEgress(r catalog.EgressRate) *catalog.EgressRate {
	if len(l.parts.Egress) == 0 {
		return nil
	}
	last := &l.parts.Egress[len(l.parts.Egress)-1]
	if last.Place != r.Place || last.Scope != r.Scope {
		return nil
	}
	return last
}

// checkOrder refuses a tier that does not end after the one before it.
func checkOrder(x *row, before, upTo decimal.NullDecimal) {
	if !before.Valid || upTo.Valid && !upTo.Decimal.GreaterThan(before.Decimal) {
		x.fail(upTo.Decimal.String(), "a tier that ends after the one before it")
	}
}

// storage reads a block storage rate.
func (l *loader) storage(x *row) {
	r := catalog.StorageRate{
		Place: place(x), Item: x.required(), Price: x.amount(), Unit: parse(x, volumeUnit),
		Currency: catalog.Currency(x.required()), AsOf: l.dated(x),
	}
	r.Source = noted(l.cited(x).Source, x.text())
	l.parts.Storage = append(l.parts.Storage, r)
}

// fx reads a monthly rate of exchange.
func (l *loader) fx(x *row) {
	l.parts.FX = append(l.parts.FX, catalog.FXRate{
		Month: x.date(), Currency: catalog.Currency(x.required()), UnitsPerUSD: x.amount(), Source: l.cited(x).Source,
	})
}

// noted is a source with a remark on how it was used.
func noted(source, note string) string {
	if note == "" {
		return source
	}
	return source + " (" + note + ")"
}

// scope reads a scope of traffic by its name.
func scope(text string) (catalog.Scope, error) {
	return oneOf("scope", text, catalog.ToInternet, catalog.ToOtherRegion)
}

// volumeUnit reads a unit of volume by its name.
func volumeUnit(text string) (catalog.VolumeUnit, error) {
	return oneOf("volume unit", text, catalog.GB, catalog.GiB)
}
