package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// TestFoundAtItsOwnLimits: a plan of the frontier is the fastest within a budget of its
// total, and still is under a deadline that its 95th percentile just meets. Such limits
// leave few plans or one, so that a bound a little too high loses it.
func TestFoundAtItsOwnLimits(t *testing.T) {
	whole, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	const catalogues, perCatalogue = 20, 6
	asked := 0
	for i := range catalogues {
		random := rand.New(rand.NewPCG(11, uint64(40+i)))
		e := engine.New(fewRegions(t, whole, random))
		for range perCatalogue {
			r := randomRequest(e, random)
			r.Budget, r.DeadlineSeconds, r.Objective, r.Alternatives = decimal.NullDecimal{}, 0, stageplan.Time, 1
			free, err := engine.Gathered(e, r)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range told(free.Frontier, false) {
				r.Budget = decimal.NewNullDecimal(free.Frontier[0].Units.Decimal())
				free.Frontier = free.Frontier[1:]
				r.DeadlineSeconds = foundAgain(t, e, r, line)
				foundAgain(t, e, r, line)
				r.DeadlineSeconds = 0
				asked++
			}
		}
	}
	if asked < catalogues*perCatalogue {
		t.Errorf("only %d plans were looked for again", asked)
	}
}

// foundAgain holds the best plan for a request against a line, and gives its percentile.
func foundAgain(t *testing.T, e *engine.Engine, r engine.Request, want string) (p95 int64) {
	t.Helper()
	got, err := engine.Gathered(e, r)
	switch {
	case err != nil:
		t.Fatal(err)
	case len(got.Best) == 0:
		t.Errorf("no plan for %+v, want %s", r, want)
		return 0
	case told(got.Best, false)[0] != want:
		t.Errorf("for %+v\ngot  %s\nwant %s", r, told(got.Best, false)[0], want)
	}
	return got.Best[0].P95
}

// fewRegions is the catalogue with some offers of the large clouds in few regions, where
// the stages of a plan can stay.
func fewRegions(t *testing.T, whole *catalog.Snapshot, random *rand.Rand) *catalog.Snapshot {
	t.Helper()
	parts := whole.Parts()
	places := make(map[catalog.Place]bool)
	for len(places) < 4 {
		if o := parts.Offers[random.IntN(len(parts.Offers))]; o.Provider == "aws" || o.Provider == "gcp" || o.Provider == "azure" {
			places[o.Place] = true
		}
	}
	var offers []catalog.Offer
	for _, o := range parts.Offers {
		if places[o.Place] && random.IntN(8) == 0 {
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

// TestStayingPaysForLaterMoves: where egress gets cheaper by the GB, what stays makes what
// leaves later dearer, so that a dearer place to prepare the data can be the cheaper one.
func TestStayingPaysForLaterMoves(t *testing.T) {
	whole, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	parts := whole.Parts()
	var offers []catalog.Offer
	for _, o := range parts.Offers {
		cpu := o.SKU == "n2-standard-8" && (o.Region == "us-central1" || o.Region == "europe-west4")
		if o.Provider != "gcp" || o.Market != catalog.OnDemand || !cpu && (o.SKU != "a2-ultragpu-8g" || o.Region != "us-central1") {
			continue
		}
		if cpu {
			o.Price.Amount.Decimal = decimal.New(10, -1)
		}
		if o.Region == "europe-west4" {
			o.Price.Amount.Decimal = decimal.New(11, -1)
		}
		offers = append(offers, o)
	}
	parts.Offers = offers
	gcp := catalog.Place{Provider: "gcp"}
	parts.Egress = []catalog.EgressRate{
		{Place: gcp, Scope: catalog.ToOtherRegion, Unit: catalog.GB, Currency: catalog.USD, Tiers: []catalog.EgressTier{{}}},
		{Place: gcp, Scope: catalog.ToInternet, Unit: catalog.GB, Currency: catalog.USD, Tiers: []catalog.EgressTier{
			{UpTo: decimal.NewNullDecimal(decimal.NewFromInt(50)), Price: decimal.NewFromInt(5)}, {Price: decimal.New(1, -3)}}},
	}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	r := sevenBillion()
	r.Work.Method, r.Work.Tokens, r.Work.PreprocessCoreHours, r.Work.DatasetGB = workload.Full, 1e7, 8, 100
	r.Work.Evaluate = workload.Evaluation{}
	r.Constraints.Markets = candidate.SetOf(catalog.OnDemand)
	r.Data.ResultsTo = &catalog.Place{Provider: "aws", Region: "us-east-1"}
	e := engine.New(s)
	got, err := engine.Gathered(e, r)
	want, plainErr := engine.Plain(e, r)
	if err != nil || plainErr != nil || len(want.Best) == 0 {
		t.Fatalf("%v, %v, %d plans", err, plainErr, len(want.Best))
	}
	if diff := cmp.Diff(told(want.Frontier, false), told(got.Frontier, false)); diff != "" {
		t.Errorf("frontier (-plain +gathered):\n%s", diff)
	}
	if place := want.Best[0].Choices[0].Offer.Region; place != "europe-west4" {
		t.Errorf("the data is prepared in %s: the case shows nothing", place)
	}
}
