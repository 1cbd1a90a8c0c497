package stageplan

import (
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// skyline is what of many points no other is at least as good as in both: by
// ascending cost and descending time. runs are whose points they are.
type skyline struct {
	points []least
	runs   []int32
}

// skylineOf is the skyline of a survey's runs on their cheapest offers.
func skylineOf(s *candidate.Survey) skyline {
	var sky skyline
	for i := range s.Runs() {
		_, l := s.Cheapest(i)
		sky.add(l, int32(i))
	}
	return sky
}

// add puts a point into the skyline unless another is at least as good.
func (s *skyline) add(l least, run int32) {
	at := s.after(l.Cost)
	if at > 0 && s.points[at-1].Seconds <= l.Seconds {
		return
	}
	from := at
	for from > 0 && s.points[from-1].Cost == l.Cost {
		from-- // equally dear and slower
	}
	to := at
	for to < len(s.points) && s.points[to].Seconds >= l.Seconds {
		to++
	}
	s.points = slices.Replace(s.points, from, to, l)
	s.runs = slices.Replace(s.runs, from, to, run)
}

// after is the number of points that cost at most so much.
func (s *skyline) after(cost tco.Nano) int {
	low, high := 0, len(s.points)
	for low < high {
		if mid := (low + high) / 2; s.points[mid].Cost <= cost {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// coarse is the most points that a bound on several stages has.
const coarse = 32

// sums is a lower bound on the sum of one of each: the skyline of all sums, coarsened.
func sums(a, b []least) []least {
	var sky skyline
	for _, x := range a {
		for _, y := range b {
			cost := tco.Bound{Low: x.Cost, High: x.Cost}.Add(tco.Bound{Low: y.Cost, High: y.Cost}).Low
			sky.add(least{Cost: cost, Seconds: x.Seconds + y.Seconds}, 0)
		}
	}
	return coarsened(sky.points)
}

// coarsened replaces neighbours by what both take at least until few points are left.
func coarsened(points []least) []least {
	if len(points) <= coarse {
		return points
	}
	out := make([]least, 0, coarse)
	for i := range coarse {
		from, to := i*len(points)/coarse, (i+1)*len(points)/coarse
		out = append(out, least{Cost: points[from].Cost, Seconds: points[to-1].Seconds})
	}
	return out
}
