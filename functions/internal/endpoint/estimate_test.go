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

// estimated answers a request for an estimate that must be fine.
func estimated(t *testing.T, router *apigw.Router, body string) schemas.EstimateResponse {
	t.Helper()
	e := event("POST", EstimatePath, body)
	answer := serve(t, router, e)
	checkDocument(t, e, answer)
	if answer.StatusCode != 200 {
		t.Fatalf("%s: %s", body, answer.Body)
	}
	var response schemas.EstimateResponse
	if err := json.Unmarshal([]byte(answer.Body), &response); err != nil {
		t.Fatal(err)
	}
	return response
}

// on is a request for an estimate of a fine-tune of a model on a GPU.
func on(model, gpu, more string) string {
	return `{"workload": {"kind": "finetune", "model": {"name": "` + model + `"}` + more + `}, "hardware": {"gpu": "` + gpu + `"}}`
}

func TestBadEstimates(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	sized := func(model string) string {
		return `{"workload": {"kind": "pretrain", "model": ` + model + `}, "hardware": {"gpu": "T4"}}`
	}
	serving := func(fields string) string {
		return `{"workload": {"kind": "inference", "model": {"name": "llama-2-7b"}, "inference": {` + fields + `}}, "hardware": {"gpu": "T4"}}`
	}
	for _, c := range []struct{ name, body, pointer, message string }{
		{"no parameters", sized(`{"params_b": "0"}`), "/workload/model/params_b", "more than 0"},
		{"negative parameters", sized(`{"params_b": "-7"}`), "/workload/model/params_b", "billions in quotes"},
		{"1e30 parameters", sized(`{"params_b": "1e30"}`), "/workload/model/params_b", "billions in quotes"},
		{"more active than all", sized(`{"params_b": "7", "active_params_b": "8"}`), "/workload/model/active_params_b", "at most"},
		{"sequences of nothing", on("llama-2-7b", "T4", `, "seq_len": 0`), "/workload/seq_len", "from 1"},
		{"rank beyond the width", on("llama-2-7b", "T4", `, "lora_rank": 4097`), "/workload/lora_rank", "width"},
		{"precision that the GPU lacks", on("llama-2-7b", "A100-80GB-SXM", `, "precision": "fp8"`), "/workload/precision", "not fp8"},
		{"format that the GPU lacks", serving(`"weights": "fp8"`), "/workload/inference/weights", "not fp8"},
		{"misspelt model", on("lama-2-7b", "T4", ""), "/workload/model/name", "did you mean llama-2-7b"},
		{"model of images", on("stable-diffusion-xl", "T4", ""), "/workload/model/name", "not supported"},
		{"misspelt GPU", on("llama-2-7b", "A10O", ""), "/hardware/gpu", "did you mean"},
		{"uneven nodes", `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {"gpu": "T4", "gpu_count": 3, "nodes": 2}}`, "/hardware/gpu_count", "multiple of nodes"},
		{"NVLink that a GPU lacks", `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {"gpu": "T4", "gpu_count": 2, "interconnect": "nvlink"}}`, "/hardware/interconnect", "pcie"},
		{"hardware and offer", `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {"gpu": "T4"}, "offer_id": "x"}`, "/offer_id", "not both"},
		{"requests and a rate", serving(`"requests": 5, "qps": "2"`), "/workload/inference/qps", "not both"},
		{"hours without a rate", serving(`"hours": "2"`), "/workload/inference/hours", "want qps"},
		{"rate of nothing", serving(`"qps": "0"`), "/workload/inference/qps", "more than 0"},
		{"endless requests", serving(`"qps": "9999999", "hours": "9999999"`), "/workload/inference/qps", "1,000,000,000"},
		{"empty requests", serving(`"input_tokens": 0, "output_tokens": 0`), "/workload/inference/output_tokens", "tokens"},
		{"inference in training", on("llama-2-7b", "T4", `, "inference": {}`), "/workload/inference", "leave it out"},
		{"currency without a rate", `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {"gpu": "T4"}, "currency": "XAU"}`, "/currency", "no exchange rate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("POST", EstimatePath, c.body)
			answer := serve(t, router, e)
			checkDocument(t, e, answer)
			var problem schemas.ProblemDocument
			if err := json.Unmarshal([]byte(answer.Body), &problem); err != nil || answer.StatusCode != 400 || len(problem.Errors) == 0 {
				t.Fatalf("got %d %s, want 400 with a pointer", answer.StatusCode, answer.Body)
			}
			if got := problem.Errors[0]; got.Pointer != c.pointer || !strings.Contains(got.Message, c.message) {
				t.Errorf("got %s: %s; want %s: ...%s...", got.Pointer, got.Message, c.pointer, c.message)
			}
		})
	}
}

// The estimate of a stage on a plan's offer is what the plan says of it, less the
// plan's moves.
func TestEstimateAgreesWithPlan(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	workload := `{"kind": "finetune", "model": {"name": "llama-2-7b"}, "tokens_b": "0.1", "evaluate": {"requests": 0}, "preprocess": {"cpu_core_hours": "0"}}`
	answer := serve(t, router, event("POST", RecommendPath, `{"workload": `+workload+`}`))
	var plans schemas.RecommendResponse
	if err := json.Unmarshal([]byte(answer.Body), &plans); err != nil || len(plans.Plans) == 0 {
		t.Fatalf("no plans: %s", answer.Body)
	}
	for _, plan := range plans.Plans {
		stage := plan.Stages[0]
		instances, _ := json.Marshal(stage.Instances)
		e := estimated(t, router, `{"workload": `+workload+`, "offer_id": "`+stage.Offer.ID+`", "instances": `+string(instances)+`}`)
		moved := decimal.RequireFromString(stage.Cost.Total).Sub(decimal.RequireFromString(stage.Cost.Network))
		if e.Hours != stage.Hours || !decimal.RequireFromString(e.Cost.Total).Equal(moved) || e.Fit == nil || *e.Fit != "fits" {
			t.Errorf("%s: estimate %+v, %s, %v; plan %+v, %s", stage.Offer.ID, e.Hours, e.Cost.Total, e.Fit, stage.Hours, moved)
		}
	}
}

// What users of tools for sizing reported.
func TestReportedSizing(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(s)
	gb := func(text string) float64 { return decimal.RequireFromString(text).InexactFloat64() }
	t.Run("gpu_poor 3: a range, and the assumptions that set it", func(t *testing.T) {
		e := estimated(t, router, on("llama-2-7b", "A100-80GB-SXM", `, "method": "lora"`))
		if low, high := gb(e.Memory.ExpectedGB), gb(e.Memory.RequiredGB); low < 14 || high > 28 || high <= low {
			t.Errorf("LoRA of 7B takes %.1f to %.1f GB; 16-bit weights alone are 13.5, and 28 was measured with a larger batch", low, high)
		}
		named := map[string]bool{}
		for _, a := range e.Assumptions {
			named[a.Field] = true
		}
		for _, field := range []string{"workload.seq_len", "workload.micro_batch", "workload.lora_rank", "workload.checkpointing"} {
			if !named[field] {
				t.Errorf("%s is not among the assumptions", field)
			}
		}
	})
	t.Run("cookbook PR 37: gated feed-forward layers have three matrices", func(t *testing.T) {
		m, ok := s.Model("llama-2-7b")
		block := float64(m.Layers) * float64(m.Width) * (4*float64(m.Width) + 3*float64(m.FFN))
		if whole := block + 2*float64(m.Vocabulary)*float64(m.Width); !ok || !m.GatedFFN || whole < 0.99*m.Params || whole > 1.01*m.Params {
			t.Errorf("three matrices make %.3g parameters of %.3g (%v)", whole, m.Params, ok)
		}
	})
	t.Run("accelerate: activations and logits are parts of their own", func(t *testing.T) {
		e := estimated(t, router, on("llama-2-7b", "H200-141GB-SXM", `, "method": "full"`))
		if gb(e.Memory.Parts.Activations) == 0 || gb(e.Memory.Parts.Logits) == 0 || gb(e.Memory.Parts.Optimizer) < 80 {
			t.Errorf("parts %+v", e.Memory.Parts)
		}
	})
	t.Run("llm-analysis: adapters are first-class, and efficiency is not 1", func(t *testing.T) {
		lora := estimated(t, router, on("llama-2-7b", "A100-80GB-SXM", `, "method": "lora"`))
		qlora := estimated(t, router, on("llama-2-7b", "A100-80GB-SXM", `, "method": "qlora"`))
		if gb(qlora.Memory.RequiredGB) >= gb(lora.Memory.RequiredGB) || gb(qlora.Hours.Expected) <= gb(lora.Hours.Expected) {
			t.Errorf("QLoRA %s GB, %s h; LoRA %s GB, %s h", qlora.Memory.RequiredGB, qlora.Hours.Expected, lora.Memory.RequiredGB, lora.Hours.Expected)
		}
		if mfu := gb(lora.Speed.MFU); mfu < 0.2 || mfu > 0.6 || lora.Efficiency.Value == "1" {
			t.Errorf("MFU %.2f, efficiency %s", mfu, lora.Efficiency.Value)
		}
	})
}
