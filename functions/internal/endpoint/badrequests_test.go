package endpoint

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/schemas"
)

// job is a fine-tune with one more field of the request, or of the workload.
func job(more string) string {
	if more != "" {
		more = ", " + more
	}
	return `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}` + more + `}`
}

func work(more string) string {
	return `{"workload": {"kind": "finetune", "model": {"params_b": "7"}, ` + more + `}}`
}

func constrained(more string) string { return job(`"constraints": {` + more + `}`) }

// Whatever is wrong with a request, its answer names the place and says what was
// expected, and shows nothing of our insides.
func TestBadBodies(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for _, c := range []struct{ name, body, pointer, message string }{
		{"no JSON", `7B please`, "", "not valid JSON"},
		{"empty", ``, "", "ends too early"},
		{"truncated", `{"workload": {"kind"`, "", "ends too early"},
		{"trailing", job("") + "x", "", "not valid JSON"},
		{"invalid UTF-8", "{\"language\": \"\xff\"}", "", "UTF-8"},
		{"duplicate key", `{"workload": {"kind": "finetune", "kind": "pretrain"}}`, "/workload/kind", "twice"},
		{"deep nesting", strings.Repeat(`{"a":`, 10_000), "", "32 levels"},
		{"nothing asked", `{}`, "", "a workload"},
		{"null", `null`, "", "an object"},
		{"unknown field", job(`"deadline": "72"`), "/deadline", `unknown field "deadline"`},
		{"unknown field below", work(`"color": "red"`), "/workload/color", "the fields here are"},
		{"wrong type", work(`"epochs": "3"`), "/workload/epochs", "a whole number from 1 to 10000"},
		{"number for an amount", constrained(`"budget": 1000`), "/constraints/budget", "in quotes"},
		{"negative", work(`"seq_len": -1`), "/workload/seq_len", "from 1"},
		{"huge integer", job(`"hardware": {"gpu_count": 1e12}`), "/hardware/gpu_count", "from 1 to 16384"},
		{"integer with an exponent", work(`"epochs": 1e2`), "/workload/epochs", "plain digits"},
		{"huge exponent", work(`"epochs": 1e10000000`), "/workload/epochs", "out of range"},
		{"huge exponent in a text", constrained(`"budget": "1e10000000"`), "/constraints/budget", "an amount in quotes"},
		{"NaN", work(`"tokens_b": "NaN"`), "/workload/tokens_b", "billions in quotes"},
		{"no tokens", work(`"tokens_b": "0"`), "/workload/tokens_b", "more than 0"},
		{"absurdly many tokens", work(`"tokens_b": "9999999", "epochs": 10000`), "/workload/tokens_b", "at most 1e16"},
		{"absurdly large model", `{"workload": {"kind": "pretrain", "model": {"params_b": "9999999"}}}`, "/workload/model/params_b", "1e14"},
		{"no parameters", `{"workload": {"kind": "pretrain", "model": {"params_b": "0"}}}`, "/workload/model/params_b", "more than 0"},
		{"more active than all", `{"workload": {"kind": "pretrain", "model": {"params_b": "7", "active_params_b": "8"}}}`, "/workload/model/active_params_b", "at most"},
		{"rank beyond the width", work(`"lora_rank": 100000`), "/workload/lora_rank", "width"},
		{"adapters in pretraining", `{"workload": {"kind": "pretrain", "method": "lora", "model": {"params_b": "7"}}}`, "/workload/method", "full"},
		{"unknown kind", `{"workload": {"kind": "science", "model": {"params_b": "7"}}}`, "/workload/kind", `"finetune"`},
		{"name and size", `{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b", "params_b": "7"}}}`, "/workload/model", "not both"},
		{"image model", `{"workload": {"kind": "finetune", "model": {"name": "stable-diffusion-xl"}}}`, "/workload/model/name", "not supported yet"},
		{"unknown model", `{"workload": {"kind": "finetune", "model": {"name": "lama2 7b"}}}`, "/workload/model/name", "did you mean llama-2-7b"},
		{"unknown GPU", constrained(`"gpus": ["A100", "H10O"]`), "/constraints/gpus/1", "did you mean H100?"},
		{"unknown GPU asked for", `{"rental": {}, "hardware": {"gpu": "RTX 4080"}}`, "/hardware/gpu", "did you mean RTX-4090"},
		{"unknown provider", constrained(`"providers": ["lamda"]`), "/constraints/providers/0", "did you mean lambda?"},
		{"unknown excluded provider", constrained(`"exclude_providers": ["awz"]`), "/constraints/exclude_providers/0", "did you mean aws?"},
		{"unknown region", constrained(`"regions": ["us-est-1"]`), "/constraints/regions/0", "did you mean us-east-1"},
		{"unknown city", constrained(`"regions": ["Frankfrut"]`), "/constraints/regions/0", "did you mean Frankfurt?"},
		{"unknown country", constrained(`"countries": ["UK"]`), "/constraints/countries/0", `"GB"`},
		{"unknown attestation", constrained(`"compliance": ["ISO 27002"]`), "/constraints/compliance/0", "did you mean ISO27001?"},
		{"unknown place", job(`"data": {"place": "aws/us-east-9"}`), "/data/place", "did you mean aws/us-east-1"},
		{"place of an unknown provider", job(`"data": {"results_to": "amazn/us-east-1"}`), "/data/results_to", "unknown provider"},
		{"unknown currency", job(`"currency": "XYZ"`), "/currency", "no exchange rate"},
		{"no deadline at all", constrained(`"deadline_hours": "0"`), "/constraints/deadline_hours", "more than 0"},
		{"deadline below a second", constrained(`"deadline_hours": "0.0001"`), "/constraints/deadline_hours", "at least a second"},
		{"rental without hardware", `{"rental": {"hours": "1"}}`, "/hardware", "required"},
		{"rental of no time", `{"rental": {"hours": "0"}, "hardware": {"gpu": "H100"}}`, "/rental/hours", "more than 0"},
		{"rental with data", `{"rental": {}, "hardware": {"gpu": "H100"}, "data": {"size_gb": "1"}}`, "/data", "moves no data"},
		{"GPUs that nodes can't share", job(`"hardware": {"gpu_count": 9, "nodes": 2}`), "/hardware/gpu_count", "a multiple of nodes"},
		{"sensitive on community machines", job(`"data": {"sensitive": true}, "constraints": {"provider_classes": ["community"]}`), "/data/sensitive", "exclude each other"},
		{"users and no round trip", constrained(`"users_region": "eu-central-1"`), "/constraints/max_rtt_ms", "longest round trip"},
		{"round trip to nobody", constrained(`"max_rtt_ms": "50"`), "/constraints/users_region", "where the users are"},
		{"round trip of no time", constrained(`"max_rtt_ms": "0", "users_region": "Frankfurt"`), "/constraints/max_rtt_ms", "more than 0"},
		{"users nowhere", constrained(`"max_rtt_ms": "50", "users_region": "Frankfrut"`), "/constraints/users_region", "did you mean Frankfurt?"},
		{"unknown interconnect", job(`"hardware": {"interconnect": "NVLink"}`), "/hardware/interconnect", `one of "nvlink", "pcie"`},
		{"unknown fabric", job(`"hardware": {"fabric": "pigeon"}`), "/hardware/fabric", `"infiniband"`},
		{"PCIe and NVLink", job(`"hardware": {"interconnect": "pcie"}, "constraints": {"nvlink": true}`), "/hardware/interconnect", "leave one of the two out"},
		{"batch of nothing", `{"workload": {"kind": "batch"}}`, "/workload/batch", "gpu_hours"},
		{"batch on no reference", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1"}}}`, "/workload/batch/reference_gpu", "that the time was taken on"},
		{"batch of no time", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "0", "reference_gpu": "A100"}}}`, "/workload/batch/gpu_hours", "more than 0"},
		{"batch of negative time", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "-1", "reference_gpu": "A100"}}}`, "/workload/batch/gpu_hours", "hours in quotes"},
		{"batch on an unknown reference", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "RTX 4080"}}}`, "/workload/batch/reference_gpu", "did you mean RTX-4090"},
		{"batch of no tasks", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "A100", "tasks": 0}}}`, "/workload/batch/tasks", "from 1"},
		{"batch with a model", `{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "A100"}, "model": {"params_b": "7"}}}`, "/workload/model", "leave it out"},
		{"batch in a fine-tune", work(`"batch": {"gpu_hours": "1", "reference_gpu": "A100"}`), "/workload/batch", "only kind batch"},
		{"frames without a time", `{"workload": {"kind": "render", "render": {"frames": 1, "reference_gpu": "A100"}}}`, "/workload/render/seconds_per_frame", "seconds in quotes"},
		{"frames of half", `{"workload": {"kind": "render", "render": {"frames": 1.5, "seconds_per_frame": "1", "reference_gpu": "A100"}}}`, "/workload/render/frames", "a whole number"},
		{"absurdly many frames", `{"workload": {"kind": "render", "render": {"frames": 1000000000, "seconds_per_frame": "9999999", "reference_gpu": "A100"}}}`, "/workload/render/frames", "at most 1e9 hours"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("POST", RecommendPath, c.body)
			answer := serve(t, router, e)
			checkProblem(t, e, answer, 400)
			p := problemIn(t, answer)
			if len(p.Errors) == 0 || p.Errors[0].Pointer != c.pointer || !strings.Contains(p.Errors[0].Message, c.message) {
				t.Errorf("got %+v, want first %q: ...%s...", p.Errors, c.pointer, c.message)
			}
		})
	}
}

func TestBadRequests(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	long := strings.Repeat("zorp ", 180)
	for _, c := range []struct {
		name, method, target, body, contentType string
		status                                  int
		detail                                  string
	}{
		{"unknown path", "GET", "/v1/recomend", "", "", 404, "nothing at this path"},
		{"wrong method", "DELETE", RecommendPath, "", "", 405, "takes GET, HEAD, POST"},
		{"form", "POST", RecommendPath, "q=7B", "application/x-www-form-urlencoded", 415, "Content-Type: application/json"},
		{"other charset", "POST", RecommendPath, job(""), "application/json; charset=utf-16", 415, "UTF-8"},
		{"content type of no form", "POST", RecommendPath, job(""), "json;;", 415, "Content-Type"},
		{"too large", "POST", RecommendPath, job("") + strings.Repeat(" ", schemas.MaxBytes), "", 413, "larger than 262144 bytes"},
		{"no text", "GET", RecommendPath, "", "", 400, "q: "},
		{"long text", "GET", RecommendPath + "?q=" + strings.Repeat("7b+", 1000), "", "", 400, "longer than"},
		{"text that is not UTF-8", "GET", RecommendPath + "?q=%ff", "", "", 400, "UTF-8"},
		{"query of no form", "GET", RecommendPath + "?q=%zz", "", "", 400, "query string"},
		{"unknown parameter", "GET", RecommendPath + "?query=7b", "", "", 400, "want q or language or computed_at"},
		{"text for POST", "POST", RecommendPath + "?q=7b", job(""), "", 400, "want computed_at"},
		{"two texts", "GET", RecommendPath + "?q=7b&q=8b", "", "", 400, "twice"},
		{"no instant", "GET", RecommendPath + "?q=7b+finetune&computed_at=yesterday", "", "", 400, "2026-10-01T12:00:00Z"},
		{"plus in an instant", "POST", RecommendPath + "?computed_at=2026-10-01T12:00:00+02:00", job(""), "", 400, "%2B"},
		{"instant before time", "POST", RecommendPath + "?computed_at=0001-01-01T00:00:00Z", job(""), "", 400, "want an instant"},
		{"value of the health check", "GET", HealthPath + "?deep=1", "", "", 400, "want true or false"},
		{"parameter of the health check", "GET", HealthPath + "?verbose=1", "", "", 400, "want deep"},
		{"nothing meant", "GET", RecommendPath + "?q=hello", "", "", 422, "neither a kind of work"},
		{"no size", "GET", RecommendPath + "?q=cheapest+fine-tune", "", "", 422, "no valid request"},
		{"nothing meant at length", "GET", RecommendPath + "?q=" + strings.ReplaceAll(long, " ", "+"), "", "", 422, "neither a kind of work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event(c.method, c.target, c.body)
			if c.contentType != "" {
				e.Headers["content-type"] = c.contentType
			}
			answer := serve(t, router, e)
			checkProblem(t, e, answer, c.status)
			if p := problemIn(t, answer); !strings.Contains(p.Detail, c.detail) {
				t.Errorf("got detail %q, want ...%s...", p.Detail, c.detail)
			}
			if len(answer.Body) > 1500 {
				t.Errorf("an answer of %d bytes to a mistake:\n%s", len(answer.Body), answer.Body)
			}
		})
	}
}

// An error repeats at most 200 bytes of a request, wherever they stand in it.
func TestErrorsRepeatLittle(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for _, n := range []int{201, 5000} {
		long := strings.Repeat("Q", n)
		for _, body := range []string{
			fmt.Sprintf(`{%q: 1}`, long), job(fmt.Sprintf(`"language": %q`, long)), job(fmt.Sprintf(`%q: %q`, long, long)),
			constrained(fmt.Sprintf(`"gpus": [%q]`, long[:min(n, 100)])), fmt.Sprintf(`{"workload": %s}`, long),
		} {
			answer := serve(t, router, event("POST", RecommendPath, body))
			if strings.Contains(answer.Body, strings.Repeat("Q", 201)) || answer.StatusCode != 400 {
				t.Errorf("status %d: %s", answer.StatusCode, answer.Body)
			}
		}
		for _, target := range []string{"/" + long, RecommendPath + "?" + long + "=1", RecommendPath + "?computed_at=" + long} {
			if answer := serve(t, router, event("GET", target, "")); strings.Contains(answer.Body, strings.Repeat("Q", 201)) {
				t.Errorf("status %d: %s", answer.StatusCode, answer.Body)
			}
		}
	}
}

// checkProblem tests the form of a problem and that nothing of our insides is in it.
func checkProblem(t *testing.T, e events.APIGatewayV2HTTPRequest, answer events.APIGatewayV2HTTPResponse, status int) {
	t.Helper()
	if answer.StatusCode != status {
		t.Fatalf("got status %d, want %d: %s", answer.StatusCode, status, answer.Body)
	}
	checkDocument(t, e, answer)
	for _, inside := range []string{"goroutine", ".go:", "panic", "jsonschema", "tierwise/", "runtime"} {
		if strings.Contains(answer.Body, inside) {
			t.Errorf("the answer shows %q: %s", inside, answer.Body)
		}
	}
}

func problemIn(t *testing.T, answer events.APIGatewayV2HTTPResponse) schemas.ProblemDocument {
	t.Helper()
	var p schemas.ProblemDocument
	if err := json.Unmarshal([]byte(answer.Body), &p); err != nil {
		t.Fatal(err)
	}
	return p
}
