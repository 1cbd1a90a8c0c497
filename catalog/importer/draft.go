package importer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tierwise/tierwise/catalog"
)

// draft is a catalogue in the making.
type draft struct {
	base    *catalog.Snapshot
	offers  map[catalog.OfferID]*catalog.Offer // never changed: an offer is replaced
	bands   map[bandAt]*catalog.Band
	parts   catalog.Parts // all else
	changes []change
	facts   []string // changed rates and bands, as text
}

// change is what an import does to an offer.
type change struct {
	id            catalog.OfferID
	before, after *catalog.Offer // nil if there was, or is, none
	at            catalog.Date   // when it was learnt, for an offer that is gone
}

// newDraft starts from a catalogue.
func newDraft(base *catalog.Snapshot) *draft {
	d := &draft{base: base, parts: base.Parts(), bands: make(map[bandAt]*catalog.Band), offers: make(map[catalog.OfferID]*catalog.Offer, len(base.Offers()))}
	for _, b := range d.parts.Bands {
		d.bands[bandAt{b.Place, b.SKU}] = b.Band
	}
	for i := range base.Offers() {
		o := &base.Offers()[i]
		d.offers[o.ID] = o
	}
	return d
}

// set adds or replaces an offer, which nobody changes from then on.
func (d *draft) set(o *catalog.Offer) {
	d.changes = append(d.changes, change{id: o.ID, before: d.offers[o.ID], after: o, at: o.AsOf})
	d.offers[o.ID] = o
}

// remove takes an offer out that a source of a date does not list.
func (d *draft) remove(id catalog.OfferID, at catalog.Date) {
	d.changes = append(d.changes, change{id: id, before: d.offers[id], at: at})
	delete(d.offers, id)
}

// unchanged reports whether there is nothing to publish.
func (d *draft) unchanged() bool { return len(d.changes) == 0 && len(d.facts) == 0 }

// points are the prices that the changes replace, and the ends of offers that are
// gone.
func (d *draft) points() []catalog.PricePoint {
	var points []catalog.PricePoint
	for _, c := range d.changes {
		if c.before == nil || c.after != nil && samePrice(c.before.Price, c.after.Price) {
			continue
		}
		if c.before.Price.Known() {
			points = append(points, catalog.PricePoint{Offer: c.id, AsOf: c.before.AsOf, Price: c.before.Price, Source: c.before.Source})
		}
		if c.after == nil && c.before.AsOf.Before(c.at) {
			points = append(points, catalog.PricePoint{Offer: c.id, AsOf: c.at, Source: c.before.Source})
		}
	}
	return points
}

// snapshot is the catalogue that was made, with the points in its history.
func (d *draft) snapshot(version catalog.Version, points []catalog.PricePoint) (*catalog.Snapshot, error) {
	parts := d.parts
	parts.Version = version
	parts.Offers = make([]catalog.Offer, 0, len(d.offers))
	for _, o := range d.offers {
		parts.Offers = append(parts.Offers, *o)
	}
	slices.SortFunc(parts.Offers, func(a, b catalog.Offer) int { return cmp.Compare(a.ID, b.ID) })
	parts.History = thinned(parts.History, points)
	return catalog.NewSnapshot(parts)
}

// samePrice reports whether two prices are the same to the digit.
func samePrice(a, b catalog.Price) bool {
	if a.Known() != b.Known() {
		return false
	}
	return !a.Known() || a.Basis == b.Basis && a.Currency == b.Currency && a.Amount.Decimal.Equal(b.Amount.Decimal)
}

// sameFacts reports whether two offers of one id say the same, dates and sources
// aside.
func sameFacts(a, b *catalog.Offer) bool {
	return a.Country == b.Country && a.Availability == b.Availability && slices.Equal(a.Flags, b.Flags) &&
		sameBand(a.Interruption, b.Interruption) && (a.Instance == b.Instance || keyOf(a.Instance) == keyOf(b.Instance))
}

// sameBand reports whether two bands say the same.
func sameBand(a, b *catalog.Band) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Low.Valid == b.Low.Valid && a.Low.Decimal.Equal(b.Low.Decimal) &&
		a.High.Valid == b.High.Valid && a.High.Decimal.Equal(b.High.Decimal) && a.AsOf == b.AsOf && a.Source == b.Source
}

// text is the change in a form that tells it from all others.
func (c *change) text() string {
	if c.after == nil {
		return fmt.Sprintf("%q gone %s", c.id, c.at)
	}
	o := c.after
	return fmt.Sprintf("%q %s %s %q %v %s %q %q %s", c.id, o.Price.Amount.Decimal, o.Price.Basis, o.Price.Currency, o.Price.Known(), o.AsOf, o.Source, o.Flags, instanceKey(o.Instance)) +
		fmt.Sprintf(" %q %d", o.Country, o.Availability)
}
