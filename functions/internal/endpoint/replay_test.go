package endpoint

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

const fixedInstant = "computed_at=2026-09-01T00:00:00Z"

// Answers depend on the catalogue, the request and the instant, and on nothing else.
func TestReplay(t *testing.T) {
	first, second := routerOver(smallCatalogue(t)), routerOver(smallCatalogue(t))
	body := `{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b"}, "epochs": 2}, "constraints": {"allow_unknown": ["age"]}}`
	reordered := `{
		"constraints": {"allow_unknown": ["age"]},
		"workload": {"epochs": 2, "model": {"name": "llama-2-7b"}, "kind": "finetune", "method": null}}`
	want := serve(t, first, event("POST", RecommendPath+"?"+fixedInstant, body)).Body
	for name, got := range map[string]string{
		"again":                serve(t, first, event("POST", RecommendPath+"?"+fixedInstant, body)).Body,
		"another process":      serve(t, second, event("POST", RecommendPath+"?"+fixedInstant, body)).Body,
		"another order":        serve(t, second, event("POST", RecommendPath+"?"+fixedInstant, reordered)).Body,
		"another zone":         serve(t, second, event("POST", RecommendPath+"?computed_at=2026-09-01T02:00:00%2B02:00", body)).Body,
		"a shuffled catalogue": serve(t, routerOver(shuffled(t)), event("POST", RecommendPath+"?"+fixedInstant, body)).Body,
	} {
		if got != want {
			t.Errorf("%s: got another answer", name)
		}
	}
	later := serve(t, first, event("POST", RecommendPath+"?computed_at=2026-09-01T00:00:01Z", body)).Body
	if planSet(t, later) == planSet(t, want) {
		t.Error("another instant has the same plan_set_id")
	}
	other := serve(t, first, event("POST", RecommendPath+"?"+fixedInstant, strings.Replace(body, `"epochs": 2`, `"epochs": 3`, 1))).Body
	if planSet(t, other) == planSet(t, want) {
		t.Error("another request has the same plan_set_id")
	}
}

// Without an instant the clock's is used, in whole seconds, and gives the answer again.
func TestReplayOfNow(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	now := serve(t, router, event("GET", RecommendPath+"?q=7b+finetune", ""))
	var response schemas.RecommendResponse
	if err := json.Unmarshal([]byte(now.Body), &response); err != nil {
		t.Fatal(err)
	}
	if want := "2026-10-20T12:00:00Z"; response.ComputedAt != want {
		t.Errorf("got computed_at %q, want %q", response.ComputedAt, want)
	}
	again := serve(t, router, event("GET", RecommendPath+"?q=7b+finetune&computed_at="+url.QueryEscape(response.ComputedAt), ""))
	if again.Body != now.Body {
		t.Error("got another answer for the computed_at of the first")
	}
}

// A text is answered as the request that it is read as.
func TestTextIsARequest(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	var fromText, fromJSON schemas.RecommendResponse
	text := serve(t, router, event("GET", RecommendPath+"?q=qlora+7b+on+a100+in+the+us", ""))
	if err := json.Unmarshal([]byte(text.Body), &fromText); err != nil || fromText.Interpreted == nil {
		t.Fatalf("%v: %s", err, text.Body)
	}
	request, err := json.Marshal(fromText.Interpreted)
	if err != nil {
		t.Fatal(err)
	}
	answer := serve(t, router, event("POST", RecommendPath, string(request)))
	if err := json.Unmarshal([]byte(answer.Body), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if fromText.PlanSetID != fromJSON.PlanSetID || fromText.Plans[0].Total != fromJSON.Plans[0].Total {
		t.Errorf("got plan set %s of %s for the text, %s of %s for its request", fromText.PlanSetID, fromText.Plans[0].Total,
			fromJSON.PlanSetID, fromJSON.Plans[0].Total)
	}
}

func TestConcurrentAnswersAreEqual(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	askAll(t, router, 1000, RecommendPath+"?q=7b+finetune&"+fixedInstant)
}

func TestConcurrentAnswersAreEqualOnTheSeed(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	askAll(t, routerOver(s), 8, RecommendPath+"?q=7b+finetune+in+the+eu&"+fixedInstant)
}

// askAll asks the same at once, many times over.
func askAll(t *testing.T, router *apigw.Router, times int, target string) {
	t.Helper()
	want := serve(t, router, event("GET", target, ""))
	if want.StatusCode != 200 {
		t.Fatalf("got status %d: %s", want.StatusCode, want.Body)
	}
	answers := make([]string, times)
	var asking sync.WaitGroup
	for i := range answers {
		asking.Go(func() { answers[i] = serve(t, router, event("GET", target, "")).Body })
	}
	asking.Wait()
	for i, got := range answers {
		if got != want.Body {
			t.Fatalf("answer %d differs", i)
		}
	}
}

// Whatever the body, the answer is plans or a client's mistake, in the form that
// the schemas give it.
func FuzzRecommend(f *testing.F) {
	router := routerOver(smallCatalogue(f))
	for _, body := range []string{job(""), job(`"critical": true, "commitment_months": 12`), constrained(`"budget": "1", "deadline_hours": "1"`),
		`{"rental": {"hours": "168"}, "hardware": {"gpu": "H100", "gpu_count": 8, "nodes": 1}}`,
		`{"workload": {"kind": "pretrain", "model": {"params_b": "1", "layers": 1, "width": 1}, "tokens_b": "0.000000001"}}`,
		work(`"method": "full", "evaluate": {"requests": 0}, "preprocess": {"cpu_core_hours": "0"}`)} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		e := event("POST", RecommendPath, body)
		answer := serve(t, router, e)
		if answer.StatusCode != 200 && answer.StatusCode != 400 && answer.StatusCode != 413 {
			t.Errorf("got status %d: %s", answer.StatusCode, answer.Body)
		}
		checkDocument(t, e, answer)
	})
}

// Whatever the text, the answer is plans, or says what was not understood.
func FuzzText(f *testing.F) {
	router := routerOver(smallCatalogue(f))
	for _, text := range []string{"cheapest 7B fine-tune", "8xH100 for a week", "最便宜的7B微调", "qlora 70b under $200 in 24h, eu only, no spot", "16x a100 80gb for 1 minute", "pretrain 0.001b", "\xff", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := event("GET", RecommendPath+"?q="+url.QueryEscape(text), "")
		answer := serve(t, router, e)
		if answer.StatusCode != 200 && answer.StatusCode != 400 && answer.StatusCode != 422 {
			t.Errorf("got status %d: %s", answer.StatusCode, answer.Body)
		}
		checkDocument(t, e, answer)
	})
}

// Answers from the whole catalogue keep their schema and add up.
func TestAnswersFromTheSeed(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(s)
	for _, body := range []string{
		job(""),
		job(`"currency": "CNY", "objective": "balanced", "alternatives": 20, "commitment_months": 36`),
		constrained(`"provider_classes": ["community"], "allow_unknown": ["age", "ecc"]`),
		constrained(`"countries": ["EU"], "purchase_models": ["on_demand"], "max_age_days": 400, "budget": "20"`),
		constrained(`"users_region": "Frankfurt", "max_rtt_ms": "20", "nvlink": true`),
		`{"workload": {"kind": "pretrain", "model": {"name": "llama-3-8b"}, "tokens_b": "1"}, "hardware": {"gpu": "H100", "gpu_count": 64}}`,
		`{"rental": {"hours": "730"}, "hardware": {"gpu": "A100", "gpu_count": 8}, "currency": "EUR", "constraints": {"purchase_models": ["on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block"]}, "commitment_months": 36, "alternatives": 20}`,
	} {
		e := event("POST", RecommendPath+"?"+fixedInstant, body)
		answer := serve(t, router, e)
		if answer.StatusCode != 200 {
			t.Errorf("got status %d: %s", answer.StatusCode, answer.Body)
		}
		checkDocument(t, e, answer)
	}
}

func BenchmarkRecommendOnTheSeed(b *testing.B) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	router := routerOver(s)
	for _, q := range []string{"cheapest+7B+fine-tune", "8xH100+for+a+week", "qlora+70b+in+24h+eu+only"} {
		b.Run(q, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				serve(b, router, event("GET", RecommendPath+"?q="+q, ""))
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, err := seed.Load()
		if err != nil {
			b.Fatal(err)
		}
		NewRecommend(engine.New(s), noon)
	}
}

// shuffled is the small catalogue with all its lists in the opposite order.
func shuffled(t *testing.T) *catalog.Snapshot {
	t.Helper()
	parts := smallCatalogue(t).Parts()
	parts.Offers, parts.GPUs, parts.Providers = backwards(parts.Offers), backwards(parts.GPUs), backwards(parts.Providers)
	parts.Regions, parts.Egress, parts.Storage = backwards(parts.Regions), backwards(parts.Egress), backwards(parts.Storage)
	parts.FX, parts.Priors, parts.Models = backwards(parts.FX), backwards(parts.Priors), backwards(parts.Models)
	parts.History, parts.Bands, parts.Fabrics = backwards(parts.History), backwards(parts.Bands), backwards(parts.Fabrics)
	again, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// backwards is a copy of a list, the last first.
func backwards[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func planSet(t *testing.T, body string) string {
	t.Helper()
	var response schemas.RecommendResponse
	if err := json.Unmarshal([]byte(body), &response); err != nil {
		t.Fatal(err)
	}
	return response.PlanSetID
}
