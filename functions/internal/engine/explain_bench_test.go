package engine_test

import (
	"testing"

	"github.com/tierwise/tierwise/functions/internal/engine"
)

// BenchmarkExplain is the part of an answer that comes after the search: what is said
// about the plans of the default fine-tune of a 7B model.
func BenchmarkExplain(b *testing.B) {
	for name, deadline := range map[string]int64{"plain": 0, "deadline": 24 * 3600} {
		b.Run(name, func(b *testing.B) {
			r := sevenBillion()
			r.DeadlineSeconds = deadline
			explain := engine.Explaining(b, engine.New(embedded(b)), r)
			b.ReportAllocs()
			for b.Loop() {
				if a := explain(); len(a.Plans) != r.Alternatives || a.Plans[0].Why == "" {
					b.Fatalf("%d plans, want %d with a reason", len(a.Plans), r.Alternatives)
				}
			}
		})
	}
}
