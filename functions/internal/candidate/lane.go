package candidate

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// lane is offers that differ in nothing but place, price and age: what rules one out
// for another reason rules out all, and one sizing serves all. They are in the order
// of what a node costs at least.
type lane []int32 // positions in Market.quotes

// laneKey is what the offers of a lane share.
type laneKey struct {
	provider  catalog.ProviderID
	market    catalog.PurchaseModel
	service   catalog.Service
	missing   bool // none is available
	gpu       catalog.GPUID
	gpus      int64   // coefficient and
	exponent  int32   // exponent of the number of GPUs, which may be a fraction
	counted   bool    // the number of GPUs is known
	units     int     // priced units of a node
	vcpus     float64 // of a node
	fabricGBs float64
	unpriced  Reason
	measured  *catalog.Coefficient
}

// keyOf is the lane that an offer belongs to.
func keyOf(q *Quote) laneKey {
	o := q.Offer
	key := laneKey{
		provider: o.Provider, market: o.Market, service: o.Service, missing: o.Availability == catalog.NoneAvailable,
		gpu: o.GPU, counted: o.GPUs.Valid, units: o.Units(), vcpus: nodeVCPUs(o), fabricGBs: q.SourcedFabricGBs, unpriced: q.Unpriced,
		measured: q.Coefficient,
	}
	if o.GPUs.Valid {
		key.gpus, key.exponent = o.GPUs.Decimal.CoefficientInt64(), o.GPUs.Decimal.Exponent()
	}
	return key
}

// divide puts the quotes into lanes and into sites, in the order of byPrice.
func (m *Market) divide() {
	numbers := make(map[laneKey]int)
	m.laneOf = make([]int32, len(m.quotes))
	sizes := make([]int, 0, 1024)
	for _, at := range m.byPrice {
		n := numberOf(numbers, keyOf(&m.quotes[at]))
		if n == len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[n]++
		m.laneOf[at] = int32(n)
	}
	m.lanes = make([]lane, len(sizes))
	for n, size := range sizes {
		m.lanes[n] = make(lane, 0, size)
	}
	m.bySite = make([]lane, len(m.sites))
	for _, at := range m.byPrice {
		n, site := m.laneOf[at], m.quotes[at].SiteNumber
		m.lanes[n] = append(m.lanes[n], at)
		m.bySite[site] = append(m.bySite[site], at)
	}
}

// Least is what a candidate takes at least.
type Least struct {
	Cost    tco.Nano // in US dollars
	Seconds int64    // expected wall time
}

// atLeast is what seconds on nodes of an offer take at least.
func (q *Quote) atLeast(seconds, nodes int64) Least {
	return Least{q.Rates.AtLeast(seconds, nodes), seconds}
}
