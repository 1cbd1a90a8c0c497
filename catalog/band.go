package catalog

import (
	"cmp"
	"slices"
)

// SKUBand is the interruption band of the spot instances of a SKU at a place,
// whether the catalogue has an offer of them or not.
type SKUBand struct {
	Place
	SKU  SKU
	Band *Band
}

// compareBands orders bands by place, then SKU.
func compareBands(a, b SKUBand) int {
	return cmp.Or(comparePlaces(a.Place, b.Place), cmp.Compare(a.SKU, b.SKU))
}

// Interruption is the band of a SKU's spot instances at a place; nil if no source
// gives one. A spot offer carries its own (Offer.Interruption); this is what an
// importer joins to a new one.
func (s *Snapshot) Interruption(at Place, sku SKU) *Band {
	i, found := slices.BinarySearchFunc(s.facts.bands, SKUBand{Place: at, SKU: sku}, compareBands)
	if !found {
		return nil
	}
	return s.facts.bands[i].Band
}
