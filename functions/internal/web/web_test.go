package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
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
	"github.com/tierwise/tierwise/functions/internal/engine"
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

// routerOver answers the pages and the plans of a catalogue.
func routerOver(t testing.TB, s *catalog.Snapshot) *apigw.Router {
	t.Helper()
	site, err := NewSite()
	if err != nil {
		t.Fatal(err)
	}
	plans := endpoint.NewRecommend(engine.New(s), noon)
	return apigw.NewRouter(slog.New(slog.DiscardHandler), noon, append(site.Routes(s, plans), plans.Routes()...)...)
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
		{"home", "/", 200, []string{"plans?q=cheapest+7B+fine-tune", " offers of ", "the newest price is of 20"}},
		{"home takes no parameter", "/?a=b", 400, []string{"<h1>The request is not valid</h1>", "unknown query parameter"}},
		{"a plan", "/plans?q=cheapest+7B+fine-tune" + at, 200, []string{"<h1>Best plan: ", "workload.kind finetune", "<h2>Baseline</h2>",
			"The plan saves", "<h2>Warnings</h2>", ">Prices</h2>", "Days old", ">Assumptions</h2>", "workload.tokens_b",
			`value="cheapest 7B fine-tune"`, "v1/recommend?q=cheapest%207B%20fine-tune&amp;computed_at=2026-10-20T12%3a00%3a00Z"}},
		{"in Chinese", "/plans?q=" + url.QueryEscape("最便宜的7B微调") + at, 200, []string{`value="最便宜的7B微调"`, "workload.kind finetune"}},
		{"partly understood", "/plans?q=cheapest+7B+fine-tune+on+blurg" + at, 200, []string{"Not understood, and left out: &#34;", "blurg"}},
		{"no plan", "/plans?q=cheapest+7B+fine-tune+under+%240.01" + at, 200, []string{"<h1>No plan meets the constraints</h1>",
			"<h2>What to relax</h2>", "constraints.budget = ", "offers were considered"}},
		{"not understood", "/plans?q=good+morning", 422, []string{"<h1>The text can&#39;t be made into a request</h1>", "<li>", "good"}},
		{"no size", "/plans?q=fine-tune", 422, []string{"how large it is", "Understood: workload.kind finetune"}},
		{"nothing asked", "/plans", 400, []string{"<h1>The request is not valid</h1>", "<li>q: "}},
		{"twice", "/plans?q=a&q=b", 400, []string{"given twice"}},
		{"a broken query", "/plans?q=%zz", 400, []string{"not well formed"}},
		{"hostile", "/plans?q=" + url.QueryEscape(`"><script>alert(1)</script>`), 422, []string{"&#34;&gt;&lt;script&gt;"}},
		{"docs", "/v1/docs", 200, []string{"<h1>Tierwise: the API</h1>", `href="../"`, `href="openapi.json"`}},
		{"docs take no parameter", "/v1/docs?a=b", 400, []string{`action="../plans"`}},
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

// What a page says of a plan is what the API answers.
func TestPlanIsTheAPIs(t *testing.T) {
	router := routerOver(t, smallCatalogue(t))
	query := "q=cheapest+7B+fine-tune" + at
	var response schemas.RecommendResponse
	if err := json.Unmarshal([]byte(get(t, router, "/v1/recommend?"+query).Body), &response); err != nil {
		t.Fatal(err)
	}
	page, plan := get(t, router, "/plans?"+query).Body, &response.Plans[0]
	bill := display.BillOf(plan, response.Currency)
	if len(plan.Stages) < 2 {
		t.Fatalf("a plan of %d stages says little", len(plan.Stages))
	}
	want := []string{"<h1>Best plan: " + bill.Total + " USD</h1>", response.CatalogVersion, response.ComputedAt}
	for i := range plan.Stages {
		o := &plan.Stages[i].Offer
		row := ""
		for _, cell := range append(bill.Cells[i], bill.Stages[i]) {
			row += fmt.Sprintf(`<td class="n">%s</td>`, cell)
		}
		want = append(want, row, display.OfferName(o), fmt.Sprintf(`<td class="n">%s</td>`, display.Days(o.AgeDays)))
	}
	for _, w := range plan.Warnings {
		want = append(want, w.Code)
	}
	for _, a := range response.Assumptions {
		want = append(want, a.Field)
	}
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
}

// stale is a source that can't be asked.
type stale struct{ *catalog.Snapshot }

// Latest is a catalogue that is an hour old.
func (s stale) Latest(context.Context) (mirror.View, error) {
	return mirror.View{Snapshot: s.Snapshot, Stale: true, Age: time.Hour}, nil
}

func TestStale(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	current := endpoint.NewCurrent(stale{smallCatalogue(t)}, log, func(s *catalog.Snapshot) *apigw.Router { return routerOver(t, s) })
	for _, target := range []string{"/", "/plans?q=cheapest+7B+fine-tune" + at} {
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
