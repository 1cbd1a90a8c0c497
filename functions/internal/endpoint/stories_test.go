package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// The strategies that the seed article recommends, each asked for over the embedded
// catalogue as a client would.

// overSeed is every route over the embedded catalogue.
func overSeed(t *testing.T) *apigw.Router {
	t.Helper()
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	return routerOver(snapshot)
}

// planned is the answer to a request for plans, which must have some.
func planned(t *testing.T, router *apigw.Router, body string) schemas.RecommendResponse {
	t.Helper()
	e := event("POST", RecommendPath, body)
	answer := serve(t, router, e)
	if answer.StatusCode != 200 {
		t.Fatalf("%s: status %d: %s", body, answer.StatusCode, answer.Body)
	}
	checkDocument(t, e, answer)
	var r schemas.RecommendResponse
	if err := json.Unmarshal([]byte(answer.Body), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// first is the best plan of an answer that must have one.
func first(t *testing.T, router *apigw.Router, body string) schemas.Plan {
	t.Helper()
	r := planned(t, router, body)
	if len(r.Plans) == 0 {
		t.Fatalf("%s: no plan; nearest %v", body, r.Nearest)
	}
	return r.Plans[0]
}

// number reads a decimal of an answer.
func number(t *testing.T, text string) decimal.Decimal {
	t.Helper()
	d, err := decimal.NewFromString(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// below checks that an amount is at most another.
func below(t *testing.T, what, got, most string) {
	t.Helper()
	if number(t, got).GreaterThan(number(t, most)) {
		t.Errorf("%s: got %s, want at most %s", what, got, most)
	}
}

// saved checks that a plan saves at least so many percent of its baseline, by its own
// two totals.
func saved(t *testing.T, p *schemas.Plan, percent string) {
	t.Helper()
	if p.Baseline == nil || p.SavingsPct == nil {
		t.Fatal("no baseline")
	}
	base := number(t, p.Baseline.Total)
	share := base.Sub(number(t, p.Total)).Mul(decimal.NewFromInt(100)).Div(base)
	if share.Sub(number(t, *p.SavingsPct)).Abs().GreaterThan(decimal.New(5, -2)) {
		t.Errorf("savings of %s%%, but the totals give %s%%", *p.SavingsPct, share)
	}
	below(t, "percent that must be saved", percent, *p.SavingsPct)
}

// Story: preprocessing on CPUs, the fine-tune on four A100, the evaluation on a lesser
// GPU, against all of it on the A100 node. The article saves 40 to 60%.
func TestStoryStagedFineTune(t *testing.T) {
	p := first(t, overSeed(t), `{"workload": {"kind": "finetune", "method": "full", "model": {"name": "llama-2-7b"}, "tokens_b": "0.2",
		"preprocess": {"cpu_core_hours": "600"}, "evaluate": {"requests": 100000}},
		"hardware": {"gpu": "A100", "gpu_count": 4}, "constraints": {"purchase_models": ["on_demand"], "provider_classes": ["hyperscaler"]}}`)
	if len(p.Stages) != 3 || p.Stages[0].GPUs != 0 || p.Stages[1].GPUs != 4 || !strings.HasPrefix(*p.Stages[1].Offer.GPU, "A100") {
		t.Fatalf("got %+v", p.Stages)
	}
	if hourly := *p.Stages[2].Offer.PricePerInstanceHour; !number(t, hourly).LessThan(number(t, *p.Stages[1].Offer.PricePerInstanceHour)) {
		t.Errorf("the evaluation runs at %s an hour, no less than the training", hourly)
	}
	saved(t, &p, "40")
}

// Story: frames that take one machine of eight T4 three weeks, split into over a
// thousand tasks on spot instances: under four days and 15,000 dollars, at well below
// the price on demand.
func TestStoryRenderingOnSpot(t *testing.T) {
	router := overSeed(t)
	const frames = `{"workload": {"kind": "render", "render": {"frames": 12096, "seconds_per_frame": "1200", "reference_gpu": "T4", "tasks": 1512}}, `
	alone := first(t, router, frames+`"hardware": {"gpu": "T4", "gpu_count": 8, "nodes": 1}, "constraints": {"purchase_models": ["on_demand"]}}`)
	below(t, "hours of three weeks", "500", alone.Hours)
	p := first(t, router, frames+`"constraints": {"provider_classes": ["hyperscaler"], "gpus": ["T4"], "deadline_hours": "96", "budget": "15000"}}`)
	s := p.Stages[0]
	if s.Offer.PurchaseModel != "spot" || s.Spot.Reason != "chosen" || s.Instances < 16 {
		t.Errorf("got %d instances, %s (%s)", s.Instances, s.Offer.PurchaseModel, s.Spot.Reason)
	}
	below(t, "95th percentile in hours", p.HoursP95, "96")
	below(t, "total", p.Total, "15000")
	below(t, "risk of the deadline in percent", *p.RiskPct, "5")
	if s.Cost.Interruption == "0" || s.Spot.CheckpointIntervalS != nil {
		t.Errorf("interruptions cost %s, checkpoints every %v s; tasks are short enough to be done again", s.Cost.Interruption, s.Spot.CheckpointIntervalS)
	}
	half := number(t, *s.Spot.OnDemandTotal).Div(decimal.NewFromInt(2))
	below(t, "total on spot, against half of that on demand", p.Total, half.String())
	if s.Spot.BreakEvenPerHour == nil || !number(t, *s.Spot.BreakEvenPerHour).GreaterThan(number(t, s.Spot.RatePerHour.Central)) {
		t.Errorf("break-even at %v, assumed %+v", s.Spot.BreakEvenPerHour, s.Spot.RatePerHour)
	}
}

// Story: a year of a node. Used round the clock a commitment saves over a third; used
// by day only it is idle at night and costs more, and the break-even lies between.
func TestStoryCommitment(t *testing.T) {
	router := overSeed(t)
	yearly := func(hours string) (onDemand, committed decimal.Decimal, breakEven string) {
		o := costed(t, router, `{"resources": [{"offer_id": "aws.us-east-1.g4dn-xlarge.on_demand", "hours_per_day": "`+hours+`"}], "commitment_months": 12}`).Options[0]
		for _, p := range o.Resources[0].PurchaseModels {
			switch p.PurchaseModel {
			case "on_demand":
				onDemand = number(t, p.Amounts.PerYear)
			case "reserved_1y":
				committed, breakEven = number(t, p.Amounts.PerYear), *p.BreakEven.UtilizationPct
			}
		}
		return onDemand, committed, breakEven
	}
	always, bound, at := yearly("24")
	days, idle, _ := yearly("8")
	if saved := always.Sub(bound).Div(always); saved.LessThan(decimal.New(35, -2)) || saved.GreaterThan(decimal.New(50, -2)) {
		t.Errorf("round the clock a commitment saves %s, want 35 to 50%%", saved)
	}
	if !days.LessThan(idle) || !idle.Equal(bound) {
		t.Errorf("by day: on demand %s, committed %s; the commitment is paid when idle, too, %s", days, idle, bound)
	}
	if share := number(t, at); share.LessThan(decimal.NewFromInt(100).Div(decimal.NewFromInt(3))) || share.GreaterThan(decimal.NewFromInt(100)) {
		t.Errorf("break-even at %s%% of all hours, want between a third of the day and all of it", at)
	}
}

// Story: critical work takes ECC memory where it costs at most a fifth more, and its
// premium is told.
func TestStoryCriticalWork(t *testing.T) {
	router := overSeed(t)
	const work = `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "constraints": {"gpus": ["RTX 4090", "A100"]}`
	plain, safe := first(t, router, work+`}`), first(t, router, work+`, "critical": true}`)
	if safe.ECCPremium == nil {
		t.Fatal("no premium is told")
	}
	if premium := number(t, safe.Total).Sub(number(t, plain.Total)); !premium.Equal(number(t, *safe.ECCPremium)) {
		t.Errorf("a premium of %s, but the totals differ by %s", *safe.ECCPremium, premium)
	}
	if ecc := safe.Stages[1].Offer.ECC; ecc == nil || !*ecc {
		t.Errorf("critical work on %v", *safe.Stages[1].Offer.GPU)
	}
}

// Story: an A100 in seven slices serves seven small models; a class of many shares few
// GPUs, or rents parts of them, at a fraction of a GPU for each.
func TestStorySharedGPUs(t *testing.T) {
	router := overSeed(t)
	const pool = `{"workload": {"kind": "devtest", "devtest": {"models": %, "vram_gb_each": "5", "hours_per_day": "8", "days": 20}}, `
	p := first(t, router, strings.Replace(pool, "%", "7", 1)+`"constraints": {"gpus": ["A100"], "provider_classes": ["hyperscaler", "specialist"]}}`)
	s := p.Stages[0]
	if s.Instances != 1 || s.GPUs != 1 || s.Models != 7 || s.Efficiency == nil || s.Efficiency.Value != "0.9000" {
		t.Errorf("got %d instances with %d models each, efficiency %+v", s.Instances, s.Models, s.Efficiency)
	}
	if s.Hours.Expected != "160.0000" {
		t.Errorf("got %s hours, want 20 days of 8", s.Hours.Expected)
	}
	saved(t, &p, "85") // six of seven GPUs
	warned(t, &p, "GPU_SHARED")
	eight := first(t, router, strings.Replace(pool, "%", "8", 1)+`"constraints": {"gpus": ["A100"], "provider_classes": ["hyperscaler", "specialist"]}}`)
	if n := eight.Stages[0].Instances; n != 2 && eight.Stages[0].GPUs == n {
		t.Errorf("eight models on %d instances of one GPU", n)
	}
	part := first(t, router, `{"workload": {"kind": "devtest", "devtest": {"models": 3, "vram_gb_each": "2.5", "hours_per_day": "8", "days": 20}},
		"constraints": {"providers": ["aws"], "gpus": ["L4"], "countries": ["US"]}}`)
	if part.Stages[0].Instances*part.Stages[0].Models < 3 {
		t.Errorf("3 models on %d instances of %d", part.Stages[0].Instances, part.Stages[0].Models)
	}
}

// warned checks that a plan warns of something.
func warned(t *testing.T, p *schemas.Plan, code string) {
	t.Helper()
	for _, w := range p.Warnings {
		if w.Code == code {
			return
		}
	}
	t.Errorf("no warning %s in %+v", code, p.Warnings)
}

// Story: incremental training on the spare GPUs of a community, in rounds of few bytes
// with the base weights in place, against the same rounds on data-centre GPUs.
func TestStoryEdgePool(t *testing.T) {
	router := overSeed(t)
	const rounds = `{"workload": {"kind": "edge_incremental", "edge_incremental": {"rounds": 2000, "bytes_per_round": %, "step_seconds": "60",
		"reference_gpu": "RTX 3090", "workers": 20, "weights_gb": "2"}}}`
	p := first(t, router, strings.Replace(rounds, "%", "2000000", 1))
	s := p.Stages[0]
	if s.Offer.ProviderClass != "community" || s.GPUs < 20 || s.RoundS == "" {
		t.Fatalf("got %d GPUs of %s, rounds of %s s", s.GPUs, s.Offer.ProviderClass, s.RoundS)
	}
	if !number(t, s.Slowest).GreaterThan(decimal.NewFromInt(1)) {
		t.Errorf("the slowest of 20 takes %s times the usual step", s.Slowest)
	}
	saved(t, &p, "40")
	warned(t, &p, "SLOWEST_OF_POOL")
	heavy := first(t, router, strings.Replace(rounds, "%", "500000000", 1))
	if !number(t, heavy.Hours).GreaterThan(number(t, p.Hours)) {
		t.Errorf("250 times the bytes: %s hours, with few bytes %s", heavy.Hours, p.Hours)
	}
}

// Story: sensitive data stays in its union, off peer-to-peer machines, and with
// providers that state what is asked for.
func TestStorySensitiveData(t *testing.T) {
	router := overSeed(t)
	r := planned(t, router, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "data": {"sensitive": true, "size_gb": "50",
		"place": "aws/eu-central-1", "results_to": "aws/eu-central-1"}, "constraints": {"countries": ["EU"], "compliance": ["ISO 27001", "GDPR"]}}`)
	union := "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE"
	for _, p := range r.Plans {
		for _, s := range p.Stages {
			if s.Offer.ProviderClass == "community" || s.Offer.Country == nil || !strings.Contains(union, *s.Offer.Country) {
				t.Errorf("stage %s on %s", s.Name, s.Offer.ID)
			}
			stated := strings.ToUpper(strings.Join(s.Offer.Compliance, " "))
			if !strings.Contains(strings.ReplaceAll(stated, " ", ""), "ISO27001") || !strings.Contains(stated, "GDPR") {
				t.Errorf("stage %s: %s states %v", s.Name, s.Offer.Provider, s.Offer.Compliance)
			}
		}
	}
	if len(r.Plans) == 0 {
		t.Error("no plan")
	}
	for _, p := range planned(t, router, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "data": {"sensitive": true}, "alternatives": 20}`).Plans {
		for _, s := range p.Stages {
			if len(s.Offer.Compliance) == 0 {
				t.Errorf("sensitive data at %s, which states nothing", s.Offer.Provider)
			}
		}
	}
}

// Story: before a large order its hardware is tried in three steps: an hour of time,
// and a line of its own in the cost.
func TestStoryVerifyFirst(t *testing.T) {
	router := overSeed(t)
	const work = `{"workload": {"kind": "pretrain", "model": {"params_b": "7"}, "tokens_b": "1"}, "hardware": {"gpu": "H100", "gpu_count": 64}, "constraints": {"purchase_models": ["on_demand"], "providers": ["aws"]}`
	plain, tried := first(t, router, work+`}`), first(t, router, work+`, "verify": true}`)
	s := tried.Stages[0]
	if s.Offer.ID != plain.Stages[0].Offer.ID {
		t.Fatalf("tried %s, else %s", s.Offer.ID, plain.Stages[0].Offer.ID)
	}
	if d := number(t, tried.Hours).Sub(number(t, plain.Hours)); !d.Equal(decimal.NewFromInt(1)) {
		t.Errorf("it takes %s hours more, want 1", d)
	}
	hour := number(t, *s.Offer.PricePerInstanceHour).Mul(decimal.NewFromInt(int64(s.Instances)))
	if got := number(t, s.Cost.Verification); got.Sub(hour).Abs().GreaterThan(decimal.New(1, -6)) {
		t.Errorf("verification costs %s, want an hour of every node, %s", got, hour)
	}
}
