package catalog

import (
	"bytes"
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
	GPUs      []GPUID // any of these; "" among them selects CPU-only offers
	Markets   []PurchaseModel
	GPUCounts []decimal.Decimal // GPUs of a rentable node, exactly one of these

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
	// PlacesSearched is how many places were looked at, and Hidden how many others
	// there are, by the first filter that each fails.
	PlacesSearched int
	Hidden         []Hidden
}

// Query answers a query: limit offers after the first skip, in the query's order.
func (s *Snapshot) Query(q Query, skip, limit int) Page {
	var page Page
	page.PlacesSearched, page.Hidden = s.placesSearched(q)
	shelves := s.matching(q)
	if filter := s.newFilter(q); filter != nil {
		shelves = s.filtered(shelves, filter)
	}
	for _, on := range shelves {
		page.Total += len(on.offers)
	}
	if q.Sort == ByAsOf {
		page.Offers = s.newest(shelves, skip, limit)
		return page
	}
	page.Offers = s.merge(q.Sort, shelves).take(skip, limit)
	return page
}

// matching are the shelves that a query reaches into.
func (s *Snapshot) matching(q Query) []*shelf {
	var found []*shelf
	for _, at := range s.ranges(q.GPUs) {
		for i := at[0]; i < at[1]; i++ {
			if on := &s.shelves()[i]; s.admits(q, on) {
				found = append(found, on)
			}
		}
	}
	return found
}

// ranges are the positions of the shelves of the GPUs, or of all if none is asked for.
func (s *Snapshot) ranges(gpus []GPUID) [][2]int {
	if len(gpus) == 0 {
		return [][2]int{{0, len(s.shelves())}}
	}
	ids := slices.Compact(slices.Sorted(slices.Values(gpus)))
	found := make([][2]int, 0, len(ids))
	for _, id := range ids {
		from, _ := slices.BinarySearchFunc(s.shelves(), id, func(on shelf, id GPUID) int {
			return strings.Compare(string(on.gpu), string(id))
		})
		to := from
		for to < len(s.shelves()) && s.shelves()[to].gpu == id {
			to++
		}
		found = append(found, [2]int{from, to})
	}
	return found
}

// admits tests what all offers of a shelf have in common.
func (s *Snapshot) admits(q Query, on *shelf) bool {
	if !within(q.Markets, on.market) {
		return false
	}
	if len(q.GPUCounts) > 0 && !(on.gpus.Valid && slices.ContainsFunc(q.GPUCounts, on.gpus.Decimal.Equal)) {
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

// within reports whether a filter that is set names the value.
func within[T comparable](filter []T, value T) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

// VRAMPerGPU is the memory of one GPU of an offer in GB: the model's for whole
// GPUs, the source's figure for a slice or an unmapped GPU. A slice of whole
// eighths that has no figure has as many eighths of the memory (other slices may
// not: a seventh of an A100 has an eighth of its memory). ok is false if nothing is
// known.
func (s *Snapshot) VRAMPerGPU(o *Offer) (gb float64, ok bool) {
	gpu, known := s.gpus[o.GPU]
	_, whole := o.WholeGPUs()
	if known && whole && gpu.MemoryGB > 0 {
		return gpu.MemoryGB, true
	}
	if o.VRAMPerGPUGB > 0 || !o.GPUs.Valid {
		return o.VRAMPerGPUGB, o.VRAMPerGPUGB > 0
	}
	eighths := o.GPUs.Decimal.Mul(decimal.NewFromInt(8))
	if !eighths.IsInteger() || eighths.Sign() <= 0 {
		return 0, false
	}
	gb = gpu.MemoryGB * eighths.InexactFloat64() / 8
	return gb, gb > 0
}

// newFilter is the test of single offers that a query needs besides its shelves;
// nil if it needs none.
func (s *Snapshot) newFilter(q Query) func(*Offer) bool {
	if !q.hasPlaces() && q.MinVRAMGB == 0 && !q.MaxGPUHour.Valid && q.Text == "" {
		return nil
	}
	text := FoldName(q.Text)
	return func(o *Offer) bool {
		return s.barrier(q, o.Place, o.Country) == "" && s.largeEnough(q, o) && s.cheapEnough(q, o) && mentions(o, text)
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
		if occurs(text, name) {
			return true
		}
	}
	return false
}

// longestName is the longest name that text is looked for in without allocating.
const longestName = 128

// occurs reports whether a folded text occurs in a name, as FoldName reads it but
// for the maker's name.
func occurs(text, name string) bool {
	folded := make([]byte, 0, longestName)
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			folded = append(folded, c+'a'-'A')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.':
			folded = append(folded, c)
		}
	}
	return bytes.Contains(folded, []byte(text))
}

// filtered are the shelves with the offers that pass a filter, in the same order;
// those without any are left out.
func (s *Snapshot) filtered(shelves []*shelf, filter func(*Offer) bool) []*shelf {
	var found []*shelf
	for _, on := range shelves {
		left := shelf{gpu: on.gpu, market: on.market, gpus: on.gpus}
		for _, offer := range on.offers {
			if filter(&s.offers[offer]) {
				left.offers = append(left.offers, offer)
			}
		}
		if len(left.offers) > 0 {
			found = append(found, &left)
		}
	}
	return found
}

// newest are limit offers of the shelves after the first skip, newest price first;
// unknown dates come last.
func (s *Snapshot) newest(shelves []*shelf, skip, limit int) []*Offer {
	var found []*Offer
	for _, on := range shelves {
		for _, i := range on.offers {
			found = append(found, &s.offers[i])
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
