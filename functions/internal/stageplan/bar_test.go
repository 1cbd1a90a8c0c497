package stageplan

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/slab"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// step is one lowering of a bar.
type step struct {
	seconds int64
	most    tco.Nano
}

// steps are lowerings of a bar in any order.
func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{rapid.Int64Range(0, 1<<rapid.IntRange(1, 30).Draw(t, "bits")).Draw(t, "seconds"), tco.Nano(rapid.Int64Range(-1, 1e12).Draw(t, "most"))}
	}), 0, 20)
}

// exactly is what the lowerings leave at a time.
func exactly(lowered []step, before tco.Nano, seconds int64) tco.Nano {
	for _, s := range lowered {
		if s.seconds <= seconds {
			before = min(before, s.most)
		}
	}
	return before
}

// barOf is a bar that was lowered.
func barOf(t *rapid.T, lowered []step) bar {
	b := newBar(rapid.Int64Range(0, 1<<20).Draw(t, "soonest"), tco.Nano(rapid.Int64Range(1e6, 1e13).Draw(t, "before")), nil)
	for _, s := range lowered {
		b.lower(s.seconds, s.most)
	}
	return b
}

// TestBar holds a bar to its lowerings: it never asks for less than they leave, and no
// more than they leave at the shortest time of the rank, from the soonest on.
func TestBar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lowered := steps().Draw(t, "steps")
		b := barOf(t, lowered)
		seconds := rapid.Int64Range(0, 1<<31).Draw(t, "at")
		got, want := b.at(seconds), exactly(lowered, b.before, seconds)
		if got < want {
			t.Fatalf("at %d s: %d, less than %d", seconds, got, want)
		}
		from := startOf(rankOf(seconds, fine), fine)
		if rankOf(seconds, fine) < b.from {
			return
		}
		if most := exactly(lowered, b.before, from); got > most {
			t.Fatalf("at %d s: %d, more than the %d of %d s", seconds, got, most, from)
		}
	})
}

// TestRanks holds ranks to their times: they ascend with them, and start at the first that
// has them.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := uint(rapid.SampledFrom([]int{fine, rough}).Draw(t, "few"))
		seconds := rapid.Int64Range(1, 1<<rapid.IntRange(1, 42).Draw(t, "bits")).Draw(t, "seconds")
		r := rankOf(seconds, few)
		if from := startOf(r, few); from > seconds || rankOf(from, few) != r || from > 0 && rankOf(from-1, few) != r-1 {
			t.Fatalf("%d s: rank %d starts at %d s, of rank %d after %d", seconds, r, from, rankOf(from, few), rankOf(from-1, few))
		}
	})
}

// TestShare holds the share of a part to what the bar leaves it: never less.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lowered := steps().Draw(t, "steps")
		b := barOf(t, lowered)
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) least {
			return least{Cost: tco.Nano(rapid.Int64Range(0, 1e9).Draw(t, "cost")), Seconds: rapid.Int64Range(0, 1e6).Draw(t, "rest")}
		}), 1, 12).Draw(t, "points")
		var rest skyline
		for _, p := range points {
			rest.add(p, pick{})
		}
		share := b.share(rest.points, new(slab.Slab[tco.Nano]))
		seconds := rapid.Int64Range(0, 1<<31).Draw(t, "at")
		for _, r := range points {
			if got, want := share.at(seconds), exactly(lowered, b.before, seconds+r.Seconds)-r.Cost; got < want {
				t.Fatalf("at %d s with a rest of %+v: %d, less than %d", seconds, r, got, want)
			}
		}
	})
}
