package main

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// superseded marks a price that a newer row replaces.
const superseded = "SUPERSEDED"

// standIns are the rows of spare that stand in for an offer of which offers has
// only a row from a closed source: rows of the same offer under an open licence.
// A superseded price is history, so it stands in only if the newer row states
// the same price: then nothing but its source was superseded.
func standIns(offers, spare []offer) []offer {
	open, closed := make(map[catalog.OfferID]bool), make(map[catalog.OfferID]offer)
	for _, o := range offers {
		if openLicence(o.source.licence) {
			open[o.id] = true
			continue
		}
		if have, ok := closed[o.id]; !ok || better(o, have) < 0 {
			closed[o.id] = o
		}
	}
	var chosen []offer
	for _, o := range spare {
		newer, ok := closed[o.id]
		if !ok || open[o.id] || !openLicence(o.source.licence) || o.has(superseded) && !o.samePrice(newer) {
			continue
		}
		o.flags = slices.DeleteFunc(o.flags, func(flag string) bool { return flag == superseded })
		chosen = append(chosen, o)
	}
	return chosen
}

// samePrice reports whether two rows state one price, as far as the one with
// fewer digits prints it, and never more than a thousandth apart.
func (o *offer) samePrice(other offer) bool {
	a, errA := decimal.NewFromString(o.amount)
	b, errB := decimal.NewFromString(other.amount)
	if errA != nil || errB != nil || o.currency != other.currency || o.basis != other.basis {
		return false
	}
	unit, off := decimal.New(1, max(a.Exponent(), b.Exponent())), a.Sub(b).Abs()
	return off.Mul(decimal.NewFromInt(2)).LessThanOrEqual(unit) && off.Mul(decimal.NewFromInt(1000)).LessThanOrEqual(a)
}
