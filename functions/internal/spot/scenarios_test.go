package spot_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/spot"
)

func step(t *rapid.T) spot.Step {
	expected := rapid.Int64Range(0, 1e6).Draw(t, "expected")
	return spot.Step{Expected: expected, P95: expected + rapid.Int64Range(0, 5e5).Draw(t, "late")}
}

// TestScenariosHoldBetweenTheirBounds: the percentile of a plan lies between its
// expected time with the largest lateness, and the sum of the percentiles; a step that
// is never later never makes a plan later; equal seeds give equal answers.
func TestScenariosHoldBetweenTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(step), 1, 7).Draw(t, "steps")
		seed := rapid.Uint64().Draw(t, "seed")
		s := spot.NewScenarios(seed, len(steps))
		expected, sum, most := int64(0), int64(0), int64(0)
		for _, x := range steps {
			expected, sum, most = expected+x.Expected, sum+x.P95, max(most, x.P95-x.Expected)
		}
		got := s.P95(steps)
		if got < expected+most || got > sum || len(steps) == 1 && got != steps[0].P95 {
			t.Fatalf("got %d, want from %d to %d", got, expected+most, sum)
		}
		if again := spot.NewScenarios(seed, len(steps)).P95(steps); again != got {
			t.Fatalf("the same seed gave %d, then %d", got, again)
		}
		if risk := s.RiskPct(steps, got); risk > 6 {
			t.Fatalf("%g%% miss the 95th percentile: the cap by the sum allows a draw or two more than 5%%", risk)
		}
		if risk := s.RiskPct(steps, expected+spot.Farthest*(sum-expected)); risk != 0 {
			t.Fatalf("%g%% are later than the farthest draw allows", risk)
		}
		i := rapid.IntRange(0, len(steps)-1).Draw(t, "eased")
		steps[i].P95 = rapid.Int64Range(steps[i].Expected, steps[i].P95).Draw(t, "p95")
		if eased := s.P95(steps); eased > got {
			t.Fatalf("less lateness made the plan later: %d, then %d", got, eased)
		}
	})
}

// TestWholeIsNotTheSum: the percentile of three equal stages is about the square root
// of three times one lateness away, not three times.
func TestWholeIsNotTheSum(t *testing.T) {
	steps := []spot.Step{{1000, 2000}, {1000, 2000}, {1000, 2000}}
	for seed := range uint64(20) {
		got := spot.NewScenarios(seed, 3).P95(steps)
		if got < 3000+1600 || got > 3000+2100 {
			t.Errorf("seed %d: got %d, want 4,600 to 5,100", seed, got)
		}
	}
}

// TestBreakEven: at the rate found interruptions take the time given, and beyond it more.
func TestBreakEven(t *testing.T) {
	j := spot.Job{Useful: 36000, CheckpointWrite: 60, Restart: 300, Instances: 2}
	rate, ok := j.BreakEven(7200)
	if at := j.Of(rate).Expected; !ok || math.Abs(at-7200) > 1 {
		t.Errorf("at %g an hour interruptions take %g s, want 7200", rate, at)
	}
	if more := j.Of(rate * 1.01).Expected; more <= 7200 {
		t.Errorf("beyond the break-even they take %g s", more)
	}
	if _, ok := j.BreakEven(0); ok {
		t.Error("no time at all is a rate")
	}
	if _, ok := (spot.Job{Useful: 10}).BreakEven(1e9); ok {
		t.Error("a job that loses nothing has a break-even")
	}
}

// BenchmarkScenarios is the draws of one request of three stages, and the test of ten plans.
func BenchmarkScenarios(b *testing.B) {
	steps := []spot.Step{{1000, 1300}, {20_000, 41_000}, {1100, 1500}}
	b.ReportAllocs()
	for b.Loop() {
		s := spot.NewScenarios(1, len(steps))
		for range 10 {
			s.P95(steps)
		}
	}
}
