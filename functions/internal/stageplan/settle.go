package stageplan

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// settle prices complete labels exactly and keeps the plans within the budget,
// in order. They have no lines and moves yet.
func (s *searcher) settle(labels []label) []Plan {
	totals := make(map[*candidate.Candidate]decimal.Decimal)
	plans := make([]Plan, 0, len(labels))
	for i := range labels {
		p := s.plan(&labels[i], totals)
		if !s.problem.Budget.Valid || p.Total.LessThanOrEqual(s.problem.Budget.Decimal) {
			plans = append(plans, p)
		}
	}
	slices.SortStableFunc(plans, func(a, b Plan) int { return Compare(&a, &b) })
	return plans
}

// plan turns a complete label into an exactly priced plan. Totals of candidates met
// before are taken from totals.
func (s *searcher) plan(l *label, totals map[*candidate.Candidate]decimal.Decimal) Plan {
	p := Plan{Choices: make([]*candidate.Candidate, len(s.problem.Stages))}
	for at, i := l, len(p.Choices)-1; at.choice != nil; at, i = at.before, i-1 {
		p.Choices[i] = at.choice.Candidate
	}
	for _, c := range p.Choices {
		total, seen := totals[c]
		if !seen {
			total = c.Lines().Total()
			totals[c] = total
		}
		p.Total = p.Total.Add(total)
		p.Seconds += c.Seconds
		p.P95 += c.P95
	}
	s.carrier.exact(s.sites(p.Choices), func(m Move) {
		if m.Seconds > 0 {
			p.Total = p.Total.Add(m.Cost)
			p.Seconds += m.Seconds
			p.P95 += m.Seconds
		}
	})
	return p
}

// detail adds lines and moves to a plan.
func (s *searcher) detail(p *Plan) {
	for _, c := range p.Choices {
		p.Lines = append(p.Lines, c.Lines())
	}
	s.carrier.exact(s.sites(p.Choices), func(m Move) {
		stage := min(len(p.Moves), len(p.Lines)-1)
		p.Lines[stage].Network = p.Lines[stage].Network.Add(m.Cost)
		p.Moves = append(p.Moves, m)
	})
}

// sites are the ends of all moves, in order.
func (s *searcher) sites(choices []*candidate.Candidate) []*candidate.Site {
	sites := append(s.route[:0], &choices[0].Site)
	if s.problem.From != nil {
		sites[0] = s.problem.From
	}
	for _, c := range choices {
		sites = append(sites, &c.Site)
	}
	last := &choices[len(choices)-1].Site
	if s.problem.To != nil {
		last = s.problem.To
	}
	s.route = append(sites, last)
	return s.route
}

// frontier keeps of ordered plans those that none before beats in time.
func frontier(ordered []Plan) []Plan {
	var front []Plan
	for _, p := range ordered {
		if len(front) == 0 || p.Seconds < front[len(front)-1].Seconds {
			front = append(front, p)
		}
	}
	return front
}
