package stack_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/catalog/dynamo/dynamotest"
	"github.com/tierwise/tierwise/functions/internal/supply"
	"github.com/tierwise/tierwise/schemas"
)

// build makes the bootstrap of a function as the Makefile does for SAM, for the
// processor of this machine.
func build(t testing.TB, function string) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", root, "build-"+logical(function), "ARTIFACTS_DIR="+dir, "GOARCH="+runtime.GOARCH)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", function, err, out)
	}
	return filepath.Join(dir, "bootstrap")
}

// lambda is a function under the emulator.
type lambda struct {
	url string
	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes what the emulator and the function print.
func (l *lambda) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(p)
}

// String is what they printed.
func (l *lambda) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// freePort is a port that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a bootstrap under the emulator, with a table at an endpoint.
func start(t testing.TB, bootstrap, table, endpoint string) *lambda {
	t.Helper()
	emulator := filepath.Join(root, ".tools", "bin", "aws-lambda-rie")
	if _, err := os.Stat(emulator); err != nil {
		t.Fatalf("the emulator is not installed (no %s): run \"make tools\", or \"make test\", which does so first", emulator)
	}
	address := freePort(t)
	l := &lambda{url: "http://" + address + "/2015-03-31/functions/function/invocations"}
	command := exec.CommandContext(t.Context(), emulator, "--runtime-interface-emulator-address", address, "--runtime-api-address", freePort(t), bootstrap)
	command.Env = append(os.Environ(), "TABLE="+table, "AWS_ENDPOINT_URL_DYNAMODB="+endpoint, "AWS_REGION="+api.Connection.Region,
		"AWS_ACCESS_KEY_ID="+api.Connection.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+api.Connection.SecretAccessKey)
	command.Stdout, command.Stderr = l, l
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Log(l.String())
		}
	})
	return l
}

// invoke sends an event and reads the answer.
func (l *lambda) invoke(t testing.TB, event, answer any) {
	t.Helper()
	document, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var response *http.Response
	for range 100 { // until it listens
		if response, err = http.Post(l.url, "application/json", bytes.NewReader(document)); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
}

// get is an event of the HTTP API.
func get(path, query string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: "$default", RawPath: path, RawQueryString: query}
	e.RequestContext.Stage = "$default"
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path = http.MethodGet, path
	return e
}

// asked is an event of the HTTP API: a GET with a query, or a POST of a JSON document.
func asked(path, query string) events.APIGatewayV2HTTPRequest {
	if !strings.HasPrefix(query, "{") {
		return get(path, query)
	}
	e := get(path, "")
	e.RequestContext.HTTP.Method, e.Body = http.MethodPost, query
	return e
}

// answers are what each function must answer, from the catalogue that refresh published.
var answers = []struct {
	function, path, query string
	check                 func(body string) error
}{
	{"recommend", "/v1/recommend", "q=cheapest+7B+fine-tune", schema(schemas.RecommendResponseSchema)},
	{"offers", "/v1/offers", "gpu=A100&limit=3", schema(schemas.OffersResponseSchema)},
	{"tco", "/v1/tco", `{"resources": [{"offer": {"gpu": "A100"}}]}`, schema(schemas.TCOResponseSchema)},
	{"forecast", "/v1/forecast", `{"months": 3, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`, schema(schemas.ForecastResponseSchema)},
	{"web", "/healthz", "", schema(schemas.HealthSchema)},
	{"web", "/", "", contains("</form>")},
	{"web", "/plans", "q=cheapest+7B+fine-tune", contains("<h1>Best plan: ")},
}

// schema checks that a body is a document of a schema.
func schema(name schemas.Name) func(string) error {
	return func(body string) error { return schemas.Validate(name, []byte(body)) }
}

// contains checks that a body is a page with a text in it.
func contains(text string) func(string) error {
	return func(body string) error {
		if !strings.Contains(body, text) || !strings.HasSuffix(body, "</html>\n") {
			return fmt.Errorf("want a page with %q", text)
		}
		return nil
	}
}

// TestStack makes the table of the template, lets refresh fill it, and asks the
// other functions, all under AWS's emulator of the Lambda runtime.
func TestStack(t *testing.T) {
	table := create(t)["Table"]
	checkTable(t, table)
	refresh := start(t, build(t, "refresh"), table, api.Connection.Endpoint)
	var first, again supply.Refreshed
	refresh.invoke(t, map[string]string{"source": "aws.events"}, &first)
	refresh.invoke(t, map[string]string{"source": "aws.events"}, &again)
	if !first.Published || first.Offers == 0 || again.Published || again.Version != first.Version {
		t.Fatalf("refresh did %+v, then %+v, want the baseline published once", first, again)
	}
	for _, a := range answers {
		t.Run(a.function+a.path, func(t *testing.T) {
			bootstrap := build(t, a.function)
			l := start(t, bootstrap, table, api.Connection.Endpoint)
			var answer events.APIGatewayV2HTTPResponse
			l.invoke(t, asked(a.path, a.query), &answer)
			if err := a.check(answer.Body); answer.StatusCode != http.StatusOK || err != nil {
				t.Errorf("status %d, %v: %.500s", answer.StatusCode, err, answer.Body)
			}
			if !strings.Contains(answer.Body, string(first.Version)) || answer.Headers["x-tierwise-stale"] != "" {
				t.Errorf("it does not answer from version %s: %v %.300s", first.Version, answer.Headers, answer.Body)
			}
			down := start(t, bootstrap, table, "http://127.0.0.1:1")
			down.invoke(t, asked(a.path, a.query), &answer)
			if answer.StatusCode != http.StatusOK || answer.Headers["x-tierwise-stale"] != "true" {
				t.Errorf("without DynamoDB: status %d, headers %v, want 200 and stale", answer.StatusCode, answer.Headers)
			}
		})
	}
}

// BenchmarkInit is the time from the start of recommend's process to its first
// answer, that it has no such path, as the emulator reports it, with the seed in the table. The
// emulator starts the process with the first event, and counts its start as part
// of that.
func BenchmarkInit(b *testing.B) {
	c := api.Connection
	table := dynamotest.Table()
	store := dynamo.New(dynamo.Config{Client: c.Client(), Table: table, Now: time.Now, Random: rand.Reader})
	if err := store.CreateTable(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := supply.Refresh(b.Context(), store); err != nil {
		b.Fatal(err)
	}
	bootstrap := build(b, "recommend")
	total := 0.0
	for b.Loop() {
		l := start(b, bootstrap, table, c.Endpoint)
		var answer events.APIGatewayV2HTTPResponse
		l.invoke(b, get("/nothing", ""), &answer)
		total += reported(b, l.String(), "Init Duration: ") + reported(b, l.String(), "\tDuration: ")
	}
	b.ReportMetric(total/float64(b.N), "init+first-ms")
}

// reported is a figure of the emulator's report.
func reported(b *testing.B, log, name string) float64 {
	b.Helper()
	_, rest, ok := strings.Cut(log, name)
	figure, _, _ := strings.Cut(rest, " ms")
	ms, err := strconv.ParseFloat(figure, 64)
	if !ok || err != nil {
		b.Fatalf("no %q in %s", name, log)
	}
	return ms
}

// checkTable tests what was made of the template's table.
func checkTable(t *testing.T, table string) {
	t.Helper()
	out, err := api.Connection.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, k := range out.Table.KeySchema {
		got += fmt.Sprintf("%s %s ", *k.AttributeName, k.KeyType)
	}
	if got != "PK HASH SK RANGE " || out.Table.BillingModeSummary.BillingMode != types.BillingModePayPerRequest {
		t.Errorf("the table has the keys %sand is billed %v", got, out.Table.BillingModeSummary)
	}
}
