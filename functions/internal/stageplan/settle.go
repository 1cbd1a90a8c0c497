package stageplan

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// settle prices complete labels exactly and keeps the plans within the budget,
// in order.
func (s *searcher) settle(labels []label) []Plan {
	priced := make(map[*candidate.Candidate]tco.Lines)
	plans := make([]Plan, 0, len(labels))
	for i := range labels {
		p := s.plan(&labels[i], priced)
		if !s.problem.Budget.Valid || p.Total.LessThanOrEqual(s.problem.Budget.Decimal) {
			plans = append(plans, p)
		}
	}
	slices.SortStableFunc(plans, func(a, b Plan) int { return Compare(&a, &b) })
	return plans
}

// plan turns a complete label into an exactly priced plan. Lines of candidates
// met before are taken from priced.
func (s *searcher) plan(l *label, priced map[*candidate.Candidate]tco.Lines) Plan {
	var p Plan
	for at := l; at.choice != nil; at = at.before {
		p.Choices = append(p.Choices, at.choice.Candidate)
	}
	slices.Reverse(p.Choices)
	for _, c := range p.Choices {
		lines, seen := priced[c]
		if !seen {
			lines = c.Lines()
			priced[c] = lines
		}
		p.Lines = append(p.Lines, lines)
		p.Seconds += c.Seconds
		p.P95 += c.P95
	}
	p.Moves = s.carrier.exact(s.sites(p.Choices))
	p.Total = decimal.Zero
	for i, m := range p.Moves {
		stage := min(i, len(p.Lines)-1)
		p.Lines[stage].Network = p.Lines[stage].Network.Add(m.Cost)
		p.Seconds += m.Seconds
		p.P95 += m.Seconds
	}
	for _, lines := range p.Lines {
		p.Total = p.Total.Add(lines.Total())
	}
	return p
}

// sites are the ends of all moves, in order.
func (s *searcher) sites(choices []*candidate.Candidate) []candidate.Site {
	sites := make([]candidate.Site, 0, len(choices)+2)
	first, last := choices[0].Site, choices[len(choices)-1].Site
	if s.problem.From != nil {
		first = *s.problem.From
	}
	if s.problem.To != nil {
		last = *s.problem.To
	}
	sites = append(sites, first)
	for _, c := range choices {
		sites = append(sites, c.Site)
	}
	return append(sites, last)
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
