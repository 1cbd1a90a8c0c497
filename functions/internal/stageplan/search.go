package stageplan

import (
	"maps"
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// searcher holds what all runs over one problem share.
type searcher struct {
	problem *Problem
	carrier *carrier
	budget  tco.Bound // the most a plan may cost; MaxNano = no budget
	// cheapest asks only for the least total: time then decides nothing but ties,
	// and those are settled exactly.
	cheapest bool
	// ceiling is an objective value that no plan worth having exceeds.
	ceiling float64

	route    []*candidate.Site // of sites, used again and again
	drawn    *spot.Scenarios
	vicinity *near
	partial  bool // some plans near the deadline were not tested
}

// newSearcher prepares a problem.
func newSearcher(p *Problem) *searcher {
	s := &searcher{problem: p, carrier: newCarrier(p), budget: tco.Bound{Low: tco.MaxNano, High: tco.MaxNano}, ceiling: math.Inf(1)}
	if p.Budget.Valid {
		usd := tco.Exact(p.Budget.Decimal).Over(p.Market.Converter.UnitsPerUSD())
		s.budget = tco.BoundOf(usd).Widen()
	}
	return s
}

// choice is a candidate for a stage with what choosing it takes: the moves from
// where the data lies and to where results belong are part of the first and the
// last stage's.
type choice struct {
	*candidate.Candidate
	point point
	// still says that no move is worth it between the choice and the neighbour of its
	// stage towards the main one.
	still bool
}

// choices are the candidates of a stage.
func (s *searcher) choices(index int, candidates []candidate.Candidate) []choice {
	list := make([]choice, len(candidates))
	for i := range candidates {
		c := &candidates[i]
		cost, seconds := s.ends(index, c.Site)
		cost = cost.Add(c.Bound)
		list[i] = choice{c, point{cost.Low, cost.High, s.time(c.Seconds + seconds), s.late(c.P95 + seconds)}, s.still(index, i)}
	}
	return list
}

// still reports whether a stage's candidate was gathered for its site alone.
func (s *searcher) still(stage, candidate int) bool {
	return s.problem.movers != nil && candidate >= s.problem.movers[stage]
}

// later is what the stages after one take at least, if candidates were gathered.
func (s *searcher) later(stage int) []least {
	if s.problem.later == nil {
		return nil
	}
	return s.problem.later[stage]
}

// ends are the moves at the ends of the chain, as far as a stage has them.
func (s *searcher) ends(index int, site candidate.Site) (cost tco.Bound, seconds int64) {
	if index == 0 && s.problem.From != nil {
		cost, seconds = s.carrier.bound(0, *s.problem.From, site)
	}
	if last := len(s.problem.Stages); index == last-1 && s.problem.To != nil {
		out, time := s.carrier.bound(last, site, *s.problem.To)
		cost, seconds = cost.Add(out), seconds+time
	}
	return cost, seconds
}

// run finds every complete plan over the given choices that no other certainly
// beats. Complete plans that are already known prune.
func (s *searcher) run(stages [][]choice, known front) []label {
	rest := make([]point, len(stages)+1) // what stages i and later take at least
	for i := len(stages) - 1; i >= 0; i-- {
		rest[i] = floor(stages[i]).plus(rest[i+1])
	}
	least := point{} // what stages before i take at least
	hopeful := make([][]choice, len(stages))
	for i, stage := range stages {
		hopeful[i] = s.prune(stage, least.plus(rest[i+1]), known)
		least = least.plus(floor(stage))
	}
	s.thin(hopeful, all)
	spreads := s.carrier.spreads(hopeful)
	labels := []label{{}}
	for i := 0; i < len(stages) && len(labels) > 0; i++ {
		at := &step{index: i, rest: rest[i+1], known: known.clone(), spread: spreads[i+1], later: s.later(i)}
		labels = s.extend(s.reach(labels, at), hopeful[i], at)
	}
	return finish(labels)
}

// prune drops the choices that no plan worth having can hold: others is what the
// rest of the plan takes at least.
func (s *searcher) prune(stage []choice, others point, known front) []choice {
	hopeful := make([]choice, 0, min(len(stage), 1024))
	for _, c := range stage {
		if p := c.point.plus(others); s.feasible(p) && !known.beats(p) {
			hopeful = append(hopeful, c)
		}
	}
	return hopeful
}

// all says that no stage is kept whole.
const all = -1

// thin drops choices that another certainly replaces to advantage even if its
// data must be moved in and out at the worst price. The stage to keep stays whole.
func (s *searcher) thin(stages [][]choice, keep int) {
	spreads := s.carrier.spreads(stages)
	for i := range stages {
		if i == keep {
			continue
		}
		in, inSeconds := s.carrier.dearestInto(i, stages)
		points := make([]point, len(stages[i]))
		for j := range stages[i] {
			c := &stages[i][j]
			out, outSeconds := s.carrier.dearestOut(i, c)
			margin := tco.Bound{High: in}.Add(tco.Bound{High: out}).Add(tco.Bound{High: spreads[i+1]})
			seconds := inSeconds + outSeconds
			points[j] = c.point.behind(margin.High, s.time(seconds), s.late(seconds))
		}
		better := newFront(points)
		stages[i] = slices.DeleteFunc(stages[i], func(c choice) bool { return better.beats(c.point) })
	}
}

// step is where in the chain an extension happens.
type step struct {
	index  int
	rest   point    // what later stages take at least
	known  front    // complete plans
	spread tco.Nano // how much history can matter to later moves
	later  []least  // what later stages take at least, if more than rest is known of it
	hint   int      // where in later there was hope last
}

// extend appends every choice of a stage to every label that it can follow,
// keeping per site what nothing certainly beats.
func (s *searcher) extend(from reach, stage []choice, at *step) []label {
	sets := make(map[int][]label)
	for i := range stage {
		c := &stage[i]
		if from.start {
			s.first(sets, c, at)
			continue
		}
		for _, l := range from.bySite[c.SiteNumber] {
			s.follow(sets, c, at, moved{l, l.point, 0})
		}
		if c.still && at.index > s.problem.Main {
			continue
		}
		for _, m := range from.byProvider[c.ProviderNumber] {
			if m.label.choice.SiteNumber != c.SiteNumber {
				s.follow(sets, c, at, m)
			}
		}
		for _, m := range from.abroad {
			if m.label.choice.ProviderNumber != c.ProviderNumber {
				s.follow(sets, c, at, m)
			}
		}
	}
	var extended []label
	for _, site := range slices.Sorted(maps.Keys(sets)) {
		extended = append(extended, sets[site]...)
	}
	return extended
}

// first starts labels with a choice of the first stage.
func (s *searcher) first(sets map[int][]label, c *choice, at *step) {
	l := label{point: c.point, choice: c, before: &label{}}
	l.history[0] = s.carrier.arrival(s.problem.From, c)
	if at.worth(s, l.point) {
		sets[c.SiteNumber] = add(sets[c.SiteNumber], l, at.spread)
	}
}

// follow appends a choice to a label that is where the choice is, or moved there.
func (s *searcher) follow(sets map[int][]label, c *choice, at *step, m moved) {
	p := m.point.plus(c.point)
	if !at.worth(s, p) {
		return
	}
	l := label{point: p, choice: c, before: m.label, history: m.label.history}
	if m.provider != 0 {
		l.history[at.index] = m.provider
	}
	if at.index < len(s.problem.Stages)-1 {
		sets[c.SiteNumber] = add(sets[c.SiteNumber], l, at.spread)
		return
	}
	sets[0] = append(sets[0], l) // complete: nothing moves on, so the site is no matter
	at.known.add(p)
}

// worth reports whether a partial plan can become one worth having.
func (at *step) worth(s *searcher, p point) bool {
	atLeast := p.plus(at.rest)
	if !s.feasible(atLeast) || at.known.beats(atLeast) {
		return false
	}
	if len(at.later) == 0 || s.ceiling < math.Inf(1) {
		return true
	}
	for i := range at.later {
		q := p.plus(pointOf(at.later[(at.hint+i)%len(at.later)]))
		if s.feasible(q) && !at.known.beats(q) {
			at.hint = (at.hint + i) % len(at.later)
			return true
		}
	}
	return false
}

// finish keeps of complete labels what nothing certainly beats.
func finish(complete []label) []label {
	var best front
	for i := range complete {
		best.add(complete[i].point)
	}
	return slices.DeleteFunc(complete, func(l label) bool { return best.beats(l.point) })
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

// feasible reports whether a plan that takes at least p can meet budget and
// deadline, and be worth having.
func (s *searcher) feasible(p point) bool {
	return p.low <= s.budget.High && (s.problem.DeadlineSeconds == 0 || p.p95 <= s.problem.DeadlineSeconds) &&
		s.problem.Objective.least(p) <= s.ceiling
}

// incumbents are the points of good complete plans: those over the few choices of
// each stage that nothing beats wherever they are.
func (s *searcher) incumbents(stages [][]choice) front {
	good := make([][]choice, len(stages))
	for i, stage := range stages {
		good[i] = undominated(stage)
	}
	var points []point
	for _, l := range s.run(good, front{}) {
		points = append(points, l.point)
	}
	return newFront(points)
}

// undominated are the choices of a stage that no other is as good as, one of each
// point: enough for good plans, not for all ties.
func undominated(stage []choice) []choice {
	points := make([]point, len(stage))
	for i := range stage {
		points[i] = stage[i].point
	}
	best := newFront(points)
	var good []choice
	for _, c := range stage {
		if i := slices.Index(best.points, c.point); i >= 0 {
			good = append(good, c)
			best.points[i].high = -1 // taken
		}
	}
	return good
}
