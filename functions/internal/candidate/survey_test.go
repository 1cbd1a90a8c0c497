package candidate_test

import (
	"math"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// jobs are the stages of work of every sort: on CPUs, training, generation, rounds at the
// edge and a rental.
func jobs(t *testing.T) []workload.Stage {
	t.Helper()
	stages, err := workload.Size(workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0), Tokens: 50e6, SeqLen: 2048, MicroBatch: 1,
		LoRARank: 16, Packing: true, PreprocessCoreHours: 4, DatasetGB: 5000,
		Evaluate: workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128},
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	gpu, _ := snapshot.GPU("A100-80GB-SXM")
	edge, err := workload.RelativeTo(workload.Relative{GPU: gpu, Seconds: 1e5, Edge: &workload.Edge{Rounds: 100, Workers: 8, RoundGB: 0.01, UplinkGBs: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	return append(stages, edge, workload.RentalOf(1e5))
}

// TestFiguresAreTheCandidates: what is said of a candidate before it is made is what it
// takes, and no less than its run and its offer take at least.
func TestFiguresAreTheCandidates(t *testing.T) {
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	market, _ := candidate.NewMarket(snapshot, "EUR")
	admitted := market.Admit(&candidate.Constraints{CommitmentMonths: 12}, time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), candidate.Data{})
	stages := jobs(t)
	for i := range stages {
		survey, compared := candidate.NewSurvey(admitted, &stages[i], candidate.Pin{}), 0
		runs := survey.Runs()
		for j := range runs {
			r := &runs[j]
			everything := candidate.Wanted{Anywhere: tco.Nano(math.MaxInt64)}
			bound := tco.Nano(math.MaxInt64)
			for _, least := range survey.Lanes(r, func() tco.Nano { return math.MaxInt64 }) {
				bound = min(bound, least.Cost)
			}
			seen := 0
			for tag, least := range survey.Offers(r, everything) {
				if seen++; seen%5 != 1 {
					continue
				}
				var c candidate.Candidate
				ok := survey.Price(&c, r, tag)
				f, same := survey.Figures(r, tag)
				if want := (candidate.Figures{Bound: c.Bound, Seconds: c.Seconds, P95: c.P95}); f != want || same != ok {
					t.Fatalf("%s on %s: got %+v, %v, want %+v, %v", stages[i].Name, c.Offer.ID, f, same, want, ok)
				}
				if least.Cost > c.Bound.Low || least.Seconds > c.Seconds || survey.Least(r).Cost > c.Bound.Low || bound > c.Bound.Low {
					t.Fatalf("%s on %s: takes %+v, at least %+v", stages[i].Name, c.Offer.ID, f, least)
				}
				compared++
			}
		}
		if compared < 100 {
			t.Errorf("%s: %d candidates compared", stages[i].Name, compared)
		}
	}
}
