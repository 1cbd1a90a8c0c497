package stageplan

import (
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// searcher holds what all runs over one problem share.
type searcher struct {
	problem *Problem
	surveys []*candidate.Survey // of stages that were gathered
	carrier *carrier
	budget  tco.Bound  // the most a plan may cost; MaxNano = no budget
	most    tco.Units  // the same exactly, if there is one
	all     [][]choice // by stage
	bar     bar        // what the plans that are known leave to hope for
	spare   []tco.Nano // room for another bar
	room    *Room
	soonest int64 // no plan is expected to take less
	// cheapest asks only for the least total: time then decides nothing but ties,
	// and those are settled exactly.
	cheapest bool
	// ceiling is an objective value that no plan worth having exceeds.
	ceiling float64
	// learning asks for no plans, but for what the bar learns of them.
	learning bool
	spreads  []tco.Nano // see spread

	places   []int32 // by number of a site in the market: its own number, counted from 1
	sites    int32
	vicinity *near
	partial  bool // some plans near the deadline were not tested
}

// newSearcher prepares a problem.
func newSearcher(p *Problem) *searcher {
	if p.Room == nil {
		p.Room = new(Room)
	}
	s := &searcher{
		problem: p, carrier: newCarrier(p), budget: tco.Bound{Low: tco.MaxNano, High: tco.MaxNano}, ceiling: math.Inf(1),
		room: p.Room,
	}
	s.places = s.room.numbers.Take(p.Market.Sites())
	if p.Budget.Valid {
		usd := tco.Exact(p.Budget.Decimal).Over(p.Market.Converter.UnitsPerUSD())
		s.budget = tco.BoundOf(usd).Widen()
		s.most, _ = tco.UnitsOf(p.Budget.Decimal) // rounded down: totals have no more places
	}
	s.spreads = s.carrier.spreads()
	return s
}

// since says that no plan is expected to take less than so many seconds.
func (s *searcher) since(seconds int64) {
	s.soonest = seconds
	s.bar = s.limits(nil)
}

// limits is the bar that budget and deadline set, without any plan. It takes over room, if
// there is any.
func (s *searcher) limits(room []tco.Nano) bar {
	if room == nil {
		room = s.room.bar()
	}
	b := newBar(s.soonest, s.budget.High, room)
	if d := s.problem.DeadlineSeconds; d > 0 {
		b.lower(d+1, -1)
	}
	return b
}

// apart does something with a bar of its own.
func (s *searcher) apart(do func()) {
	before := s.bar
	s.bar = s.limits(s.spare)
	do()
	s.bar, s.spare = before, s.bar.most
}

// spread is the most by which what left earlier can change the cost of a move and of
// all moves after it.
func (s *searcher) spread(move int) tco.Nano { return s.spreads[move] }

// run finds every complete plan over the given choices that no other certainly
// beats. Complete plans that are already known prune.
func (s *searcher) run(stages [][]choice) (*tableau, []label) {
	t := s.newTableau(stages)
	for _, rest := range s.after(stages) {
		t.extend(s.outlook(rest))
		if len(t.labels[len(t.labels)-1]) == 0 {
			return t, nil
		}
	}
	return t, t.complete()
}

// after is, for each stage, what the stages after it take at least.
func (s *searcher) after(stages [][]choice) [][]least {
	n := len(stages)
	rests, rest := s.room.rests.Take(n), s.room.leasts.Take(1)
	for i := n - 1; i >= 0; i-- {
		rests[i] = rest
		if i > 0 {
			rest = s.sums(s.skylineOf(stages[i]).points, rest)
		}
	}
	return rests
}

// prune drops the choices that no plan worth having can hold.
func (s *searcher) prune(stages [][]choice) [][]choice {
	n := len(stages)
	hopeful := make([][]choice, n)
	rests, before := s.after(stages), []least{{}}
	for i, stage := range stages {
		o := s.outlook(s.sums(before, rests[i]))
		for j := range stage {
			if o.hopes(stage[j].point) {
				hopeful[i] = append(hopeful[i], stage[j])
			}
		}
		before = s.sums(before, s.skylineOf(stage).points)
	}
	return hopeful
}

// thin drops choices that another certainly replaces to advantage even if its
// data must be moved in and out at the worst price.
func (s *searcher) thin(stages [][]choice) {
	for i := range stages {
		stages[i] = s.thinned(i, stages, stages[i])
	}
}

// thinned is the choices of a list for a stage that no other of it replaces.
func (s *searcher) thinned(i int, stages [][]choice, list []choice) []choice {
	in, inSeconds := s.carrier.dearestInto(i, stages)
	points := s.room.points.Take(len(list))
	for j := range list {
		out, outSeconds := s.carrier.dearestOut(i, int(list[j].way))
		seconds := inSeconds + outSeconds
		points[j] = list[j].point.behind(sum(sum(in, out), s.spread(i+1)), s.time(seconds), s.late(seconds))
	}
	better := s.front(points)
	return slices.DeleteFunc(s.room.choices.Clone(list), func(c choice) bool { return better.beats(c.point) })
}

// study learns from the plans over the given choices.
func (s *searcher) study(stages [][]choice) {
	s.learning = true
	s.run(stages)
	s.learning = false
}

// incumbents learns good complete plans: those over the few choices of each stage that
// nothing beats wherever they are.
func (s *searcher) incumbents(stages [][]choice) {
	good := make([][]choice, len(stages))
	for i, stage := range stages {
		good[i] = s.undominated(stage)
	}
	s.study(good)
}

// undominated are the choices of a stage that no other is as good as, one of each
// point: enough for good plans, not for all ties.
func (s *searcher) undominated(stage []choice) []choice {
	points := s.room.points.Take(len(stage))
	for i := range stage {
		points[i] = stage[i].point
	}
	best := s.front(points)
	var good []choice
	for _, c := range stage {
		if i := slices.Index(best.points, c.point); i >= 0 {
			good = append(good, c)
			best.points[i].high = -1 // taken
		}
	}
	return good
}

// start prepares a search over a problem; ok is false if some stage has no candidates.
func start(p *Problem) (s *searcher, stages [][]choice, ok bool) {
	if p.Check() != nil {
		return nil, nil, false
	}
	soonest := int64(0)
	for _, candidates := range p.Stages {
		if len(candidates) == 0 {
			return nil, nil, false
		}
		soonest += slices.MinFunc(candidates, func(a, b candidate.Candidate) int { return sign(a.Seconds - b.Seconds) }).Seconds
	}
	s = newSearcher(p)
	s.since(soonest)
	for i, candidates := range p.Stages {
		stages = append(stages, s.choices(i, candidates))
	}
	s.all = stages
	return s, stages, true
}
