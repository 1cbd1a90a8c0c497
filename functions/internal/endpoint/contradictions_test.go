package endpoint

import (
	"strings"
	"testing"
	"time"
)

// Constraints that exclude each other, and requests beyond what can be answered, are
// refused at once, with the place and the reason.
func TestContradictions(t *testing.T) {
	router := overSeed(t)
	pool := func(fields string) string { return `{"workload": {"kind": "devtest", "devtest": {` + fields + `}}}` }
	edge := func(fields string) string {
		return `{"workload": {"kind": "edge_incremental", "edge_incremental": {"reference_gpu": "T4", ` + fields + `}}}`
	}
	for _, c := range []struct{ name, body, pointer, message string }{
		{"no budget at all", constrained(`"budget": "0"`), "/constraints/budget", "more than 0"},
		{"no deadline at all", constrained(`"deadline_hours": "0.0"`), "/constraints/deadline_hours", "more than 0"},
		{"provider in and out", constrained(`"providers": ["aws", "gcp"], "exclude_providers": ["GCP"]`), "/constraints/exclude_providers", "both allowed and excluded"},
		{"country in and out", constrained(`"countries": ["DE"], "exclude_countries": ["de"]`), "/constraints/exclude_countries", "both allowed and excluded"},
		{"union in and out", constrained(`"countries": ["EU"], "exclude_countries": ["EEA"]`), "/constraints/exclude_countries", "both allowed and excluded"},
		{"provider of another class", constrained(`"providers": ["vast"], "provider_classes": ["hyperscaler"]`), "/constraints/providers", "of an allowed class"},
		{"sensitive at a peer", job(`"data": {"sensitive": true}, "constraints": {"providers": ["vast"]}`), "/constraints/providers", "of an allowed class"},
		{"reserved without a commitment", constrained(`"purchase_models": ["reserved_3y"]`), "/constraints/purchase_models", "36 months at least"},
		{"pinned and not allowed", job(`"hardware": {"gpu": "H100"}, "constraints": {"gpus": ["T4"]}`), "/hardware/gpu", "does not allow it"},
		{"ECC where there is none", constrained(`"gpus": ["RTX 3090"], "ecc": true`), "/constraints/ecc", "has ECC memory"},
		{"NVLink where there is none", constrained(`"gpus": ["T4"], "nvlink": true`), "/constraints/nvlink", "has NVLink"},
		{"more memory than any has", constrained(`"gpus": ["T4"], "min_vram_gb": "24"`), "/constraints/min_vram_gb", "so much memory"},
		{"NVLink over PCIe", job(`"hardware": {"interconnect": "pcie"}, "constraints": {"nvlink": true}`), "/hardware/interconnect", "leave one of the two out"},
		{"stages of one's own", job(`"stages": [` + strings.Repeat(`{"name": "train"}, `, 49) + `{"name": "train"}]`), "/stages", "unknown field"},
		{"day of 25 hours", pool(`"models": 2, "vram_gb_each": "4", "hours_per_day": "25", "days": 5`), "/workload/devtest/hours_per_day", "at most 24"},
		{"models of no memory", pool(`"models": 2, "vram_gb_each": "0", "hours_per_day": "8", "days": 5`), "/workload/devtest/vram_gb_each", "more than 0"},
		{"more models than there are GPUs", pool(`"models": 100001, "vram_gb_each": "4", "hours_per_day": "8", "days": 5`), "/workload/devtest/models", "from 1 to 100000"},
		{"models with data", `{"workload": {"kind": "devtest", "devtest": {"models": 2, "vram_gb_each": "4", "hours_per_day": "8", "days": 5}}, "data": {"size_gb": "1"}}`, "/data", "moves no data"},
		{"rounds of no time", edge(`"rounds": 2, "bytes_per_round": 1, "step_seconds": "0", "workers": 2`), "/workload/edge_incremental/step_seconds", "more than 0"},
		{"rounds without end", edge(`"rounds": 100000000, "bytes_per_round": 1, "step_seconds": "9999999", "workers": 2`), "/workload/edge_incremental/step_seconds", "at most 1e9 hours"},
		{"more bytes than there are", edge(`"rounds": 100000000, "bytes_per_round": 1000000000000, "step_seconds": "1", "workers": 10000`), "/workload/edge_incremental/bytes_per_round", "at most 1e9 GB"},
		{"rounds in a fine-tune", work(`"edge_incremental": {"rounds": 1, "bytes_per_round": 1, "step_seconds": "1", "workers": 2, "reference_gpu": "T4"}`), "/workload/edge_incremental", "only kind edge_incremental"},
		{"pool in a fine-tune", work(`"devtest": {"models": 2, "vram_gb_each": "4", "hours_per_day": "8", "days": 5}`), "/workload/devtest", "only kind devtest"},
		{"a trial of time", `{"rental": {}, "hardware": {"gpu": "H100"}, "verify": true}`, "/verify", "not tried first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("POST", RecommendPath, c.body)
			began := time.Now()
			answer := serve(t, router, e)
			if took := time.Since(began); took > time.Second {
				t.Errorf("refused after %s", took)
			}
			checkProblem(t, e, answer, 400)
			p := problemIn(t, answer)
			if len(p.Errors) == 0 || p.Errors[0].Pointer != c.pointer || !strings.Contains(p.Errors[0].Message, c.message) {
				t.Errorf("got %+v, want first %q: ...%s...", p.Errors, c.pointer, c.message)
			}
		})
	}
}

// An exception to a group of countries is no contradiction.
func TestExceptions(t *testing.T) {
	router := overSeed(t)
	for _, body := range []string{
		constrained(`"countries": ["EU"], "exclude_countries": ["DE"]`),
		constrained(`"providers": ["aws", "vast"], "provider_classes": ["hyperscaler"]`),
		constrained(`"purchase_models": ["reserved_3y", "on_demand"]`),
		constrained(`"gpus": ["RTX 3090", "A100"], "ecc": true`),
	} {
		if len(planned(t, router, body).Plans) == 0 {
			t.Errorf("%s: no plan", body)
		}
	}
}
