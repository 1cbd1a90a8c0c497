package stageplan

import (
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// reach is the labels of a stage as they are once their data has moved to the next one:
// to other sites of their provider, and anywhere else. A label that another certainly
// beats even at the worst price of moving is worth no move. At their own sites the
// tableau has them.
type reach struct {
	inside  []moved // within the provider, by its number, then by cost
	starts  []int32 // by number of the provider: where in inside its labels begin
	abroad  []moved // by cost
	floor   point   // of all, moved or not
	soonest int64   // of those that moved
}

// moved is a label with what it takes once its data has moved.
type moved struct {
	point          point
	label          int32
	site, provider int32  // that it comes from
	left           uint16 // the provider in histories: its number counted from 1, 0 if nothing moved
}

// within are the labels that moved within a provider.
func (r *reach) within(provider int32) []moved {
	return r.inside[r.starts[provider]:r.starts[provider+1]]
}

// reach sorts the last labels by where they are worth going on.
func (t *tableau) reach() reach {
	i := len(t.labels)
	labels, stage := t.labels[i-1], t.stages[i-1]
	better := t.movable(i)
	r := reach{floor: nothing(), soonest: nothing().seconds, inside: t.s.room.moves.Empty(min(len(labels), usualMoves)), abroad: t.s.room.moves.Empty(min(len(labels), usualMoves))}
	for j := range labels {
		l := &labels[j]
		if l.gone || better.beats(l.point) {
			l.gone = true
			continue
		}
		r.floor = r.floor.atMost(l.point)
		c := &stage[l.choice]
		if c.still && i <= t.s.problem.Main {
			continue
		}
		m := moved{label: int32(j), site: c.site, provider: c.provider}
		region, internet, seconds := t.s.carrier.out(i, c)
		if seconds > 0 {
			m.left = uint16(c.provider + 1)
		}
		r.soonest = min(r.soonest, l.point.seconds+seconds)
		if m.point = l.point.plus(t.s.moved(region, seconds)); !better.beats(m.point) {
			r.inside = append(r.inside, m)
		}
		if m.point = l.point.plus(t.s.moved(internet, seconds)); !better.beats(m.point) {
			r.abroad = append(r.abroad, m)
		}
	}
	r.starts = t.s.room.numbers.Take(t.s.problem.Market.Providers() + 1)
	r.sort()
	return r
}

// usualMoves is how many labels are worth a move usually, at most.
const usualMoves = 256

// sort puts what moved in order.
func (r *reach) sort() {
	byCost := func(a, b moved) int { return sign(int64(a.point.low - b.point.low)) }
	inOrder(r.abroad, byCost)
	inOrder(r.inside, func(a, b moved) int {
		if a.provider != b.provider {
			return int(a.provider - b.provider)
		}
		return byCost(a, b)
	})
	for i := range r.inside {
		r.starts[r.inside[i].provider+1]++
	}
	for i := range len(r.starts) - 1 {
		r.starts[i+1] += r.starts[i]
	}
}

// movable is the front of the last labels as they are after a move at the worst price.
func (t *tableau) movable(i int) front {
	labels, stage := t.labels[i-1], t.stages[i-1]
	points := t.s.room.points.Empty(len(labels))
	spread := t.s.spread(i + 1)
	for j := range labels {
		if labels[j].gone {
			continue
		}
		region, internet, seconds := t.s.carrier.out(i, &stage[labels[j].choice])
		worst := sum(max(region.High, internet.High), spread)
		points = append(points, labels[j].point.behind(worst, t.s.time(seconds), t.s.late(seconds)))
	}
	return t.s.front(points)
}

// moved is a move as a point.
func (s *searcher) moved(cost tco.Bound, seconds int64) point {
	return point{cost.Low, cost.High, s.time(seconds), s.late(seconds)}
}

// time is an expected time as far as it matters.
func (s *searcher) time(seconds int64) int64 {
	if s.cheapest {
		return 0
	}
	return seconds
}
