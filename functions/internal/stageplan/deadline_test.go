package stageplan_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/stageplan"
)

// TestDeadlineNearPlans draws deadlines between what a plan is expected to take and the
// sum of its stages' percentiles, where only the simulation decides.
func TestDeadlineNearPlans(t *testing.T) {
	decided := 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomProblem(t)
		p.DeadlineSeconds = 0
		for i := range p.Stages {
			for j := range p.Stages[i] {
				p.Stages[i][j].P95 += rapid.Int64Range(0, 5000).Draw(t, "more late")
			}
		}
		all := every(p)
		if len(all) == 0 {
			return
		}
		s := all[rapid.IntRange(0, len(all)-1).Draw(t, "plan")]
		p.DeadlineSeconds = s.p95 + rapid.Int64Range(-1, 1).Draw(t, "around")
		if p.DeadlineSeconds < 1 {
			return
		}
		all = every(p)
		got := stageplan.Solve(p)
		sameAs(t, "frontier", got.Frontier, pareto(all))
		samePlans(t, got.Plans(), bestOfKinds(p, all))
		for _, plan := range got.Plans() {
			if sum := additive(&plan); sum > p.DeadlineSeconds {
				decided++
			}
		}
	})
	if decided == 0 {
		t.Error("no plan was decided by the simulation alone")
	}
}

// additive is the sum of a plan's percentiles with its moves.
func additive(p *stageplan.Plan) int64 {
	sum := p.Seconds
	for _, c := range p.Choices {
		sum += c.P95 - c.Seconds
	}
	return sum
}

// TestLeastP95EqualsBruteForce: the deadline that just some plan meets.
func TestLeastP95EqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProblem(t)
		p.DeadlineSeconds = 0
		all := every(p)
		got, ok := stageplan.LeastP95(p)
		if ok != (len(all) > 0) {
			t.Fatalf("found %v, of %d plans", ok, len(all))
		}
		if !ok {
			return
		}
		want := all[0].p95
		for _, s := range all {
			want = min(want, s.p95)
		}
		if got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

// TestTooManyStages: a chain beyond the limit is refused, and named so.
func TestTooManyStages(t *testing.T) {
	for _, stages := range []int{0, stageplan.MaxStages + 1, 50} {
		p := stageplan.Problem{VolumesGB: make([]decimal.Decimal, stages+1)}
		limit, ok := errors.AsType[stageplan.LimitError](p.Check())
		if !ok || limit.Stages != stages {
			t.Errorf("%d stages: got %v", stages, p.Check())
		}
		if r := stageplan.Solve(p); len(r.Best) > 0 {
			t.Errorf("%d stages: got plans", stages)
		}
	}
}
