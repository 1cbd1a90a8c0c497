package workload

import "testing"

// TestOnDoesNotAllocate holds the estimate to no garbage: a search calls it for
// every candidate.
func TestOnDoesNotAllocate(t *testing.T) {
	for _, name := range []StageName{Train, Evaluate} {
		s, h := stage(t, loraJob(llama70B()), name), one(a100(), 8)
		if got := testing.AllocsPerRun(100, func() { _, _ = s.On(h) }); got != 0 {
			t.Errorf("%s: %g allocations per estimate, want 0", name, got)
		}
	}
}

func BenchmarkOn(b *testing.B) {
	for _, name := range []StageName{Train, Evaluate} {
		b.Run(string(name), func(b *testing.B) {
			s, h := stage(b, loraJob(llama70B()), name), one(a100(), 8)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.On(h); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSize(b *testing.B) {
	s := loraJob(llama70B())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Size(s); err != nil {
			b.Fatal(err)
		}
	}
}
