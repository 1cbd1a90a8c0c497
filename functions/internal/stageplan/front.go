package stageplan

import (
	"cmp"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// point is what partial and complete plans are compared by.
type point struct {
	low, high    tco.Nano
	seconds, p95 int64
}

// plus adds what is certain to come.
func (p point) plus(q point) point {
	b := tco.Bound{Low: p.low, High: p.high}.Add(tco.Bound{Low: q.low, High: q.high})
	return point{b.Low, b.High, p.seconds + q.seconds, p.p95 + q.p95}
}

// beats reports whether p is certainly better than q: no worse in cost, time and
// the 95th percentile, and strictly better in cost or time. Equals never beat each
// other: ties are settled exactly.
func (p point) beats(q point) bool {
	if p.high > q.low || p.seconds > q.seconds || p.p95 > q.p95 {
		return false
	}
	return p.high < q.low || p.seconds < q.seconds
}

// behind is the point worsened in cost, time and 95th percentile.
func (p point) behind(cost tco.Nano, seconds, p95 int64) point {
	p.high = tco.Bound{High: p.high}.Add(tco.Bound{High: cost}).High
	p.seconds += seconds
	p.p95 += p95
	return p
}

// front answers fast whether any of many points beats another. It keeps the
// points that no other makes superfluous, by ascending high.
type front struct {
	points []point
	least  []int64 // least seconds among the points up to this one
}

// newFront takes over the points.
func newFront(points []point) front {
	slices.SortFunc(points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.p95, b.p95))
	})
	var f front
	for _, p := range points {
		if f.covers(p) {
			continue
		}
		least := p.seconds
		if n := len(f.least); n > 0 {
			least = min(least, f.least[n-1])
		}
		f.points, f.least = append(f.points, p), append(f.least, least)
	}
	return f
}

// covers reports whether a point already held is at least as good as p in all.
func (f *front) covers(p point) bool {
	for i := len(f.points) - 1; i >= 0 && f.least[i] <= p.seconds; i-- {
		if q := f.points[i]; q.seconds <= p.seconds && q.p95 <= p.p95 {
			return true
		}
	}
	return false
}

// beats reports whether any point of the front beats q.
func (f *front) beats(q point) bool {
	i, _ := slices.BinarySearchFunc(f.points, q.low, func(p point, low tco.Nano) int {
		if p.high <= low {
			return -1
		}
		return 1
	})
	for i--; i >= 0 && f.least[i] <= q.seconds; i-- {
		if f.points[i].beats(q) {
			return true
		}
	}
	return false
}
