package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// point is what partial and complete plans are compared by.
type point struct {
	low, high    tco.Nano
	seconds, p95 int64
}

// least is what something takes at least: no plan takes less of both.
type least = candidate.Least

// pointOf is what is certain of something that takes so much at least. Its 95th
// percentile is no less than the expected time.
func pointOf(l least) point { return point{l.Cost, l.Cost, l.Seconds, l.Seconds} }

// least is what something at a point takes at least.
func (p point) least() least { return least{Cost: p.low, Seconds: p.seconds} }

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
	p.high = sum(p.high, cost)
	p.seconds += seconds
	p.p95 += p95
	return p
}

// cheaper is the point with so much less cost.
func (p point) cheaper(by tco.Nano) point {
	p.low = max(0, p.low-by)
	return p
}

// sum adds costs; it saturates.
func sum(a, b tco.Nano) tco.Nano {
	if all := a + b; all >= 0 {
		return all
	}
	return tco.MaxNano
}

// nothing is the floor of nothing: more than anything takes.
func nothing() point {
	return point{low: tco.MaxNano, high: tco.MaxNano, seconds: math.MaxInt64 / 4, p95: math.MaxInt64 / 4}
}

// atMost lowers a floor to a point.
func (p point) atMost(q point) point {
	p.low = min(p.low, q.low)
	return point{p.low, p.low, min(p.seconds, q.seconds), min(p.p95, q.p95)}
}

// floorOf is what all of a skyline take at least.
func floorOf(points []least) point {
	if len(points) == 0 {
		return nothing()
	}
	return pointOf(least{Cost: points[0].Cost, Seconds: points[len(points)-1].Seconds})
}
