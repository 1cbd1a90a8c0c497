package stageplan

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Solve finds the frontier and the best plans of a problem. A stage without
// candidates, or constraints that nothing meets, give an empty result.
func Solve(p Problem) Result {
	f, ok := find(&p)
	if !ok {
		return Result{}
	}
	s := f.s
	result := Result{Frontier: frontier(s.inBand(s.settle(f.tableau, f.complete), nil, math.Inf(1)))}
	best := p.Objective.best(result.Frontier)
	if best == nil {
		return Result{Partial: s.partial}
	}
	result.Best, result.s = f.alternatives(*best), s
	s.simulate(result.Best)
	result.Partial = s.partial
	return result
}

// found is what a search over all choices leads to.
type found struct {
	s        *searcher
	stages   [][]choice
	tableau  *tableau
	complete []label // of the frontier
	ceiling  float64 // an objective value that the last alternative does not exceed
	// ceilings are values that the best plan of each kind does not exceed if it is an
	// alternative; nil if none are known.
	ceilings []float64
}

// find searches over all choices of a problem, unless gathering them did. ok is false
// if some stage has no candidates.
func find(p *Problem) (f found, ok bool) {
	if p.found != nil {
		f = *p.found
		f.s.problem, f.s.cheapest = p, false
		return f, true
	}
	s, stages, ok := start(p)
	if !ok {
		return f, false
	}
	s.incumbents(stages)
	hopeful := s.prune(stages)
	s.thin(hopeful)
	f = found{s: s, stages: stages, ceiling: math.Inf(1)}
	f.tableau, f.complete = s.run(hopeful)
	return f, true
}

// group is the choices of the main stage of one kind, by number, and the least value of
// a plan with one of them.
type group struct {
	kind    int
	choices []int32
	least   float64
}

// alternatives are the best plan and the best plans of other kinds, in the
// objective's order, as many as asked for. Groups are tried in the order of what
// they take at least, until none can enter.
func (f *found) alternatives(best Outline) []Outline {
	s := f.s
	s.cheapest = s.problem.Objective == Cost
	plans := make([]Outline, 1, s.problem.Alternatives+1)
	plans[0] = best
	f.lowerCeilings()
	ways := s.newPassages(f.stages)
	for _, g := range f.groups(ways, best.Choices[s.problem.Main].KindNumber) {
		worst := f.ceiling
		if len(plans) >= s.problem.Alternatives {
			worst = min(worst, s.problem.Objective.most(s.pointOfPlan(&plans[len(plans)-1])))
		}
		if worst < g.least {
			break
		}
		if worst = min(worst, f.ceilings[g.kind]); worst < g.least {
			continue
		}
		if p := s.best(ways, &g, worst); p != nil {
			plans = append(plans, *p)
			slices.SortStableFunc(plans, func(a, b Outline) int { return s.problem.Objective.compare(&a, &b) })
			plans = plans[:min(len(plans), s.problem.Alternatives)]
		}
	}
	return plans
}

// lowerCeilings lowers the ceilings of kinds to the values of plans of the frontier that are
// certainly within the budget.
func (f *found) lowerCeilings() {
	if f.ceilings == nil {
		f.ceilings = f.s.room.filled(f.ceiling, f.s.problem.Market.Kinds())
	}
	for i := range f.complete {
		l := &f.complete[i]
		if l.point.high > f.s.budget.Low {
			continue
		}
		lowest := &f.ceilings[f.tableau.choice(l, f.s.problem.Main).kind]
		*lowest = min(*lowest, f.s.problem.Objective.most(l.point))
	}
}

// choice is that of a complete plan for a stage.
func (t *tableau) choice(l *label, stage int) *choice {
	for i := len(t.labels) - 1; i > stage; i-- {
		l = &t.labels[i-1][l.before]
	}
	return &t.stages[stage][l.choice]
}

// groups splits the main stage by kind, one apart, ordered by the least that a plan of each
// can take. Choices that no plan within the ceiling of their kind goes through are left out.
func (f *found) groups(ways *passages, apart int) []group {
	main, room := f.stages[f.s.problem.Main], f.s.room
	hopeful := room.numbers.Empty(len(main))
	starts := room.numbers.Take(len(f.ceilings) + 1) // of kinds, in order
	for i := range main {
		kind := main[i].kind
		if int(kind) != apart && ways.least(ways.at(int32(i))) <= min(f.ceilings[kind], f.ceiling) {
			hopeful = append(hopeful, int32(i))
			starts[kind+1]++
		}
	}
	for kind := range f.ceilings {
		starts[kind+1] += starts[kind]
	}
	order := room.numbers.Take(len(hopeful))
	for _, at := range hopeful {
		to := &starts[main[at].kind]
		order[*to] = at
		*to++
	}
	var groups []group
	for from, to := 0, 0; from < len(order); from = to {
		g := group{kind: int(main[order[from]].kind), least: math.Inf(1)}
		for ; to < len(order) && int(main[order[to]].kind) == g.kind; to++ {
			g.least = min(g.least, ways.least(ways.at(order[to])))
		}
		g.choices = order[from:to]
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Or(cmp.Compare(a.least, b.least), a.kind-b.kind) })
	return groups
}

// best is the best plan of a group, which the passages lead through; nil if there is none
// or its value exceeds worst.
func (s *searcher) best(ways *passages, g *group, worst float64) *Outline {
	s.ceiling = worst
	if most, ok := ways.most(g.choices); ok {
		s.ceiling = min(s.ceiling, most)
	}
	var plan *Outline
	s.apart(func() {
		t, complete := s.run(ways.through(g.choices))
		plan = s.problem.Objective.best(frontier(s.inBand(s.settle(t, complete), &g.kind, worst)))
	})
	s.ceiling = math.Inf(1)
	return plan
}

// pointOfPlan is a plan's point, its cost rounded up to a whole nano.
func (s *searcher) pointOfPlan(p *Outline) point {
	usd := tco.BoundOf(tco.Exact(p.Units.Decimal()).Over(s.problem.Market.Converter.UnitsPerUSD())).Widen()
	return point{low: usd.Low, high: usd.High, seconds: p.Seconds}
}

// Someday is a deadline that every plan meets, but that makes percentiles count.
const Someday = math.MaxInt64 / 16

// LeastP95 is the smallest 95th percentile of any plan within the budget,
// whatever the deadline. ok is false if there is no plan.
func LeastP95(p Problem) (seconds int64, ok bool) {
	p.DeadlineSeconds = Someday
	f, some := find(&p)
	if !some {
		return 0, false
	}
	plans := f.s.settle(f.tableau, f.complete)
	f.s.simulate(plans)
	for _, plan := range plans {
		if !ok || plan.P95 < seconds {
			seconds, ok = plan.P95, true
		}
	}
	if !ok {
		return 0, false
	}
	return f.s.leastP95(seconds), true
}

// PriceOnly is the exact total of a problem with one candidate for every stage,
// whatever budget and deadline say. ok is false if some stage has not exactly one.
func PriceOnly(p Problem) (total decimal.Decimal, ok bool) {
	if p.Check() != nil {
		return decimal.Zero, false
	}
	chain := make([]*choice, len(p.Stages))
	for i, stage := range p.Stages {
		if len(stage) != 1 {
			return decimal.Zero, false
		}
		chain[i] = &choice{whole: &stage[0]}
	}
	if p.Room == nil {
		p.Room = new(Room)
	}
	s, last := &searcher{problem: &p, carrier: newCarrier(&p), room: p.Room}, len(chain)-1
	o, plan := s.opening(chain[:last]), Outline{Choices: make([]*candidate.Candidate, len(chain))}
	s.end(&plan, &o, chain[last])
	return plan.Units.Decimal(), true
}
