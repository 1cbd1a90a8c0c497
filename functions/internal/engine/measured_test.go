package engine_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// withMeasured is an engine over the embedded catalogue and what was measured besides.
func withMeasured(t *testing.T, coefficients []catalog.Coefficient, checks ...catalog.CheckRate) *engine.Engine {
	t.Helper()
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	parts := s.Parts()
	parts.Version += "+measured"
	parts.Coefficients, parts.Checks = coefficients, checks
	if s, err = catalog.NewSnapshot(parts); err != nil {
		t.Fatal(err)
	}
	return engine.New(s)
}

// coefficient is one of a GPU at a provider: compute measured, the rest at the prior.
func coefficient(gpu catalog.GPUID, p catalog.ProviderID, sku catalog.SKU, compute float64) catalog.Coefficient {
	terms := []catalog.Term{{Resource: catalog.Compute, Ratio: compute, Measured: true}, {Resource: catalog.Memory, Ratio: 0.92},
		{Resource: catalog.Link, Ratio: 0.92}, {Resource: catalog.IO, Ratio: 0.92}}
	eta := catalog.TrainingShares().Speed(terms)
	return catalog.Coefficient{
		GPU: gpu, Provider: p, SKU: sku, Value: eta, Interval: catalog.Interval{Low: eta - 0.05, High: eta + 0.05}, Prior: 0.92, Measured: eta,
		Terms: terms, Evidence: catalog.Passive, Reference: catalog.SpecReference, Tenants: 3, Boxes: 5, Reports: 40, Availability: 1,
	}
}

// What was measured of a GPU at a provider changes the hours there, and nowhere else,
// and the ranking with them; the answer says so.
func TestMeasuredEfficiencyChangesTheRanking(t *testing.T) {
	before := recommend(t, load(t), nil).Plans[0]
	o := before.Choices[before.Main].Offer
	e := withMeasured(t, []catalog.Coefficient{coefficient(o.GPU, o.Provider, "", 0.3)})
	after := recommend(t, e, nil)
	first := after.Plans[0].Choices[after.Plans[0].Main]
	if first.Offer.GPU == o.GPU && first.Offer.Provider == o.Provider {
		t.Errorf("%s at %s is first still, at an efficiency of %.2f", o.GPU, o.Provider, first.Efficiency.Value)
	}
	if first.Efficiency.Source != "prior" || first.Efficiency.Measured != nil {
		t.Errorf("what nobody measured has the efficiency %+v", first.Efficiency)
	}
	if !after.Plans[0].Total.GreaterThan(before.Total) {
		t.Errorf("a worse box costs %s, not more than %s", after.Plans[0].Total, before.Total)
	}
	best := recommend(t, withMeasured(t, []catalog.Coefficient{coefficient(o.GPU, o.Provider, "", 1)}), nil)
	c := best.Plans[0].Choices[best.Plans[0].Main]
	want := coefficient(o.GPU, o.Provider, "", 1).For(catalog.TuningShares())
	if c.Offer.ID != o.ID || c.Efficiency.Source != "measured" || c.Efficiency.Tier != "C" || math.Abs(c.Efficiency.Value-want.Value) > 1e-12 {
		t.Errorf("got %s with %+v, want %.4f", c.Offer.ID, c.Efficiency, want.Value)
	}
	said := slices.ContainsFunc(best.Assumptions, func(a engine.Assumption) bool {
		return strings.HasPrefix(a.Field, "efficiency.") && strings.Contains(a.Why, "measured by 3 tenants on 5 boxes (evidence C)")
	})
	if !said {
		t.Errorf("the answer does not say who measured: %+v", best.Assumptions)
	}
}

// A SKU's own coefficient comes before its provider's.
func TestMeasuredOfASKU(t *testing.T) {
	plain := recommend(t, load(t), nil).Plans[0]
	o := plain.Choices[plain.Main].Offer
	e := withMeasured(t, []catalog.Coefficient{coefficient(o.GPU, o.Provider, "", 0.3), coefficient(o.GPU, o.Provider, o.SKU, 1)})
	same := recommend(t, e, nil).Plans[0]
	c := same.Choices[same.Main]
	if c.Offer.ID != o.ID || c.Efficiency.Measured == nil || c.Efficiency.Measured.SKU != o.SKU {
		t.Errorf("got %s with %+v", c.Offer.ID, c.Efficiency)
	}
}

func TestWarningsOfWhatWasMeasured(t *testing.T) {
	plain := recommend(t, load(t), nil).Plans[0]
	o := plain.Choices[plain.Main].Offer
	frozen := coefficient(o.GPU, o.Provider, "", 1)
	frozen.Frozen = true
	rate := func(check catalog.CheckID, boxes, passed int) catalog.CheckRate {
		return catalog.CheckRate{GPU: o.GPU, Provider: o.Provider, SKU: o.SKU, Check: check, Boxes: boxes, Passed: passed, Tenants: 4}
	}
	e := withMeasured(t, []catalog.Coefficient{frozen}, rate("nvlink_topology", 9, 7), rate("ecc_errors", 50, 49), rate("benchmark", 9, 0))
	plan := recommend(t, e, nil).Plans[0]
	got := make(map[engine.WarningCode]string)
	for _, w := range plan.Warnings {
		if strings.HasPrefix(w.Message, "train: ") {
			got[w.Code] = w.Message
		}
	}
	if want := "train: 2 of 9 boxes of this SKU had PCIe-only topology, by reports of 4 tenants"; got[engine.WarnBoxesFailed] != want {
		t.Errorf("got %q, want %q", got[engine.WarnBoxesFailed], want)
	}
	if !strings.Contains(got[engine.WarnEfficiencyFrozen], "jumped") || !strings.Contains(got[engine.WarnLowerBound], "lower bound") {
		t.Errorf("got %v", got)
	}
}

// Pruning is as exact where boxes differ in efficiency.
func TestGatheredEqualsPlainWithCoefficients(t *testing.T) {
	whole, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		part := somePart(t, whole)
		parts := part.Parts()
		seen := make(map[[3]string]bool)
		for i := range parts.Offers {
			o := &parts.Offers[i]
			sku := catalog.SKU("")
			if i%3 == 0 {
				sku = o.SKU
			}
			key := [3]string{string(o.GPU), string(o.Provider), string(sku)}
			if !o.HasGPU() || seen[key] || i%2 == 0 {
				continue
			}
			seen[key] = true
			parts.Coefficients = append(parts.Coefficients, coefficient(o.GPU, o.Provider, sku, 0.2+0.8*float64((i*7919)%101)/101))
		}
		s, err := catalog.NewSnapshot(parts)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(s)
		r := someRequest(t, s)
		got, err := engine.Gathered(e, r)
		want, plainErr := engine.Plain(e, r)
		if err != nil || plainErr != nil {
			t.Fatalf("gathered: %v; plain: %v", err, plainErr)
		}
		if got.Partial || want.Partial {
			t.Skip("too many plans near the deadline for either search to test all")
		}
		if diff := cmp.Diff(told(want.Best, true), told(got.Best, true)); diff != "" {
			t.Fatalf("plans (-plain +gathered):\n%s", diff)
		}
		if diff := cmp.Diff(told(want.Frontier, false), told(got.Frontier, false)); diff != "" {
			t.Fatalf("frontier (-plain +gathered):\n%s", diff)
		}
	})
}
