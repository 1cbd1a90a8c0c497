package endpoint

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// han reports whether a text has Chinese characters.
func han(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) }) >= 0
}

// notes are the texts of an answer that are in the language of its request.
type notes struct {
	Assumptions []schemas.Assumption `json:"assumptions"`
	Warnings    []schemas.Warning    `json:"warnings"`
	Method      []string             `json:"method"`
	Environment struct {
		Notes []string `json:"notes"`
	} `json:"environment"`
}

// texts are all of them by what they are.
func (n *notes) texts() map[string]string {
	all := make(map[string]string)
	for _, a := range n.Assumptions {
		all["assumption "+a.Field] = a.Why + " " + a.Value
	}
	for _, w := range n.Warnings {
		all["warning "+w.Code+" "+w.Message] = w.Message
	}
	for _, m := range n.Method {
		all["method "+m] = m
	}
	for _, m := range n.Environment.Notes {
		all["note "+m] = m
	}
	return all
}

// TestChineseReports asks for estimates, costs and forecasts in Chinese: every text is in
// it, and English has none.
func TestChineseReports(t *testing.T) {
	router := overSeed(t)
	const qlora = `{"kind": "finetune", "method": "qlora", "model": {"name": "llama-2-70b"}, "tokens_b": "0.05"}`
	for name, row := range map[string]struct{ path, body string }{
		"estimate on hardware":    {EstimatePath, `{"workload": ` + qlora + `, "hardware": {"gpu": "RTX 4090", "gpu_count": 2}}`},
		"estimate on nodes":       {EstimatePath, `{"workload": {"kind": "pretrain", "model": {"params_b": "7"}, "tokens_b": "1"}, "hardware": {"gpu": "A100", "gpu_count": 32}}`},
		"estimate that is tight":  {EstimatePath, `{"workload": {"kind": "finetune", "method": "full", "model": {"params_b": "70"}}, "hardware": {"gpu": "V100", "gpu_count": 8}}`},
		"estimate of inference":   {EstimatePath, `{"workload": {"kind": "inference", "model": {"params_b": "7"}, "inference": {"qps": "900", "hours": "1", "max_latency_ms": 1}}, "hardware": {"gpu": "L4"}}`},
		"estimate of frames":      {EstimatePath, `{"workload": {"kind": "render", "render": {"frames": 10, "seconds_per_frame": "90", "reference_gpu": "RTX 4090"}}, "hardware": {"gpu": "L4"}}`},
		"estimate of an offer":    {EstimatePath, `{"workload": ` + qlora + `, "offer_id": "` + cheapestSpot(t, router) + `"}`},
		"costs of instances":      {TCOPath, `{"currency": "EUR", "resources": [{"offer_id": "` + cheapestSpot(t, router) + `", "hours_per_day": "8", "disk_gb": 100}], "network": [{"from": "internet", "to": "aws/us-east-1", "gb_per_month": "5"}]}`},
		"costs of a job":          {TCOPath, `{"jobs": [{"recommend": {"workload": ` + qlora + `}}], "compare": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`},
		"costs of a commitment":   {TCOPath, `{"commitment_months": 36, "resources": [{"offer": {"gpu": "H100", "purchase_model": "reserved_1y"}}]}`},
		"forecast of instances":   {ForecastPath, `{"workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`},
		"forecast by history":     {ForecastPath, `{"price_trend": "history", "workloads": [{"resources": [{"offer": {"gpu": "A100"}, "hours_per_run": "3"}]}]}`},
		"forecast of given trend": {ForecastPath, `{"price_trend": {"pct_per_year": "-10"}, "workloads": [{"runs_per_month": "2", "recommend": {"workload": ` + qlora + `}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			chinese := notesOf(t, router, row.path, strings.TrimSuffix(row.body, "}")+`, "language": "zh"}`)
			for what, text := range chinese {
				if !han(text) && !strings.Contains(what, "note PyTorch") || english.MatchString(text) || strings.Contains(text, "%!") {
					t.Errorf("%s: %q", what, text)
				}
			}
			plain := notesOf(t, router, row.path, row.body)
			for what, text := range plain {
				if han(text) {
					t.Errorf("Chinese in English, %s: %q", what, text)
				}
			}
			if len(chinese) == 0 || len(chinese) != len(plain) {
				t.Errorf("%d texts in Chinese, %d in English", len(chinese), len(plain))
			}
		})
	}
	french := serve(t, router, event(http.MethodPost, TCOPath, `{"language": "fr", "resources": [{"offer": {"gpu": "A100"}}]}`))
	if french.StatusCode != http.StatusBadRequest {
		t.Errorf("French: status %d, want %d", french.StatusCode, http.StatusBadRequest)
	}
}

// cheapestSpot is the id of the cheapest spot offer of a GPU.
func cheapestSpot(t *testing.T, router *apigw.Router) string {
	t.Helper()
	offers := ask(t, router, "gpu=RTX-4090&purchase_model=spot&limit=1").Offers
	if len(offers) == 0 {
		t.Fatal("no spot offer")
	}
	return offers[0].ID
}

// notesOf are the texts of an answer.
func notesOf(t *testing.T, router *apigw.Router, path, body string) map[string]string {
	t.Helper()
	e := event(http.MethodPost, path, body)
	answer := serve(t, router, e)
	var n notes
	if err := json.Unmarshal([]byte(answer.Body), &n); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d %s (%v)", path, answer.StatusCode, answer.Body, err)
	}
	checkDocument(t, e, answer)
	return n.texts()
}
