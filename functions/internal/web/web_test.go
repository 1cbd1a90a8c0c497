package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// noon is the instant that tests are answered at.
func noon() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC) }

// at asks for an answer of that instant.
const at = "&computed_at=2026-10-20T12:00:00Z"

// smallCatalogue is the catalogue of functions/testdata.
func smallCatalogue(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := seed.Read(os.DirFS("../../testdata/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pictures are signed with a key of tests.
func pictures(t testing.TB) endpoint.Charts {
	t.Helper()
	charts, err := endpoint.NewCharts(strings.Repeat("secret", 6))
	if err != nil {
		t.Fatal(err)
	}
	return charts
}

// siteOver are the pages over any catalogue.
func siteOver(t testing.TB, past Past) *Site {
	t.Helper()
	site, err := NewSite(func(s *catalog.Snapshot) []apigw.Route { return endpoint.Shown(s, noon, pictures(t)) }, past)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// routerOver answers the pages and the API of a catalogue.
func routerOver(t testing.TB, s *catalog.Snapshot) *apigw.Router {
	t.Helper()
	return apigw.NewRouter(slog.New(slog.DiscardHandler), noon, append(siteOver(t, nil).Routes(s), endpoint.Answers(s, noon, endpoint.Charts{})...)...)
}

// server answers events.
type server interface {
	Serve(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// get gets a path with a query.
func get(t testing.TB, from server, target string) events.APIGatewayV2HTTPResponse {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	e.RawPath, e.RawQueryString, _ = strings.Cut(target, "?")
	e.RequestContext.HTTP.Method = "GET"
	answer, err := from.Serve(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestPages(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	for _, c := range []struct {
		name, target string
		status       int
		want         []string
	}{
		{"home", "/", 200, []string{"plans?q=cheapest%207B%20fine-tune", "<dt>Offers</dt>", "<dt>Newest price</dt><dd>20", `id="f-model"`}},
		{"home in Chinese", "/?lang=zh", 200, []string{`lang="zh-Hans"`, "租哪种 GPU", "plans?lang=zh&amp;q=cheapest"}},
		{"home in another language", "/?lang=fr", 400, []string{"want en or zh"}},
		{"home takes no other parameter", "/?a=b", 400, []string{"<h1>The request is not valid</h1>", "unknown query parameter"}},
		{"a plan", "/plans?q=cheapest+7B+fine-tune" + at, 200, []string{"Best plan", "<dt>Kind of work</dt><dd>Fine-tune</dd>", "<b>Baseline</b>",
			"The plan saves", "<h3>Warnings</h3>", "days old", "<h2>Assumptions</h2>", "workload.tokens_b", "Faster for more",
			`value="cheapest 7B fine-tune"`, `v1/recommend?computed_at=2026-10-20T12%3A00%3A00Z&amp;q=cheapest%207B%20fine-tune`}},
		{"in Chinese", "/plans?q=" + url.QueryEscape("最便宜的7B微调") + at, 200, []string{`value="最便宜的7B微调"`, "最优方案", "<dd>微调</dd>", "总成本最低"}},
		{"a Chinese question on an English page", "/plans?lang=en&q=" + url.QueryEscape("最便宜的7B微调") + at, 200, []string{"Best plan", "Least total cost"}},
		{"an English question on a Chinese page", "/plans?lang=zh&q=cheapest+7B+fine-tune" + at, 200, []string{"最优方案", "总成本最低"}},
		{"partly understood", "/plans?q=cheapest+7B+fine-tune+on+blurg" + at, 200, []string{"Not understood, and left out: ", "blurg"}},
		{"no plan", "/plans?q=cheapest+7B+fine-tune+under+%240.01" + at, 200, []string{"<h1>No plan meets the constraints</h1>",
			"<h2>What to relax</h2>", "constraints.budget", "offers were considered"}},
		{"not understood", "/plans?q=good+morning", 422, []string{"<h1>The text can&#39;t be made into a request</h1>", "<li>", "good"}},
		{"no size", "/plans?q=fine-tune", 422, []string{"how large it is", "<dd>Fine-tune</dd>"}},
		{"nothing asked", "/plans", 400, []string{"<h1>The request is not valid</h1>", "<li>q: "}},
		{"twice", "/plans?q=a&q=b", 400, []string{"given twice"}},
		{"a broken query", "/plans?q=%zz", 400, []string{"not well formed"}},
		{"hostile", "/plans?q=" + url.QueryEscape(`"><script>alert(1)</script>`), 422, []string{"&#34;&gt;&lt;script&gt;"}},
		{"a form", "/plans?kind=finetune&model=7B&epochs=2&countries=EU,+US&purchase_models=on_demand&purchase_models=spot&epochs=" + at, 200,
			[]string{"Best plan", `id="f-model" name="model" type="text" autocomplete="off" maxlength="300" value="7B"`, `value="EU, US"`}},
		{"a form for hardware", "/plans?kind=rental&gpu=A100&gpu_count=8&rental_hours=10&model=7B" + at, 200, []string{"8 x A100"}},
		{"a form with a bad value", "/plans?kind=finetune&model=7B&budget=abc&epochs=1.5" + at, 400, []string{"There is a problem",
			`aria-invalid="true" aria-describedby="f-budget-problem"`, `id="f-epochs-problem"`, `value="abc"`}},
		{"a form with a name misspelt", "/plans?kind=finetune&model=llama-2-7&gpu=Z100" + at, 400, []string{`id="f-model-problem"`, "Did you mean", "llama-2-7b"}},
		{"a form without a model", "/plans?kind=inference", 400, []string{"Needed: ", `id="f-model-problem"`}},
		{"a form of no kind", "/plans?kind=dance", 400, []string{"want one of finetune"}},
		{"a form for development", "/plans?kind=devtest&models=7&vram_gb_each=5&hours_per_day=8&days=20" + at, 200, []string{`value="7"`, "Development"}},
		{"a form for development without anything", "/plans?kind=devtest", 400, []string{`id="f-models-problem"`}},
		{"a form with a request that is none", "/plans?kind=finetune&model=7B&rest=[1]", 400, []string{"rest: want a request"}},
		{"a form with a bad request", "/plans?kind=finetune&model=7B&rest=" + url.QueryEscape(`{"constraints": 5, "x": "\"><b>"}`), 400, []string{"There is a problem", `name="rest"`, "unknown field"}},
		{"offers", "/offers", 200, []string{"<table", "USD per GPU-hour", `aria-sort="ascending"`}},
		{"offers filtered", "/offers?gpu=L4&q=&country=EU&ecc=true&page=x", 200, []string{`value="L4"`}},
		{"no offers", "/offers?gpu=L4&max_price_per_gpu_hour=0.0001", 200, []string{"No offer matches", "filters leave none"}},
		{"offers of no GPU", "/offers?gpu=L44", 400, []string{`id="f-gpu-problem"`, "Did you mean"}},
		{"no such offer", "/offers/nobody.x.y", 404, []string{"no offer has the id"}},
		{"forecast asked for", "/forecast", 200, []string{"What is it?", `id="kind-job"`}},
		{"a forecast", "/forecast?of=offer&gpu=L4&hours_per_day=8&weekdays=mon&weekdays=tue&budget_per_month=1" + at, 200,
			[]string{"Expected in all", "<svg class=\"months\"", "format=xlsx", "Over budget", "2026-11"}},
		{"a forecast of a job", "/forecast?job=cheapest+7B+fine-tune&runs_per_month=4" + at, 200, []string{"Expected in all"}},
		{"a forecast of no job", "/forecast?of=job", 400, []string{`id="f-job-problem"`}},
		{"a bad forecast", "/forecast?of=offer&gpu=L4&months=500", 400, []string{`id="f-months-problem"`}},
		{"a forecast in no format", "/forecast?of=offer&gpu=L4&format=pdf", 400, []string{"want json, csv, xlsx or focus"}},
		{"market", "/market", 200, []string{"Hyperscalers", "GPUs and what they rent for"}},
		{"market of no GPU", "/market?gpu=L44", 400, []string{`id="f-gpu-problem"`}},
		{"coefficients", "/coefficients", 200, []string{"Nothing was measured yet", "probe-agent enroll", "<h2>Priors</h2>", "/coefficients", `id="f-gpu"`}},
		{"coefficients of a GPU", "/coefficients?gpu=L4", 200, []string{"all its instances", "P <span class=\"quiet\">prior</span>", `value="L4"`}},
		{"coefficients in Chinese", "/coefficients?lang=zh", 200, []string{"尚无实测数据", "贡献实测数据"}},
		{"coefficients of no GPU", "/coefficients?gpu=L44", 400, []string{`id="f-gpu-problem"`, "Did you mean"}},
		{"docs", "/v1/docs", 200, []string{"<h1>Tierwise: the API</h1>", `href="./../v1/docs"`, `href="./../v1/openapi.json"`}},
		{"docs take no parameter", "/v1/docs?a=b", 400, []string{`action="./../plans"`}},
		{"a version that is not kept", "/plans?q=cheapest+7B+fine-tune&catalog_version=2020-01-01", 404, []string{"is not kept", "today&#39;s prices", `href="./plans?q=cheapest`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := get(t, router, c.target)
			if answer.StatusCode != c.status {
				t.Errorf("got status %d, want %d", answer.StatusCode, c.status)
			}
			for _, text := range c.want {
				if !strings.Contains(answer.Body, text) {
					t.Errorf("the page has no %q:\n%s", text, answer.Body)
				}
			}
			checkPage(t, answer)
		})
	}
}

// What a page says of plans is what the API answers.
func TestPlansAreTheAPIs(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	query := "q=cheapest+7B+fine-tune" + at
	var response schemas.RecommendResponse
	if err := json.Unmarshal([]byte(get(t, router, "/v1/recommend?"+query).Body), &response); err != nil {
		t.Fatal(err)
	}
	page := get(t, router, "/plans?"+query).Body
	want := []string{response.CatalogVersion, response.ComputedAt}
	for p := range response.Plans {
		plan := &response.Plans[p]
		bill := display.BillOf(plan, response.Currency)
		want = append(want, bill.Total, fmt.Sprintf(`id="plan-%d"`, plan.Rank))
		for i := range plan.Stages {
			row := ""
			for _, cell := range append(bill.Cells[i], bill.Stages[i]) {
				row += fmt.Sprintf(`<td class="n">%s</td>`, cell)
			}
			want = append(want, row, display.OfferName(&plan.Stages[i].Offer))
		}
		for _, w := range plan.Warnings {
			want = append(want, w.Code)
		}
		for _, flip := range plan.Flips {
			want = append(want, template.HTMLEscapeString(flip[1:]))
		}
	}
	for _, a := range response.Assumptions {
		want = append(want, a.Field)
	}
	if len(response.Plans) < 2 || len(response.Plans[0].Stages) < 2 {
		t.Fatalf("%d plans say little", len(response.Plans))
	}
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
}

// The plan of a form is the plan of the same request.
func TestFormIsTheAPIs(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	body := `{"workload": {"kind": "finetune", "model": {"params_b": "7"}, "epochs": 2}, "constraints": {"countries": ["EU"], "purchase_models": ["on_demand"]}, "objective": "time", "language": "en"}`
	e := events.APIGatewayV2HTTPRequest{RawPath: "/v1/recommend", RawQueryString: strings.TrimPrefix(at, "&"), Body: body}
	e.RequestContext.HTTP.Method = "POST"
	answer, err := router.Serve(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	var response schemas.RecommendResponse
	if err := json.Unmarshal([]byte(answer.Body), &response); err != nil {
		t.Fatal(err)
	}
	page := get(t, router, "/plans?kind=finetune&model=7b&epochs=2&countries=EU&purchase_models=on_demand&objective=time&frames=10"+at).Body
	if len(response.Plans) == 0 {
		t.Fatal("there is no plan to compare")
	}
	for i := range response.Plans {
		if total := display.BillOf(&response.Plans[i], "USD").Total; !strings.Contains(page, total+" USD") {
			t.Errorf("the page has no plan at %s", total)
		}
	}
}

// What is to be relaxed is a link to a plan.
func TestRelaxed(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	_, link, ok := strings.Cut(get(t, router, "/plans?q=cheapest+7B+fine-tune+under+%240.01"+at).Body, `least total of any plan within the other constraints <a href="./`)
	if !ok {
		t.Fatal("there is no link")
	}
	link, _, _ = strings.Cut(link, `"`)
	if answer := get(t, router, "/"+html.UnescapeString(link)+at); answer.StatusCode != 200 || !strings.Contains(answer.Body, `class="amount"`) {
		t.Errorf("%s: status %d, or no plan", link, answer.StatusCode)
	}
}

// A forecast's downloads are the files of the API.
func TestDownloads(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	for format, want := range map[string]string{
		"csv": "text/csv", "focus": "text/csv", "json": "application/json",
		"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	} {
		answer := get(t, router, "/forecast?of=offer&gpu=L4&hours_per_day=8&months=3&format="+format+at)
		if answer.StatusCode != 200 || !strings.HasPrefix(answer.Headers["content-type"], want) || len(answer.Body) < 100 {
			t.Errorf("%s: status %d, %s", format, answer.StatusCode, answer.Headers["content-type"])
		}
		if named := strings.HasPrefix(answer.Headers["content-disposition"], "attachment"); named != (format != "json") {
			t.Errorf("%s: disposition %q", format, answer.Headers["content-disposition"])
		}
	}
}

// The page of an offer says what the API says of it, and what it cost before.
func TestOffer(t *testing.T) {
	s := smallCatalogue(t)
	router := routerOver(t, s)
	o := &s.Offers()[0]
	answer := get(t, router, "/offers/"+url.PathEscape(string(o.ID)))
	if answer.StatusCode != 200 {
		t.Fatalf("got status %d", answer.StatusCode)
	}
	checkPage(t, answer)
	for _, text := range []string{string(o.ID), "Price history", "A month, always on", o.Source} {
		if !strings.Contains(answer.Body, template.HTMLEscapeString(text)) {
			t.Errorf("the page has no %q", text)
		}
	}
}

// past keeps one earlier catalogue.
type past struct{ kept *catalog.Snapshot }

// Load opens it.
func (p past) Load(_ context.Context, v catalog.Version) (*catalog.Snapshot, error) {
	if v != p.kept.Version() {
		return nil, fmt.Errorf("load %s: %w", v, catalog.ErrNotFound)
	}
	return p.kept, nil
}

// A link to an answer keeps it when the catalogue has moved on.
func TestShare(t *testing.T) {
	then := smallCatalogue(t)
	now, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	first := get(t, routerOver(t, then), "/plans?q=cheapest+7B+fine-tune").Body
	_, link, _ := strings.Cut(first, `id="share" href="./`)
	link, _, _ = strings.Cut(link, `"`)
	link = "/" + html.UnescapeString(link)
	router := apigw.NewRouter(slog.New(slog.DiscardHandler), noon, siteOver(t, past{then}).Routes(now)...)
	for range 2 { // from the store, then as it is held
		again := get(t, router, link)
		checkPage(t, again)
		_, amount, _ := strings.Cut(first, `class="amount">`)
		amount, _, _ = strings.Cut(amount, "<")
		if again.StatusCode != 200 || !strings.Contains(again.Body, `class="amount">`+amount) || !strings.Contains(again.Body, "Answered from the earlier catalogue") {
			t.Errorf("%s: status %d does not answer %s:\n%s", link, again.StatusCode, amount, again.Body)
		}
	}
	if today := get(t, router, "/plans?q=cheapest+7B+fine-tune").Body; strings.Contains(today, string(then.Version())) {
		t.Error("today's page is answered from the earlier catalogue")
	}
}

// A reader gets the language that he asks for, that of his question, or that of his
// browser.
func TestLanguage(t *testing.T) {
	for _, row := range []struct {
		query, header string
		want          language
	}{
		{"", "", english}, {"", "zh-CN,zh;q=0.9,en;q=0.8", chinese}, {"", "en-GB,en;q=0.9,zh;q=0.8", english}, {"", "fr,zh;q=0.2", chinese},
		{"", "zh;q=x, *", english}, {"lang=en", "zh", english}, {"lang=zh", "en", chinese}, {"q=%E5%BE%AE%E8%B0%83", "en", chinese}, {"q=%E5%BE%AE%E8%B0%83&lang=en", "zh", english},
	} {
		values, err := url.ParseQuery(row.query)
		if err != nil {
			t.Fatal(err)
		}
		r := &apigw.Request{Query: values, Header: http.Header{"Accept-Language": {row.header}}}
		if got := languageOf(r); got != row.want {
			t.Errorf("%q with %q: got %s, want %s", row.query, row.header, got, row.want)
		}
	}
}

// spoken are the texts that pages name.
func spoken(t *testing.T) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	quoted := regexp.MustCompile("\\bt \"((?:[^\"\\\\]|\\\\.)*)\"")
	names, err := assets.ReadDir("assets")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			all[m[1]] = true
		}
	}
	for _, in := range slices.Concat(planInputs(), offerInputs(), forecastInputs(), marketInputs(), coefficientInputs()) {
		all[in.Label], all[in.Hint] = true, true
		for _, c := range in.Choices {
			all[c.Label] = true
		}
	}
	for _, c := range slices.Concat(kinds(), tiers()) {
		all[c.Label] = true
	}
	for _, reason := range display.Reasons() {
		all[reason] = true
	}
	delete(all, "")
	return all
}

// Every text of the pages is there in Chinese, with the arguments of the English one.
func TestWords(t *testing.T) {
	words, err := wordsOf(chinese)
	if err != nil {
		t.Fatal(err)
	}
	verb := regexp.MustCompile(`%(?:\[\d\])?([sd%])`)
	verbs := func(text string) []string {
		var all []string
		for _, m := range verb.FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	for text := range spoken(t) {
		translated, ok := words[text]
		if !ok {
			t.Errorf("there is no Chinese for %q", text)
		} else if !slices.Equal(verbs(text), verbs(translated)) {
			t.Errorf("%q and %q have other arguments", text, translated)
		}
	}
}

// What a first visitor transfers for a first plan is small.
func TestSize(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(t, s)
	const most = 200_000
	for _, q := range []string{"cheapest 7B fine-tune", "qlora 70b under $200 in 24h, eu only, no spot", "8xH100 for a week", "最便宜的7B微调"} {
		answer := get(t, router, "/plans?q="+url.QueryEscape(q))
		sum := len(answer.Body)
		for _, part := range regexp.MustCompile(`(?:href|src)="\./(assets/[^"]+)"`).FindAllStringSubmatch(answer.Body, -1) {
			file := get(t, router, "/"+part[1])
			if file.StatusCode != 200 || file.Headers["cache-control"] == "" {
				t.Errorf("%s: status %d", part[1], file.StatusCode)
			}
			sum += len(file.Body)
		}
		if answer.StatusCode != 200 || sum > most || sum < 20_000 {
			t.Errorf("%s: status %d, %d bytes in all, want %d at most", q, answer.StatusCode, sum, most)
		}
	}
}

// BenchmarkFirstPlan is the page of a plan over the embedded catalogue.
func BenchmarkFirstPlan(b *testing.B) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	router := routerOver(b, s)
	b.ReportAllocs()
	for b.Loop() {
		if answer := get(b, router, "/plans?q=cheapest+7B+fine-tune"); answer.StatusCode != 200 {
			b.Fatalf("status %d", answer.StatusCode)
		}
	}
}

// stale is a source that can't be asked.
type stale struct{ *catalog.Snapshot }

// Latest is a catalogue that is an hour old.
func (s stale) Latest(context.Context) (mirror.View, error) {
	return mirror.View{Snapshot: s.Snapshot, Stale: true, Age: time.Hour}, nil
}

// Reach fails, as it must.
func (stale) Reach(context.Context) error { return errors.New("connection refused") }

func TestStale(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	current := endpoint.NewCurrent(stale{smallCatalogue(t)}, log, func(s *catalog.Snapshot) *apigw.Router { return routerOver(t, s) })
	for _, target := range []string{"/", "/plans?q=cheapest+7B+fine-tune" + at, "/offers", "/market"} {
		answer := get(t, current, target)
		if answer.StatusCode != 200 || !strings.Contains(answer.Body, "prices may have changed since") {
			t.Errorf("%s does not say that prices may have changed: status %d", target, answer.StatusCode)
		}
		checkPage(t, answer)
	}
}

// Every path, parameter, document and field of the description is on its page.
func TestDocs(t *testing.T) {
	page := get(t, routerOver(t, smallCatalogue(t)), "/v1/docs").Body
	text, err := schemas.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var want []string
	for path, methods := range document.Paths {
		for method, o := range methods {
			want = append(want, fmt.Sprintf(`<h3 id="%s"><code>%s %s</code></h3>`, o.OperationID, strings.ToUpper(method), path))
		}
	}
	delete(document.Components.Schemas, "common") // no document, but a holder of others
	for name, s := range document.Components.Schemas {
		want = append(want, fmt.Sprintf(`<h3 id="document-%s">`, name))
		for field, inner := range s.Properties {
			want = append(want, "<code>"+field+"</code>")
			for part := range inner.Properties {
				want = append(want, "<code>"+field+"."+part+"</code>")
			}
		}
	}
	if len(want) < 300 {
		t.Errorf("the description has only %d parts", len(want))
	}
	for _, part := range want {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s", part)
		}
	}
	if strings.Contains(page, "any value") {
		t.Error("the page does not know the type of some value")
	}
}

// The page of the API is made once, whoever asks for it first.
func TestConcurrentDocs(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	bodies := make(chan string)
	const readers = 8
	for range readers {
		go func() { bodies <- get(t, router, "/v1/docs").Body }()
	}
	first := <-bodies
	for range readers - 1 {
		if body := <-bodies; body != first {
			t.Error("two readers got different pages")
		}
	}
}

// Whatever is asked, the answer is a page.
func FuzzQuestion(f *testing.F) {
	for _, text := range []string{"", "cheapest 7B fine-tune", "\x00\x01\xff", "]]>--><!--", "{{.}}", "'\"><img src=x onerror=alert(1)>", "\u202e\ufffe\u2028"} {
		f.Add(text)
	}
	router := routerOver(f, smallCatalogue(f))
	f.Fuzz(func(t *testing.T, text string) {
		answer := get(t, router, "/plans?q="+url.QueryEscape(text))
		if answer.StatusCode != 200 && answer.StatusCode != 400 && answer.StatusCode != 422 {
			t.Errorf("got status %d", answer.StatusCode)
		}
		checkPage(t, answer)
	})
}

// However many links to earlier answers come at once, each gets its catalogue.
func TestConcurrentEditions(t *testing.T) {
	then := smallCatalogue(t)
	x := siteOver(t, past{then})
	got := make(chan catalog.Version)
	const readers = 8
	for range readers {
		go func() {
			e, err := x.past.at(t.Context(), then.Version())
			if err != nil {
				got <- ""
				return
			}
			got <- e.snapshot.Version()
		}()
	}
	for range readers {
		if v := <-got; v != then.Version() {
			t.Errorf("got version %q", v)
		}
	}
	if len(x.past.held) > mostEditions {
		t.Errorf("%d versions are held", len(x.past.held))
	}
}
