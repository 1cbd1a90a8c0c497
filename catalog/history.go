package catalog

import (
	"cmp"
	"slices"
)

// PricePoint is a price that an offer had on a date, as one source says it. It is
// a fact of its own: when the catalogue learnt it does not matter. A price that is
// not known says that the offer was no longer listed.
type PricePoint struct {
	Offer  OfferID
	AsOf   Date
	Price  Price
	Source string
}

// comparePoints orders price points by offer, then date, the undated first.
func comparePoints(a, b PricePoint) int {
	if by := cmp.Or(cmp.Compare(a.Offer, b.Offer), a.AsOf.Time().Compare(b.AsOf.Time())); by != 0 {
		return by
	}
	return cmp.Or(
		cmp.Compare(a.AsOf.String(), b.AsOf.String()),
		cmp.Compare(a.Source, b.Source),
		a.Price.Amount.Decimal.Cmp(b.Price.Amount.Decimal),
	)
}

// History are the prices that an offer had before the one it has now, the oldest
// first. It may know those of an offer that is listed no longer.
func (s *Snapshot) History(id OfferID) []PricePoint {
	first, found := slices.BinarySearchFunc(s.facts.history, id, func(p PricePoint, id OfferID) int { return cmp.Compare(p.Offer, id) })
	if !found {
		return nil
	}
	end := first
	for end < len(s.facts.history) && s.facts.history[end].Offer == id {
		end++
	}
	return s.facts.history[first:end:end]
}
