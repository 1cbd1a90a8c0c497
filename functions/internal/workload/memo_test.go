package workload

import (
	"math"
	"sync"
	"testing"
)

// TestMemoRemembersRightly asks for more values than there are slots, from several
// goroutines at once.
func TestMemoRemembersRightly(t *testing.T) {
	var m memo
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2000 {
				a, b := float64(i%7), float64(i%200)
				if got := m.at(a, b, math.Hypot); got != math.Hypot(a, b) {
					t.Errorf("f(%g, %g) = %g", a, b, got)
				}
			}
		})
	}
	all.Wait()
}

func TestPowerBudget(t *testing.T) {
	k := Calibrated().with()
	for _, tt := range []struct{ peak, watts float64 }{
		{312e12, 400}, {312e12, 250}, {989e12, 700}, {165.2e12, 450}, {65e12, 70}, {10.6e12, 300}, {312e12, 568.5},
	} {
		want := min(bestEfficiency/k.MatrixEfficiency, math.Pow(tt.peak/1e12/tt.watts/referenceTFLOPSPerWatt, -k.PowerExponent))
		if got := k.powerFactor(tt.peak, tt.watts); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%g FLOP/s at %g W: factor %g, want %g", tt.peak, tt.watts, got, want)
		}
	}
	if got := k.powerFactor(312e12, 0); got != 1 {
		t.Errorf("unknown power: factor %g, want 1", got)
	}
}
