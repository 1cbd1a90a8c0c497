package stageplan

import (
	"cmp"
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// gauge tells, before candidates are collected, which of them can be part of the
// answer to a problem. It knows some complete plans, found on the cheapest offers of
// few kinds, and what the stages take at least wherever they run.
type gauge struct {
	s       *searcher
	known   front     // complete plans
	others  [][]least // per stage: what the rest of a plan takes at least
	later   [][]least // per stage: what those after it take at least
	floors  []point   // the same, each quantity apart
	each    []point   // per stage: what it takes at least, each quantity apart
	hint    []int     // per stage: the place in others that last gave hope
	ceiling float64   // an objective value that the last alternative does not exceed
}

// least is what something takes at least: no plan takes less of both.
type least = candidate.Least

// newGauge makes a gauge from surveys of a problem's stages.
func newGauge(p Problem, surveys []*candidate.Survey) *gauge {
	g := &gauge{ceiling: math.Inf(1), hint: make([]int, len(surveys))}
	p.Stages = make([][]candidate.Candidate, len(surveys))
	fronts := make([]skyline, len(surveys))
	for i, survey := range surveys {
		fronts[i] = skylineOf(survey)
	}
	g.gather(fronts)
	g.s = newSearcher(&p)
	for i, survey := range surveys {
		if survey.Runs() == 0 {
			return g // no plan: nothing that is known rules anything out
		}
		runs := slices.Concat(fronts[i].runs, g.s.moving(i, survey).runs)
		slices.Sort(runs)
		for _, run := range slices.Compact(runs) {
			p.Stages[i] = append(p.Stages[i], survey.Price(int(run)))
		}
	}
	stages := make([][]choice, len(surveys))
	for i, sample := range p.Stages {
		stages[i] = g.s.choices(i, sample)
	}
	for _, l := range g.s.run(stages, front{}) {
		g.learn(l.point)
	}
	g.limit(surveys[p.Main], stages)
	return g
}

// moving is the skyline of a survey's runs on their cheapest offers once the data has
// moved out of them at the worst.
func (s *searcher) moving(stage int, survey *candidate.Survey) skyline {
	var sky skyline
	for run := range survey.Runs() {
		q, l := survey.Cheapest(run)
		cost, _ := s.leaving(stage, q.WayNumber)
		sky.add(least{Cost: tco.Bound{High: l.Cost}.Add(tco.Bound{High: cost}).High, Seconds: l.Seconds}, int32(run))
	}
	return sky
}

// leaving is the most that the move out of a stage to the next can cost and take. The
// last stage's is part of its candidates' points.
func (s *searcher) leaving(stage, way int) (tco.Nano, int64) {
	if stage+1 == len(s.problem.Stages) {
		return 0, 0
	}
	region, internet, seconds := s.carrier.outOf(stage+1, way)
	return max(region.High, internet.High), seconds
}

// gather sets what the rest of a plan takes at least, for each stage.
func (g *gauge) gather(fronts []skyline) {
	n := len(fronts)
	before, after := make([][]least, n+1), make([][]least, n+1)
	before[0], after[n] = []least{{}}, []least{{}}
	for i := range n {
		before[i+1] = sums(before[i], fronts[i].points)
	}
	for i := n - 1; i >= 0; i-- {
		after[i] = sums(fronts[i].points, after[i+1])
	}
	g.later = after[1:]
	for i := range n {
		rest := sums(before[i], after[i+1])
		g.others = append(g.others, rest)
		g.floors = append(g.floors, floorOf(rest))
		g.each = append(g.each, floorOf(fronts[i].points))
	}
}

// floorOf is what all of a skyline take at least.
func floorOf(points []least) point {
	if len(points) == 0 {
		return point{}
	}
	return pointOf(least{Cost: points[0].Cost, Seconds: points[len(points)-1].Seconds})
}

// pointOf is what is certain of something that takes so much at least. Its 95th
// percentile is no less than the expected time.
func pointOf(l least) point { return point{l.Cost, l.Cost, l.Seconds, l.Seconds} }

// limit sets the ceiling: the objective value of as many plans of different kinds as
// are asked for, the best of each that is easily found.
func (g *gauge) limit(main *candidate.Survey, stages [][]choice) {
	p := g.s.problem
	kinds := g.kinds(main)
	var values []float64
	sample := slices.Clone(stages)
	for i := range sample {
		sample[i] = sample[i][:min(len(sample[i]), kindSample)]
	}
	for _, run := range kinds[:min(len(kinds), p.Alternatives+spareKinds)] {
		one := []candidate.Candidate{main.Price(run)}
		sample[p.Main] = g.s.choices(p.Main, one)
		best := math.Inf(1)
		for _, l := range g.s.run(sample, front{}) {
			if l.point.high <= g.s.budget.Low {
				best = min(best, p.Objective.most(l.point))
			}
		}
		values = append(values, best)
	}
	slices.Sort(values)
	if len(values) >= p.Alternatives {
		g.ceiling = values[p.Alternatives-1]
	}
}

// How many kinds beyond those asked for are tried, since the least that a kind takes
// does not order them exactly; and how many choices of the other stages.
const (
	spareKinds = 3
	kindSample = 6
)

// kinds are the runs that promise the best plan of each kind, best first.
func (g *gauge) kinds(main *candidate.Survey) []int {
	type promise struct {
		run   int
		value float64
	}
	best := make(map[kind]promise)
	rest := g.floors[g.s.problem.Main]
	for i := range main.Runs() {
		q, l := main.Cheapest(i)
		k := kind{q.Offer.Provider, q.Offer.GPU, q.Offer.Market}
		value := g.s.problem.Objective.least(pointOf(l).plus(rest))
		if b, seen := best[k]; !seen || value < b.value {
			best[k] = promise{i, value}
		}
	}
	order := make([]promise, 0, len(best))
	for _, b := range best {
		order = append(order, b)
	}
	slices.SortFunc(order, func(a, b promise) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.run, b.run))
	})
	runs := make([]int, len(order))
	for i := range order {
		runs[i] = order[i].run
	}
	return runs
}

// learn lets a complete plan prune. It certainly meets the deadline, so that its
// percentile is no matter unless the least one is looked for.
func (g *gauge) learn(p point) {
	if g.s.problem.DeadlineSeconds != Someday {
		p.p95 = 0
	}
	g.known.add(p)
}

// worst is pointOf with the latest that the candidate can be in any scenario: one that
// is no worse in that and in the expected time is never later.
func (g *gauge) worst(stage int, c *candidate.Candidate) point {
	p := g.pointOf(stage, c)
	p.p95 = g.s.late(p.p95 + (spot.Farthest-1)*max(0, c.P95-c.Seconds))
	return p
}

// pointOf is what a candidate of a stage takes, with the moves at the ends of the
// chain.
func (g *gauge) pointOf(stage int, c *candidate.Candidate) point {
	cost, seconds := g.s.ends(stage, c.Site)
	cost = cost.Add(c.Bound)
	return point{cost.Low, cost.High, g.s.time(c.Seconds + seconds), g.s.late(c.P95 + seconds)}
}

// hopeful reports whether a plan with a choice that takes so much can be among the
// answers: on the frontier or, if the choice leads, among the alternatives.
func (g *gauge) hopeful(stage int, p point, leads bool) bool {
	others, hint := g.others[stage], &g.hint[stage]
	if *hint < len(others) && g.unbeaten(p.plus(pointOf(others[*hint]))) {
		return true
	}
	switch atLeast := p.plus(g.floors[stage]); {
	case leads && g.other(atLeast):
		return true
	case !g.unbeaten(atLeast):
		return false
	}
	for i := range others {
		if g.unbeaten(p.plus(pointOf(others[i]))) {
			*hint = i
			return true
		}
	}
	return false
}

// unbeaten reports whether a plan that takes so much at least can be on the frontier.
func (g *gauge) unbeaten(p point) bool { return g.s.feasible(p) && !g.known.beats(p) }

// other reports whether a plan that takes so much at least can be an alternative.
func (g *gauge) other(p point) bool {
	return g.s.problem.Objective.least(p) <= g.ceiling && g.s.feasible(p)
}
