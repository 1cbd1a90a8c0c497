package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/schemas"
)

// A plan's stage of work on a reference is what an estimate on its offer says.
func TestRelativePlansAgreeWithEstimates(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(s)
	for _, workload := range []string{
		`{"kind": "batch", "batch": {"gpu_hours": "1000", "reference_gpu": "A100-80GB-SXM", "tasks": 5000}}`,
		`{"kind": "render", "render": {"frames": 2400, "seconds_per_frame": "600", "reference_gpu": "RTX 4090"}}`,
	} {
		answer := serve(t, router, event("POST", RecommendPath, `{"workload": `+workload+`, "constraints": {"deadline_hours": "72"}}`))
		var plans schemas.RecommendResponse
		if err := json.Unmarshal([]byte(answer.Body), &plans); err != nil || len(plans.Plans) == 0 {
			t.Fatalf("no plans: %s", answer.Body)
		}
		for _, plan := range plans.Plans {
			stage := plan.Stages[0]
			instances, _ := json.Marshal(stage.Instances)
			e := estimated(t, router, `{"workload": `+workload+`, "offer_id": "`+stage.Offer.ID+`", "instances": `+string(instances)+`}`)
			if e.Hours != stage.Hours || !decimal.RequireFromString(e.Cost.Total).Equal(decimal.RequireFromString(stage.Cost.Total)) {
				t.Errorf("%s: estimate %+v, %s; plan %+v, %s", stage.Offer.ID, e.Hours, e.Cost.Total, stage.Hours, stage.Cost.Total)
			}
			if e.Fit != nil || e.Memory != nil || e.Speed != nil || e.Smallest != nil || e.Relative == nil || stage.Memory != nil {
				t.Errorf("%s: fit %v, memory %v, speed %v, relative %v of work whose memory nobody knows", stage.Offer.ID, e.Fit, e.Memory, e.Speed, e.Relative)
			}
		}
	}
}

// The hours follow the measured ratios, and halve on twice the GPUs.
func TestRelativeHours(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(s)
	hours := func(gpu, count string) decimal.Decimal {
		e := estimated(t, router, `{"workload": {"kind": "batch", "batch": {"gpu_hours": "92", "reference_gpu": "A100-80GB-SXM"}}, "hardware": {"gpu": "`+gpu+`", "gpu_count": `+count+`}}`)
		return decimal.RequireFromString(e.Hours.Expected).Mul(decimal.RequireFromString(e.Efficiency.Value))
	}
	for _, c := range []struct{ gpu, count, want string }{
		{"A100-80GB-SXM", "1", "92.00"}, {"A100-80GB-SXM", "8", "11.50"},
		{"RTX-4090-24GB", "1", "129.21"}, {"H100-80GB-SXM", "4", "12.68"},
	} {
		if got := hours(c.gpu, c.count).StringFixed(2); got != c.want {
			t.Errorf("%s x %s: %s hours at a coefficient of 1, want %s", c.count, c.gpu, got, c.want)
		}
	}
}

// A faster network between nodes, and NVLink within them, shorten a training.
func TestLinksShortenTraining(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	hours := func(links string) decimal.Decimal {
		e := estimated(t, router, `{"workload": {"kind": "finetune", "method": "full", "model": {"name": "llama-2-7b"}},
			"hardware": {"gpu": "A100-80GB-SXM", "gpu_count": 16, "nodes": 2`+links+`}}`)
		return decimal.RequireFromString(e.Hours.Expected)
	}
	bare, fast := hours(""), hours(`, "fabric": "infiniband"`)
	if !fast.LessThan(bare) {
		t.Errorf("%s hours over InfiniBand, %s over what is not known", fast, bare)
	}
	if pcie := hours(`, "fabric": "infiniband", "interconnect": "pcie"`); !fast.LessThan(pcie) {
		t.Errorf("%s hours with NVLink, %s over PCIe", fast, pcie)
	}
}

func TestBadRelativeEstimates(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for _, c := range []struct{ name, body, pointer, message string }{
		{"unknown reference", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "RTX 4080"}}, "hardware": {"gpu": "T4"}}`, "/workload/batch/reference_gpu", "did you mean"},
		{"no time", `{"workload": {"kind": "render", "render": {"frames": 1, "seconds_per_frame": "0", "reference_gpu": "T4"}}, "hardware": {"gpu": "T4"}}`, "/workload/render/seconds_per_frame", "more than 0"},
		{"no batch", `{"workload": {"kind": "batch"}, "hardware": {"gpu": "T4"}}`, "/workload/batch", "required"},
		{"an offer of a slice", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "T4"}}, "offer_id": "aws.us-east-1.g6f-large.on_demand"}`, "/offer_id", "can't be estimated"},
		{"NVLink that a GPU lacks", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "T4"}}, "hardware": {"gpu": "T4", "gpu_count": 2, "interconnect": "nvlink"}}`, "/hardware/interconnect", "pcie"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("POST", EstimatePath, c.body)
			answer := serve(t, router, e)
			checkProblem(t, e, answer, 400)
			p := problemIn(t, answer)
			if p.Errors[0].Pointer != c.pointer || !strings.Contains(p.Errors[0].Message, c.message) {
				t.Errorf("got %+v, want first %q: ...%s...", p.Errors, c.pointer, c.message)
			}
		})
	}
}
