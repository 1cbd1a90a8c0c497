package seed_test

import (
	"testing"

	"github.com/tierwise/tierwise/catalog/seed"
)

// BenchmarkLoad is what a cold start pays for the embedded baseline.
func BenchmarkSnapshotLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := seed.Load(); err != nil {
			b.Fatal(err)
		}
	}
}
