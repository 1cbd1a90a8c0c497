package stageplan

import (
	"cmp"
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// promise is the pick that promises the best plan of a kind, and the least value of one.
type promise struct {
	pick
	value float64
}

// limit sets the ceilings: the objective value of the best plan of many kinds that is
// easily found, and of as many as are asked for.
func (g *gatherer) limit(samples [][]choice) {
	s, p := g.s, g.s.problem
	few := slices.Clone(samples)
	for i := range few {
		few[i] = few[i][:min(len(few[i]), kindSample)]
	}
	g.ceilings = s.room.filled(math.Inf(1), p.Market.Kinds())
	var kinds []int32
	for _, promise := range g.promises() {
		few[p.Main] = g.price(p.Main, []pick{promise.pick})
		kinds = append(kinds, promise.tag.Kind)
		g.ceilings[promise.tag.Kind] = min(g.ceilings[promise.tag.Kind], s.lowestOf(few))
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	slices.SortFunc(kinds, func(a, b int32) int { return cmp.Compare(g.ceilings[a], g.ceilings[b]) })
	if len(kinds) >= p.Alternatives {
		g.ceiling = g.ceilings[kinds[p.Alternatives-1]]
	}
	for k := range g.ceilings {
		g.ceilings[k] = min(g.ceilings[k], g.ceiling)
	}
}

// lowestOf is an objective value that the best plan over few choices of each stage does not
// exceed; infinite if none is known to be within the limits.
func (s *searcher) lowestOf(few [][]choice) float64 {
	before, last := []skyline{{points: []least{{}}}}, len(few)-1 // per choice of the stage before
	for i, stage := range few[:last] {
		after := s.room.skylines.Take(len(stage))
		for j := range stage {
			after[j].points = s.room.leasts.Empty(2 * kindSample)
			for k := range before {
				after[j].onward(before[k].points, s.step(few, i, j, k))
			}
		}
		before = after
	}
	lowest := math.Inf(1)
	for j := range few[last] {
		for k := range before {
			lowest = min(lowest, s.lowestAfter(before[k].points, s.step(few, last, j, k)))
		}
	}
	return lowest
}

// lowestAfter is the same of plans that take so much with a last step.
func (s *searcher) lowestAfter(parts []least, step least) float64 {
	lowest := math.Inf(1)
	for _, p := range parts {
		cost, seconds := sum(p.Cost, step.Cost), p.Seconds+step.Seconds
		if cost <= s.budget.Low && (s.problem.DeadlineSeconds == 0 || seconds <= s.problem.DeadlineSeconds) {
			lowest = min(lowest, s.problem.Objective.most(point{high: cost, seconds: seconds}))
		}
	}
	return lowest
}

// step is what the j-th choice of a stage takes at most, with the move from the k-th of the
// stage before. Under a deadline its time is the 95th percentile.
func (s *searcher) step(few [][]choice, stage, j, k int) least {
	c := &few[stage][j]
	l := least{Cost: c.point.high, Seconds: max(c.point.seconds, c.point.p95)}
	if stage == 0 || few[stage-1][k].site == c.site {
		return l
	}
	move, seconds := s.carrier.between(stage, &few[stage-1][k], c)
	return least{Cost: sum(l.Cost, move.High), Seconds: l.Seconds + seconds}
}

// onward adds what parts take with a step.
func (s *skyline) onward(parts []least, step least) {
	for _, p := range parts {
		s.add(least{Cost: sum(p.Cost, step.Cost), Seconds: p.Seconds + step.Seconds}, pick{})
	}
}

// How many kinds beyond those asked for are tried, since the least that a kind takes
// does not order them exactly; more if the cheapest of a kind may miss a limit, which
// leaves many candidates of each; and how many choices of the other stages.
const (
	spareKinds = 3
	manyKinds  = 60
	kindSample = 4
)

// promises are picks that promise the best plan of each kind of the main stage, of the
// most promising kinds. Under a deadline some of them leave time for what may go wrong.
func (g *gatherer) promises() []promise {
	p := g.s.problem
	spare := spareKinds
	if !p.leads() {
		spare = manyKinds
	}
	if p.DeadlineSeconds == 0 || p.DeadlineSeconds == Someday {
		return g.promisesWithin(math.MaxInt64, p.Alternatives+spare)
	}
	return append(g.promisesWithin(p.DeadlineSeconds, p.Alternatives+spare),
		g.promisesWithin(p.DeadlineSeconds*2/3, p.Alternatives+spare)...)
}

// promisesWithin are the most promising kinds, best first, of plans that are expected to
// take no longer than that.
func (g *gatherer) promisesWithin(seconds int64, kinds int) []promise {
	p := g.s.problem
	rest, survey := g.floor(0, p.Main), g.surveys[p.Main]
	best := make([]promise, 0, kinds+1)
	runs := survey.Runs()
	for i := range runs {
		if runs[i].Seconds+rest.seconds > seconds {
			continue
		}
		most := func() tco.Nano {
			if len(best) < cap(best)-1 {
				return tco.MaxNano
			}
			return p.Objective.cost(best[len(best)-1].value, runs[i].Seconds+rest.seconds) - rest.low
		}
		for tag, l := range survey.Lanes(&runs[i], most) {
			best = promising(best, promise{pick{int32(i), tag}, p.Objective.least(pointOf(l).plus(rest))})
		}
	}
	return best
}

// promising puts a promise among the best, which are of different kinds and leave room
// for one.
func promising(best []promise, next promise) []promise {
	same := func(p promise) bool { return p.tag.Kind == next.tag.Kind }
	if i := slices.IndexFunc(best, same); i >= 0 {
		if best[i].value <= next.value {
			return best
		}
		best = slices.Delete(best, i, i+1)
	}
	at, _ := slices.BinarySearchFunc(best, next, func(a, b promise) int { return cmp.Compare(a.value, b.value) })
	best = slices.Insert(best, at, next)
	return best[:min(len(best), cap(best)-1)]
}

// cost is the most that a plan of so many seconds can cost if its value does not exceed
// a limit. It is approximate only upwards.
func (o Objective) cost(limit float64, seconds int64) tco.Nano {
	most := math.Inf(1)
	switch o {
	case Time:
		if float64(seconds) > limit*(1+2*roundOff) {
			return -1
		}
	case Balanced:
		most = limit / max(1, float64(seconds)) * (1 + 4*roundOff)
	default:
		most = limit * (1 + 4*roundOff)
	}
	if most >= math.MaxInt64/2 {
		return tco.MaxNano
	}
	return tco.Nano(most) + 1
}
