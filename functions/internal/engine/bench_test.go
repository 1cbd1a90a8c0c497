package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// sevenBillion is the default fine-tune of a 7B model.
func sevenBillion() engine.Request {
	spec := workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0),
		Tokens: 50e6, SeqLen: 2048, MicroBatch: 1, LoRARank: 16, Packing: true,
		PreprocessCoreHours: 4,
		Evaluate:            workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128},
		DatasetGB:           10,
	}
	return engine.Request{
		Work:         &spec,
		Constraints:  candidate.Constraints{Markets: candidate.SetOf(catalog.OnDemand, catalog.Spot)},
		Objective:    stageplan.Cost,
		Currency:     catalog.USD,
		Alternatives: 5,
		ComputedAt:   time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	}
}

// BenchmarkRecommendSeed is a whole answer over the embedded catalogue.
func BenchmarkRecommendSeed(b *testing.B) { measure(b, embedded(b)) }

// BenchmarkRecommend30k is the same over 30,000 offers.
func BenchmarkRecommend30k(b *testing.B) { measure(b, multiplied(b, 30_000)) }

// BenchmarkRecommend1M is the same over a million.
func BenchmarkRecommend1M(b *testing.B) { measure(b, multiplied(b, 1_000_000)) }

// BenchmarkPlainScan30k prices every offer of 30,000 in every number of nodes for
// every stage, exactly: what an answer would take without bounds.
func BenchmarkPlainScan30k(b *testing.B) {
	s := multiplied(b, 30_000)
	market, ok := candidate.NewMarket(s, catalog.USD)
	if !ok {
		b.Fatal("no market in dollars")
	}
	request := sevenBillion()
	stages, err := workload.Size(*request.Work)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range stages {
			cheapest := decimal.Zero
			found := candidate.ForStage(market, &stages[i], candidate.Demand{Constraints: &request.Constraints, Now: request.ComputedAt})
			for j := range found.Candidates {
				lines := found.Candidates[j].Lines()
				if total := lines.Total(); j == 0 || total.LessThan(cheapest) {
					cheapest = total
				}
			}
			if cheapest.IsZero() {
				b.Fatal("nothing found")
			}
		}
	}
}

// measure times whole answers from a catalogue.
func measure(b *testing.B, s *catalog.Snapshot) {
	e := engine.New(s)
	e.Warm()
	request := sevenBillion()
	b.ReportAllocs()
	for b.Loop() {
		answer, err := e.Recommend(request)
		if err != nil || len(answer.Plans) == 0 {
			b.Fatalf("%d plans, %v", len(answer.Plans), err)
		}
	}
}

// embedded is the embedded catalogue.
func embedded(b *testing.B) *catalog.Snapshot {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// multiplied is the embedded catalogue with copies of its offers in other regions, each
// a ten-thousandth of a unit dearer than the one before.
func multiplied(b *testing.B, n int) *catalog.Snapshot {
	parts := embedded(b).Parts()
	offers := parts.Offers
	parts.Offers = slices.Clip(parts.Offers)
	for copies := 1; len(parts.Offers) < n; copies++ {
		for _, o := range offers[:min(len(offers), n-len(parts.Offers))] {
			o.Region = catalog.RegionID(fmt.Sprintf("%s-%d", o.Region, copies))
			o.Price.Amount.Decimal = o.Price.Amount.Decimal.Add(decimal.New(int64(copies), -4))
			o.ID = catalog.NewOfferID(o.Place, o.SKU, o.Variant, o.Market)
			parts.Offers = append(parts.Offers, o)
		}
	}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		b.Fatal(err)
	}
	return s
}
