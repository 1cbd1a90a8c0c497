package endpoint

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/shopspring/decimal"
	"github.com/xuri/excelize/v2"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// keeper is a router over portfolios in a store of its own, with keys of two tenants.
type keeper struct {
	t           *testing.T
	router      *apigw.Router
	store       *bolt.Store
	acme, other string
	now         time.Time
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{t: t, now: noon(), store: bolt.New(filepath.Join(t.TempDir(), "c.db"), noon, bolt.Options{})}
	issue := func(tenant catalog.TenantID) string {
		text, key, err := apikey.Issue(rand.Reader, tenant, "test", noon())
		if err = errors.Join(err, k.store.PutKey(t.Context(), key)); err != nil {
			t.Fatal(err)
		}
		return text
	}
	k.acme, k.other = issue("acme"), issue("other")
	clock := func() time.Time { return k.now }
	forecasts := NewForecast(engine.New(smallCatalogue(t)), clock)
	k.router = apigw.NewRouter(slog.New(slog.DiscardHandler), clock, NewPortfolios(forecasts, k.store).Routes()...)
	return k
}

// ask sends a request with a key and more headers, by name and value.
func (k *keeper) ask(method, target, key, body string, headers ...string) events.APIGatewayV2HTTPResponse {
	k.t.Helper()
	e := event(method, target, body)
	if key != "" {
		e.Headers["authorization"] = "Bearer " + key
	}
	for i := 0; i < len(headers); i += 2 {
		e.Headers[headers[i]] = headers[i+1]
	}
	return serve(k.t, k.router, e)
}

// want fails unless an answer has a status.
func (k *keeper) want(what string, answer events.APIGatewayV2HTTPResponse, status int) {
	k.t.Helper()
	if answer.StatusCode != status {
		k.t.Fatalf("%s: got status %d, want %d: %.300s", what, answer.StatusCode, status, answer.Body)
	}
}

const (
	keptAt    = "/v1/portfolios/team-a"
	serving   = `{"start": "2027-01", "months": 3, "workloads": [{"name": "serving", "resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand"}]}]}`
	notebooks = `{"workloads": [{"name": "notebooks", "resources": [{"offer": {"gpu": "L4"}}]}]}`
)

// TestPortfolios keeps, reads, changes and forgets a portfolio, under preconditions.
func TestPortfolios(t *testing.T) {
	k := newKeeper(t)
	k.want("nothing kept", k.ask("GET", keptAt, k.acme, ""), 404)
	first := k.ask("PUT", keptAt, k.acme, serving, "if-none-match", "*")
	k.want("keep", first, 200)
	if err := schemas.Validate(schemas.PortfolioSchema, []byte(first.Body)); err != nil {
		t.Error(err)
	}
	read := k.ask("GET", keptAt, k.acme, "")
	k.want("read", read, 200)
	tag := read.Headers["etag"]
	if tag == "" || tag != first.Headers["etag"] || read.Body != first.Body {
		t.Errorf("kept as %s with tag %s, read as %s with tag %s", first.Body, first.Headers["etag"], read.Body, tag)
	}
	k.want("read what is held", k.ask("GET", keptAt, k.acme, "", "if-none-match", tag), 304)
	k.want("keep what is there", k.ask("PUT", keptAt, k.acme, notebooks, "if-none-match", "*"), 412)
	k.want("change another", k.ask("PUT", keptAt, k.acme, notebooks, "if-match", `"9-000000000000"`), 412)
	changed := k.ask("PUT", keptAt, k.acme, notebooks, "if-match", tag)
	k.want("change", changed, 200)
	k.want("change the old one", k.ask("PUT", keptAt, k.acme, serving, "if-match", tag), 412)
	k.want("change whatever it is", k.ask("PUT", keptAt, k.acme, serving), 200)
	k.want("forget the old one", k.ask("DELETE", keptAt, k.acme, "", "if-match", tag), 412)
	k.want("forget", k.ask("DELETE", keptAt, k.acme, ""), 204)
	k.want("forget again", k.ask("DELETE", keptAt, k.acme, ""), 204)
	k.want("change what is gone", k.ask("PUT", keptAt, k.acme, serving, "if-match", "*"), 412)
}

// TestPortfoliosAreTheirOwners: nobody sees another's, and nobody anything without a key.
func TestPortfoliosAreTheirOwners(t *testing.T) {
	k := newKeeper(t)
	k.want("keep", k.ask("PUT", keptAt, k.acme, serving), 200)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		answer := k.ask(method, keptAt, "", serving)
		k.want("without a key", answer, 401)
		if answer.Headers["www-authenticate"] == "" {
			t.Error("the answer does not say how to authenticate")
		}
		k.want("with a wrong key", k.ask(method, keptAt, k.acme[:len(k.acme)-4]+"0000", serving), 401)
	}
	password := func(text string) events.APIGatewayV2HTTPResponse {
		return k.ask("GET", keptAt, "", "", "authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(text)))
	}
	k.want("as a password", password("excel:"+k.acme), 200)
	k.want("as a wrong password", password("excel:"+k.acme[:len(k.acme)-4]+"0000"), 401)
	k.want("as a user", password(k.acme), 401)
	k.want("no base64", k.ask("GET", keptAt, "", "", "authorization", "Basic %"), 401)
	k.want("pull without a key", k.ask("GET", keptAt+"/forecast", "", ""), 401)
	k.want("another tenant's", k.ask("GET", keptAt, k.other, ""), 404)
	k.want("another tenant's forecast", k.ask("GET", keptAt+"/forecast", k.other, ""), 404)
	k.want("keep one of the same name", k.ask("PUT", keptAt, k.other, notebooks), 200)
	k.want("forget it", k.ask("DELETE", keptAt, k.other, ""), 204)
	k.want("the first is still there", k.ask("GET", keptAt, k.acme, ""), 200)
}

// TestPull: the URL is stable, its tag changes with what the answer depends on and with
// nothing else, and every format comes.
func TestPull(t *testing.T) {
	k := newKeeper(t)
	k.want("keep", k.ask("PUT", keptAt, k.acme, serving), 200)
	pull := func(query string, headers ...string) events.APIGatewayV2HTTPResponse {
		return k.ask("GET", keptAt+"/forecast"+query, k.acme, "", headers...)
	}
	first := pull("?format=csv&from=2027-02&months=2")
	k.want("pull", first, 200)
	if lines := strings.Count(first.Body, "\r\n"); !strings.HasPrefix(first.Headers["content-type"], "text/csv") || lines != 7 || strings.Contains(first.Body, "2027-01") {
		t.Errorf("%d lines of %s: %s", lines, first.Headers["content-type"], first.Body)
	}
	k.now = k.now.Add(3 * time.Hour)
	again := pull("?format=csv&from=2027-02&months=2")
	if again.Body != first.Body || again.Headers["etag"] != first.Headers["etag"] {
		t.Error("it is not the same later that day")
	}
	k.want("what is held", pull("?format=csv&from=2027-02&months=2", "if-none-match", first.Headers["etag"]), 304)
	for what, other := range map[string]events.APIGatewayV2HTTPResponse{
		"another month": pull("?format=csv&from=2027-03&months=2"), "another format": pull("?format=json&from=2027-02&months=2"), "more months": pull("?format=csv&from=2027-02&months=3"),
	} {
		if other.Headers["etag"] == first.Headers["etag"] || other.StatusCode != 200 {
			t.Errorf("%s: status %d, tag %s", what, other.StatusCode, other.Headers["etag"])
		}
	}
	k.now = k.now.Add(24 * time.Hour)
	if next := pull("?format=csv&from=2027-02&months=2"); next.Headers["etag"] == first.Headers["etag"] {
		t.Error("it has the same tag on another day")
	}
	k.want("focus", pull("?format=focus&focus_version=1.3"), 200)
	book := pull("?format=xlsx")
	k.want("workbook", book, 200)
	content, err := base64.StdEncoding.DecodeString(book.Body)
	if err != nil || !book.IsBase64Encoded {
		t.Fatalf("a workbook of base64 %v, %v", book.IsBase64Encoded, err)
	}
	if _, err := excelize.OpenReader(bytes.NewReader(content)); err != nil {
		t.Error(err)
	}
	for _, query := range []string{"?format=pdf", "?from=January", "?from=2027-13", "?months=0", "?months=61", "?months=x", "?focus_version=1.3", "?format=focus&focus_version=2", "?to=2027-03"} {
		k.want(query, pull(query), 400)
	}
}

// growing is a portfolio of everything that depends on where it begins: growth, a
// commitment and a workload that ends.
const growing = `{"start": "2027-01", "months": 8, "workloads": [
	{"name": "growing", "resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand", "hours_per_day": "8"}], "growth_pct_per_month": "10"},
	{"name": "ending", "end": "2027-02", "resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand"}]}],
	"commitments": [{"offer_id": "aws.us-east-1.p4d-24xlarge.reserved_1y", "months": 3}]}`

// TestPullIsAWindow: a month costs the same whichever month a pull begins with.
func TestPullIsAWindow(t *testing.T) {
	k := newKeeper(t)
	k.want("keep", k.ask("PUT", keptAt, k.acme, growing), 200)
	months := func(query string) map[string]schemas.ForecastMonth {
		answer := k.ask("GET", keptAt+"/forecast"+query, k.acme, "")
		k.want(query, answer, 200)
		var response schemas.ForecastResponse
		if err := json.Unmarshal([]byte(answer.Body), &response); err != nil {
			t.Fatal(err)
		}
		byName := make(map[string]schemas.ForecastMonth)
		for _, m := range response.Months {
			byName[m.Month] = m
		}
		return byName
	}
	all := months("")
	for _, query := range []string{"?from=2027-02", "?from=2027-05&months=4", "?from=2026-11"} {
		for name, m := range months(query) {
			want, in := all[name]
			switch {
			case in && m.Spend != want.Spend:
				t.Errorf("%s: %s costs %+v, and %+v from the beginning", query, name, m.Spend, want.Spend)
			case name < "2027-01" && !decimal.RequireFromString(m.Spend.Expected).IsZero():
				t.Errorf("%s: %s costs %s, before anything begins", query, name, m.Spend.Expected)
			}
		}
	}
	k.want("keep one without a beginning", k.ask("PUT", keptAt, k.acme, strings.Replace(growing, `"start": "2027-01", `, "", 1)), 200)
	k.want("pull after an end", k.ask("GET", keptAt+"/forecast?from=2027-05", k.acme, ""), 200)
}

// TestPullAtOwnPrices: a tenant's own prices make a line of their own, beside the list
// price, and change the tag.
func TestPullAtOwnPrices(t *testing.T) {
	k := newKeeper(t)
	k.want("keep", k.ask("PUT", keptAt, k.acme, serving), 200)
	list := k.ask("GET", keptAt+"/forecast", k.acme, "")
	_, err := k.store.PutOverrides(t.Context(), catalog.Overrides{Tenant: "acme", Rules: []catalog.Override{
		{Provider: "aws", DiscountPct: decimal.NewNullDecimal(decimal.NewFromInt(10))},
	}})
	if err != nil {
		t.Fatal(err)
	}
	own := k.ask("GET", keptAt+"/forecast", k.acme, "")
	var before, after schemas.ForecastResponse
	if err := errors.Join(json.Unmarshal([]byte(list.Body), &before), json.Unmarshal([]byte(own.Body), &after)); err != nil {
		t.Fatal(err)
	}
	full, paid := decimal.RequireFromString(before.Total.Expected), decimal.RequireFromString(after.Total.Expected)
	if !paid.Equal(full.Mul(decimal.RequireFromString("0.9"))) || list.Headers["etag"] == own.Headers["etag"] {
		t.Errorf("10%% off %s is %s; tags %s, %s", full, paid, list.Headers["etag"], own.Headers["etag"])
	}
	if lines := after.Workloads[0].Months[0].Lines; lines["instance"] != before.Workloads[0].Months[0].Lines["instance"] || !strings.HasPrefix(lines["discount"], "-") {
		t.Errorf("lines %v do not show list price and discount", lines)
	}
}

// TestBadPortfolios: what can't be answered is not kept.
func TestBadPortfolios(t *testing.T) {
	k := newKeeper(t)
	k.want("no request", k.ask("PUT", keptAt, k.acme, `{"workloads": []}`), 400)
	k.want("unknown offer", k.ask("PUT", keptAt, k.acme, `{"workloads": [{"resources": [{"offer_id": "x"}]}]}`), 400)
	k.want("no JSON", k.ask("PUT", keptAt, k.acme, serving, "content-type", "text/plain"), 415)
	k.want("too large", k.ask("PUT", keptAt, k.acme, serving+strings.Repeat(" ", schemas.MaxBytes)), http.StatusRequestEntityTooLarge)
	for _, id := range []string{"Team", "-a", "a..b", "%2e%2e", strings.Repeat("a", 65)} {
		k.want("name "+id, k.ask("PUT", "/v1/portfolios/"+id, k.acme, serving), 404)
	}
	k.want("nothing was kept", k.ask("GET", keptAt, k.acme, ""), 404)
}

// TestGzip: a client that takes compressed answers gets large ones so.
func TestGzip(t *testing.T) {
	for header, want := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "*": true, "": false, "br": false, "gzip;q=0": false, "GZIP": true} {
		if got := acceptsGzip(header); got != want {
			t.Errorf("%q: got %v", header, got)
		}
	}
}
