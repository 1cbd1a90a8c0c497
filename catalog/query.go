package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Sort is an order of offers. Ties are broken by id.
type Sort string

// The orders: by the price of one GPU, of one rentable node, or of the work that
// a GPU's class is expected to give (dollars per 10^15 dense FLOP/s and hour,
// divided by the efficiency prior); or newest price first. What has no price, or
// no figure to divide by, comes last.
const (
	ByGPUHour        Sort = "price_per_gpu_hour"
	ByInstanceHour   Sort = "price_per_instance_hour"
	ByEffectivePFLOP Sort = "cost_per_effective_pflop_hour"
	ByAsOf           Sort = "as_of"
)

// Sorts are all of them, the default first.
func Sorts() []Sort { return []Sort{ByGPUHour, ByInstanceHour, ByEffectivePFLOP, ByAsOf} }

// ParseSort reads an order by its name.
func ParseSort(text string) (Sort, error) {
	if slices.Contains(Sorts(), Sort(text)) {
		return Sort(text), nil
	}
	return "", fmt.Errorf("parse sort %q: want one of %v", text, Sorts())
}

// Query selects offers. Zero values select everything.
type Query struct {
	GPUs     []GPUID // any of these; "" among them selects CPU-only offers
	Market   PurchaseModel
	GPUCount decimal.NullDecimal // GPUs of a rentable node, exactly

	MinVRAMGB  float64             // per GPU
	MaxGPUHour decimal.NullDecimal // dollars per GPU and hour
	ECC        bool                // only where a source says yes
	NVLink     bool                // only where a source says yes

	Providers []ProviderID
	Classes   []ProviderClass
	Regions   []RegionID
	Countries []string
	// Text must occur in the provider, SKU, GPU or region, whatever the case and
	// punctuation.
	Text string

	Sort Sort // "" is ByGPUHour
}

// Page is a part of a query's result.
type Page struct {
	Offers []*Offer
	Total  int // offers that match in all
	// PlacesSearched is how many places the filters on provider, class, region and
	// country left to look at, of how many there are.
	PlacesSearched, PlacesKnown int
}

// Query answers a query: limit offers after the first skip, in the query's order.
func (s *Snapshot) Query(q Query, skip, limit int) Page {
	page := Page{PlacesKnown: len(s.places)}
	page.PlacesSearched = s.placesSearched(q)
	shelves := s.matching(q)
	filter := s.newFilter(q)
	if filter == nil {
		for i := range shelves {
			page.Total += len(shelves[i].offers)
		}
	} else {
		page.Total = s.count(shelves, filter)
	}
	if q.Sort == ByAsOf {
		page.Offers = s.newest(shelves, filter, skip, limit)
		return page
	}
	page.Offers = s.cheapest(s.merge(q.Sort, shelves), filter, skip, limit)
	return page
}

// matching are the shelves that a query reaches into.
func (s *Snapshot) matching(q Query) []*shelf {
	var found []*shelf
	for _, at := range s.ranges(q.GPUs) {
		for i := at[0]; i < at[1]; i++ {
			if on := &s.shelves[i]; s.admits(q, on) {
				found = append(found, on)
			}
		}
	}
	return found
}

// ranges are the positions of the shelves of the GPUs, or of all if none is asked for.
func (s *Snapshot) ranges(gpus []GPUID) [][2]int {
	if len(gpus) == 0 {
		return [][2]int{{0, len(s.shelves)}}
	}
	ids := slices.Compact(slices.Sorted(slices.Values(gpus)))
	found := make([][2]int, 0, len(ids))
	for _, id := range ids {
		from, _ := slices.BinarySearchFunc(s.shelves, id, func(on shelf, id GPUID) int {
			return strings.Compare(string(on.gpu), string(id))
		})
		to := from
		for to < len(s.shelves) && s.shelves[to].gpu == id {
			to++
		}
		found = append(found, [2]int{from, to})
	}
	return found
}

// admits tests what all offers of a shelf have in common.
func (s *Snapshot) admits(q Query, on *shelf) bool {
	if q.Market != "" && q.Market != on.market {
		return false
	}
	if q.GPUCount.Valid && (!on.gpus.Valid || !on.gpus.Decimal.Equal(q.GPUCount.Decimal)) {
		return false
	}
	if !q.ECC && !q.NVLink {
		return true
	}
	gpu, ok := s.gpus[on.gpu]
	if !ok || q.ECC && gpu.ECC != Yes {
		return false
	}
	several := on.gpus.Valid && on.gpus.Decimal.GreaterThan(decimal.NewFromInt(1))
	return !q.NVLink || gpu.NVLink == Yes && several
}

// placesSearched counts the places that the filters on places leave.
func (s *Snapshot) placesSearched(q Query) int {
	if len(q.Providers)+len(q.Classes)+len(q.Regions)+len(q.Countries) == 0 {
		return len(s.places)
	}
	n := 0
	for _, p := range s.places {
		country := s.regions[p].Country
		if s.inPlace(q, p, country) {
			n++
		}
	}
	return n
}

// inPlace tests the filters on provider, class, region and country.
func (s *Snapshot) inPlace(q Query, p Place, country string) bool {
	return within(q.Providers, p.Provider) && within(q.Regions, p.Region) && within(q.Countries, country) &&
		(len(q.Classes) == 0 || slices.Contains(q.Classes, s.providers[p.Provider].Class))
}

// within reports whether a filter that is set names the value.
func within[T comparable](filter []T, value T) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

// VRAMPerGPU is the memory of one GPU of an offer in GB: the model's for whole
// GPUs, the source's figure for a slice or an unmapped GPU. ok is false if neither
// is known.
func (s *Snapshot) VRAMPerGPU(o *Offer) (gb float64, ok bool) {
	gpu, known := s.gpus[o.GPU]
	_, whole := o.WholeGPUs()
	if known && whole && gpu.MemoryGB > 0 {
		return gpu.MemoryGB, true
	}
	return o.VRAMPerGPUGB, o.VRAMPerGPUGB > 0
}

// newFilter is the test of single offers that a query needs besides its shelves;
// nil if it needs none.
func (s *Snapshot) newFilter(q Query) func(*Offer) bool {
	if len(q.Providers)+len(q.Classes)+len(q.Regions)+len(q.Countries) == 0 &&
		q.MinVRAMGB == 0 && !q.MaxGPUHour.Valid && q.Text == "" {
		return nil
	}
	text := FoldName(q.Text)
	return func(o *Offer) bool {
		return s.inPlace(q, o.Place, o.Country) && s.largeEnough(q, o) && s.cheapEnough(q, o) && mentions(o, text)
	}
}

// largeEnough tests the memory of one GPU.
func (s *Snapshot) largeEnough(q Query, o *Offer) bool {
	if q.MinVRAMGB == 0 {
		return true
	}
	gb, ok := s.VRAMPerGPU(o)
	return ok && gb >= q.MinVRAMGB
}

// cheapEnough tests the price of one GPU, exactly.
func (s *Snapshot) cheapEnough(q Query, o *Offer) bool {
	if !q.MaxGPUHour.Valid {
		return true
	}
	rate, ok := s.usdPerHour(o)
	gpus := o.NodeGPUs()
	if !ok || !gpus.Valid || !gpus.Decimal.IsPositive() {
		return false
	}
	return rate.Num.LessThanOrEqual(q.MaxGPUHour.Decimal.Mul(gpus.Decimal).Mul(rate.Den))
}

// mentions reports whether a folded text occurs in what an offer is called.
func mentions(o *Offer, text string) bool {
	if text == "" {
		return true
	}
	for _, name := range []string{string(o.Provider), string(o.SKU), string(o.GPU), o.GPUName, string(o.Region)} {
		if strings.Contains(FoldName(name), text) {
			return true
		}
	}
	return false
}

// count is how many offers of the shelves pass a filter.
func (s *Snapshot) count(shelves []*shelf, filter func(*Offer) bool) int {
	n := 0
	for _, on := range shelves {
		for _, i := range on.offers {
			if filter(&s.offers[i]) {
				n++
			}
		}
	}
	return n
}

// newest are the offers of the shelves that pass the filter, newest price first;
// unknown dates come last.
func (s *Snapshot) newest(shelves []*shelf, filter func(*Offer) bool, skip, limit int) []*Offer {
	var found []*Offer
	for _, on := range shelves {
		for _, i := range on.offers {
			if o := &s.offers[i]; filter == nil || filter(o) {
				found = append(found, o)
			}
		}
	}
	slices.SortFunc(found, func(a, b *Offer) int {
		if by := b.AsOf.Time().Compare(a.AsOf.Time()); by != 0 {
			return by
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	found = found[min(skip, len(found)):]
	return found[:min(limit, len(found))]
}
