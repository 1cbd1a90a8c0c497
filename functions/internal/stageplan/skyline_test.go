package stageplan

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TestSkyline holds a skyline to all points that it was made of, and searches in it to looking
// at every point.
func TestSkyline(t *testing.T) {
	amount := rapid.Int64Range(0, 30)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) least {
			return least{Cost: tco.Nano(amount.Draw(t, "cost")), Seconds: amount.Draw(t, "seconds")}
		}), 0, 40).Draw(t, "points")
		var s skyline
		for _, p := range all {
			s.add(p, pick{})
		}
		asked, cost := rapid.Int64Range(-1, 31).Draw(t, "asked"), tco.Nano(rapid.Int64Range(-1, 31).Draw(t, "at"))
		most, after := tco.MaxNano, 0
		for _, p := range all {
			if p.Seconds <= asked {
				most = min(most, p.Cost)
			}
		}
		for i, p := range s.points {
			if p.Cost <= cost {
				after++
			}
			if i > 0 && (p.Cost <= s.points[i-1].Cost || p.Seconds >= s.points[i-1].Seconds) {
				t.Fatalf("%v is no skyline", s.points)
			}
		}
		if got := s.most(asked); got != most {
			t.Fatalf("at %d s: %d, want %d of %v", asked, got, most, s.points)
		}
		if got := s.after(cost); got != after {
			t.Fatalf("up to %d: %d points, want %d of %v", cost, got, after, s.points)
		}
	})
}

// TestFrontUpTo holds the search in a front to looking at every point.
func TestFrontUpTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f front
		high := tco.Nano(0)
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 2), 0, 40).Draw(t, "steps") {
			high += tco.Nano(step)
			f.points = append(f.points, point{high: high})
		}
		cost, want := tco.Nano(rapid.IntRange(-1, 60).Draw(t, "cost")), 0
		for _, p := range f.points {
			if p.high <= cost {
				want++
			}
		}
		if got := f.upTo(cost); got != want {
			t.Fatalf("up to %d: %d, want %d", cost, got, want)
		}
	})
}

// TestCheaper holds what is cheaper to looking at every point: whatever it beats is dearer than
// another that is as fast, and what that is by two ranks of costs it beats.
func TestCheaper(t *testing.T) {
	amount := rapid.Int64Range(0, 2000)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) point {
			low := tco.Nano(amount.Draw(t, "cost"))
			return point{low: low, high: low + tco.Nano(rapid.IntRange(0, 3).Draw(t, "width")), seconds: rapid.Int64Range(0, 9).Draw(t, "seconds")}
		}), 0, 40).Draw(t, "points")
		s, before := searcher{room: new(Room)}, newCheaper()
		for _, i := range s.cheapestFirst(len(all), func(i int) tco.Nano { return all[i].high }) {
			p, must, may := all[i], false, false
			for _, q := range all {
				if q.seconds <= p.seconds {
					may = may || q.high < p.low
					must = must || rankOf(int64(q.high), costly) < rankOf(int64(p.low), costly)-1
				}
			}
			if got := before.beat(&p); got && !may || must && !got && rankOf(int64(p.low), costly) == rankOf(int64(p.high), costly) {
				t.Fatalf("beats %v among %v: %t", p, all, got)
			}
		}
	})
}
