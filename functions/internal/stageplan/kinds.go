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

// limit sets the ceiling: the objective value of as many plans of different kinds as
// are asked for, the best of each that is easily found.
func (g *gatherer) limit(samples [][]choice) {
	s, p := g.s, g.s.problem
	few := slices.Clone(samples)
	for i := range few {
		few[i] = few[i][:min(len(few[i]), kindSample)]
	}
	before := s.bar
	promises := g.promises()
	values := make([]float64, 0, len(promises))
	for _, promise := range promises {
		few[p.Main] = g.price(p.Main, []pick{promise.pick})
		s.bar, s.lowest = s.limits(), math.Inf(1)
		s.study(few)
		values = append(values, s.lowest)
	}
	s.bar = before
	if sorted := slices.Sorted(slices.Values(values)); len(values) >= p.Alternatives {
		g.ceiling = sorted[p.Alternatives-1]
	}
	g.ceilings = slices.Repeat([]float64{g.ceiling}, p.Market.Kinds())
	for i, promise := range promises {
		g.ceilings[promise.tag.Kind] = min(g.ceiling, values[i])
	}
}

// How many kinds beyond those asked for are tried, since the least that a kind takes
// does not order them exactly; and how many choices of the other stages.
const (
	spareKinds = 3
	kindSample = 6
)

// promises are the most promising kinds of the main stage, best first.
func (g *gatherer) promises() []promise {
	p := g.s.problem
	rest, survey := floorOf(g.others(p.Main)), g.surveys[p.Main]
	best := make([]promise, 0, p.Alternatives+spareKinds+1)
	runs := survey.Runs()
	for i := range runs {
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
