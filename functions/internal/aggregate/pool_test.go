package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The simulation of the shared design (PROBE 2.6): a truth of 0.70, tenants 0.05 off
// it and boxes 0.03 off their tenant.
const (
	truth     = 0.70
	tenantSD  = 0.05
	boxSD     = 0.03
	boxes     = 30
	simulated = 2000
)

// honest are the figures of boxes of tenants, dealt to the tenants in turn.
func honest(r *rand.Rand, tenants, boxes int) [][]float64 {
	all := make([][]float64, tenants)
	for t := range all {
		centre := truth + tenantSD*r.NormFloat64()
		for b := t; b < boxes; b += tenants {
			all[t] = append(all[t], centre+boxSD*r.NormFloat64())
		}
	}
	return all
}

// forged are n figures of tenants that all say the same.
func forged(n, tenants int, value float64) [][]float64 {
	all := make([][]float64, tenants)
	for i := range n {
		all[i%tenants] = append(all[i%tenants], value)
	}
	return all
}

// pooled pools the tenants' medians.
func pooled(tenants [][]float64, prior float64) Pooled {
	var figures []float64
	for _, boxes := range tenants {
		figures = append(figures, median(slices.Sorted(slices.Values(boxes))))
	}
	return Pool(figures, prior)
}

// TestForgery: what forged reports do to the figure that ranks.
func TestForgery(t *testing.T) {
	for _, attack := range []struct {
		name            string
		forged          int
		tenants         int
		value           float64
		prior           float64
		shift, farthest float64 // root mean square against the same run without, and against the truth
	}{
		{"none", 0, 1, 0, 0.70, 0, 0.02},
		{"40 at 0.99 of one tenant", 40, 1, 0.99, 0.70, 0.015, 0.025},
		{"40 at 0.99 of 3 tenants", 40, 3, 0.99, 0.70, 0.04, 0.04},
		{"40 at 0.80 of 3 tenants", 40, 3, 0.80, 0.70, 0.04, 0.04},
		{"40 at 0.05 of 3 tenants", 40, 3, 0.05, 0.70, 0.04, 0.04},
		{"40 at 0.99 of 3 tenants, prior off", 40, 3, 0.99, 0.92, 0.04, 0.1},
		{"4,000 at 0.99 of 3 tenants", 4000, 3, 0.99, 0.70, 0.04, 0.04},
	} {
		t.Run(attack.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			shift, off := 0.0, 0.0
			for range simulated {
				true8 := honest(r, 8, boxes)
				clean := pooled(true8, attack.prior).Value
				dirty := clean
				if attack.forged > 0 {
					dirty = pooled(append(true8, forged(attack.forged, attack.tenants, attack.value)...), attack.prior).Value
				}
				shift += (dirty - clean) * (dirty - clean) / simulated
				off += (dirty - truth) * (dirty - truth) / simulated
			}
			t.Logf("RMS shift of value %.4f, RMS error %.4f", math.Sqrt(shift), math.Sqrt(off))
			if math.Sqrt(shift) > attack.shift || math.Sqrt(off) > attack.farthest {
				t.Errorf("shift %.4f, want at most %.3f; error %.4f, want at most %.3f", math.Sqrt(shift), attack.shift, math.Sqrt(off), attack.farthest)
			}
		})
	}
}

// TestCoverage: how often the interval of the measurement holds the truth.
func TestCoverage(t *testing.T) {
	for _, tenants := range []int{3, 5, 8, 15} {
		r := rand.New(rand.NewPCG(3, uint64(tenants)))
		held := 0
		for range simulated {
			p := pooled(honest(r, tenants, max(boxes, tenants)), 0.92)
			if p.Interval.Low <= truth && truth <= p.Interval.High {
				held++
			}
		}
		coverage := float64(held) / simulated
		t.Logf("%d tenants: %.3f", tenants, coverage)
		if coverage < 0.92 || coverage > 0.97 {
			t.Errorf("%d tenants: the interval holds the truth in %.3f of the runs, want 0.92 to 0.97", tenants, coverage)
		}
	}
}
