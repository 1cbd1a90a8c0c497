package stageplan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// bar is the most that a plan may cost to be worth having, by the time that it takes:
// the longer, the less. It is a staircase.
type bar struct {
	seconds []int64    // ascending: the times from which
	most    []tco.Nano // no more than this may be paid
	// index is by rank of a time the number of steps that begin before times of that rank,
	// while the bar stays as it is; nil while it may be lowered.
	index []int32
}

// rank sorts times roughly: by 32 ranks to each doubling.
func rank(seconds int64) int {
	const fine = 6
	if seconds < 1<<fine {
		return int(max(0, seconds))
	}
	doublings := bits.Len64(uint64(seconds)) - fine
	return doublings<<(fine-1) + int(seconds>>doublings)
}

// step is the number of steps that begin up to a time.
func (b *bar) step(seconds int64) int {
	from, n := 0, len(b.seconds)
	if b.index != nil {
		at := min(rank(seconds), len(b.index)-2)
		from = int(b.index[at])
		n = int(b.index[at+1]) - from
	}
	for n > 0 {
		half := (n + 1) / 2
		if b.seconds[from+half-1] <= seconds {
			from += half
		}
		n -= half
	}
	return from
}

// freeze makes an index, for many questions to come.
func (b *bar) freeze() {
	if len(b.seconds) == 0 {
		return
	}
	b.index = make([]int32, 0, rank(b.seconds[len(b.seconds)-1])+2)
	for i, seconds := range b.seconds {
		for at := rank(seconds); len(b.index) <= at; {
			b.index = append(b.index, int32(i))
		}
	}
	b.index = append(b.index, int32(len(b.seconds)))
}

// at is the most that a plan of so many seconds may cost.
func (b *bar) at(seconds int64) tco.Nano {
	if n := b.step(seconds); n > 0 {
		return b.most[n-1]
	}
	return tco.MaxNano
}

// lower lets no plan of so many seconds or more cost more than that.
func (b *bar) lower(seconds int64, most tco.Nano) {
	b.index = nil
	from := b.step(seconds - 1)
	if from < len(b.seconds) && b.seconds[from] == seconds && b.most[from] <= most || from > 0 && b.most[from-1] <= most {
		return
	}
	to := from
	for to < len(b.most) && b.most[to] >= most {
		to++
	}
	b.seconds = slices.Replace(b.seconds, from, to, seconds)
	b.most = slices.Replace(b.most, from, to, most)
}

// under is the bar for a part of a plan, the rest of which takes at least one of some
// points.
func (b *bar) under(rest []least) bar {
	var highest, other bar
	for i := range rest {
		other.higher(&highest, b, rest[i], i == 0)
		highest, other = other, highest
	}
	return highest
}

// higher sets a bar to the higher of one, if there is one, and of another for a part of
// a plan whose rest takes so much.
func (b *bar) higher(one, another *bar, rest least, first bool) {
	b.seconds, b.most = b.seconds[:0], b.most[:0]
	most, others := tco.MaxNano, tco.MaxNano
	if first {
		most = -1
	}
	for i, j := 0, 0; i < len(one.seconds) || j < len(another.seconds); {
		seconds := int64(math.MaxInt64)
		if i < len(one.seconds) {
			seconds = one.seconds[i]
		}
		if j < len(another.seconds) {
			seconds = min(seconds, max(0, another.seconds[j]-rest.Seconds))
		}
		for ; i < len(one.seconds) && one.seconds[i] == seconds; i++ {
			most = one.most[i]
		}
		for ; j < len(another.seconds) && another.seconds[j]-rest.Seconds <= seconds; j++ {
			others = another.most[j] - rest.Cost
		}
		highest := max(most, others)
		if n := len(b.most); highest < tco.MaxNano && (n == 0 || highest < b.most[n-1]) {
			b.seconds, b.most = append(b.seconds, seconds), append(b.most, highest)
		}
	}
}

// clone is a bar of the same steps that is lowered apart.
func (b *bar) clone() bar { return bar{seconds: slices.Clone(b.seconds), most: slices.Clone(b.most)} }

// outlook tells whether a part of a plan can still become a plan worth having.
type outlook struct {
	s     *searcher
	bar   *bar
	once  *bar  // what bar was once, if it may have been lowered since
	floor point // what the rest of the plan takes at least, each quantity apart
}

// outlook is the outlook of parts whose rest takes at least one of the points.
func (s *searcher) outlook(rest []least) outlook {
	if len(rest) == 1 && rest[0] == (least{}) { // the bar may yet be lowered
		once := s.bar.clone()
		once.freeze()
		return outlook{s: s, bar: &s.bar, once: &once, floor: point{}}
	}
	under := s.bar.under(rest)
	under.freeze()
	return outlook{s: s, bar: &under, floor: floorOf(rest)}
}

// hopes reports whether there is hope for a part that takes so much.
func (o *outlook) hopes(p point) bool {
	if o.once != nil && p.low > o.once.at(p.seconds) {
		return false
	}
	return p.low <= o.bar.at(p.seconds) && o.s.feasible(p.plus(o.floor))
}

// most is the most that a part of so many seconds may cost; negative if there is no
// hope for it.
func (o *outlook) most(seconds int64) tco.Nano { return o.bar.at(seconds) }

// feasible reports whether a plan that takes at least p can meet the deadline and have
// a value within the ceiling.
func (s *searcher) feasible(p point) bool {
	return (s.problem.DeadlineSeconds == 0 || p.p95 <= s.problem.DeadlineSeconds) &&
		(s.ceiling == math.Inf(1) || s.problem.Objective.least(p) <= s.ceiling)
}

// learn lets a complete plan prune: one that the exact figures may prove to be over the
// budget still rules out dearer ones. It certainly meets the deadline, so that its
// percentile is no matter unless the least one is looked for.
func (s *searcher) learn(p point) {
	if s.learning && p.high <= s.budget.Low {
		s.lowest = min(s.lowest, s.problem.Objective.most(p))
	}
	switch {
	case s.problem.DeadlineSeconds != Someday:
		s.bar.lower(p.seconds, p.high)
	case p.high <= s.budget.Low:
		s.bar.lower(p.p95+1, -1)
	}
}
