package endpoint

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/tierwise/tierwise/schemas"
)

// english is words of English that no name of ours contains.
var english = regexp.MustCompile(`\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b`)

// chineseTexts checks that every text of an answer is Chinese: it has Han characters,
// and no run of English words.
func chineseTexts(t *testing.T, r schemas.RecommendResponse) {
	t.Helper()
	check := func(what, text string) {
		han := strings.IndexFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) }) >= 0
		if !han || english.MatchString(text) || strings.Contains(text, "%!") {
			t.Errorf("%s: %q", what, text)
		}
	}
	for _, a := range r.Assumptions {
		check("assumption "+a.Field, a.Why)
		if english.MatchString(a.Value) {
			t.Errorf("assumption %s: value %q", a.Field, a.Value)
		}
	}
	for _, x := range r.Rejected {
		check("rejected "+x.Reason, x.Message)
	}
	for _, n := range r.Nearest {
		check("nearest "+n.Field, n.Why)
	}
	for _, p := range r.Plans {
		check("why", p.Why)
		for _, f := range p.Flips {
			check("flip", f)
		}
		for _, w := range p.Warnings {
			check("warning "+w.Code, w.Message)
		}
		if p.Baseline != nil {
			check("baseline", p.Baseline.Description)
		}
	}
}

// TestChineseAnswers asks for all kinds of work in Chinese: every text is in it, and the
// same plans come as in English.
func TestChineseAnswers(t *testing.T) {
	router := overSeed(t)
	for name, body := range map[string]string{
		"fine-tune":        job(`"alternatives": 20`),
		"full fine-tune":   work(`"method": "full", "lora_rank": 4, "quantizer": "nf4"`),
		"qlora":            work(`"method": "qlora"`),
		"pretraining":      `{"workload": {"kind": "pretrain", "model": {"params_b": "1.3"}, "tokens_b": "1"}, "alternatives": 20}`,
		"inference":        `{"workload": {"kind": "inference", "model": {"params_b": "7"}, "inference": {"qps": "2"}}}`,
		"batch":            `{"workload": {"kind": "batch", "batch": {"gpu_hours": "100", "reference_gpu": "A100"}}}`,
		"render":           `{"workload": {"kind": "render", "render": {"frames": 2400, "seconds_per_frame": "90", "reference_gpu": "RTX 4090"}}, "objective": "time", "constraints": {"budget": "500"}}`,
		"edge":             `{"workload": {"kind": "edge_incremental", "edge_incremental": {"rounds": 100, "bytes_per_round": 1000000, "step_seconds": "60", "reference_gpu": "RTX 3090", "workers": 10}}}`,
		"devtest":          `{"workload": {"kind": "devtest", "devtest": {"models": 7, "vram_gb_each": "5", "hours_per_day": "8", "days": 20}}, "constraints": {"gpus": ["A100"]}}`,
		"rental":           `{"rental": {}, "hardware": {"gpu": "H100", "gpu_count": 8}}`,
		"critical":         job(`"critical": true, "data": {"sensitive": true}, "verify": true`),
		"ECC too dear":     job(`"critical": true, "constraints": {"gpus": ["RTX 3090", "H100"]}`),
		"balanced":         job(`"objective": "balanced", "currency": "EUR", "commitment_months": 12`),
		"deadline":         constrained(`"deadline_hours": "8"`),
		"near the users":   constrained(`"users_region": "Frankfurt", "max_rtt_ms": "30", "regions": ["Frankfurt"]`),
		"nothing fits":     constrained(`"budget": "0.01", "deadline_hours": "0.5", "max_price_per_gpu_hour": "0.0001", "countries": ["IS"], "providers": ["aws"], "max_age_days": 1`),
		"nodes of another": job(`"hardware": {"gpu": "A100", "gpu_count": 32, "nodes": 4, "fabric": "ethernet"}`),
	} {
		t.Run(name, func(t *testing.T) {
			chinese := planned(t, router, strings.TrimSuffix(body, "}")+`, "language": "zh"}`)
			chineseTexts(t, chinese)
			plain := planned(t, router, body)
			if len(plain.Plans) != len(chinese.Plans) {
				t.Fatalf("%d plans in Chinese, %d in English", len(chinese.Plans), len(plain.Plans))
			}
			for i := range plain.Plans {
				if p, q := plain.Plans[i], chinese.Plans[i]; p.Total != q.Total || p.HoursP95 != q.HoursP95 {
					t.Errorf("plan %d: %s in %s h, in Chinese %s in %s h", i, p.Total, p.HoursP95, q.Total, q.HoursP95)
				}
				if strings.IndexFunc(plain.Plans[i].Why, func(c rune) bool { return unicode.Is(unicode.Han, c) }) >= 0 {
					t.Errorf("Chinese in English: %q", plain.Plans[i].Why)
				}
			}
		})
	}
}
