package spot

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Step is the wall time of one stage of a plan, in seconds: expected, and its own 95th
// percentile.
type Step struct{ Expected, P95 int64 }

// Scenarios are draws of how late each stage of a plan is: the simulation that plans
// are held against a deadline by. Each stage's lateness is drawn by itself, so a plan's
// 95th percentile is less than the sum of its stages'. All plans of one request meet
// the same draws: of two plans the one that is never later in any stage is never later
// as a whole.
//
// A draw is a multiple of the difference between a stage's 95th percentile and its
// expected time, lognormal, and never below zero: what a stage gains is not counted on
// for the next. The draws of one stage are the midpoints of equal shares of the
// distribution in random order (M. D. McKay and others, "A comparison of three methods
// for selecting values of input variables", 1979), so that the percentile of a plan of
// one stage is that stage's, exactly. They are whole thousandths, so that every
// machine gets the same.
type Scenarios struct {
	late [][Draws]int32 // per stage, thousandths
	sums []int64
}

const (
	// Draws is how many scenarios there are.
	Draws = 400
	// at95 is the place of the draw that 95 of 100 do not exceed.
	at95 = Draws*95/100 - 1
	// spread is the shape of the lognormal: the standard deviation of the logarithm of a
	// stage's time, typical of the estimates' intervals.
	spread   = 0.25
	thousand = 1000
)

// Farthest is the largest draw: no stage is later than so many times the difference
// between its 95th percentile and its expected time, rounded up.
const Farthest = 3

// NewScenarios draws for plans of so many stages. Equal seeds give equal draws.
func NewScenarios(seed uint64, stages int) *Scenarios {
	s := &Scenarios{late: make([][Draws]int32, stages), sums: make([]int64, Draws)}
	sorted := distribution()
	for i := range s.late {
		s.late[i] = sorted
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		random.Shuffle(Draws, func(a, b int) { s.late[i][a], s.late[i][b] = s.late[i][b], s.late[i][a] })
	}
	return s
}

// distribution is the draws of one stage, ascending. They are the same for all.
var distribution = sync.OnceValue(func() (sorted [Draws]int32) {
	excess := func(share float64) float64 {
		return math.Expm1(spread * math.Sqrt2 * math.Erfinv(2*share-1))
	}
	unit := excess((at95 + 0.5) / Draws)
	for i := range sorted {
		sorted[i] = int32(math.Round(thousand * max(0, excess((float64(i)+0.5)/Draws)) / unit))
	}
	return sorted
})

// simulate draws the lateness of a plan in thousandths of a second.
func (s *Scenarios) simulate(steps []Step) (expected int64) {
	clear(s.sums)
	for i, step := range steps {
		expected += step.Expected
		if late := step.P95 - step.Expected; late > 0 {
			sums := s.sums[:Draws]
			for k, draw := range &s.late[i] {
				sums[k] += late * int64(draw)
			}
		}
	}
	return expected
}

// P95 is the 95th percentile of a plan's wall time, moves apart. It is never more than
// the sum of the stages' percentiles, nor less than the expected time plus the largest
// lateness of one stage.
func (s *Scenarios) P95(steps []Step) int64 {
	expected, sum, most := int64(0), int64(0), int64(0)
	for _, step := range steps {
		late := max(0, step.P95-step.Expected)
		expected, sum, most = expected+step.Expected, sum+late, max(most, late)
	}
	if sum == most {
		return expected + sum // one stage at most can be late
	}
	s.simulate(steps)
	late := (percentile(s.sums) + thousand - 1) / thousand
	return expected + min(sum, max(most, late))
}

// percentile is the draw at at95 in order: the least of the largest few.
func percentile(sums []int64) int64 {
	var largest [Draws - at95]int64 // ascending
	copy(largest[:], sums)
	slices.Sort(largest[:])
	for _, v := range sums[len(largest):] {
		if v <= largest[0] {
			continue
		}
		at := 1
		for ; at < len(largest) && largest[at] < v; at++ {
			largest[at-1] = largest[at]
		}
		largest[at-1] = v
	}
	return largest[0]
}

// RiskPct is the share of scenarios, in percent, in which a plan takes longer than so
// many seconds.
func (s *Scenarios) RiskPct(steps []Step, seconds int64) float64 {
	expected, missed := s.simulate(steps), 0
	for _, late := range s.sums {
		if expected*thousand+late > seconds*thousand {
			missed++
		}
	}
	return 100 * float64(missed) / Draws
}
