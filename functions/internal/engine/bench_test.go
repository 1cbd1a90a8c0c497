package engine_test

import (
	"testing"
	"time"

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
func BenchmarkRecommendSeed(b *testing.B) {
	snapshot, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	e := engine.New(snapshot)
	request := sevenBillion()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Recommend(request); err != nil {
			b.Fatal(err)
		}
	}
}
