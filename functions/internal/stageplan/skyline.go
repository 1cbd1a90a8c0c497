package stageplan

import (
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// skyline is what of many points no other is at least as good as in both: by
// ascending cost and descending time. runs are whose points they are.
type skyline struct {
	points []least
	whose  []pick
	near   int // about where the last that was asked for was
}

// pick is a run on one of its offers.
type pick struct {
	run int32
	tag *candidate.Tag
}

// outdoes reports whether the fastest of all, or the one that was looked for last, is at least as
// good as a point. It is told at once.
func (s *skyline) outdoes(l least) bool {
	n := len(s.points)
	if n == 0 {
		return false
	}
	fastest, near := &s.points[n-1], &s.points[min(s.near, n-1)]
	return fastest.Cost <= l.Cost && fastest.Seconds <= l.Seconds || near.Cost <= l.Cost && near.Seconds <= l.Seconds
}

// most is what a point of so many seconds may cost at most to be part of the skyline.
func (s *skyline) most(seconds int64) tco.Nano {
	low := 0 // the first point that takes no longer
	for n := len(s.points); n > 0; {
		half := (n + 1) >> 1
		low += half & -one(s.points[low+half-1].Seconds > seconds)
		n -= half
	}
	if s.near = low; low == len(s.points) {
		return tco.MaxNano
	}
	return s.points[low].Cost
}

// add puts a point into the skyline unless another is at least as good.
func (s *skyline) add(l least, by pick) {
	if s.outdoes(l) {
		return
	}
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
	s.points = put(s.points, from, to, l)
	if by.tag != nil {
		s.whose = put(s.whose, from, to, by)
	}
}

// put puts a value in the place of part of a list.
func put[T any](list []T, from, to int, value T) []T {
	if from == to {
		list = append(list, value)
		copy(list[from+1:], list[from:])
	} else {
		list = append(list[:from+1], list[to:]...)
	}
	list[from] = value
	return list
}

// after is the number of points that cost at most so much.
func (s *skyline) after(cost tco.Nano) int {
	low := 0
	for n := len(s.points); n > 0; {
		half := (n + 1) >> 1
		low += half & -one(s.points[low+half-1].Cost <= cost)
		n -= half
	}
	return low
}

// skyline is an empty one, with room for a usual one.
func (s *searcher) skyline() skyline {
	return skyline{points: s.room.leasts.Empty(usualSkyline), whose: s.room.picks.Empty(usualPicks)}
}

// How many points a skyline has usually, at most; and one of runs.
const (
	usualSkyline = 128
	usualPicks   = 64
)

// one is 1 if something is true, and 0 if not. Searches mask their steps with it: a branch there
// goes either way as often, and waiting for it costs more.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
