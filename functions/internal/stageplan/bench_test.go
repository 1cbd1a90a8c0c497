package stageplan_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// BenchmarkFrontier5x500 is the frontier and five alternatives over a chain of five
// stages of 500 candidates each on offers of the embedded catalogue, with data to move in
// between.
func BenchmarkFrontier5x500(b *testing.B) {
	const stages, each = 5, 500
	snapshot, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	market, ok := candidate.NewMarket(snapshot, catalog.USD)
	if !ok {
		b.Fatal("no market in dollars")
	}
	gpu, _ := snapshot.GPU("A100-80GB-SXM")
	p := stageplan.Problem{
		Market: market, Main: stages / 2, Objective: stageplan.Cost, Alternatives: 5,
		VolumesGB: []decimal.Decimal{decimal.NewFromInt(10)},
	}
	for i := range stages {
		stage, err := workload.RelativeTo(workload.Relative{GPU: gpu, Seconds: float64(7200 * (i + 1)), Tasks: 100})
		if err != nil {
			b.Fatal(err)
		}
		found := candidate.ForStage(market, &stage, candidate.Demand{
			Constraints: &candidate.Constraints{Markets: candidate.SetOf(catalog.OnDemand, catalog.Spot)},
			Now:         time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
		}).Candidates
		var some []candidate.Candidate
		for j := range each {
			some = append(some, found[(j*len(found)+i)/each])
		}
		p.Stages = append(p.Stages, some)
		p.VolumesGB = append(p.VolumesGB, decimal.NewFromInt(int64(10*(i+1))))
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := stageplan.Solve(p); len(r.Frontier) < 10 || len(r.Best) != p.Alternatives {
			b.Fatalf("%d plans on the frontier, %d alternatives", len(r.Frontier), len(r.Best))
		}
	}
}
