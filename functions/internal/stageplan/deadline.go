package stageplan

import (
	"fmt"
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// A plan meets a deadline if the 95th percentile of its wall time does, by a
// simulation of the whole plan (spot.Scenarios). That is no sum over stages, so the
// search treats the clear cases by sums: a plan whose stages' percentiles add up to no
// more than the deadline meets it, and one whose expected time exceeds it does not.
// The search finds the best plans among the first. What lies between is gone through
// one by one here, as far as it could still be better than those.

// LimitError says that a problem is larger than can be searched.
type LimitError struct{ Stages int }

// Error names the limit.
func (e LimitError) Error() string {
	return fmt.Sprintf("%d stages: want from 1 to %d", e.Stages, MaxStages)
}

// Check is a LimitError for a chain without stages or with too many of them.
func (p *Problem) Check() error {
	if n := p.stages(); n < 1 || n > MaxStages {
		return LimitError{n}
	}
	return nil
}

// Steps are the stages of a plan as the simulation sees them.
func (p *Outline) Steps() []spot.Step {
	steps := make([]spot.Step, len(p.Choices))
	for i, c := range p.Choices {
		steps[i] = spot.Step{Expected: c.Seconds, P95: c.P95}
	}
	return steps
}

// simulated is the 95th percentile of a plan's wall time, moves included.
func (s *searcher) simulated(p *Outline) int64 {
	steps := p.Steps()
	moves := p.Seconds
	for _, step := range steps {
		moves -= step.Expected
	}
	return s.scenarios().P95(steps) + moves
}

// scenarios are the draws of the problem, made when they are first needed unless the room
// has them.
func (s *searcher) scenarios() *spot.Scenarios {
	d := &s.room.drawn
	if seed, stages := s.problem.Seed, s.problem.stages(); d.scenarios == nil || d.seed != seed || d.stages != stages {
		*d = drawn{seed, stages, spot.NewScenarios(seed, stages)}
	}
	return d.scenarios
}

// simulate sets the 95th percentiles of plans.
func (s *searcher) simulate(plans []Outline) {
	for i := range plans {
		plans[i].P95 = s.simulated(&plans[i])
	}
}

// mostTries is how many partial plans near the deadline are looked at: beyond that the
// rest is left out, and the result says so.
const mostTries = 1 << 20

// option is a choice with how late it can be, in seconds.
type option struct {
	choice
	late int64
}

// band goes through the plans between the clear cases.
type band struct {
	*searcher
	stages [][]option
	rest   []span // what stages i and later take
	limit  int64  // the 95th percentile may not exceed it
	known  bar    // what plans that meet the deadline leave to hope for
	// minimize looks for the least 95th percentile instead: each plan found lowers the limit.
	minimize bool
	single   bool // only the best plan by the objective is wanted, so each one lowers the ceiling
	ceiling  float64

	chain [MaxStages]*choice
	steps [MaxStages]spot.Step
	found []Outline
	tries int
}

// span is what the rest of a plan takes: at least, and at most until its percentile.
type span struct {
	least point
	p95   int64
}

// inBand adds to plans that certainly meet the deadline those near it that meet it by
// simulation and that none of the former certainly beats. With a kind the main stage
// is of that kind and only the best plan, worth no more than worst, is looked for.
func (s *searcher) inBand(plans []Outline, only *int, worst float64) []Outline {
	if s.problem.DeadlineSeconds == 0 {
		return plans
	}
	b := band{
		searcher: s, limit: s.problem.DeadlineSeconds, single: only != nil, ceiling: worst,
		known: newBar(s.soonest, tco.MaxNano, s.room.bar()),
	}
	for i := range plans {
		b.learn(&plans[i])
	}
	if b.prepare(only) {
		b.extend(0, point{}, 0, 0)
	}
	return s.ordered(append(plans, b.found...))
}

// learn lets a plan that meets the deadline prune.
func (b *band) learn(p *Outline) {
	at := b.pointOfPlan(p)
	if b.single {
		b.ceiling = min(b.ceiling, b.problem.Objective.most(at))
		return
	}
	b.known.lower(at.seconds, at.high)
}

// near is what all bands of one problem share.
type near struct {
	stages [][]choice // as worstCases
	lists  [][]option // of all stages but the main one, thinned
	spans  []span     // of the same
}

// nearby prepares what bands share, once.
func (s *searcher) nearby() *near {
	if s.vicinity != nil {
		return s.vicinity
	}
	n := &near{stages: s.worstCases()}
	n.lists, n.spans = make([][]option, len(n.stages)), make([]span, len(n.stages))
	for i, list := range n.stages {
		if i != s.problem.Main {
			n.lists[i] = s.options(s.plain().thinned(i, n.stages, list))
			n.spans[i] = s.spanOf(i, n.lists[i])
		}
	}
	s.vicinity = n
	return n
}

// prepare lists the options of every stage. ok is false if no plan is near the deadline
// and worth having.
func (b *band) prepare(only *int) (ok bool) {
	n, main := b.nearby(), b.problem.Main
	others := span{}
	for i := range n.spans {
		others = others.plus(n.spans[i])
	}
	move := int64(0)
	for _, seconds := range b.carrier.seconds {
		move += seconds
	}
	list := n.stages[main]
	hopeful := b.room.choices.Empty(len(list))
	for i := range list {
		c := &list[i]
		if only != nil && int(c.kind) != *only {
			continue
		}
		p := point{low: c.point.low, high: c.point.high, seconds: c.point.seconds}
		if !b.hopeless(p, lateness(c)+move, lateness(c), &others) {
			hopeful = append(hopeful, *c)
		}
	}
	if len(hopeful) == 0 {
		return false
	}
	b.stages = slices.Clone(n.lists)
	b.stages[main] = b.options(b.plain().thinned(main, n.stages, hopeful))
	b.rest = make([]span, len(b.stages)+1)
	for i := len(b.stages) - 1; i >= 0; i-- {
		own := n.spans[i]
		if i == main {
			own = b.spanOf(i, b.stages[i])
		}
		b.rest[i] = own.plus(b.rest[i+1])
	}
	return true
}

// options are choices with their lateness, about the cheapest first.
func (s *searcher) options(list []choice) []option {
	all := s.room.options.Take(len(list))
	for i, at := range s.cheapestFirst(len(list), func(i int) tco.Nano { return list[i].point.low }) {
		all[i] = option{list[at], lateness(&list[at])}
	}
	return all
}

// worstCases are the choices of all stages, their percentile replaced by the farthest
// that the simulation can put them: one that is no worse in that and in the expected
// time is no later in any scenario.
func (s *searcher) worstCases() [][]choice {
	stages := make([][]choice, len(s.all))
	for i, list := range s.all {
		stages[i] = s.room.choices.Clone(list)
		for j := range list {
			c := &stages[i][j]
			c.point.p95 = c.point.seconds + spot.Farthest*lateness(c)
		}
	}
	return stages
}

// lateness is how late a choice's own 95th percentile is.
func lateness(c *choice) int64 { return max(0, c.p95-c.seconds) }

// plain is the searcher with time that counts.
func (s *searcher) plain() *searcher {
	plain := *s
	plain.cheapest = false
	return &plain
}

// spanOf is what any of the options of a stage takes, the move to it included.
func (s *searcher) spanOf(i int, list []option) span {
	least, most := point{low: tco.MaxNano, seconds: math.MaxInt32}, int64(0)
	for j := range list {
		o := &list[j]
		least.low, least.seconds = min(least.low, o.point.low), min(least.seconds, o.point.seconds)
		most = max(most, o.point.seconds+o.late)
	}
	least.high = least.low
	if i > 0 {
		most += s.carrier.seconds[i]
	}
	return span{least, most}
}

// plus is what two parts of a plan take together.
func (a span) plus(b span) span { return span{a.least.plus(b.least), a.p95 + b.p95} }

// extend goes through the options of a stage after a partial plan that takes so much:
// late is the sum of its stages' lateness and most the largest.
func (b *band) extend(i int, p point, late, most int64) {
	if i == len(b.stages) {
		b.test(p, late)
		return
	}
	for j := range b.stages[i] {
		o := &b.stages[i][j]
		if b.tries++; b.tries > mostTries {
			b.partial = true
			return
		}
		next := p.plus(point{low: o.point.low, high: o.point.high, seconds: o.point.seconds})
		if i > 0 && b.chain[i-1].site != o.site {
			cost, seconds := b.carrier.between(i, b.chain[i-1], &o.choice)
			next = next.plus(point{low: cost.Low, high: cost.High, seconds: seconds})
		}
		if b.hopeless(next, late+o.late, max(most, o.late), &b.rest[i+1]) {
			continue
		}
		b.chain[i] = &o.choice
		b.steps[i] = spot.Step{Expected: o.seconds, P95: o.seconds + o.late}
		b.extend(i+1, next, late+o.late, max(most, o.late))
	}
}

// hopeless reports that no plan with a part like this one is between the clear cases
// and worth having: late is the sum of its stages' lateness, most the largest, rest
// what the other stages take.
func (b *band) hopeless(p point, late, most int64, rest *span) bool {
	least := p.plus(rest.least)
	switch {
	case least.seconds+most > b.limit, least.low > b.budget.High:
		return true
	case b.minimize:
		return false
	case p.seconds+late+rest.p95 <= b.limit: // all of them certainly meet it
		return true
	}
	return b.problem.Objective.least(least) > b.ceiling || least.low > b.known.at(least.seconds)
}

// test tries a complete plan against the deadline and keeps it if it meets that and
// the budget.
func (b *band) test(p point, late int64) {
	n := len(b.stages)
	clear := p.seconds+late <= b.limit
	if clear && !b.minimize {
		return
	}
	expected := int64(0)
	for _, step := range b.steps[:n] {
		expected += step.Expected
	}
	p95 := p.seconds - expected + b.scenarios().P95(b.steps[:n])
	if p95 > b.limit {
		return
	}
	o, plan := b.opening(b.chain[:n-1]), Outline{Choices: make([]*candidate.Candidate, n)}
	if !b.end(&plan, &o, b.chain[n-1]) {
		return
	}
	plan.P95 = p95
	b.found = append(b.found, plan)
	if b.minimize {
		b.limit = p95 - 1
		return
	}
	b.learn(&plan)
}

// leastP95 is the smallest 95th percentile of any plan within the budget, given one
// that is known to be possible.
func (s *searcher) leastP95(known int64) int64 {
	b := band{searcher: s, limit: known - 1, minimize: true, ceiling: math.Inf(1), known: newBar(s.soonest, tco.MaxNano, s.room.bar())}
	if b.prepare(nil) {
		b.extend(0, point{}, 0, 0)
	}
	return b.limit + 1
}
