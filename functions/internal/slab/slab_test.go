package slab_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/slab"
)

// TestSlab takes values in any sizes: they are zero, keep what is written to them until
// Reset, and a list that outgrows its room takes none of another's.
func TestSlab(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slab.Slab[int]
		for round := range 3 {
			var taken [][]int
			for i, n := range rapid.SliceOfN(rapid.IntRange(0, 400), 0, 10).Draw(t, "sizes") {
				values := s.Take(n)
				if len(values) != n || slices.ContainsFunc(values, func(v int) bool { return v != 0 }) {
					t.Fatalf("round %d: %d values of which some are not zero: %v", round, len(values), values)
				}
				for j := range values {
					values[j] = i + 1
				}
				_ = append(values, -1)
				taken = append(taken, values)
			}
			for i, values := range taken {
				if slices.ContainsFunc(values, func(v int) bool { return v != i+1 }) {
					t.Fatalf("round %d: what was taken as number %d changed: %v", round, i, values)
				}
			}
			s.Reset()
		}
	})
}

// TestLists makes lists in a slab.
func TestLists(t *testing.T) {
	var s slab.Slab[string]
	empty, copied := s.Empty(3), s.Clone([]string{"a", "b"})
	if len(empty) != 0 || cap(empty) != 3 || !slices.Equal(copied, []string{"a", "b"}) {
		t.Errorf("a list of %d with room for %d, a copy %v", len(empty), cap(empty), copied)
	}
}

// TestNothingNew takes as much again after Reset: no memory is asked for.
func TestNothingNew(t *testing.T) {
	var s slab.Slab[int64]
	s.Take(1000)
	if n := testing.AllocsPerRun(10, func() {
		s.Reset()
		s.Take(1000)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
