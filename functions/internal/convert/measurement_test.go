package convert

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tierwise/tierwise/schemas"
)

// sums are those of a clock and a power that are spread over some twentieths.
func sums(r *rand.Rand, bins int) *schemas.MeasuredSums {
	s := &schemas.MeasuredSums{ClockHistogram: make([]int, 20), ClockSM: &schemas.MeasuredStat{Min: 900, Max: 1400}, Power: &schemas.MeasuredStat{Min: 300, Max: 400}}
	for range 3600 {
		bin := r.IntN(bins)
		s.ClockHistogram[bin]++
		s.ClockSM.Sum += float64(bin)
		s.ClockSM.SumSquares += float64(bin * bin)
		s.Power.Sum += r.Float64()
	}
	return s
}

// How often two draws are the same is what is calculated of one of them.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const draws = 3000
	for _, c := range []struct{ bins, n int }{{1, 50}, {2, 400}, {3, 100}, {4, 40}} {
		same, calculated := 0.0, 0.0
		seen := make(map[[4]int]int)
		for range draws {
			var h [4]int
			for range c.n {
				h[r.IntN(c.bins)]++
			}
			same += float64(seen[h])
			seen[h]++
			calculated += chanceOf(h[:]) / draws
		}
		got := same / (draws * (draws - 1) / 2)
		if math.Abs(got/calculated-1) > 0.25 {
			t.Errorf("%d samples in %d bins: the same in %.3g of pairs, calculated %.3g", c.n, c.bins, got, calculated)
		}
	}
	if got := chanceOf(make([]int, 20)); got != 1 {
		t.Errorf("without samples the chance is %v", got)
	}
}

// Honest boxes do not have the same print, and a copy has it: of a broad histogram
// whatever else it claims, of a narrow one if it claims nothing else.
func TestPrints(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, bins := range []int{2, 4, 7, 9, 20} {
		seen := make(map[uint64]bool)
		for range 3000 {
			p, ok := printOf(sums(r, bins))
			if !ok || seen[p] {
				t.Fatalf("%d bins: print %x, known %v: want one of its own", bins, p, ok)
			}
			seen[p] = true
		}
	}
	for bins, hides := range map[int]bool{4: true, 20: false} {
		s := sums(r, bins)
		was, _ := printOf(s)
		if is, _ := printOf(s); is != was {
			t.Errorf("%d bins: a copy has another print", bins)
		}
		s.Power.Sum++
		if is, _ := printOf(s); (is != was) != hides {
			t.Errorf("%d bins: with another power the print changes: %v, want %v", bins, is != was, hides)
		}
	}
	still := sums(r, 1)
	still.Power.Max = still.Power.Min
	if _, ok := printOf(still); ok {
		t.Error("a clock and a power that never move tell something")
	}
	few := &schemas.MeasuredSums{ClockHistogram: []int{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}
	if _, ok := printOf(few); ok {
		t.Error("180 samples tell something")
	}
}
