package aggregate

import (
	"cmp"
	"math"
	"slices"

	"github.com/tierwise/tierwise/catalog"
)

// The constants of the procedure (shared design, PROBE 2.6).
const (
	// MinTenants is how many tenants must have measured before anything is published:
	// below, the figure would be theirs.
	MinTenants = 3
	// priorTenants is how many tenants the prior weighs as much as.
	priorTenants = 3
	// dropFrom is from how many tenants on those far from the others are left out.
	dropFrom = 5
	// mostDropped is the share of the tenants that may be left out.
	mostDropped = 0.3
	// farOff is the modified z-score from which a tenant is far off (Iglewicz and
	// Hoaglin, "How to Detect and Handle Outliers", 1993), and leastMAD what its
	// denominator is at least.
	farOff, leastMAD = 3.5, 0.01
	// medianError is the standard error of a median over that of a mean, of normal
	// figures: sqrt(pi/2).
	medianError = 1.2533
)

// Pooled is what many tenants' figures come to.
type Pooled struct {
	Measured float64          // the median of the tenants that are kept
	Interval catalog.Interval // 95%, of Measured
	Value    float64          // Measured, drawn towards the prior
	Tenants  int              // that are kept
	Outliers int              // that were left out
}

// Pool pools one figure of each tenant; there must be at least one. The order does
// not matter.
func Pool(figures []float64, prior float64) Pooled {
	kept := slices.Sorted(slices.Values(figures))
	all := len(kept)
	kept = withoutOutliers(kept)
	n := float64(len(kept))
	p := Pooled{Measured: median(kept), Tenants: len(kept), Outliers: all - len(kept)}
	p.Interval = catalog.Interval{Low: p.Measured, High: p.Measured}
	if len(kept) > 1 {
		half := medianError * quantileT(len(kept)-1) * deviation(kept) / math.Sqrt(n)
		p.Interval = catalog.Interval{Low: p.Measured - half, High: p.Measured + half}
	}
	p.Value = (priorTenants*prior + n*p.Measured) / (priorTenants + n)
	return p
}

// withoutOutliers are sorted figures without those that are far from the others: the
// farthest first, and never more than a share of all.
func withoutOutliers(sorted []float64) []float64 {
	if len(sorted) < dropFrom {
		return sorted
	}
	middle := median(sorted)
	away := make([]float64, len(sorted))
	for i, x := range sorted {
		away[i] = math.Abs(x - middle)
	}
	spread := max(median(slices.Sorted(slices.Values(away))), leastMAD)
	for most := int(mostDropped * float64(len(sorted))); most > 0 && len(sorted) > 0; most-- {
		first, last := sorted[0], sorted[len(sorted)-1]
		far := max(middle-first, last-middle)
		if 0.6745*far/spread <= farOff {
			break
		}
		if middle-first > last-middle {
			sorted = sorted[1:]
		} else {
			sorted = sorted[:len(sorted)-1]
		}
	}
	return sorted
}

// median is the middle of sorted figures, of which there is one at least.
func median(sorted []float64) float64 { return quantile(sorted, 0.5) }

// quantile interpolates between the two nearest of sorted figures.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// deviation is the standard deviation of a sample of two at least.
func deviation(sample []float64) float64 {
	mean := 0.0
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	squares := 0.0
	for _, x := range sample {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(sample)-1))
}

// medianOf is the median of values by a figure of theirs; there is one at least.
func medianOf[T any](values []T, figure func(T) float64) float64 {
	figures := make([]float64, len(values))
	for i, v := range values {
		figures[i] = figure(v)
	}
	slices.SortFunc(figures, cmp.Compare)
	return median(figures)
}
