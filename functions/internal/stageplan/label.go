package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// MaxStages is the longest chain that can be searched.
const MaxStages = 7

// label is a partial plan: choices for the first stages, and what they take.
type label struct {
	point   point
	choice  *choice // of the last stage chosen for; nil before the first
	before  *label
	history history
}

// history is what left whom so far, as far as later moves may depend on it: for
// every move the number of the provider that it left, 0 if nothing moved.
type history [MaxStages + 1]uint16

// floor is the least of each quantity over choices: what any of them takes at
// least.
func floor(choices []choice) point {
	f := nothing()
	for i := range choices {
		f = f.atMost(choices[i].point)
	}
	return f
}

// nothing is the floor of nothing.
func nothing() point {
	return point{low: tco.MaxNano, high: tco.MaxNano, seconds: math.MaxInt64, p95: math.MaxInt64}
}

// atMost lowers a floor to a point.
func (p point) atMost(q point) point {
	p.low = min(p.low, q.low)
	return point{p.low, p.low, min(p.seconds, q.seconds), min(p.p95, q.p95)}
}

// add puts a label into a set of one site where no label beats another. What
// left a provider earlier can change what later moves cost, by at most spread: a
// label of another history must win by more than that.
func add(set []label, l label, spread tco.Nano) []label {
	kept := set[:0]
	for i := range set {
		margin := spread
		if set[i].history == l.history {
			margin = 0
		}
		p, q := l.point, set[i].point
		if q.behind(margin, 0, 0).beats(p) {
			return set
		}
		if !p.behind(margin, 0, 0).beats(q) {
			kept = append(kept, set[i])
		}
	}
	return append(kept, l)
}
