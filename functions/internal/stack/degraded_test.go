package stack_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/observe"
	"github.com/tierwise/tierwise/functions/internal/refresh"
	"github.com/tierwise/tierwise/functions/internal/supply"
	"github.com/tierwise/tierwise/schemas"
)

// warmed is what a function is made of, over a table and under a clock that the test
// moves.
type warmed struct {
	t       *testing.T
	current *endpoint.Current
	now     time.Time
	log     bytes.Buffer
}

// warm starts one, as a function does.
func warm(t *testing.T, table, endpointURL string) *warmed {
	t.Helper()
	w := &warmed{t: t, now: time.Now()}
	clock := func() time.Time { return w.now }
	variables := map[string]string{
		supply.TableVariable: table, "AWS_REGION": api.Connection.Region, "AWS_ENDPOINT_URL_DYNAMODB": endpointURL,
		"AWS_ACCESS_KEY_ID": api.Connection.AccessKeyID, "AWS_SECRET_ACCESS_KEY": api.Connection.SecretAccessKey,
	}
	log := slog.New(observe.Handler(slog.NewJSONHandler(&w.log, nil), "tierwise"))
	from := supply.Mirror(supply.Environment{Getenv: func(name string) string { return variables[name] }, Now: clock, Random: rand.Reader})
	w.current = endpoint.NewCurrent(from, log, func(s *catalog.Snapshot) *apigw.Router {
		return apigw.NewRouter(log, clock, append(endpoint.Answers(s, clock, endpoint.Charts{}), endpoint.Health(s))...)
	})
	if err := w.current.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// ask asks for plans some time after the last question: from which version, and for how
// long it has been stale, -1 if it is not.
func (w *warmed) ask(after time.Duration) (version string, staleSeconds int) {
	w.t.Helper()
	w.now = w.now.Add(after)
	w.log.Reset()
	answer, err := w.current.Serve(w.t.Context(), event(w.t, question, "", ""))
	var plans schemas.RecommendResponse
	if err != nil || answer.StatusCode != http.StatusOK || json.Unmarshal([]byte(answer.Body), &plans) != nil {
		w.t.Fatalf("status %d, %v: %.300s", answer.StatusCode, err, answer.Body)
	}
	if err := schemas.Validate(schemas.RecommendResponseSchema, []byte(answer.Body)); err != nil {
		w.t.Error(err)
	}
	if (answer.Headers["x-tierwise-stale"] == "true") != plans.Stale || strings.Contains(w.log.String(), `"stale":1`) != plans.Stale {
		w.t.Errorf("stale %v, and headers %v, log %s", plans.Stale, answer.Headers, &w.log)
	}
	if !plans.Stale {
		return plans.CatalogVersion, -1
	}
	return plans.CatalogVersion, *plans.StaleSeconds
}

// A function that has started answers from the last good catalogue while the table is
// over its capacity, or nothing answers at all; it says since when, and that only once a
// minute is over. When the table answers again it ends, and the next version is found.
func TestDegradedAfterAWarmStart(t *testing.T) {
	table, _ := publishedSeed(t)
	store := dynamo.New(dynamo.Config{Client: api.Connection.Client(), Table: table, Now: time.Now, Random: rand.Reader})
	published, err := store.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := watch(t)
	w := warm(t, table, seen.url)
	version := string(published.Version)
	want := func(what, wantVersion string, stale int, after time.Duration) {
		t.Helper()
		if got, age := w.ask(after); got != wantVersion || age != stale {
			t.Errorf("%s: got version %s, stale for %d s, want %s and %d s", what, got, age, wantVersion, stale)
		}
	}
	want("at first", version, -1, 0)
	seen.throttle(true)
	want("throttled, within the minute", version, -1, 59*time.Second)
	want("throttled, after it", version, 61, 2*time.Second)
	want("throttled, an hour after", version, 3661, time.Hour)
	if health, err := w.current.Serve(t.Context(), event(t, "GET /healthz?deep=true", "", "")); err != nil || health.StatusCode != http.StatusServiceUnavailable || health.Headers["retry-after"] == "" {
		t.Errorf("deep health: status %d, %v, %v", health.StatusCode, health.Headers, err)
	}
	next, err := store.Load(t.Context(), published.Version)
	if err != nil {
		t.Fatal(err)
	}
	parts := next.Parts()
	parts.Version = "later"
	if next, err = catalog.NewSnapshot(parts); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Publish(t.Context(), published.Version, next); err != nil {
		t.Fatal(err)
	}
	want("throttled, and another version is current", version, 3722, 61*time.Second)
	seen.throttle(false)
	want("it answers again, within the minute", version, 3752, 30*time.Second)
	want("it answers again", "later", -1, 31*time.Second)
	seen.breakOff(true)
	want("connections break", "later", 61, 61*time.Second)
	seen.breakOff(false)
	want("they hold", "later", -1, 61*time.Second)
}

// The event of a schedule may come twice, also at the same time: one of them publishes,
// and none fails.
func TestSameScheduleTwice(t *testing.T) {
	table := create(t)["Table"]
	store := dynamo.New(dynamo.Config{Client: api.Connection.Client(), Table: table, Now: time.Now, Random: rand.Reader})
	t.Setenv(refresh.Variable, "skypilot/lambda@"+newPrices(t).url)
	bootstrap := build(t, "refresh")
	var group sync.WaitGroup
	answers := make([]struct {
		refresh.Done
		ErrorMessage string
	}, 4)
	for i := range answers {
		l := start(t, bootstrap, table, api.Connection.Endpoint)
		group.Go(func() { l.invoke(t, json.RawMessage(recorded(t, "schedule")), &answers[i]) })
	}
	group.Wait()
	published, version := 0, catalog.Version("")
	for _, a := range answers {
		if a.ErrorMessage != "" {
			t.Errorf("a run failed: %s", a.ErrorMessage)
		}
		if a.Published {
			published, version = published+1, a.Version
		}
	}
	all, err := store.Publications(t.Context())
	if err != nil || published != 1 || len(all) != 1 || all[0].Version != version {
		t.Errorf("got %+v and %d publications, %v, want one", answers, len(all), err)
	}
}
