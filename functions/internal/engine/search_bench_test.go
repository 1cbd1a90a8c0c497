package engine_test

import (
	"testing"

	"github.com/tierwise/tierwise/functions/internal/engine"
)

// BenchmarkSearch is the search of BenchmarkRecommendSeed: sizing, gathering and solving,
// without the plans' bills and what is said about them.
func BenchmarkSearch(b *testing.B) {
	e := engine.New(embedded(b))
	search := engine.Searching(b, e, sevenBillion())
	b.ReportAllocs()
	for b.Loop() {
		if !search() {
			b.Fatal("no plan")
		}
	}
}
