package stageplan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// skylines are skylines of few points.
func skylines() *rapid.Generator[skyline] {
	amount := rapid.Int64Range(0, 30)
	return rapid.Custom(func(t *rapid.T) (s skyline) {
		for range rapid.IntRange(0, 12).Draw(t, "points") {
			s.add(least{Cost: tco.Nano(amount.Draw(t, "cost")), Seconds: amount.Draw(t, "seconds")}, pick{})
		}
		return s
	})
}

// TestUnion holds the union of skylines that lie later and dearer to the skyline of their
// points, and sums of two to it: each sum of two points takes no less than some point of them.
func TestUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := skylines().Draw(t, "a"), skylines().Draw(t, "b")
		var want skyline
		var got union
		for _, by := range a.points {
			got.add(b.points, by)
			for _, p := range b.points {
				want.add(least{Cost: p.Cost + by.Cost, Seconds: p.Seconds + by.Seconds}, pick{})
			}
		}
		if !slices.Equal(got.points, want.points) {
			t.Fatalf("got %v, want %v", got.points, want.points)
		}
		s := searcher{room: new(Room)}
		bound := s.sums(a.points, b.points)
		if len(bound) > coarse {
			t.Fatalf("%d points", len(bound))
		}
		for _, p := range want.points {
			if !slices.ContainsFunc(bound, func(q least) bool { return q.Cost <= p.Cost && q.Seconds <= p.Seconds }) {
				t.Fatalf("%v takes less than all of %v", p, bound)
			}
		}
	})
}

// TestInOrder holds a list that was sorted to the stable order of its elements by the
// library, whether it was about in order or not.
func TestInOrder(t *testing.T) {
	type element struct{ key, number int }
	rapid.Check(t, func(t *rapid.T) {
		off := rapid.SampledFrom([]int{0, 2, 1000}).Draw(t, "how far off")
		var list []element
		for i := range rapid.IntRange(0, 60).Draw(t, "elements") {
			list = append(list, element{i + rapid.IntRange(0, off).Draw(t, "off"), i})
		}
		want := slices.Clone(list)
		byKey := func(a, b element) int { return a.key - b.key }
		slices.SortStableFunc(want, byKey)
		inOrder(list, func(a, b element) int {
			if a.key != b.key {
				return a.key - b.key
			}
			return a.number - b.number
		})
		if !slices.Equal(list, want) {
			t.Fatalf("got %v, want %v", list, want)
		}
	})
}
