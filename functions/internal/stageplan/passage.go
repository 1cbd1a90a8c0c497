package stageplan

import (
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// passages are what plans through single choices take: at least, each quantity apart,
// and at most for the cheapest of them. Moves count as the cheapest or the dearest that
// could be needed.
type passages struct {
	s      *searcher
	stages [][]choice
	into   [][]passage // by stage and choice: the choice and what comes before it
	onto   [][]passage // what comes after it
	there  []passage   // room, by site
	narrow *passages   // room for what through gives
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

// newPassages works out the passages through all choices.
func (s *searcher) newPassages(stages [][]choice) *passages {
	n := len(stages)
	p := &passages{s: s, stages: stages, into: make([][]passage, n), onto: make([][]passage, n), there: s.room.passages.take(int(s.sites))}
	for i := range n {
		p.arrive(i)
	}
	for i := n - 1; i >= 0; i-- {
		p.leave(i)
	}
	return p
}

// arrive works out what plans take up to the choices of a stage.
func (p *passages) arrive(i int) {
	p.into[i] = p.roomOf(p.into[i], len(p.stages[i]))
	if i == 0 {
		for j := range p.stages[0] {
			p.into[0][j] = p.stages[0][j].passage()
		}
		return
	}
	there, moved := p.nowhere(), none()
	for j := range p.stages[i-1] {
		c := &p.stages[i-1][j]
		there[c.site] = there[c.site].either(p.into[i-1][j])
		moved = moved.either(p.into[i-1][j].plus(p.move(i, c)))
	}
	for j := range p.stages[i] {
		c := &p.stages[i][j]
		p.into[i][j] = c.passage().plus(there[c.site].either(moved))
	}
}

// leave works out what plans take after the choices of a stage.
func (p *passages) leave(i int) {
	p.onto[i] = p.roomOf(p.onto[i], len(p.stages[i]))
	if i == len(p.stages)-1 {
		return
	}
	there, any := p.nowhere(), none()
	for j := range p.stages[i+1] {
		c := &p.stages[i+1][j]
		on := c.passage().plus(p.onto[i+1][j])
		there[c.site], any = there[c.site].either(on), any.either(on)
	}
	for j := range p.stages[i] {
		c := &p.stages[i][j]
		p.onto[i][j] = there[c.site].either(any.plus(p.move(i+1, c)))
	}
}

// roomOf is room for n passages, cleared.
func (p *passages) roomOf(used []passage, n int) []passage {
	if cap(used) < n {
		return p.s.room.passages.take(n)
	}
	used = used[:n]
	clear(used)
	return used
}

// nowhere is room by site, with no plan anywhere.
func (p *passages) nowhere() []passage {
	for k := range p.there {
		p.there[k] = none()
	}
	return p.there
}

// move is the move out of a choice's place into a stage.
func (p *passages) move(into int, c *choice) passage {
	region, internet, seconds := p.s.carrier.out(into, c)
	return passage{min(region.Low, internet.Low), max(region.High, internet.High), seconds}
}

// with is what a plan with a choice of the main stage takes at least.
func (p *passages) with(choice int32) least {
	return p.at(p.s.problem.Main, choice).least()
}

// at is a passage through a choice.
func (p *passages) at(stage int, choice int32) passage {
	return p.into[stage][choice].plus(p.onto[stage][choice])
}

// least is what a passage takes at least.
func (p passage) least() least { return least{Cost: p.low, Seconds: p.seconds} }

// through are the passages through some choices of the main stage, until they are asked
// for again.
func (p *passages) through(choices []int32) *passages {
	main, n := p.s.problem.Main, len(p.stages)
	if p.narrow == nil {
		p.narrow = &passages{s: p.s, stages: slices.Clone(p.stages), into: make([][]passage, n), onto: make([][]passage, n), there: p.there}
		copy(p.narrow.into, p.into[:main])
		copy(p.narrow.onto[main+1:], p.onto[main+1:])
	}
	t := p.narrow
	t.stages[main] = p.s.room.choices.take(len(choices))
	for i, at := range choices {
		t.stages[main][i] = p.stages[main][at]
	}
	for i := main; i < n; i++ {
		t.arrive(i)
	}
	for i := main; i >= 0; i-- {
		t.leave(i)
	}
	return t
}

// most is an objective value that the best plan does not exceed. ok is false if the
// passages do not tell: the best may miss a limit.
func (p *passages) most() (value float64, ok bool) {
	problem, best := p.s.problem, none()
	for i := range p.stages[problem.Main] {
		best = best.either(p.at(problem.Main, int32(i)))
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

// choices are those whose passages can lead to a plan within the ceiling.
func (p *passages) choices() [][]choice {
	kept := make([][]choice, len(p.stages))
	for i, stage := range p.stages {
		for j := range stage {
			if p.s.problem.Objective.least(pointOf(p.at(i, int32(j)).least())) > p.s.ceiling {
				continue
			}
			c := stage[j]
			c.point.seconds = p.s.time(c.point.seconds)
			kept[i] = append(kept[i], c)
		}
	}
	return kept
}
