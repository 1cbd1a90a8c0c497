package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// front answers fast whether any of many points beats another. It keeps the
// points that no other makes superfluous, by ascending high.
type front struct {
	points []point
	least  []int64 // least seconds among the points up to this one
	near   int     // the point that beat last
}

// front is the front of the points.
func (s *searcher) front(points []point) front {
	ranked := s.room.points.Empty(len(points))
	for _, i := range s.cheapestFirst(len(points), func(i int) tco.Nano { return points[i].high }) {
		ranked = append(ranked, points[i])
	}
	return s.frontOf(ranked)
}

// frontOf is the front of points that come about the cheapest first, which it takes over.
func (s *searcher) frontOf(points []point) front {
	inOrder(points, func(a, b point) int {
		switch {
		case a.high != b.high:
			return sign(int64(a.high - b.high))
		case a.seconds != b.seconds:
			return sign(a.seconds - b.seconds)
		}
		return sign(a.p95 - b.p95)
	})
	f := front{points: points[:0], least: s.room.times.Empty(len(points))}
	for _, p := range points {
		if f.covers(len(f.points), p) {
			continue
		}
		fastest := p.seconds
		if n := len(f.least); n > 0 {
			fastest = min(fastest, f.least[n-1])
		}
		f.points, f.least = append(f.points, p), append(f.least, fastest)
	}
	return f
}

// upTo is how many points cost at most so much.
func (f *front) upTo(cost tco.Nano) int {
	low := 0
	for n := len(f.points); n > 0; {
		half := (n + 1) >> 1
		low += half & -one(f.points[low+half-1].high <= cost)
		n -= half
	}
	return low
}

// covers reports whether one of the first n points is at least as good as p in
// time and 95th percentile.
func (f *front) covers(n int, p point) bool {
	for i := n - 1; i >= 0 && f.least[i] <= p.seconds; i-- {
		if q := &f.points[i]; q.seconds <= p.seconds && q.p95 <= p.p95 {
			return true
		}
	}
	return false
}

// beats reports whether any point of the front beats q.
func (f *front) beats(q point) bool {
	if f.near < len(f.points) && f.points[f.near].beats(q) {
		return true
	}
	for i := f.upTo(q.low) - 1; i >= 0 && f.least[i] <= q.seconds; i-- {
		if f.points[i].beats(q) {
			f.near = i
			return true
		}
	}
	return false
}

// cheaper is the points that were looked at so far, which come about the cheapest first: those
// of lower ranks of costs, and all.
type cheaper struct {
	rank         int
	soonest, all int64 // the least seconds
}

// newCheaper is that of no points yet.
func newCheaper() cheaper { return cheaper{soonest: math.MaxInt64, all: math.MaxInt64} }

// beat looks at the next point, and reports whether one of those certainly beats it in cost,
// and is as fast.
func (c *cheaper) beat(p *point) bool {
	if r := rankOf(int64(p.high), costly); r != c.rank {
		c.rank, c.soonest = r, c.all
	}
	c.all = min(c.all, p.seconds)
	return p.seconds >= c.soonest && rankOf(int64(p.low), costly) == c.rank
}
