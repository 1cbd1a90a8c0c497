package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
)

// TestSearchesLeaveNoTrace asks one engine, whose searches take over the memory of those
// before, one random request after another: each finds what a search in memory of its own
// finds.
func TestSearchesLeaveNoTrace(t *testing.T) {
	e := load(t)
	rapid.Check(t, func(t *rapid.T) {
		r := someRequest(t, e.Snapshot())
		got, err := e.Recommend(r)
		want, otherErr := engine.Gathered(e, r)
		if err != nil || otherErr != nil {
			t.Fatalf("after others: %v; alone: %v", err, otherErr)
		}
		var plans, front, wantFront []string
		for i := range got.Plans {
			plans = append(plans, told([]stageplan.Outline{got.Plans[i].Outline}, true)...)
		}
		for i := range got.Frontier {
			front = append(front, fmt.Sprintf("%s in %d s", got.Frontier[i].Total.Decimal(), got.Frontier[i].Seconds))
		}
		for i := range want.Frontier {
			wantFront = append(wantFront, fmt.Sprintf("%s in %d s", want.Frontier[i].Units.Decimal(), want.Frontier[i].Seconds))
		}
		if diff := cmp.Diff(told(want.Best, true), plans); diff != "" {
			t.Fatalf("plans (-alone +after others):\n%s", diff)
		}
		if diff := cmp.Diff(wantFront, front); diff != "" {
			t.Fatalf("frontier (-alone +after others):\n%s", diff)
		}
	})
}

// TestAskedAtOnceConcurrent asks one engine different questions from several goroutines at
// once: each is answered as it is alone.
func TestAskedAtOnceConcurrent(t *testing.T) {
	e := load(t)
	changes := []func(*engine.Request){
		nil,
		func(r *engine.Request) { r.Objective = stageplan.Time },
		func(r *engine.Request) { r.DeadlineSeconds = 6 * 3600 },
		func(r *engine.Request) { r.Constraints.Countries = candidate.SetOf("DE", "FI", "NL") },
		func(r *engine.Request) { r.Budget = decimal.NewNullDecimal(decimal.NewFromInt(1)) },
	}
	var alone []string
	for _, change := range changes {
		alone = append(alone, shown(recommend(t, e, change)))
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 3 * len(changes) {
				which := (i + j) % len(changes)
				r := sevenBillion()
				if changes[which] != nil {
					changes[which](&r)
				}
				a, err := e.Recommend(r)
				if diff := cmp.Diff(alone[which], shown(a)); err != nil || diff != "" {
					t.Errorf("question %d at once with others: %v (-alone +at once):\n%s", which, err, diff)
				}
			}
		})
	}
	group.Wait()
}
