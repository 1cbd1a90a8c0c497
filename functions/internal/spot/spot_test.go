package spot_test

import (
	"math"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/spot"
)

func band(low, high int64) *catalog.Band {
	b := &catalog.Band{Low: decimal.NewNullDecimal(decimal.NewFromInt(low))}
	if high > 0 {
		b.High = decimal.NewNullDecimal(decimal.NewFromInt(high))
	}
	return b
}

func TestRateOf(t *testing.T) {
	for name, row := range map[string]struct {
		band  *catalog.Band
		low   float64
		known bool
	}{
		"under 5%":  {band(0, 5), -math.Log(0.95) / 730, true},
		"5 to 10%":  {band(5, 10), -math.Log(0.90) / 730, true},
		"above 20%": {band(20, 0), -math.Log(0.80) / 730, true},
		"unknown":   {nil, -math.Log(0.80) / 730, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := spot.RateOf(row.band)
			if math.Abs(r.Low-row.low) > 1e-12 || r.Known != row.known {
				t.Errorf("got low %g known %v, want %g %v", r.Low, r.Known, row.low, row.known)
			}
			if want := math.Sqrt(r.Low * r.High); math.Abs(r.Central-want) > 1e-12 || r.High != 1/2.3 {
				t.Errorf("got central %g high %g, want %g and %g", r.Central, r.High, want, 1/2.3)
			}
		})
	}
}

// TestOfKnownValue has one value worked by hand: lambda 0.1/h, delta 60 s,
// R 300 s, 10 h of work.
func TestOfKnownValue(t *testing.T) {
	got := spot.Job{Useful: 36000, CheckpointWrite: 60, Restart: 300, Instances: 1}.Of(0.1)
	lambda := 0.1 / 3600
	tau := math.Sqrt(2 * 60 / lambda) // 2078 s
	if math.Abs(got.Interval-tau) > 1e-6 {
		t.Errorf("interval: got %g, want %g", got.Interval, tau)
	}
	if math.Abs(got.Expected-2480.8) > 0.1 { // 36000 x (1.008368 x 0.061201 / 0.057735 - 1)
		t.Errorf("expected extra: got %g, want 2480.8", got.Expected)
	}
	if got.Interruptions != 1 {
		t.Errorf("interruptions: got %g, want 1", got.Interruptions)
	}
}

func TestNothingHappensWithoutInterruptions(t *testing.T) {
	if got := (spot.Job{Useful: 1000, CheckpointWrite: 10, Restart: 10, Instances: 1}).Of(0); got != (spot.Outcome{}) {
		t.Errorf("got %+v, want nothing", got)
	}
}

// TestTasks: each interruption of work in independent tasks loses half a task and a
// restart, and no checkpoint is written.
func TestTasks(t *testing.T) {
	got := spot.Job{Useful: 36000, TaskSeconds: 600, Restart: 300, Instances: 1}.Of(0.1)
	if math.Abs(got.Interruptions-1) > 1e-9 || math.Abs(got.Expected-600) > 1e-9 || got.P95 != 3*600 || got.Interval != 0 {
		t.Errorf("got %+v, want one interruption that takes 600 s and three in one case of twenty", got)
	}
}

// TestOutcomeIsSane: no time is gained, the 95th percentile is not below the
// expectation for checkpointed work, more instances or a higher rate cost more.
func TestOutcomeIsSane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := spot.Job{
			Useful:          rapid.Float64Range(1, 1e6).Draw(t, "useful"),
			CheckpointWrite: rapid.Float64Range(0, 600).Draw(t, "write"),
			Restart:         rapid.Float64Range(0, 1200).Draw(t, "restart"),
			TaskSeconds:     rapid.Float64Range(0, 7200).Draw(t, "task"),
			Instances:       rapid.IntRange(1, 16).Draw(t, "instances"),
		}
		rate := rapid.Float64Range(1e-6, 0.5).Draw(t, "rate")
		o := j.Of(rate)
		if !(o.Expected >= 0) || !(o.P95 >= 0) || j.CheckpointWrite > 0 && o.P95 < o.Expected {
			t.Fatalf("insane outcome %+v", o)
		}
		more := j
		more.Instances++
		if worse := more.Of(rate); worse.Expected < o.Expected*(1-1e-9) {
			t.Fatalf("another instance saves time: %g then %g", o.Expected, worse.Expected)
		}
		if worse := j.Of(rate * 1.1); worse.Expected < o.Expected*(1-1e-9) {
			t.Fatalf("a higher rate saves time: %g then %g", o.Expected, worse.Expected)
		}
	})
}
