package engine_test

import (
	"testing"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// BenchmarkRecommendDeadline is a whole answer over the embedded catalogue under a
// deadline that many plans come near to.
func BenchmarkRecommendDeadline(b *testing.B) {
	snapshot, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	e := engine.New(snapshot)
	request := sevenBillion()
	request.DeadlineSeconds = 8 * 3600
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Recommend(request); err != nil {
			b.Fatal(err)
		}
	}
}
