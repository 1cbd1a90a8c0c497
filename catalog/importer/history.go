package importer

import (
	"cmp"
	"slices"

	"github.com/tierwise/tierwise/catalog"
)

// mostMonths is how many months of an offer's history a catalogue carries. A store
// keeps all of it.
const mostMonths = 24

// offerMonth is a month of an offer's history.
type offerMonth struct {
	offer catalog.OfferID
	year  int16
	month int8
}

// thinned is a catalogue's history with more points: of an offer that has new ones
// the last price of each month, of the last months. Histories that nothing is added
// to stay as they are.
func thinned(history, more []catalog.PricePoint) []catalog.PricePoint {
	if len(more) == 0 {
		return history
	}
	touched := make(map[catalog.OfferID][]catalog.PricePoint)
	for _, p := range more {
		touched[p.Offer] = append(touched[p.Offer], p)
	}
	var out []catalog.PricePoint
	for _, p := range history {
		if _, ok := touched[p.Offer]; ok {
			touched[p.Offer] = append(touched[p.Offer], p)
			continue
		}
		out = append(out, p)
	}
	for _, points := range touched {
		out = append(out, monthly(points)...)
	}
	return out
}

// monthly is the last of an offer's points of each month, of the last months.
func monthly(points []catalog.PricePoint) []catalog.PricePoint {
	last := make(map[offerMonth]catalog.PricePoint)
	for _, p := range points {
		key := offerMonth{p.Offer, p.AsOf.Year, p.AsOf.Month}
		if have, ok := last[key]; !ok || !p.AsOf.Before(have.AsOf) && (p.Price.Known() || have.AsOf.Before(p.AsOf)) {
			last[key] = p
		}
	}
	kept := make([]catalog.PricePoint, 0, len(last))
	for _, p := range last {
		kept = append(kept, p)
	}
	slices.SortFunc(kept, func(a, b catalog.PricePoint) int { return cmp.Compare(a.AsOf.String(), b.AsOf.String()) })
	return kept[max(0, len(kept)-mostMonths):]
}
