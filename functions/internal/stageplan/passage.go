package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// passages are what plans through single choices take: at least, each quantity apart,
// and at most for the cheapest of them. Moves count as the cheapest or the dearest that
// could be needed.
type passages struct {
	s      *searcher
	stages [][]choice
	into   [][]passage // by stage up to the main one, and choice: the choice and what comes before it
	onto   [][]passage // by stage from the main one on, and choice: what comes after it
	there  []passage   // of the neighbouring stage looked at last, by site
	moved  passage     // of the same, moved anywhere
	best   passage     // of the same, wherever that is
	few    []choice    // see taken
	parts  []passage   // of their passages, on one side of each
}

// passage is a part of the plans through a choice.
type passage struct {
	low, high tco.Nano // the least cost is at least low and at most high
	seconds   int64    // of the fastest
}

// none is no plan.
func none() passage { return passage{tco.MaxNano, tco.MaxNano, math.MaxInt64 / 4} }

// either is the better of two parts in each quantity.
func (p passage) either(q passage) passage {
	return passage{min(p.low, q.low), min(p.high, q.high), min(p.seconds, q.seconds)}
}

// plus are two parts together.
func (p passage) plus(q passage) passage {
	return passage{sum(p.low, q.low), sum(p.high, q.high), p.seconds + q.seconds}
}

// of is a choice alone.
func (c *choice) passage() passage { return passage{c.point.low, c.point.high, c.point.seconds} }

// usualFew is how many choices of a stage are kept usually, at most.
const usualFew = 256

// newPassages works out the passages through the choices of the main stage.
func (s *searcher) newPassages(stages [][]choice) *passages {
	n, main := len(stages), s.problem.Main
	p := &passages{
		s: s, stages: stages, into: make([][]passage, n), onto: make([][]passage, n), there: s.room.passages.Take(int(s.sites)),
		few: s.room.choices.Empty(usualFew), parts: s.room.passages.Empty(usualFew),
	}
	for i := main; i < n; i++ {
		p.onto[i] = s.room.passages.Take(len(stages[i]))
	}
	for i := range main + 1 {
		p.into[i] = s.room.passages.Take(len(stages[i]))
		if i > 0 {
			p.arrivals(i, stages[i-1], p.into[i-1])
		}
		for j := range stages[i] {
			p.into[i][j] = p.arrive(&stages[i][j])
		}
	}
	for i := n - 2; i >= main; i-- {
		p.departures(stages[i+1], p.onto[i+1])
		for j := range stages[i] {
			p.onto[i][j] = p.leave(i, &stages[i][j])
		}
	}
	return p
}

// arrivals looks at choices of the stage before one, and at what plans take up to them.
func (p *passages) arrivals(stage int, before []choice, into []passage) {
	p.nowhere()
	for j := range before {
		c := &before[j]
		p.there[c.site], p.best = p.there[c.site].either(into[j]), p.best.either(into[j])
		p.moved = p.moved.either(into[j].plus(p.move(stage, c)))
	}
}

// arrive is what plans take up to a choice, given the arrivals at its stage.
func (p *passages) arrive(c *choice) passage {
	return c.passage().plus(p.there[c.site].either(p.moved))
}

// departures looks at choices of the stage after one, and at what plans take after them.
func (p *passages) departures(after []choice, onto []passage) {
	p.nowhere()
	for j := range after {
		c := &after[j]
		on := c.passage().plus(onto[j])
		p.there[c.site], p.moved = p.there[c.site].either(on), p.moved.either(on)
	}
	p.best = p.moved
}

// leave is what plans take after a choice of a stage, given the departures from there.
func (p *passages) leave(stage int, c *choice) passage {
	return p.there[c.site].either(p.moved.plus(p.move(stage+1, c)))
}

// nowhere says that there is no plan anywhere.
func (p *passages) nowhere() {
	p.moved, p.best = none(), none()
	for k := range p.there {
		p.there[k] = p.moved
	}
}

// move is the move out of a choice's place into a stage.
func (p *passages) move(into int, c *choice) passage {
	region, internet, seconds := p.s.carrier.out(into, c)
	return passage{min(region.Low, internet.Low), max(region.High, internet.High), seconds}
}

// at is the passage through a choice of the main stage.
func (p *passages) at(choice int32) passage {
	main := p.s.problem.Main
	return p.into[main][choice].plus(p.onto[main][choice])
}

// least is a value that no plan of a passage falls below.
func (p *passages) least(q passage) float64 {
	return p.s.problem.Objective.least(point{low: q.low, seconds: q.seconds})
}

// most is an objective value that the best plan through some choices of the main stage
// does not exceed. ok is false if the passages do not tell: it may miss a limit.
func (p *passages) most(choices []int32) (value float64, ok bool) {
	problem, best := p.s.problem, none()
	for _, at := range choices {
		best = best.either(p.at(at))
	}
	within := problem.DeadlineSeconds == 0 && best.high <= p.s.budget.Low
	switch {
	case within && problem.Objective == Cost:
		return Cost.most(point{high: best.high}), true
	case within && problem.Objective == Time && !problem.Budget.Valid:
		return Time.most(point{seconds: best.seconds}), true
	}
	return 0, false
}

// through are the choices of all stages that plans within the ceiling can be made of, given
// those of the main one.
func (p *passages) through(choices []int32) [][]choice {
	main, n := p.s.problem.Main, len(p.stages)
	kept := make([][]choice, n)
	kept[main] = p.keepMain(choices, p.into[main])
	for i := main + 1; i < n; i++ {
		p.arrivals(i, kept[i-1], p.parts)
		p.parts = p.parts[:0]
		for j := range p.stages[i] {
			if c := &p.stages[i][j]; p.hopes(c.passage().plus(p.best)) {
				in := p.arrive(c)
				p.keep(c, in, in.plus(p.onto[i][j]))
			}
		}
		kept[i] = p.taken()
	}
	p.keepMain(choices, p.onto[main])
	for i := main - 1; i >= 0; i-- {
		p.departures(kept[i+1], p.parts)
		p.parts = p.parts[:0]
		for j := range p.stages[i] {
			if c := &p.stages[i][j]; p.hopes(p.into[i][j].plus(p.best)) {
				on := p.leave(i, c)
				p.keep(c, on, p.into[i][j].plus(on))
			}
		}
		kept[i] = p.taken()
	}
	return kept
}

// keepMain keeps choices of the main stage, with parts of their passages.
func (p *passages) keepMain(choices []int32, parts []passage) []choice {
	p.parts = p.parts[:0]
	for _, at := range choices {
		p.keep(&p.stages[p.s.problem.Main][at], parts[at], p.at(at))
	}
	return p.taken()
}

// hopes reports whether a plan of a passage can be within the ceiling.
func (p *passages) hopes(q passage) bool { return p.least(q) <= p.s.ceiling }

// keep keeps a choice and a part of its passage, if a plan of that can be within the ceiling.
func (p *passages) keep(c *choice, part, whole passage) {
	if !p.hopes(whole) {
		return
	}
	p.few, p.parts = append(p.few, *c), append(p.parts, part)
	last := &p.few[len(p.few)-1].point
	last.seconds = p.s.time(last.seconds)
}

// taken are the choices that were kept since this was last asked.
func (p *passages) taken() []choice {
	list := p.s.room.choices.Clone(p.few)
	p.few = p.few[:0]
	return list
}
