package web

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// read is a document from its text.
func read(t testing.TB, text string) map[string]any {
	t.Helper()
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	document, err := asDocument(raw)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// Whatever a request says, the form that is filled in from it says the same.
func TestFormKeepsAll(t *testing.T) {
	files, err := filepath.Glob("../../../schemas/testdata/recommend.request/valid_*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("requests %v: %v", files, err)
	}
	texts := []string{
		`{"workload": {"kind": "finetune", "model": {"params_b": "7"}}}`,
		`{"workload": {"kind": "pretrain", "model": {"params_b": "47", "active_params_b": "13", "layers": 32}, "tokens_b": "0.50"}, "currency": "CHF", "commitment_months": 12}`,
		`{"workload": {"kind": "edge_incremental", "edge_incremental": {"rounds": 5, "bytes_per_round": 9007199254740993, "step_seconds": "60", "reference_gpu": "L4", "workers": 8, "uplink_mbit_s": 100}}}`,
		`{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b"}}, "constraints": {"exclude_providers": ["aws"], "max_age_days": 30, "ecc": false, "regions": ["us-east-1", "Frankfurt"], "allow_unknown": ["ecc"]}, "verify": true}`,
		`{"rental": {}, "hardware": {"gpu": "H100", "gpu_count": 16, "nodes": 2, "fabric": "infiniband"}}`,
		`{"workload": {"kind": "inference", "model": {"params_b": "7"}, "inference": {"qps": "2", "weights": "int4"}}, "constraints": {"users_region": "Frankfurt", "max_rtt_ms": "30"}}`,
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	kept := 0
	for _, text := range texts {
		document := read(t, text)
		values, err := formValues(document)
		if err != nil {
			t.Fatal(err)
		}
		if values.Get(keptParameter) != "" {
			kept++
		}
		got, err := planRequest(values.Get("kind"), values, english)
		if err != nil {
			t.Fatal(err)
		}
		document["language"] = "en"
		if diff := cmp.Diff(document, asAgain(t, got)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	if kept == 0 || kept == len(texts) {
		t.Errorf("%d of %d requests are kept beside the form", kept, len(texts))
	}
}

// asAgain is a document as its text says it.
func asAgain(t *testing.T, document map[string]any) map[string]any {
	t.Helper()
	again, err := asDocument(document)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// What is changed in the form comes before what is kept, and another kind of work keeps
// all but the work.
func TestFormOverrides(t *testing.T) {
	const rest = `{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b", "layers": 30}, "epochs": 2, "lora_rank": 8}, "constraints": {"countries": ["EU"], "budget": "100", "max_age_days": 30}}`
	for name, c := range map[string]struct{ kind, query, want string }{
		"nothing": {"finetune", "model=llama-2-7b&epochs=2&countries=EU&budget=100",
			`{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b", "layers": 30}, "epochs": 2, "lora_rank": 8}, "constraints": {"countries": ["EU"], "budget": "100", "max_age_days": 30}}`},
		"values": {"finetune", "model=7B&epochs=3&countries=EU,US&budget=",
			`{"workload": {"kind": "finetune", "model": {"params_b": "7"}, "epochs": 3, "lora_rank": 8}, "constraints": {"countries": ["EU", "US"], "max_age_days": 30}}`},
		"the kind": {"batch", "gpu_hours=10&batch_gpu=L4&countries=EU&budget=100",
			`{"workload": {"kind": "batch", "batch": {"gpu_hours": "10", "reference_gpu": "L4"}}, "constraints": {"countries": ["EU"], "budget": "100", "max_age_days": 30}}`},
		"to hardware": {"rental", "gpu=L4&budget=100&countries=EU",
			`{"rental": {}, "hardware": {"gpu": "L4"}, "constraints": {"countries": ["EU"], "budget": "100", "max_age_days": 30}}`},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		values.Set(keptParameter, rest)
		got, err := planRequest(c.kind, values, english)
		if err != nil {
			t.Fatal(err)
		}
		delete(got, "language")
		if diff := cmp.Diff(read(t, c.want), asAgain(t, got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, bad := range []string{"x", "[]", "null", "{} {}", `{"workload": 1}`} {
		values := url.Values{keptParameter: {bad}, "model": {"7B"}}
		if _, err := planRequest("finetune", values, english); err == nil && bad != `{"workload": 1}` {
			t.Errorf("%s is taken for a request", bad)
		}
	}
}

// sent is the query that the form of a plan on a page sends.
func sent(t *testing.T, body string) string {
	t.Helper()
	_, inner, ok := strings.Cut(body, `id="plan-form"`)
	inner, _, closed := strings.Cut(inner, "</form>")
	if !ok || !closed {
		t.Fatal("the page has no form")
	}
	query := make(url.Values)
	for _, tag := range regexp.MustCompile(`<input [^>]*>`).FindAllString(inner, -1) {
		checks := strings.Contains(tag, `type="checkbox"`) || strings.Contains(tag, `type="radio"`)
		if checks && !strings.Contains(tag, "checked") {
			continue
		}
		query.Add(attribute(tag, "name"), attribute(tag, "value"))
	}
	for _, m := range regexp.MustCompile(`(?s)<select [^>]*name="([^"]+)".*?</select>`).FindAllStringSubmatch(inner, -1) {
		chosen := regexp.MustCompile(`<option [^>]*selected[^>]*>`).FindString(m[0])
		if chosen == "" {
			chosen = regexp.MustCompile(`<option [^>]*>`).FindString(m[0])
		}
		query.Add(m[1], attribute(chosen, "value"))
	}
	return query.Encode()
}

// attribute is the value of an attribute of an element.
func attribute(tag, name string) string {
	m := regexp.MustCompile(` ` + name + `="([^"]*)"`).FindStringSubmatch(tag)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// amountOn is what the best plan on a page costs; "" if there is none.
func amountOn(body string) string {
	_, amount, _ := strings.Cut(body, `class="amount">`)
	amount, _, _ = strings.Cut(amount, "</span>")
	return amount
}

// wholeCatalogue is the embedded catalogue.
func wholeCatalogue(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A question's answer is that of the form under it, sent as it is: nothing is lost.
func TestRefineKeeps(t *testing.T) {
	router := routerOver(t, wholeCatalogue(t))
	for _, q := range []string{"cheapest 7B fine-tune", "7b lora, not aws", "7b lora in Frankfurt", "8xA100 for a week", "mixtral 8x7b qlora",
		"7b pretrain 2B tokens under €90000", "7b finetune on 4 nodes of 8xH100 infiniband", "7b lora soc2", "7b lora for 500 CNY, no spot"} {
		first := get(t, router, "/plans?lang=en&q="+url.QueryEscape(q)+at)
		if first.StatusCode != 200 {
			t.Errorf("%s: status %d: %s", q, first.StatusCode, first.Body)
			continue
		}
		again := get(t, router, "/plans?"+sent(t, first.Body)+at)
		checkPage(t, again)
		if again.StatusCode != 200 || amountOn(again.Body) != amountOn(first.Body) {
			t.Errorf("%s: %q, from its form %d with %q", q, amountOn(first.Body), again.StatusCode, amountOn(again.Body))
		}
	}
	kept := get(t, router, "/plans?q=7b+lora,+not+aws"+at).Body
	if !strings.Contains(kept, `name="rest"`) || !strings.Contains(kept, "<code>constraints.exclude_providers</code> aws") {
		t.Error("the page does not say what is kept")
	}
	if plain := get(t, router, "/plans?q=cheapest+7B+fine-tune"+at).Body; strings.Contains(plain, `name="rest"`) {
		t.Error("a request that the form says in full is kept besides")
	}
}

// Whatever is to be relaxed, there is a link, and it leads to a plan.
func TestEveryRelaxation(t *testing.T) {
	router := routerOver(t, wholeCatalogue(t))
	const work = `"workload": {"kind": "finetune", "model": {"params_b": "7"}}`
	fields := make(map[string]bool)
	for _, text := range []string{
		`{` + work + `, "constraints": {"budget": "0.01"}}`,
		`{` + work + `, "constraints": {"deadline_hours": "0.5", "exclude_providers": ["aws"]}}`,
		`{` + work + `, "constraints": {"max_price_per_gpu_hour": "0.0001"}}`,
		`{` + work + `, "constraints": {"max_price_per_instance_hour": "0.0001"}}`,
		`{` + work + `, "constraints": {"min_vram_gb": "5000"}}`,
		`{` + work + `, "constraints": {"countries": ["IS"], "providers": ["aws"]}}`,
		`{` + work + `, "constraints": {"regions": ["us-east-1"], "gpus": ["RTX 5090"], "providers": ["aws"]}}`,
		`{` + work + `, "constraints": {"compliance": ["FedRAMP"], "provider_classes": ["community"]}}`,
		`{` + work + `, "constraints": {"purchase_models": ["capacity_block"]}}`,
		`{` + work + `, "constraints": {"gpus": ["RTX 4090"], "ecc": true, "nvlink": true}}`,
		`{` + work + `, "constraints": {"users_region": "Frankfurt", "max_rtt_ms": "0.001"}}`,
		`{` + work + `, "constraints": {"max_age_days": 1}}`,
		`{` + work + `, "hardware": {"gpu": "H100", "gpu_count": 3}, "constraints": {"max_interruption_pct": "0", "purchase_models": ["spot"]}}`,
	} {
		document := read(t, text)
		values, err := formValues(document)
		if err != nil {
			t.Fatal(err)
		}
		body := get(t, router, "/plans?"+values.Encode()+at).Body
		found := regexp.MustCompile(`(?s)<li><code>([a-z_.]+)</code> = <b>(.*?)</b>(.*?)</li>`).FindAllStringSubmatch(body, -1)
		if len(found) == 0 {
			t.Logf("%s: nothing to relax: %s", text, amountOn(body))
		}
		for _, m := range found {
			fields[m[1]] = true
			link := regexp.MustCompile(`<a href="\./([^"]*)">`).FindStringSubmatch(m[3])
			if link == nil {
				t.Errorf("%s: no link for %s = %s", text, m[1], m[2])
				continue
			}
			answer := get(t, router, "/"+html.UnescapeString(link[1])+at)
			if answer.StatusCode != 200 || amountOn(answer.Body) == "" {
				t.Errorf("%s: %s = %s leads to status %d without a plan: %s", text, m[1], m[2], answer.StatusCode, link[1])
			}
		}
	}
	if len(fields) < 10 {
		t.Errorf("only %v were to be relaxed", fields)
	}
}

// A word that is spelt wrong is a link to the question with the right one.
func TestMeant(t *testing.T) {
	router := routerOver(t, wholeCatalogue(t))
	for target, status := range map[string]int{
		"/plans?q=7b+lora+on+runpdo" + at:          200,
		"/plans?q=7b+lora+on+Runpdo+cheepest" + at: 200,
		"/plans?q=runpdo" + at:                     422,
		"/forecast?job=runpdo" + at:                422,
	} {
		answer := get(t, router, target)
		link := regexp.MustCompile(`Did you mean <a href="\./([^"]*)">([^<]+)</a>`).FindStringSubmatch(answer.Body)
		if answer.StatusCode != status || link == nil {
			t.Errorf("%s: status %d, no link in %s", target, answer.StatusCode, answer.Body)
			continue
		}
		u, err := url.Parse(html.UnescapeString(link[1]))
		if err != nil {
			t.Fatal(err)
		}
		if asked := u.Query().Get("q") + u.Query().Get("job"); !strings.Contains(asked, link[2]) || u.Query().Get("computed_at") == "" {
			t.Errorf("%s: the link is %s", target, link[1])
		}
	}
}

// The texts of an answer are in the language of the page.
func TestAnswersSpeakChinese(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	for target, want := range map[string]string{
		"/forecast?lang=zh&of=offer&gpu=L4" + at:           "每月的小时数与天数",
		"/forecast?lang=zh&job=cheapest+7B+fine-tune" + at: "取该类 GPU 的先验值",
		"/plans?lang=zh&q=cheapest+7B+fine-tune" + at:      "并行方式",
	} {
		if answer := get(t, router, target); answer.StatusCode != 200 || !strings.Contains(answer.Body, want) {
			t.Errorf("%s: status %d without %s:\n%s", target, answer.StatusCode, want, answer.Body)
		}
	}
}

// What a request can't do without is not relaxed by a link.
func TestRelaxedRental(t *testing.T) {
	document := read(t, `{"rental": {}, "hardware": {"gpu": "H100"}}`)
	link, err := relaxed(document, schemas.Nearest{Field: "hardware", Value: "1 x L4"}, viewOf(&apigw.Request{Path: "/plans"}))
	if link != "" || err != nil || document["hardware"] == nil {
		t.Errorf("got %q, %v, and %v is left", link, err, document)
	}
}
