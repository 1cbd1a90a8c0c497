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
	if len(labels) == 0 {
		return nil
	}
	n, before := s.problem.stages(), 1
	if n > 1 {
		before = len(t.labels[n-2])
	}
	openings, chain := s.room.openings.Take(before), make([]*choice, n)
	room, plans := s.room.chains.Take(n*len(labels)), s.room.outlines.Empty(len(labels))
	for i := range labels {
		o, last := &openings[labels[i].before], &t.stages[n-1][labels[i].choice]
		if o.route == nil { // most have been gone on from already
			t.chain(&labels[i], chain)
			*o = s.opening(chain[:n-1])
		}
		plan := Outline{Choices: room[i*n : (i+1)*n : (i+1)*n]}
		if s.end(&plan, o, last) {
			plans = append(plans, plan)
		}
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
	ranks := s.room.ranks.Empty(len(plans))
	for i := range plans {
		ranks = append(ranks, rank{plans[i].Units, plans[i].Seconds, int32(i)})
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
	list := s.room.outlines.Empty(len(plans))
	for i := range ranks {
		list = append(list, plans[ranks[i].plan])
	}
	return list
}

// cost is the exact total of a whole choice, moves apart. It is worked out once.
func (s *searcher) cost(c *choice) tco.Units {
	if !c.priced {
		c.total, c.priced = c.whole.Total(), true
	}
	return c.total
}

// opening is a plan up to its last stage, exactly. Many plans have one in common.
type opening struct {
	plan Outline // of all stages but the last, and the moves to them
	journey
}

// opening makes one of its choices.
func (s *searcher) opening(chain []*choice) opening {
	n := len(chain)
	o := opening{plan: Outline{Choices: s.room.chains.Take(n)}, journey: journey{route: s.room.stops.Take(n + 3)}}
	for i, c := range chain {
		o.plan.Choices[i] = s.whole(i, c)
		o.plan.add(o.plan.Choices[i], s.cost(c))
		o.route[i+1] = stopAt(o.plan.Choices[i])
	}
	if s.problem.From != nil { // or else nothing moves there
		o.route[0] = s.place(s.problem.From)
	}
	if s.problem.To != nil {
		o.route[n+2] = s.place(s.problem.To)
	}
	s.carry(&o.plan, &o.journey, 0, n)
	return o
}

// end makes a plan, which has room for all choices, of an opening and one for the last
// stage. ok is false if it is not within the budget.
func (s *searcher) end(p *Outline, o *opening, last *choice) (ok bool) {
	n, on := len(o.plan.Choices), o.journey
	at := s.whole(n, last)
	copy(p.Choices, o.plan.Choices)
	p.Choices[n], on.route[n+1] = at, stopAt(at)
	p.Units, p.Seconds, p.P95 = o.plan.Units, o.plan.Seconds, o.plan.P95
	p.add(at, s.cost(last))
	s.carry(p, &on, n, n+2)
	return !s.problem.Budget.Valid || p.Units.Cmp(s.most) <= 0
}

// add adds what a candidate takes that costs so much.
func (p *Outline) add(c *candidate.Candidate, cost tco.Units) {
	p.Units = p.Units.Plus(cost)
	p.Seconds += c.Seconds
	p.P95 += c.P95
}

// carry adds moves of a journey to a plan, from one on, up to another.
func (s *searcher) carry(p *Outline, j *journey, from, to int) {
	for i := from; i < to; i++ {
		if s.carrier.stays(j, i) {
			continue
		}
		m := s.carrier.leg(j, i)
		p.Units = p.Units.Plus(m.fare.units)
		p.Seconds += m.seconds
		p.P95 += m.seconds
	}
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
	j := journey{route: s.route(p.Choices)}
	for i, gb := range s.problem.VolumesGB {
		p.Moves[i] = Move{From: *j.route[i].site, To: *j.route[i+1].site, GB: gb}
		if s.carrier.stays(&j, i) {
			continue
		}
		m, move := s.carrier.leg(&j, i), &p.Moves[i]
		move.Seconds, move.Cost, move.Assumed = m.seconds, m.fare.units.Decimal(), m.traffic.Assumed
		line := &p.Lines[min(i, len(p.Lines)-1)]
		line.Network = line.Network.Add(move.Cost)
	}
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
	route := s.room.stops.Empty(len(choices) + 2)
	route = append(route, s.terminus(s.problem.From, choices[0]))
	for _, c := range choices {
		route = append(route, stopAt(c))
	}
	return append(route, s.terminus(s.problem.To, choices[len(choices)-1]))
}

// terminus is where the data comes from or goes to: a place, or where a candidate is.
func (s *searcher) terminus(site *candidate.Site, otherwise *candidate.Candidate) stop {
	if site == nil {
		return stopAt(otherwise)
	}
	return s.place(site)
}

// place is a place that the problem names.
func (s *searcher) place(site *candidate.Site) stop {
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
