package stageplan

import (
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

// newFront is the front of the points.
func newFront(points []point) front {
	var f front
	for _, p := range points {
		f.add(p)
	}
	return f
}

// clone is a front of the same points that grows apart.
func (f *front) clone() front {
	return front{points: slices.Clone(f.points), least: slices.Clone(f.least)}
}

// add puts a point into the front unless another is at least as good in all.
func (f *front) add(p point) {
	after := f.upTo(p.high)
	if f.covers(after, p) {
		return
	}
	at := after
	for at > 0 && f.points[at-1].high == p.high {
		at--
	}
	from := at
	kept := f.points[:at]
	superfluous := func(q point) bool { return q.seconds >= p.seconds && q.p95 >= p.p95 }
	tail := slices.DeleteFunc(f.points[from:], superfluous)
	f.points = slices.Insert(f.points[:len(kept)+len(tail)], at, p)
	f.least = append(f.least[:at], make([]int64, len(f.points)-at)...)
	for i := at; i < len(f.points); i++ {
		f.least[i] = f.points[i].seconds
		if i > 0 {
			f.least[i] = min(f.least[i], f.least[i-1])
		}
	}
}

// upTo is how many points cost at most so much.
func (f *front) upTo(cost tco.Nano) int {
	low, high := 0, len(f.points)
	for low < high {
		if mid := int(uint(low+high) / 2); f.points[mid].high <= cost {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// covers reports whether one of the first n points is at least as good as p in
// time and 95th percentile.
func (f *front) covers(n int, p point) bool {
	for i := n - 1; i >= 0 && f.least[i] <= p.seconds; i-- {
		if q := f.points[i]; q.seconds <= p.seconds && q.p95 <= p.p95 {
			return true
		}
	}
	return false
}

// beats reports whether any point of the front beats q.
func (f *front) beats(q point) bool {
	for i := f.upTo(q.low) - 1; i >= 0 && f.least[i] <= q.seconds; i-- {
		if f.points[i].beats(q) {
			return true
		}
	}
	return false
}
