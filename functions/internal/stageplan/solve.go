package stageplan

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Solve finds the frontier and the best plans of a problem. A stage without
// candidates, or constraints that nothing meets, give an empty result.
func Solve(p Problem) Result {
	s, stages, ok := start(&p)
	if !ok {
		return Result{}
	}
	certain := s.settle(s.run(stages, s.known(stages)))
	result := Result{Frontier: frontier(s.inBand(certain, nil, math.Inf(1)))}
	best := p.Objective.best(result.Frontier)
	if best == nil {
		return Result{}
	}
	result.Plans = s.alternatives(*best)
	s.simulate(result.Plans)
	for i := range result.Plans {
		s.detail(&result.Plans[i])
	}
	result.Partial = s.partial
	return result
}

// known are points of complete plans: those that were found when the candidates were
// gathered, else incumbents.
func (s *searcher) known(stages [][]choice) front {
	if len(s.problem.known.points) > 0 {
		return s.problem.known
	}
	return s.incumbents(stages)
}

// start prepares a search over a problem; ok is false if some stage has no candidates.
func start(p *Problem) (s *searcher, stages [][]choice, ok bool) {
	if p.Check() != nil {
		return nil, nil, false
	}
	s = newSearcher(p)
	for i, candidates := range p.Stages {
		if len(candidates) == 0 {
			return nil, nil, false
		}
		stages = append(stages, s.choices(i, candidates))
	}
	return s, stages, true
}

// kind is what alternatives differ in.
type kind struct {
	provider catalog.ProviderID
	gpu      catalog.GPUID
	market   catalog.PurchaseModel
}

// kindOf is a candidate's kind.
func kindOf(c *candidate.Candidate) kind {
	return kind{c.Offer.Provider, c.Offer.GPU, c.Offer.Market}
}

// group is the choices of the main stage of one kind.
type group struct {
	kind    kind
	choices []choice
	least   float64
}

// alternatives are the best plan and the best plans of other kinds, in the
// objective's order, as many as asked for. Groups are tried in the order of what
// they take at least, until none can enter.
func (s *searcher) alternatives(best Plan) []Plan {
	s.cheapest = s.problem.Objective == Cost
	stages := make([][]choice, len(s.problem.Stages))
	for i, candidates := range s.problem.Stages {
		stages[i] = s.choices(i, candidates)
	}
	groups := s.groups(stages)
	s.thin(stages, s.problem.Main)
	plans := []Plan{best}
	taken := kindOf(best.Choices[s.problem.Main])
	for _, g := range groups {
		if g.kind == taken {
			continue
		}
		worst := math.Inf(1)
		if len(plans) >= s.problem.Alternatives {
			worst = s.problem.Objective.most(s.pointOf(plans[len(plans)-1]))
		}
		if worst < g.least {
			break
		}
		stages[s.problem.Main] = g.choices
		if p := s.best(stages, g.kind, worst); p != nil {
			plans = append(plans, *p)
			slices.SortStableFunc(plans, func(a, b Plan) int { return s.problem.Objective.compare(&a, &b) })
			plans = plans[:min(len(plans), s.problem.Alternatives)]
		}
	}
	return plans
}

// groups splits the main stage by kind, ordered by the least that a plan of each
// can take.
func (s *searcher) groups(stages [][]choice) []group {
	others := point{}
	for i, stage := range stages {
		if i != s.problem.Main {
			others = others.plus(floor(stage))
		}
	}
	index := make(map[kind]int)
	var groups []group
	for _, c := range stages[s.problem.Main] {
		k := kindOf(c.Candidate)
		i, seen := index[k]
		if !seen {
			i = len(groups)
			index[k] = i
			groups = append(groups, group{kind: k})
		}
		groups[i].choices = append(groups[i].choices, c)
	}
	for i := range groups {
		groups[i].least = s.problem.Objective.least(floor(groups[i].choices).plus(others))
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.least, b.least) })
	return groups
}

// best is the best plan over the given choices, whose main stage is of one kind; nil if
// there is none or its value exceeds worst.
func (s *searcher) best(stages [][]choice, only kind, worst float64) *Plan {
	s.ceiling = math.Inf(1)
	known := s.incumbents(stages)
	s.ceiling = worst
	for _, p := range known.points {
		if p.high <= s.budget.Low { // certainly within the budget
			s.ceiling = min(s.ceiling, s.problem.Objective.most(p))
		}
	}
	return s.problem.Objective.best(frontier(s.inBand(s.settle(s.run(stages, known)), &only, worst)))
}

// pointOf is a plan's point, its cost rounded up to a whole nano.
func (s *searcher) pointOf(p Plan) point {
	usd := tco.BoundOf(tco.Exact(p.Total).Over(s.problem.Market.Converter.UnitsPerUSD())).Widen()
	return point{low: usd.Low, high: usd.High, seconds: p.Seconds}
}

// Someday is a deadline that every plan meets, but that makes percentiles count.
const Someday = math.MaxInt64 / 16

// LeastP95 is the smallest 95th percentile of any plan within the budget,
// whatever the deadline. ok is false if there is no plan.
func LeastP95(p Problem) (seconds int64, ok bool) {
	p.DeadlineSeconds = Someday
	s, stages, some := start(&p)
	if !some {
		return 0, false
	}
	plans := s.settle(s.run(stages, s.incumbents(stages)))
	s.simulate(plans)
	for _, plan := range plans {
		if !ok || plan.P95 < seconds {
			seconds, ok = plan.P95, true
		}
	}
	if !ok {
		return 0, false
	}
	return s.leastP95(seconds), true
}

// PriceOnly is the exact total of a problem with one candidate for every stage,
// whatever budget and deadline say. ok is false if some stage has not exactly one.
func PriceOnly(p Problem) (total decimal.Decimal, ok bool) {
	if p.Check() != nil {
		return decimal.Zero, false
	}
	chain := make([]label, len(p.Stages)+1)
	for i, stage := range p.Stages {
		if len(stage) != 1 {
			return decimal.Zero, false
		}
		chain[i+1] = label{choice: &choice{Candidate: &stage[0]}, before: &chain[i]}
	}
	s := &searcher{problem: &p, carrier: newCarrier(&p)}
	plan := s.plan(&chain[len(p.Stages)], make(map[*candidate.Candidate]decimal.Decimal))
	return plan.Total, true
}
