package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Fabric is the network between instances of a SKU that are rented to work
// together: in a cluster, a placement group or a scale set of the provider.
type Fabric struct {
	Provider ProviderID
	SKU      SKU     // the start of several SKUs if it ends in "*"
	GBs      float64 // GB/s per node and direction
	Name     string  // as the source names it: "EFA v2"
	AsOf     Date
	Source   string
}

// matches reports whether the fabric is that of a SKU.
func (f *Fabric) matches(sku SKU) bool {
	if start, open := strings.CutSuffix(string(f.SKU), "*"); open {
		return strings.HasPrefix(string(sku), start)
	}
	return f.SKU == sku
}

// compareFabrics orders fabrics by provider, then SKU.
func compareFabrics(a, b Fabric) int {
	return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.SKU, b.SKU))
}

// Fabric is the network between nodes of an offer; of several that match its SKU,
// the one that names most of it. known is false if no source gives its speed.
func (s *Snapshot) Fabric(o *Offer) (fabric Fabric, known bool) {
	first, _ := slices.BinarySearchFunc(s.facts.fabrics, o.Provider, func(f Fabric, id ProviderID) int { return cmp.Compare(f.Provider, id) })
	for i := first; i < len(s.facts.fabrics) && s.facts.fabrics[i].Provider == o.Provider; i++ {
		f := &s.facts.fabrics[i]
		if f.matches(o.SKU) && (!known || len(f.SKU) > len(fabric.SKU)) {
			fabric, known = *f, true
		}
	}
	return fabric, known && fabric.GBs > 0
}

// Fabrics are all networks between nodes that a source states, ordered.
func (s *Snapshot) Fabrics() []Fabric { return s.facts.fabrics }
