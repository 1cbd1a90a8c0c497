package stageplan

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// Solve finds the frontier and the best plans of a problem. A stage without
// candidates, or constraints that nothing meets, give an empty result.
func Solve(p Problem) Result {
	for _, stage := range p.Stages {
		if len(stage) == 0 {
			return Result{}
		}
	}
	s := newSearcher(&p)
	good := s.good(p.Stages)
	labels := s.run(p.Stages, s.incumbents(good))
	result := Result{Frontier: frontier(s.settle(labels))}
	best := p.Objective.best(result.Frontier)
	if best == nil {
		return Result{}
	}
	result.Plans = s.alternatives(*best, good)
	return result
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

// group is the candidates of the main stage of one kind.
type group struct {
	kind       kind
	candidates []candidate.Candidate
	least      float64
}

// alternatives are the best plan and the best plans of other kinds, in the
// objective's order, as many as asked for. Groups are tried in the order of what
// they cost at least, until none can enter.
func (s *searcher) alternatives(best Plan, good [][]candidate.Candidate) []Plan {
	s.cheapest = s.problem.Objective == Cost
	plans := []Plan{best}
	taken := kindOf(best.Choices[s.problem.Main])
	for _, g := range s.groups() {
		if g.kind == taken {
			continue
		}
		if full := len(plans) >= s.problem.Alternatives; full && s.value(plans[len(plans)-1]) < g.least {
			break
		}
		if p, ok := s.bestOf(g, good); ok {
			plans = append(plans, p)
			slices.SortStableFunc(plans, func(a, b Plan) int { return s.problem.Objective.compare(&a, &b) })
			plans = plans[:min(len(plans), s.problem.Alternatives)]
		}
	}
	return plans
}

// bestOf is the best plan whose main stage is of a group; good are undominated
// candidates of the other stages.
func (s *searcher) bestOf(g group, good [][]candidate.Candidate) (plan Plan, ok bool) {
	stages := slices.Clone(s.problem.Stages)
	stages[s.problem.Main] = g.candidates
	good = slices.Clone(good)
	good[s.problem.Main] = s.undominated(g.candidates)
	labels := s.run(stages, s.incumbents(good))
	best := s.problem.Objective.best(frontier(s.settle(labels)))
	if best == nil {
		return Plan{}, false
	}
	return *best, true
}

// groups splits the main stage by kind, ordered by the least that a plan of each
// can take.
func (s *searcher) groups() []group {
	others := point{}
	for i, stage := range s.problem.Stages {
		if i != s.problem.Main {
			others = others.plus(s.floor(stage))
		}
	}
	index := make(map[kind]int)
	var groups []group
	for _, c := range s.problem.Stages[s.problem.Main] {
		k := kindOf(&c)
		i, seen := index[k]
		if !seen {
			i = len(groups)
			index[k] = i
			groups = append(groups, group{kind: k})
		}
		groups[i].candidates = append(groups[i].candidates, c)
	}
	for i := range groups {
		groups[i].least = s.problem.Objective.least(s.floor(groups[i].candidates).plus(others))
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.least, b.least) })
	return groups
}

// value is an upper estimate of a plan's objective, on the scale of group.least.
func (s *searcher) value(p Plan) float64 {
	usd := p.Total.InexactFloat64() / s.problem.Market.Converter.UnitsPerUSD().InexactFloat64()
	const slack = 1 + 1e-9
	switch s.problem.Objective {
	case Time:
		return float64(p.Seconds)
	case Balanced:
		return (usd*1e9 + 1) * float64(p.Seconds) * slack
	default:
		return (usd*1e9 + 1) * slack
	}
}

// LeastP95 is the smallest 95th percentile of any plan within the budget,
// whatever the deadline. ok is false if there is no plan.
func LeastP95(p Problem) (seconds int64, ok bool) {
	p.DeadlineSeconds = math.MaxInt64 / 4 // no limit, but percentiles count
	for _, stage := range p.Stages {
		if len(stage) == 0 {
			return 0, false
		}
	}
	s := newSearcher(&p)
	for _, plan := range s.settle(s.run(p.Stages, s.incumbents(s.good(p.Stages)))) {
		if !ok || plan.P95 < seconds {
			seconds, ok = plan.P95, true
		}
	}
	return seconds, ok
}

// PriceOnly is the exact total of a problem with one candidate for every stage,
// whatever budget and deadline say. ok is false if some stage has not exactly one.
func PriceOnly(p Problem) (total decimal.Decimal, ok bool) {
	p.Budget, p.DeadlineSeconds = decimal.NullDecimal{}, 0
	for _, stage := range p.Stages {
		if len(stage) != 1 {
			return decimal.Zero, false
		}
	}
	s := newSearcher(&p)
	plans := s.settle(s.run(p.Stages, front{}))
	if len(plans) != 1 {
		return decimal.Zero, false
	}
	return plans[0].Total, true
}
