package stageplan

import (
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// settle prices complete labels exactly, which it puts in about their order, and keeps the
// plans within the budget, in order. They have no lines and moves yet.
func (s *searcher) settle(t *tableau, labels []label) []Plan {
	n := s.problem.stages()
	slices.SortFunc(labels, func(a, b label) int { return sign(int64(a.point.low - b.point.low)) })
	chain, room := make([]*choice, n), make([]*candidate.Candidate, n*len(labels))
	plans := s.room.plans.empty(len(labels))
	for i := range labels {
		t.chain(&labels[i], chain)
		plans = s.priced(plans, chain, room[i*n:(i+1)*n:(i+1)*n])
	}
	return s.ordered(plans)
}

// ordered puts plans in order.
func (s *searcher) ordered(plans []Plan) []Plan {
	order := s.room.order.take(len(plans))
	for i := range plans {
		order[i] = &plans[i]
	}
	slices.SortStableFunc(order, Compare)
	list := s.room.plans.take(len(plans))
	for i, p := range order {
		list[i] = *p
	}
	return list
}

// priced adds a plan of choices, which room is for, if it is within the budget.
func (s *searcher) priced(plans []Plan, chain []*choice, room []*candidate.Candidate) []Plan {
	for i, c := range chain {
		room[i] = s.whole(i, c)
	}
	plans = append(plans, Plan{Choices: room})
	p := &plans[len(plans)-1]
	s.price(p, func(i int) tco.Units { return s.cost(i, chain[i]) })
	if s.problem.Budget.Valid && p.total.Cmp(s.most) > 0 {
		return plans[:len(plans)-1]
	}
	return plans
}

// cost is the exact total of a choice of a stage, moves apart. It is worked out once.
func (s *searcher) cost(stage int, c *choice) tco.Units {
	if !c.priced {
		c.total, c.priced = s.whole(stage, c).Total(), true
	}
	return c.total
}

// price works out what a plan takes, given what its choices cost.
func (s *searcher) price(p *Plan, cost func(stage int) tco.Units) {
	for i, c := range p.Choices {
		p.total = p.total.Plus(cost(i))
		p.Seconds += c.Seconds
		p.P95 += c.P95
	}
	s.carrier.travel(s.route(p.Choices), func(m leg) {
		p.total = p.total.Plus(m.fare.units)
		p.Seconds += m.seconds
		p.P95 += m.seconds
	})
}

// detail adds lines and moves to a plan.
func (s *searcher) detail(p *Plan) {
	for _, c := range p.Choices {
		p.Lines = append(p.Lines, c.Lines())
	}
	route := s.route(p.Choices)
	for i, gb := range s.problem.VolumesGB {
		p.Moves = append(p.Moves, Move{From: *route[i].site, To: *route[i+1].site, GB: gb})
	}
	s.carrier.travel(route, func(m leg) {
		move := &p.Moves[m.index]
		move.Seconds, move.Cost, move.Assumed = m.seconds, m.fare.cost, m.traffic.Assumed
		line := &p.Lines[min(m.index, len(p.Lines)-1)]
		line.Network = line.Network.Add(m.fare.cost)
	})
}

// stop is an end of moves.
type stop struct {
	site *candidate.Site
	way  int // number of the way out; negative if the market has none
}

// route is the ends of all moves of a plan, in order.
func (s *searcher) route(choices []*candidate.Candidate) []stop {
	stops := append(s.stops[:0], stopAt(choices[0]))
	if s.problem.From != nil {
		stops[0] = stop{s.problem.From, -1}
	}
	for _, c := range choices {
		stops = append(stops, stopAt(c))
	}
	last := stopAt(choices[len(choices)-1])
	if s.problem.To != nil {
		last = stop{s.problem.To, -1}
	}
	s.stops = append(stops, last)
	return s.stops
}

// stopAt is where a candidate is.
func stopAt(c *candidate.Candidate) stop { return stop{&c.Site, c.WayNumber} }

// frontier keeps of ordered plans those that none before beats in time.
func frontier(ordered []Plan) []Plan {
	front := make([]Plan, 0, len(ordered))
	for i := range ordered {
		if len(front) == 0 || ordered[i].Seconds < front[len(front)-1].Seconds {
			front = append(front, ordered[i])
			p := &front[len(front)-1]
			p.Total = p.total.Decimal()
		}
	}
	return front
}
