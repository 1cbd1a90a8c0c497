package aggregate

import (
	"slices"

	"github.com/tierwise/tierwise/catalog"
)

// reference is what a healthy GPU of a model gives; a figure of 0 is unknown.
type reference struct {
	clock       float64 // MHz
	clockLearnt bool
	gemm        float64 // TFLOPS
	training    float64 // TFLOPS, learnt only
	copied      float64 // GB/s
	bus         float64 // GB/s
}

// From how many tenants, of how many providers, a reference is learnt. Those of one
// provider alone could make its weakness the yardstick.
const (
	learntTenants   = 5
	learntProviders = 2
)

// busShare is what an all-reduce reaches of NVLink's speed in one direction: 396 of
// 450 GB/s between pairs of eight H200 (shared design, PROBE 2.3).
const busShare = 0.88

// referencesOf are the references of every model that was measured.
func referencesOf(all ballots, s *catalog.Snapshot) map[catalog.GPUID]reference {
	byModel := make(map[catalog.GPUID][]place)
	for at := range all {
		byModel[at.gpu] = append(byModel[at.gpu], at)
	}
	refs := make(map[catalog.GPUID]reference)
	for id, places := range byModel {
		g, _ := s.GPU(id)
		r := reference{clock: g.PeakClockMHz, gemm: g.GEMMTFLOPS, copied: g.CopyGBs}
		if g.NVLink == catalog.Yes {
			r.bus = g.NVLinkGBs / 2 * busShare
		}
		cap := g.PeakClockMHz
		if cap == 0 {
			cap = highestClock(all, places)
		}
		if clock, ok := learnt(all, places, func(b *ballot) quantity { return b.clock }); ok {
			r.clock, r.clockLearnt = min(clock, cap), true
		}
		r.training, _ = learnt(all, places, func(b *ballot) quantity { return b.training })
		refs[id] = r
	}
	return refs
}

// highestClock is the highest clock that any driver named; 0 if none did.
func highestClock(all ballots, places []place) float64 {
	highest := 0.0
	for _, at := range places {
		for _, b := range all[at] {
			highest = max(highest, b.clockMax)
		}
	}
	return highest
}

// learnt is what healthy boxes give: the upper quartile of the tenants' medians. ok is
// false if too few tenants measured it.
//
// Who forges high figures raises the upper quartile, and so lowers everybody's
// coefficient; therefore it is the lesser of the upper quartile and of the lower one
// mirrored at the median, of the tenants without those that are far off.
func learnt(all ballots, places []place, of func(*ballot) quantity) (figure float64, ok bool) {
	figures := make(map[catalog.TenantID][]float64)
	providers := make(map[catalog.ProviderID]bool)
	for _, at := range places {
		for _, b := range all[at] {
			if q := of(b); q.weight > 0 && !b.host {
				figures[b.tenant] = append(figures[b.tenant], q.value())
				providers[at.provider] = true
			}
		}
	}
	if len(figures) < learntTenants || len(providers) < learntProviders {
		return 0, false
	}
	var medians []float64
	for _, own := range figures {
		slices.Sort(own)
		medians = append(medians, median(own))
	}
	slices.Sort(medians)
	kept := withoutOutliersRelative(medians)
	return min(quantile(kept, 0.75), 2*median(kept)-quantile(kept, 0.25)), true
}

// withoutOutliersRelative is withoutOutliers for figures of any unit.
func withoutOutliersRelative(sorted []float64) []float64 {
	unit := median(sorted)
	if unit <= 0 {
		return sorted
	}
	scaled := make([]float64, len(sorted))
	for i, x := range sorted {
		scaled[i] = x / unit
	}
	kept := withoutOutliers(scaled)
	for i := range kept {
		kept[i] *= unit
	}
	return kept
}
