package stageplan

import (
	"cmp"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// searcher holds what all runs over one problem share.
type searcher struct {
	problem *Problem
	carrier *carrier
	budget  tco.Nano // the most a plan may cost, rounded up; MaxNano = no budget
	// cheapest asks only for the least total: time then decides nothing but ties,
	// and those are settled exactly.
	cheapest bool
}

// newSearcher prepares a problem.
func newSearcher(p *Problem) *searcher {
	s := &searcher{problem: p, carrier: newCarrier(p), budget: tco.MaxNano}
	if p.Budget.Valid {
		usd := tco.Exact(p.Budget.Decimal).Over(p.Market.Converter.UnitsPerUSD())
		s.budget = tco.BoundOf(usd).Widen().High
	}
	return s
}

// run finds every complete plan over the given stages that no other certainly
// beats. Known points of complete plans may be given to prune with.
func (s *searcher) run(stages [][]candidate.Candidate, known front) []label {
	rest := make([]point, len(stages)+1) // what stages i and later take at least
	for i := len(stages) - 1; i >= 0; i-- {
		rest[i] = s.floor(stages[i]).plus(rest[i+1])
	}
	least := point{} // what stages before i take at least
	hopeful := make([][]*candidate.Candidate, len(stages))
	for i, stage := range stages {
		hopeful[i] = s.prune(stage, least.plus(rest[i+1]), known)
		least = least.plus(s.floor(stage))
	}
	spreads := s.carrier.spreads(hopeful)
	s.replaceable(hopeful, spreads)
	labels := []label{{}}
	for i := range stages {
		labels = s.extend(labels, hopeful[i], step{i, rest[i+1], known, spreads[i+1]})
	}
	return s.finish(labels, known)
}

// prune drops the candidates that no plan worth having can hold: others is what
// the rest of the plan takes at least.
func (s *searcher) prune(stage []candidate.Candidate, others point, known front) []*candidate.Candidate {
	hopeful := make([]*candidate.Candidate, 0, min(len(stage), 256))
	for i := range stage {
		c := &stage[i]
		p := others.plus(s.point(c))
		if s.feasible(p) && !known.beats(p) {
			hopeful = append(hopeful, c)
		}
	}
	return hopeful
}

// replaceable drops candidates that another certainly replaces to advantage even
// if its data must be moved in and out at the worst price.
func (s *searcher) replaceable(stages [][]*candidate.Candidate, spreads []tco.Nano) {
	for i := range stages {
		in, inSeconds := s.carrier.dearestInto(i, s.problem.From, stages)
		points := make([]point, len(stages[i]))
		for j, c := range stages[i] {
			out, outSeconds := s.carrier.dearest(i+1, c.Site.Place)
			margin := tco.Bound{High: in}.Add(tco.Bound{High: out}).Add(tco.Bound{High: spreads[i+1]})
			points[j] = s.point(c).behind(margin.High, s.time(inSeconds+outSeconds), s.late(inSeconds+outSeconds))
		}
		better := newFront(points)
		stages[i] = slices.DeleteFunc(stages[i], func(c *candidate.Candidate) bool { return better.beats(s.point(c)) })
	}
}

// point is what a candidate is compared by.
func (s *searcher) point(c *candidate.Candidate) point {
	return point{c.Bound.Low, c.Bound.High, s.time(c.Seconds), s.late(c.P95)}
}

// step is where in the chain an extension happens.
type step struct {
	index  int
	rest   point    // what later stages take at least
	known  front    // complete plans
	spread tco.Nano // how much history can matter to later moves
}

// extend appends every candidate of a stage to every label, keeping per site
// what nothing certainly beats.
func (s *searcher) extend(labels []label, stage []*candidate.Candidate, at step) []label {
	bySite := make(map[candidate.Site][]label)
	sites := make([]candidate.Site, 0, 64)
	for _, c := range stage {
		set, seen := bySite[c.Site]
		if !seen {
			sites = append(sites, c.Site)
		}
		for i := range labels {
			l := s.append(&labels[i], c, at.index)
			p := l.point().plus(at.rest)
			if s.feasible(p) && !at.known.beats(p) {
				set = add(set, l, at.spread)
			}
		}
		bySite[c.Site] = set
	}
	extended := make([]label, 0, len(labels))
	for _, site := range sites {
		extended = append(extended, bySite[site]...)
	}
	return s.movable(extended, at)
}

// movable drops labels that another beats even if its data must be moved on at
// the worst price.
func (s *searcher) movable(labels []label, at step) []label {
	points := make([]point, len(labels))
	for i := range labels {
		cost, seconds := s.carrier.dearest(at.index+1, labels[i].choice.Site.Place)
		margin := tco.Bound{High: cost}.Add(tco.Bound{High: at.spread})
		points[i] = labels[i].point().behind(margin.High, s.time(seconds), s.late(seconds))
	}
	better := newFront(points)
	return slices.DeleteFunc(labels, func(l label) bool { return better.beats(l.point()) })
}

// append is a label with one more choice, the move to it included.
func (s *searcher) append(l *label, c *candidate.Candidate, index int) label {
	from := c.Site
	switch {
	case l.choice != nil:
		from = l.choice.Site
	case s.problem.From != nil:
		from = *s.problem.From
	}
	cost, seconds := s.carrier.bound(index, from, c.Site)
	history := l.history
	if seconds > 0 {
		history[index] = s.carrier.number(from.Place.Provider)
	}
	return label{
		history: history,
		bound:   l.bound.Add(cost).Add(c.Bound),
		seconds: l.seconds + s.time(seconds+c.Seconds),
		p95:     l.p95 + s.late(seconds+c.P95),
		choice:  c,
		before:  l,
	}
}

// finish adds the last move and keeps what nothing certainly beats.
func (s *searcher) finish(labels []label, known front) []label {
	last := len(s.problem.VolumesGB) - 1
	complete := make([]label, 0, len(labels))
	for i := range labels {
		l := labels[i]
		if s.problem.To != nil && l.choice != nil {
			cost, seconds := s.carrier.bound(last, l.choice.Site, *s.problem.To)
			l.bound, l.seconds, l.p95 = l.bound.Add(cost), l.seconds+s.time(seconds), l.p95+s.late(seconds)
		}
		if p := l.point(); s.feasible(p) && !known.beats(p) {
			complete = append(complete, l)
		}
	}
	slices.SortStableFunc(complete, func(a, b label) int { return cmp.Compare(a.bound.Low, b.bound.Low) })
	set := complete[:0:0]
	for _, l := range complete {
		set = add(set, l, 0)
	}
	return set
}

// late is a 95th percentile as far as it matters: without a deadline it decides
// nothing, so it must not keep plans alive.
func (s *searcher) late(p95 int64) int64 {
	if s.problem.DeadlineSeconds == 0 {
		return 0
	}
	return p95
}

// time is an expected time as far as it matters.
func (s *searcher) time(seconds int64) int64 {
	if s.cheapest {
		return 0
	}
	return seconds
}

// feasible reports whether a plan that takes at least p can meet budget and deadline.
func (s *searcher) feasible(p point) bool {
	return p.low <= s.budget && (s.problem.DeadlineSeconds == 0 || p.p95 <= s.problem.DeadlineSeconds)
}

// incumbents are the points of good complete plans: those over the few candidates
// of each stage that nothing beats wherever they are.
func (s *searcher) incumbents(good [][]candidate.Candidate) front {
	var points []point
	for _, l := range s.run(good, front{}) {
		points = append(points, l.point())
	}
	return newFront(points)
}

// good are the undominated candidates of every stage.
func (s *searcher) good(stages [][]candidate.Candidate) [][]candidate.Candidate {
	good := make([][]candidate.Candidate, len(stages))
	for i, stage := range stages {
		good[i] = s.undominated(stage)
	}
	return good
}

// undominated are the candidates of a stage that no other beats, one of each
// point: enough for good plans, not for all ties.
func (s *searcher) undominated(stage []candidate.Candidate) []candidate.Candidate {
	order := make([]int, len(stage))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(stage[a].Bound.High, stage[b].Bound.High) })
	var front []candidate.Candidate
	for _, i := range order {
		c := stage[i]
		worse := slices.ContainsFunc(front, func(f candidate.Candidate) bool {
			return s.time(f.Seconds) <= s.time(c.Seconds) && s.late(f.P95) <= s.late(c.P95)
		})
		if !worse {
			front = append(front, c)
		}
	}
	return front
}
