package stageplan

import (
	"cmp"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// settle prices complete labels exactly and keeps the plans within the budget, in order.
// They have no lines and moves yet.
func (s *searcher) settle(t *tableau, labels []label) []Outline {
	n := s.problem.stages()
	chain, room := make([]*choice, n), s.room.chains.Take(n*len(labels))
	plans := s.room.outlines.Empty(len(labels))
	for i := range labels {
		t.chain(&labels[i], chain)
		plans = s.priced(plans, chain, room[i*n:(i+1)*n:(i+1)*n])
	}
	return s.ordered(plans)
}

// rank is what plans are put in order by, and a number of one.
type rank struct {
	units   tco.Units
	seconds int64
	plan    int32
}

// ordered puts plans in order.
func (s *searcher) ordered(plans []Outline) []Outline {
	ranks := s.room.ranks.Take(len(plans))
	for i := range plans {
		ranks[i] = rank{plans[i].Units, plans[i].Seconds, int32(i)}
	}
	inOrder(ranks, func(a, b rank) int {
		if by := a.units.Cmp(b.units); by != 0 {
			return by
		}
		if a.seconds != b.seconds {
			return sign(a.seconds - b.seconds)
		}
		return cmp.Or(compareChoices(&plans[a.plan], &plans[b.plan]), int(a.plan-b.plan))
	})
	list := s.room.outlines.Take(len(plans))
	for i := range ranks {
		list[i] = plans[ranks[i].plan]
	}
	return list
}

// priced adds a plan of choices, which room is for, if it is within the budget.
func (s *searcher) priced(plans []Outline, chain []*choice, room []*candidate.Candidate) []Outline {
	var units tco.Units
	for i, c := range chain {
		room[i] = s.whole(i, c)
		units = units.Plus(s.cost(c))
	}
	plans = append(plans, Outline{Choices: room, Units: units})
	p := &plans[len(plans)-1]
	s.price(p)
	if s.problem.Budget.Valid && p.Units.Cmp(s.most) > 0 {
		return plans[:len(plans)-1]
	}
	return plans
}

// cost is the exact total of a whole choice, moves apart. It is worked out once.
func (s *searcher) cost(c *choice) tco.Units {
	if !c.priced {
		c.total, c.priced = c.whole.Total(), true
	}
	return c.total
}

// price works out what a plan takes that has what its choices cost already.
func (s *searcher) price(p *Outline) {
	for _, c := range p.Choices {
		p.Seconds += c.Seconds
		p.P95 += c.P95
	}
	s.carrier.travel(s.route(p.Choices), func(m leg) {
		p.Units = p.Units.Plus(m.fare.units)
		p.Seconds += m.seconds
		p.P95 += m.seconds
	})
}

// detailed makes plans of outlines, which keep nothing of what lies in a room.
func (s *searcher) detailed(outlines []Outline) []Plan {
	n, plans := s.problem.stages(), make([]Plan, len(outlines))
	lines, moves := make([]tco.Lines, n*len(plans)), make([]Move, (n+1)*len(plans))
	choices, kept := make([]*candidate.Candidate, n*len(plans)), keeping{}
	for i := range plans {
		p := &plans[i]
		p.Outline, p.Total = outlines[i], outlines[i].Units.Decimal()
		p.Lines, lines = lines[:n:n], lines[n:]
		p.Moves, moves = moves[:n+1:n+1], moves[n+1:]
		p.Choices, choices = choices[:n:n], choices[n:]
		for stage, c := range outlines[i].Choices {
			p.Choices[stage], p.Lines[stage] = kept.detailed(c)
		}
		s.transport(p)
	}
	return plans
}

// keeping is copies of candidates, one of each, and their lines.
type keeping struct {
	of, copies []*candidate.Candidate
	lines      []tco.Lines
}

// detailed is the copy of a candidate, and its lines.
func (k *keeping) detailed(c *candidate.Candidate) (*candidate.Candidate, tco.Lines) {
	at := slices.Index(k.of, c)
	if at < 0 {
		at = len(k.of)
		k.of, k.copies, k.lines = append(k.of, c), append(k.copies, c.Copy()), append(k.lines, c.Lines())
	}
	return k.copies[at], k.lines[at]
}

// transport sets the moves of a plan, and what they add to its lines.
func (s *searcher) transport(p *Plan) {
	route := s.route(p.Choices)
	for i, gb := range s.problem.VolumesGB {
		p.Moves[i] = Move{From: *route[i].site, To: *route[i+1].site, GB: gb}
	}
	s.carrier.travel(route, func(m leg) {
		move := &p.Moves[m.index]
		move.Seconds, move.Cost, move.Assumed = m.seconds, m.fare.units.Decimal(), m.traffic.Assumed
		line := &p.Lines[min(m.index, len(p.Lines)-1)]
		line.Network = line.Network.Add(move.Cost)
	})
}

// stop is an end of moves.
type stop struct {
	site *candidate.Site
	// number, provider and way out are those of the market; negative where it has none or
	// none is known.
	number, provider, way int32
}

// route is the ends of all moves of a plan, in order.
func (s *searcher) route(choices []*candidate.Candidate) []stop {
	last := len(choices) - 1
	stops := append(s.stops[:0], s.end(s.problem.From, choices[0]))
	for _, c := range choices {
		stops = append(stops, stopAt(c))
	}
	s.stops = append(stops, s.end(s.problem.To, choices[last]))
	return s.stops
}

// end is where the data comes from or goes to: a place, or where a candidate is.
func (s *searcher) end(site *candidate.Site, otherwise *candidate.Candidate) stop {
	if site == nil {
		return stopAt(otherwise)
	}
	return stop{site, -1, s.carrier.provider(site), -1}
}

// stopAt is where a candidate is.
func stopAt(c *candidate.Candidate) stop {
	return stop{&c.Site, int32(c.SiteNumber), int32(c.ProviderNumber), int32(c.WayNumber)}
}

// at reports whether two stops are at one site.
func (a *stop) at(b *stop) bool {
	if a.number >= 0 && b.number >= 0 {
		return a.number == b.number
	}
	return *a.site == *b.site
}

// frontier keeps of ordered plans, in their place, those that none before beats in time.
func frontier(ordered []Outline) []Outline {
	front := ordered[:0]
	for i := range ordered {
		if len(front) == 0 || ordered[i].Seconds < front[len(front)-1].Seconds {
			front = append(front, ordered[i])
		}
	}
	return front
}
