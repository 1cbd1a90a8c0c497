package workload

import "testing"

// benched are a stage and hardware of each sort that a search asks about: a copy on one
// GPU, and a model that has to be sharded over the eight of a node.
func benched(b *testing.B, run func(b *testing.B, s *Stage, h Hardware)) {
	for _, name := range []StageName{Train, Evaluate} {
		b.Run(string(name)+"/7B", func(b *testing.B) {
			run(b, stage(b, loraJob(llama7B()), name), one(a100(), 1))
		})
		b.Run(string(name)+"/70B", func(b *testing.B) {
			run(b, stage(b, loraJob(llama70B()), name), one(a100(), 8))
		})
	}
}

// TestOnDoesNotAllocate holds the estimate to no garbage: a search calls it for
// every candidate.
func TestOnDoesNotAllocate(t *testing.T) {
	for _, name := range []StageName{Train, Evaluate} {
		s, h := stage(t, loraJob(llama70B()), name), one(a100(), 8)
		got := testing.AllocsPerRun(100, func() {
			_, _ = s.On(h)
			_, _ = s.FitOn(h)
			_, _, _, _ = outlined(s, &h)
		})
		if got != 0 {
			t.Errorf("%s: %g allocations per estimate, want 0", name, got)
		}
	}
}

func BenchmarkOn(b *testing.B) {
	benched(b, func(b *testing.B, s *Stage, h Hardware) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.On(h); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFitOn(b *testing.B) {
	benched(b, func(b *testing.B, s *Stage, h Hardware) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.FitOn(h); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOutline(b *testing.B) {
	benched(b, func(b *testing.B, s *Stage, h Hardware) {
		var n Node
		if err := s.Look(&h, &n); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			n.Over(1)
			if seconds, _ := n.Outline(); seconds == 0 {
				b.Fatal("no bound")
			}
		}
	})
}

func BenchmarkLook(b *testing.B) {
	benched(b, func(b *testing.B, s *Stage, h Hardware) {
		var n Node
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Look(&h, &n); err != nil {
				b.Fatal(err)
			}
		}
	})
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
