package stack_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
func prices(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n"+
			"gpu_1x_a100,A100,1.0,30.0,200.0,1.29,,us-east-1\ngpu_1x_a10,A10,1.0,30.0,200.0,0.75,,us-east-1\ngpu_1x_bad,A10,1.0,30.0,200.0,N/A,,us-east-1\n")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// refresh runs the refresh function twice on an empty table, which publishes once; then
// on one that is full of older versions, which it replaces and clears away.
func (b bed) refresh(t *testing.T, store *dynamo.Store) (now, earlier string) {
	t.Helper()
	t.Setenv(refresh.Variable, "skypilot/lambda@"+prices(t))
	seen := watch(t)
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
	base := first.Version
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
	checkDeeds(t, "refresh", b.policy["refresh"], seen.deeds(), "HISTORY#*", "HELD#*") // only feeds have prices that change
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
	b.misuse(t, function, l)
	throttled := watch(t)
	throttled.throttle()
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

// misuse sends a function what it must refuse, and looks for it in the log.
func (b bed) misuse(t *testing.T, function string, l *lambda) {
	t.Helper()
	const marker = "c0ffee-marker"
	flood := event(t, "GET /nothing", "", "")
	for i := range 500 {
		flood.Headers[fmt.Sprintf("x-flood-%d", i)] = strings.Repeat(marker, 10)
	}
	broken := event(t, "POST /v1/"+function, "", marker+"*")
	broken.IsBase64Encoded = true
	large := event(t, "POST /v1/"+function, "", base64.StdEncoding.EncodeToString([]byte(strings.Repeat(marker, 200_000))))
	large.IsBase64Encoded = true
	for name, row := range map[string]struct {
		event  events.APIGatewayV2HTTPRequest
		status int
	}{
		"no such path":            {event(t, "GET /v1/"+marker, "", ""), 404},
		"a path that climbs":      {event(t, "GET /v1/../healthz", "", ""), 404},
		"the same in hexadecimal": {event(t, "GET /v1/%2e%2e/healthz", "", ""), 404},
		"a double slash":          {event(t, "GET //healthz", "", ""), 404},
		"a method made up":        {event(t, "BREW /v1/"+marker, "", ""), 404},
		"a flood of headers":      {flood, 404},
		"a query cut short":       {event(t, "GET /v1/"+marker+"?q=%", "", ""), 400},
		"no base64":               {broken, 400},
		"a body too large":        {large, 413},
		"a key of nobody":         {event(t, "GET /v1/"+marker, "tw_acme_0000000000_"+strings.Repeat("0", 64), ""), 404},
	} {
		var answer events.APIGatewayV2HTTPResponse
		l.invoke(t, row.event, &answer)
		if answer.StatusCode != row.status || answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%s: got status %d, %v, want %d and a problem document", name, answer.StatusCode, answer.Headers, row.status)
		}
		if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, secret := range []string{marker, "203.0.113.10", "curl/8.5.0", b.keys["acme"], "tw_acme", "fine-tune"} {
		if strings.Contains(l.String(), secret) {
			t.Errorf("the log has %q", secret)
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
	} {
		if l.invoke(t, row.event, &answer); answer.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", name, answer.StatusCode, row.status, answer.Body)
		}
		if row.status != 200 && answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%s: got %v, want a problem document", name, answer.Headers)
		}
	}
	if log := l.String(); strings.Contains(log, key[len(key)-64:]) || strings.Contains(log, "acme") {
		t.Errorf("the log has a key or a tenant: %s", log)
	}
}
