package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// TestGatheredEqualsPlain: leaving out candidates changes no answer. Every request is
// asked of a random part of the embedded catalogue, with and without pruning.
func TestGatheredEqualsPlain(t *testing.T) {
	whole, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		e := engine.New(somePart(t, whole))
		r := someRequest(t, e.Snapshot())
		got, err := engine.Gathered(e, r)
		want, plainErr := engine.Plain(e, r)
		if err != nil || plainErr != nil {
			t.Fatalf("gathered: %v; plain: %v", err, plainErr)
		}
		if got.Partial || want.Partial {
			t.Skip("too many plans near the deadline for either search to test all")
		}
		for what, pair := range map[string][2]any{
			"considered": {want.Considered, got.Considered},
			"rejected":   {want.Rejected, got.Rejected},
			"frontier":   {told(want.Frontier, false), told(got.Frontier, false)},
			"plans":      {told(want.Best, true), told(got.Best, true)},
		} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Fatalf("%s (-plain +gathered):\n%s", what, diff)
			}
		}
	})
}

// told is plans as text. The percentile is told of plans that were simulated.
func told(plans []stageplan.Outline, simulated bool) []string {
	var lines []string
	for i := range plans {
		p := &plans[i]
		line := fmt.Sprintf("%s %d s", p.Units.Decimal(), p.Seconds)
		if simulated {
			line += fmt.Sprintf(" (95%%: %d)", p.P95)
		}
		for _, c := range p.Choices {
			line += fmt.Sprintf("; %d x %s", c.Nodes, c.Offer.ID)
		}
		lines = append(lines, line)
	}
	return lines
}

// somePart is a catalogue of the offers whose ids a random number picks, of all
// providers or few.
func somePart(t *rapid.T, whole *catalog.Snapshot) *catalog.Snapshot {
	parts := whole.Parts()
	share := rapid.SampledFrom([]int{3, 10, 40}).Draw(t, "one offer in")
	salt := rapid.Uint32().Draw(t, "salt")
	letters := rapid.SampledFrom([]string{"", "aegv", "hlrs", "g"}).Draw(t, "providers that begin with")
	var offers []catalog.Offer
	for _, o := range parts.Offers {
		hash := salt
		for _, b := range []byte(o.ID) {
			hash = (hash ^ uint32(b)) * 16777619
		}
		if int(hash>>8)%share == 0 && (letters == "" || strings.ContainsAny(string(o.Provider[:1]), letters)) {
			offers = append(offers, o)
		}
	}
	parts.Offers = offers
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// someRequest is a random job under random constraints.
func someRequest(t *rapid.T, s *catalog.Snapshot) engine.Request {
	flip := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	size := rapid.SampledFrom([]float64{1e9, 7e9, 13e9, 70e9}).Draw(t, "parameters")
	spec := workload.Spec{
		Kind: workload.FineTune, Method: rapid.SampledFrom([]workload.Method{workload.LoRA, workload.QLoRA, workload.Full}).Draw(t, "method"),
		Shape: workload.FitShape(size, size, 0, 0), Tokens: float64(rapid.IntRange(1, 2000).Draw(t, "million tokens")) * 1e6,
		SeqLen: 2048, MicroBatch: 1, LoRARank: 16, Packing: true,
		PreprocessCoreHours: float64(rapid.IntRange(0, 40).Draw(t, "core hours")),
		DatasetGB:           float64(rapid.SampledFrom([]int{0, 1, 10, 500}).Draw(t, "GB")),
	}
	if flip("evaluated") {
		spec.Evaluate = workload.Evaluation{Requests: rapid.IntRange(1, 5000).Draw(t, "requests"), InputTokens: 512, OutputTokens: 128}
	}
	r := engine.Request{
		Work: &spec, Currency: catalog.USD, ComputedAt: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
		Constraints:  candidate.Constraints{Markets: candidate.SetOf(catalog.OnDemand, catalog.Spot)},
		Objective:    rapid.SampledFrom([]stageplan.Objective{stageplan.Cost, stageplan.Time, stageplan.Balanced}).Draw(t, "objective"),
		Alternatives: rapid.IntRange(1, 6).Draw(t, "alternatives"), Seed: rapid.Uint64().Draw(t, "seed"),
	}
	if flip("budget") {
		r.Budget = decimal.NewNullDecimal(decimal.New(rapid.Int64Range(1, 100_000).Draw(t, "cents"), -2))
	}
	if flip("deadline") {
		r.DeadlineSeconds = rapid.Int64Range(600, 400_000).Draw(t, "deadline")
	}
	if places := s.Places(); flip("data lies somewhere") && len(places) > 0 {
		r.Data.Place = &places[rapid.IntRange(0, len(places)-1).Draw(t, "from")]
		r.Data.ResultsTo = &places[rapid.IntRange(0, len(places)-1).Draw(t, "to")]
	}
	constrain(t, &r.Constraints, flip)
	return r
}

// constrain adds random constraints of every sort that tells offers apart.
func constrain(t *rapid.T, c *candidate.Constraints, flip func(string) bool) {
	if flip("countries") {
		c.Countries = candidate.SetOf("US", "DE", "FI")
	}
	if flip("age") {
		c.MaxAgeDays = rapid.IntRange(60, 900).Draw(t, "days")
	}
	if flip("price") {
		c.MaxInstanceHour = decimal.NewNullDecimal(decimal.New(rapid.Int64Range(10, 5000).Draw(t, "cents an hour"), -2))
	}
	if flip("committed") {
		c.Markets, c.CommitmentMonths = nil, 12
	}
	c.ECC = flip("ECC")
}
