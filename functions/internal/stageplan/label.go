package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// label is a partial plan: choices for the first stages, enclosed in cost.
type label struct {
	bound        tco.Bound
	seconds, p95 int64
	choice       *candidate.Candidate
	before       *label
	history      history
}

// MaxStages is the longest chain that can be searched.
const MaxStages = 7

// history is what left whom so far, as far as later moves may depend on it: for
// every move the number of the provider that it left, 0 if nothing moved.
type history [MaxStages + 1]uint16

// point is what the label is compared by.
func (l *label) point() point { return point{l.bound.Low, l.bound.High, l.seconds, l.p95} }

// floor is the least of each quantity over candidates: what any choice takes at
// least.
func (s *searcher) floor(candidates []candidate.Candidate) point {
	f := point{low: tco.MaxNano, seconds: math.MaxInt64, p95: math.MaxInt64}
	for i := range candidates {
		p := s.point(&candidates[i])
		f.low = min(f.low, p.low)
		f.seconds = min(f.seconds, p.seconds)
		f.p95 = min(f.p95, p.p95)
	}
	f.high = f.low
	return f
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
		p, q := l.point(), set[i].point()
		if q.behind(margin, 0, 0).beats(p) {
			return set
		}
		if !p.behind(margin, 0, 0).beats(q) {
			kept = append(kept, set[i])
		}
	}
	return append(kept, l)
}
