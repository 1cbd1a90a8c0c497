package endpoint

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// What users of tools of this kind reported about spot and staleness, held against
// plans. The name begins with the thread.

// one is a fine-tune on one kind of instance at one place.
const one = `{"workload": {"kind": "finetune", "model": {"params_b": "7"}, "preprocess": {"cpu_core_hours": "0"}, "evaluate": {"requests": 0}},
	"constraints": {"providers": ["gcp"], "regions": ["europe-north1"], "gpus": ["A100-40GB-SXM"]%}, "hardware": {"gpu_count": 1}}`

const (
	onDemandA100 = catalog.OfferID("gcp.europe-north1.a2-highgpu-1g.on_demand")
	spotA100     = catalog.OfferID("gcp.europe-north1.a2-highgpu-1g.spot")
)

// spotAt is every route over the embedded catalogue with the spot price of one offer at
// so many thousandths of the one on demand; 0 takes the offer away.
func spotAt(t *testing.T, thousandths int64) *apigw.Router {
	t.Helper()
	whole, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	parts := whole.Parts()
	var dear catalog.Offer
	for _, o := range parts.Offers {
		if o.ID == onDemandA100 {
			dear = o
		}
	}
	if dear.ID == "" {
		t.Fatalf("no %s", onDemandA100)
	}
	var offers []catalog.Offer
	for _, o := range parts.Offers {
		if o.ID == spotA100 {
			if thousandths == 0 {
				continue
			}
			o.Price = dear.Price
			o.Price.Amount = decimal.NewNullDecimal(dear.Price.Amount.Decimal.Mul(decimal.New(thousandths, -3)))
		}
		offers = append(offers, o)
	}
	parts.Offers = offers
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return routerOver(s)
}

func TestReportedSpot(t *testing.T) {
	open := strings.Replace(one, "%", "", 1)
	t.Run("skypilot 4914: spot that is no cheaper is not taken, and it is said", func(t *testing.T) {
		for _, thousandths := range []int64{999, 1000, 1500} { // below it, too: interruptions cost more than it saves
			p := first(t, spotAt(t, thousandths), open)
			s := p.Stages[0]
			if s.Offer.PurchaseModel != "on_demand" || s.Spot.Reason != "spot_not_cheaper" {
				t.Errorf("at %d: %s, %s", thousandths, s.Offer.PurchaseModel, s.Spot.Reason)
			}
			below(t, "on demand against spot", *s.Spot.OnDemandTotal, *s.Spot.Total)
			warned(t, &p, "SPOT_NOT_CHEAPER")
		}
	})
	t.Run("infracost 3397: no spot price is no data, not an empty answer", func(t *testing.T) {
		s := first(t, spotAt(t, 0), open).Stages[0]
		if s.Offer.PurchaseModel != "on_demand" || s.Spot.Reason != "no_data" || s.Spot.Total != nil {
			t.Errorf("got %s, %+v", s.Offer.PurchaseModel, s.Spot)
		}
	})
	t.Run("spotinfo 28: no band is invented", func(t *testing.T) {
		p := first(t, spotAt(t, 300), open)
		s := p.Stages[0]
		if s.Offer.PurchaseModel != "spot" || s.Offer.InterruptionPct != nil {
			t.Errorf("got %s with a band of %v", s.Offer.PurchaseModel, s.Offer.InterruptionPct)
		}
		warned(t, &p, "INTERRUPTION_UNKNOWN")
	})
	t.Run("karpenter 7955: a ceiling on interruptions leaves unknown ones out unless allowed", func(t *testing.T) {
		router := spotAt(t, 300)
		if s := first(t, router, strings.Replace(one, "%", `, "max_interruption_pct": "10"`, 1)).Stages[0]; s.Offer.PurchaseModel != "on_demand" || s.Spot.Reason != "not_taken" {
			t.Errorf("got %s, %s", s.Offer.PurchaseModel, s.Spot.Reason)
		}
		if s := first(t, router, strings.Replace(one, "%", `, "max_interruption_pct": "10", "allow_unknown": ["interruption"]`, 1)).Stages[0]; s.Offer.PurchaseModel != "spot" {
			t.Errorf("allowed: got %s", s.Offer.PurchaseModel)
		}
	})
	t.Run("skypilot 3103 and dstack 2490: a ceiling on the hourly price holds for every stage of every plan", func(t *testing.T) {
		for _, p := range planned(t, overSeed(t), job(`"constraints": {"max_price_per_instance_hour": "0.5"}, "alternatives": 20`)).Plans {
			for _, s := range p.Stages {
				below(t, s.Offer.ID, *s.Offer.PricePerInstanceHour, "0.5")
			}
		}
	})
	t.Run("the break-even rate is where both cost the same", func(t *testing.T) {
		s := first(t, spotAt(t, 300), open).Stages[0]
		if s.Spot.BreakEvenPerHour == nil || s.Spot.CheckpointIntervalS == nil || s.Spot.RatePerHour == nil {
			t.Fatalf("got %+v", s.Spot)
		}
		if rate := number(t, *s.Spot.BreakEvenPerHour); !rate.GreaterThan(number(t, s.Spot.RatePerHour.Central)) {
			t.Errorf("spot is taken at %s an hour and breaks even at %s", s.Spot.RatePerHour.Central, rate)
		}
		dearer := first(t, spotAt(t, 600), open).Stages[0]
		if !number(t, *dearer.Spot.BreakEvenPerHour).LessThan(number(t, *s.Spot.BreakEvenPerHour)) {
			t.Errorf("at twice the price it breaks even at %s, before at %s", *dearer.Spot.BreakEvenPerHour, *s.Spot.BreakEvenPerHour)
		}
	})
	t.Run("skypilot PR 8949: A is cheaper on demand, B on spot", func(t *testing.T) {
		router := routerOver(cases(t))
		for market, want := range map[string]string{"on_demand": "a", "spot": "b"} {
			p := first(t, router, `{"rental": {"hours": "10"}, "hardware": {"gpu": "A100-40GB-SXM", "gpu_count": 8}, "constraints": {"purchase_models": ["`+market+`"]}}`)
			if got := p.Stages[0].Offer; got.Provider != want || got.PurchaseModel != market {
				t.Errorf("%s: got %s", market, got.ID)
			}
		}
	})
}

func TestReportedStaleness(t *testing.T) {
	t.Run("dstack 1386: what is not available is not planned with", func(t *testing.T) {
		whole, err := seed.Load()
		if err != nil {
			t.Fatal(err)
		}
		cheapest := first(t, routerOver(whole), job("")).Stages[1].Offer.ID
		parts := whole.Parts()
		parts.Offers = append([]catalog.Offer(nil), parts.Offers...)
		for i := range parts.Offers {
			if string(parts.Offers[i].ID) == cheapest {
				parts.Offers[i].Availability = catalog.NoneAvailable
			}
		}
		without, err := catalog.NewSnapshot(parts)
		if err != nil {
			t.Fatal(err)
		}
		r := planned(t, routerOver(without), job(""))
		if r.Plans[0].Stages[1].Offer.ID == cheapest || !ruledOut(r, "availability") {
			t.Errorf("got %s, rejected %v", r.Plans[0].Stages[1].Offer.ID, r.Rejected)
		}
	})
	t.Run("skypilot 3794: every price has a date, old ones are told, and strictness refuses them", func(t *testing.T) {
		router := overSeed(t)
		for _, p := range planned(t, router, job(`"constraints": {"max_age_days": 100}, "alternatives": 20`)).Plans {
			for _, s := range p.Stages {
				if s.Offer.AsOf == nil || s.Offer.Source == "" || s.Offer.AgeDays == nil || *s.Offer.AgeDays > 100 {
					t.Errorf("%s of %v, %v days", s.Offer.ID, s.Offer.AsOf, s.Offer.AgeDays)
				}
			}
		}
	})
}

// ruledOut reports whether an answer counts a reason, in words as well.
func ruledOut(r schemas.RecommendResponse, reason string) bool {
	for _, x := range r.Rejected {
		if x.Reason == reason && x.Count > 0 && x.Message != "" {
			return true
		}
	}
	return false
}

// TestNearestDeadline: the deadline that is named as the nearest is met, and one a
// second shorter is not.
func TestNearestDeadline(t *testing.T) {
	router := overSeed(t)
	within := func(hours decimal.Decimal) schemas.RecommendResponse {
		return planned(t, router, constrained(`"deadline_hours": "`+hours.StringFixed(4)+`", "provider_classes": ["hyperscaler"], "purchase_models": ["on_demand"]`))
	}
	r := within(decimal.New(3, -1))
	if len(r.Plans) > 0 || len(r.Nearest) == 0 || r.Nearest[0].Field != "constraints.deadline_hours" {
		t.Fatalf("got %d plans, nearest %v", len(r.Plans), r.Nearest)
	}
	at := number(t, r.Nearest[0].Value)
	if len(within(at).Plans) == 0 {
		t.Errorf("%s hours give no plan", at)
	}
	if short := at.Sub(decimal.New(4, -4)); len(within(short).Plans) > 0 {
		t.Errorf("%s hours give a plan, though %s is named as the least", short, at)
	}
}
