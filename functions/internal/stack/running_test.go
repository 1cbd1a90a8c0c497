package stack_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/refresh"
	"github.com/tierwise/tierwise/schemas"
)

// recorded is an event as AWS sent it.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "events", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// event is the recorded event of the HTTP API for another request: "GET /path?query",
// with a key and a body if they are not "".
func event(t testing.TB, request, key, body string) events.APIGatewayV2HTTPRequest {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(recorded(t, "http"), &e); err != nil {
		t.Fatal(err)
	}
	method, target, _ := strings.Cut(request, " ")
	at, query, _ := strings.Cut(target, "?")
	e.RawPath, e.RawQueryString, e.Body = at, query, body
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path = method, at
	if key != "" {
		e.Headers["authorization"] = "Bearer " + key
	}
	if body != "" {
		e.Headers["content-type"] = "application/json"
	}
	return e
}

// answers are what each function must answer, from the catalogue that refresh published.
var answers = []struct {
	function, request, body string
	tenant                  string // whose key it carries
	check                   func(body string) error
}{
	{"recommend", "GET /v1/recommend?q=cheapest+7B+fine-tune", "", "", schema(schemas.RecommendResponseSchema)},
	{"recommend", "POST /v1/recommend", `{"workload": {"kind": "finetune", "method": "lora", "model": {"name": "llama-2-7b"}}}`, "", schema(schemas.RecommendResponseSchema)},
	{"recommend", "POST /v1/estimate", `{"workload": {"kind": "finetune", "method": "lora", "model": {"name": "llama-2-7b"}}, "hardware": {"gpu": "A100-80GB-SXM"}}`, "", schema(schemas.EstimateResponseSchema)},
	{"offers", "GET /v1/offers?gpu=A100&limit=3", "", "", schema(schemas.OffersResponseSchema)},
	{"tco", "POST /v1/tco", `{"resources": [{"offer": {"gpu": "A100"}}]}`, "", schema(schemas.TCOResponseSchema)},
	{"forecast", "POST /v1/forecast", `{"months": 3, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`, "", schema(schemas.ForecastResponseSchema)},
	{"forecast", "PUT /v1/portfolios/main", `{"months": 3, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`, "acme", schema(schemas.PortfolioSchema)},
	{"forecast", "GET /v1/portfolios/main", "", "acme", schema(schemas.PortfolioSchema)},
	{"forecast", "GET /v1/portfolios/main/forecast", "", "acme", schema(schemas.ForecastResponseSchema)},
	{"forecast", "DELETE /v1/portfolios/main", "", "acme", func(string) error { return nil }},
	{"web", "GET /healthz", "", "", schema(schemas.HealthSchema)},
	{"web", "GET /healthz?deep=true", "", "", schema(schemas.HealthSchema)},
	{"web", "GET /", "", "", contains("</form>")},
	{"web", "GET /offers?catalog_version=%s", "", "", contains("</table>")},
	{"web", "GET /plans?q=cheapest+7B+fine-tune", "", "", contains("Best plan")},
}

// bed is the table of the template, filled by refresh, with a key for each of two
// tenants.
type bed struct {
	table   string
	version string
	earlier string // a version that was current before
	keys    map[string]string
	policy  map[string][]statement
}

// lay makes the table of the template, lets refresh fill it, and issues keys.
func lay(t *testing.T) bed {
	t.Helper()
	b := bed{table: create(t)["Table"], keys: make(map[string]string), policy: permissions(t)}
	checkTable(t, b.table)
	store := dynamo.New(dynamo.Config{Client: api.Connection.Client(), Table: b.table, Now: time.Now, Random: rand.Reader})
	for _, tenant := range []string{"acme", "other"} {
		text, key, err := apikey.Issue(rand.Reader, catalog.TenantID(tenant), "test", time.Now())
		if err == nil {
			err = store.PutKey(t.Context(), key)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.keys[tenant] = text
	}
	b.version, b.earlier = b.refresh(t, store)
	return b
}

// prices is a server of a table of prices, with a row that nobody can read.
type prices struct {
	url string
	mu  sync.Mutex
	gpu map[string]string // price of an hour by kind
}

// newPrices is a server with first prices.
func newPrices(t *testing.T) *prices {
	t.Helper()
	p := &prices{gpu: map[string]string{"A100": "1.29", "A10": "0.75"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = io.WriteString(w, "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n"+
			"gpu_1x_a100,A100,1.0,30.0,200.0,"+p.gpu["A100"]+",,us-east-1\ngpu_1x_a10,A10,1.0,30.0,200.0,"+p.gpu["A10"]+",,us-east-1\ngpu_1x_bad,A10,1.0,30.0,200.0,N/A,,us-east-1\n")
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// set changes a price.
func (p *prices) set(gpu, price string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gpu[gpu] = price
}

// due makes every feed due now.
func due(t *testing.T, store *dynamo.Store) {
	t.Helper()
	runs, err := store.FeedRuns(t.Context())
	for _, r := range runs {
		r.DueAt = time.Now().Add(-time.Hour)
		err = errors.Join(err, store.PutFeedRun(t.Context(), r))
	}
	if err != nil || len(runs) == 0 {
		t.Fatalf("%d feeds, %v", len(runs), err)
	}
}

// refresh runs the refresh function on an empty table, the same event twice, which
// publishes once; then with prices that moved, and one that nobody believes; then on a
// table that is full of older versions, which it replaces and clears away.
func (b bed) refresh(t *testing.T, store *dynamo.Store) (now, earlier string) {
	t.Helper()
	from, seen := newPrices(t), watch(t)
	t.Setenv(refresh.Variable, "skypilot/lambda@"+from.url)
	refreshing := start(t, build(t, "refresh"), b.table, seen.url)
	schedule := json.RawMessage(recorded(t, "schedule"))
	var first, again refresh.Done
	refreshing.invoke(t, schedule, &first)
	refreshing.invoke(t, schedule, &again)
	if !first.Published || first.Offers == 0 || again.Published || again.Version != first.Version {
		t.Fatalf("refresh did %+v, then %+v, want the baseline published once", first, again)
	}
	if len(first.Feeds) != 1 || first.Feeds[0].Error != "" || first.Feeds[0].Held != 1 || len(again.Feeds) != 0 {
		t.Fatalf("refresh imported %+v, then %+v, want one feed once", first.Feeds, again.Feeds)
	}
	from.set("A10", "0.79")
	from.set("A100", "0.01")
	due(t, store)
	refreshing.invoke(t, schedule, &again)
	if !again.Published || len(again.Feeds) != 1 || again.Feeds[0].Held != 2 || again.Feeds[0].Changed == 0 {
		t.Fatalf("refresh did %+v, want one price changed and another held back", again)
	}
	from.set("A100", "1.29")
	due(t, store)
	refreshing.invoke(t, schedule, &again)
	if len(again.Feeds) != 1 || again.Feeds[0].Held != 1 {
		t.Fatalf("refresh did %+v, want nothing new held back", again)
	}
	base := again.Version
	for n := range 12 {
		next := catalogtest.Snapshot(t, catalog.Version(fmt.Sprintf("seed-2020-01-01-%08d", n)), 1)
		if _, err := store.Publish(t.Context(), base, next); err != nil {
			t.Fatal(err)
		}
		base = next.Version()
	}
	refreshing.invoke(t, schedule, &again)
	if !again.Published {
		t.Errorf("refresh did %+v, want the baseline published anew", again)
	}
	checkDeeds(t, "refresh", b.policy["refresh"], seen.deeds())
	return string(again.Version), string(base)
}

// TestStack asks every function of the HTTP API under AWS's emulator of the Lambda
// runtime: from the table, without it, and while it is over its capacity.
func TestStack(t *testing.T) {
	b := lay(t)
	for _, function := range functions(t) {
		var mine []int
		for i := range answers {
			if answers[i].function == function {
				mine = append(mine, i)
			}
		}
		if len(mine) == 0 && !slices.Contains([]string{"refresh", "slack", "mcp", "measurements", "aggregate"}, function) { // which tests of their own ask
			t.Errorf("%s is asked nothing", function)
		}
		if len(mine) == 0 {
			continue
		}
		t.Run(function, func(t *testing.T) { b.ask(t, function, mine) })
	}
}

// ask asks a function all that it must answer, and holds what it did to its policy.
func (b bed) ask(t *testing.T, function string, which []int) {
	bootstrap, seen := build(t, function), watch(t)
	l := start(t, bootstrap, b.table, seen.url)
	for _, i := range which {
		a := answers[i]
		var answer events.APIGatewayV2HTTPResponse
		l.invoke(t, event(t, strings.Replace(a.request, "%s", b.earlier, 1), b.keys[a.tenant], a.body), &answer)
		if err := a.check(answer.Body); answer.StatusCode/100 != 2 || err != nil {
			t.Errorf("%s: status %d, %v: %.500s", a.request, answer.StatusCode, err, answer.Body)
		}
		if a.tenant == "" && !strings.Contains(answer.Body, b.version) && !strings.Contains(a.request, "%s") || answer.Headers["x-tierwise-stale"] != "" {
			t.Errorf("%s does not answer from version %s: %v %.300s", a.request, b.version, answer.Headers, answer.Body)
		}
	}
	checkDeeds(t, function, b.policy[function], seen.deeds())
	misuse(t, function, l, b.keys["acme"])
	throttled := watch(t)
	throttled.throttle(true)
	for name, endpoint := range map[string]string{"without DynamoDB": "http://127.0.0.1:1", "over its capacity": throttled.url} {
		a, down := answers[which[0]], start(t, bootstrap, b.table, endpoint)
		var answer events.APIGatewayV2HTTPResponse
		down.invoke(t, event(t, a.request, "", a.body), &answer)
		if answer.StatusCode != http.StatusOK || answer.Headers["x-tierwise-stale"] != "true" || answer.Headers["x-tierwise-stale-seconds"] == "" {
			t.Errorf("%s: status %d, headers %v, want 200 and stale", name, answer.StatusCode, answer.Headers)
		}
		if strings.HasPrefix(answer.Body, "{") && !strings.Contains(answer.Body, `"stale":true`) {
			t.Errorf("%s: the answer does not say that it is stale: %.300s", name, answer.Body)
		}
	}
}

// A tenant's own things are refused to everyone else, as if they were not there.
func TestTenants(t *testing.T) {
	b := lay(t)
	l := start(t, build(t, "forecast"), b.table, api.Connection.Endpoint)
	put := event(t, "PUT /v1/portfolios/main", b.keys["acme"], `{"months": 3, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`)
	var answer events.APIGatewayV2HTTPResponse
	if l.invoke(t, put, &answer); answer.StatusCode != http.StatusOK {
		t.Fatalf("put: got status %d: %s", answer.StatusCode, answer.Body)
	}
	key := b.keys["acme"]
	token := event(t, "GET /v1/portfolios/main", "", "")
	token.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"tenant": "acme"}},
	}
	others := event(t, "GET /v1/portfolios/main", "", "")
	others.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"tenant": "other"}},
	}
	over := event(t, "GET /v1/portfolios/main", "", "")
	over.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"tenant": "acme", "exp": "1700000000"}},
	}
	nobodys := event(t, "GET /v1/portfolios/main", "", "")
	nobodys.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"sub": "someone"}},
	}
	for name, row := range map[string]struct {
		event  events.APIGatewayV2HTTPRequest
		status int
	}{
		"its own":                  {event(t, "GET /v1/portfolios/main", key, ""), 200},
		"another tenant's":         {event(t, "GET /v1/portfolios/main", b.keys["other"], ""), 404},
		"no key":                   {event(t, "GET /v1/portfolios/main", "", ""), 401},
		"a forged secret":          {event(t, "GET /v1/portfolios/main", key[:len(key)-8]+"00000000", ""), 401},
		"another tenant's name":    {event(t, "GET /v1/portfolios/main", strings.Replace(key, "acme", "other", 1), ""), 401},
		"a token, not a key":       {event(t, "GET /v1/portfolios/main", "eyJhbGciOiJub25lIn0.eyJ0ZW5hbnQiOiJhY21lIn0.", ""), 401},
		"a token that was checked": {token, 200},
		"a token of another":       {others, 404},
		"a token of no tenant":     {nobodys, 401},
		"a token that is over":     {over, 401},
	} {
		if l.invoke(t, row.event, &answer); answer.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", name, answer.StatusCode, row.status, answer.Body)
		}
		if row.status != 200 && answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%s: got %v, want a problem document", name, answer.Headers)
		}
	}
	throttled := watch(t)
	throttled.throttle(true)
	down := start(t, build(t, "forecast"), b.table, throttled.url)
	down.invoke(t, event(t, "GET /v1/portfolios/main", key, ""), &answer)
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Headers["retry-after"] == "" || schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)) != nil {
		t.Errorf("while the table is over its capacity: got status %d, %v: %s", answer.StatusCode, answer.Headers, answer.Body)
	}
	if log := l.String() + down.String(); strings.Contains(log, key[len(key)-64:]) || strings.Contains(log, "acme") {
		t.Errorf("the log has a key or a tenant: %s", log)
	}
}
