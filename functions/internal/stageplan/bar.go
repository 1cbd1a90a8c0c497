package stageplan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/slab"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// bar is the most that a plan may cost to be worth having, by the time that it takes:
// the longer, the less. Times are told apart by their ranks alone, so that a question is
// answered at once; within a rank the bar is that of its shortest time.
type bar struct {
	from   int        // the first rank that is told apart
	before tco.Nano   // before that
	most   []tco.Nano // by rank from there; what takes longer than the last may cost as much
}

// How many ranks there are to each doubling, in bits: of the time of whole plans, of that of
// parts, and of costs.
const (
	fine   = 10
	rough  = 8
	costly = 6
)

// longest is the longest time that a bar tells from longer ones.
const longest = 1 << 40

// rankOf is that of a time, given how many there are to a doubling, in bits.
func rankOf(seconds int64, few uint) int {
	doublings := bits.Len64(uint64(seconds)>>few|1) - 1
	return doublings<<few + int(seconds>>doublings)
}

// startOf is the shortest time of a rank.
func startOf(rank int, few uint) int64 {
	if rank < 2<<few {
		return int64(rank)
	}
	doublings := rank>>few - 1
	return int64(rank-doublings<<few) << doublings
}

// at is the most that a plan of so many seconds may cost.
func (b *bar) at(seconds int64) tco.Nano {
	at, n := rankOf(max(0, seconds), fine)-b.from, len(b.most)
	switch {
	case uint(at) < uint(n):
		return b.most[at]
	case at < 0 || n == 0:
		return b.before
	default:
		return b.most[n-1]
	}
}

// lower lets no plan of so many seconds or more cost more than that, as far as ranks tell.
// It is no matter what it says of times before the first rank.
func (b *bar) lower(seconds int64, most tco.Nano) {
	if seconds > longest {
		return
	}
	from := rankOf(max(0, seconds), fine)
	if startOf(from, fine) < seconds {
		from++
	}
	at := max(0, from-b.from)
	if at >= len(b.most) {
		b.lengthen(at)
	}
	longer := b.most[at:]
	for i := range longer {
		if longer[i] <= most {
			return
		}
		longer[i] = most
	}
}

// lengthen makes room for a rank, counted from the first.
func (b *bar) lengthen(at int) {
	last := b.before
	if n := len(b.most); n > 0 {
		last = b.most[n-1]
	}
	from := len(b.most)
	b.most = slices.Grow(b.most, at+1-from)[:at+1]
	added := b.most[from:]
	for i := range added {
		added[i] = last
	}
}

// newBar is a bar of no more than that, which tells times from the soonest on apart. It
// takes over room.
func newBar(soonest int64, most tco.Nano, room []tco.Nano) bar {
	return bar{from: rankOf(soonest, fine), before: most, most: room[:0]}
}

// share is what a bar leaves to a part of a plan, the rest of which takes at least one of some
// points. It is worked out for a rank when that is first asked for.
type share struct {
	bar   *bar
	rest  []least
	known []tco.Nano // by rank, the complement of what is known: 0 is nothing
}

// share is one, in some room.
func (b *bar) share(rest []least, room *slab.Slab[tco.Nano]) share {
	ranks := 1
	if last := b.from + len(b.most) - 1; len(b.most) > 0 {
		ranks = rankOf(startOf(last, fine), rough) + 2
	}
	return share{b, rest, room.Take(ranks)}
}

// at is the most that a part of so many seconds may cost, about.
func (s *share) at(seconds int64) tco.Nano {
	r := min(rankOf(max(0, seconds), rough), len(s.known)-1)
	known := &s.known[r]
	if *known == 0 {
		*known = ^s.bar.highest(startOf(r, rough), s.rest)
	}
	return ^*known
}

// highest is the most that a part of a plan of so many seconds may cost, given a skyline of
// what its rest takes at least.
func (b *bar) highest(seconds int64, rest []least) tco.Nano {
	highest := tco.Nano(-2) // no hope; -1 would be unknown to a share
	if len(rest) == 0 {
		return highest
	}
	soonest := b.at(seconds + rest[len(rest)-1].Seconds)
	if soonest == tco.MaxNano {
		return soonest
	}
	for i := range rest {
		if soonest-rest[i].Cost <= highest {
			break // the others are dearer
		}
		highest = max(highest, b.at(seconds+rest[i].Seconds)-rest[i].Cost)
	}
	return highest
}

// outlook tells whether a part of a plan can still become a plan worth having.
type outlook struct {
	s     *searcher
	share *share // nil if the rest is one point
	rest  least  // which is this
	floor point  // what the rest of the plan takes at least, each quantity apart
}

// outlook is the outlook of parts whose rest takes at least one of the points.
func (s *searcher) outlook(rest []least) outlook {
	if len(rest) == 1 {
		return outlook{s: s, rest: rest[0], floor: pointOf(rest[0])}
	}
	share := s.bar.share(rest, &s.room.nanos)
	return outlook{s: s, share: &share, floor: floorOf(rest)}
}

// hopes reports whether there is hope for a part that takes so much.
func (o *outlook) hopes(p point) bool {
	return p.low <= o.most(p.seconds) && o.s.feasible(p.plus(o.floor))
}

// most is the most that a part of so many seconds may cost; negative if there is no
// hope for it.
func (o *outlook) most(seconds int64) tco.Nano {
	if o.share != nil {
		return o.share.at(seconds)
	}
	most := o.s.bar.at(seconds + o.rest.Seconds)
	if most == tco.MaxNano {
		return most
	}
	return most - o.rest.Cost
}

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
	switch {
	case s.problem.DeadlineSeconds != Someday:
		s.bar.lower(p.seconds, p.high)
	case p.high <= s.budget.Low:
		s.bar.lower(p.p95+1, -1)
	}
}
