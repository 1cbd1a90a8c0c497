package refresh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/fetch"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/refresh"
)

// small is the embedded baseline with few of its offers.
var small = sync.OnceValues(func() (*catalog.Snapshot, error) {
	s, err := seed.Load()
	if err != nil {
		return nil, err
	}
	parts := s.Parts()
	parts.Offers = slices.DeleteFunc(slices.Clone(parts.Offers), func(o catalog.Offer) bool {
		return o.Provider != "lambda" && o.Place.String() != "aws/us-east-1" && o.Place.String() != "azure/eastus"
	})
	parts.Models, parts.History = nil, nil
	return catalog.NewSnapshot(parts)
})

// world is a job, the servers it asks, and the clock it reads.
type world struct {
	t       *testing.T
	now     time.Time
	answers map[string]http.HandlerFunc // by path
	asked   map[string]int
	store   *bolt.Store
	log     bytes.Buffer
	job     refresh.Job
}

// newWorld is a world without servers, in which feeds are kept fresh.
func newWorld(t *testing.T, feeds string) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), answers: make(map[string]http.HandlerFunc), asked: make(map[string]int)}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		w.asked[r.URL.Path]++
		answer := w.answers[r.URL.Path]
		mu.Unlock()
		if answer == nil {
			http.NotFound(rw, r)
			return
		}
		answer(rw, r)
	}))
	t.Cleanup(server.Close)
	clock := func() time.Time { return w.now }
	client := fetch.NewClient(server.Client(), clock, 1)
	client.Wait = func(context.Context, time.Duration) error { return nil }
	plans, err := refresh.ParsePlans(feeds, refresh.World{From: client, Known: known, Secret: func(context.Context, string) (string, error) { return "k-12345", nil }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range plans {
		plans[i].Source.Subject.URLs = []string{server.URL + "/" + string(plans[i].Source.Name())}
	}
	w.store = bolt.New(filepath.Join(t.TempDir(), "c.db"), clock, bolt.Options{})
	w.job = refresh.Job{Store: w.store, Baseline: small, Plans: plans, Now: clock, Log: slog.New(slog.NewTextHandler(&w.log, nil))}
	return w
}

// known are providers.
func known(id catalog.ProviderID) bool {
	return slices.Contains([]catalog.ProviderID{"lambda", "aws", "vast"}, id)
}

// run runs the job.
func (w *world) run(ctx context.Context) (done refresh.Done, outcomes string) {
	w.t.Helper()
	done, err := w.job.Run(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range done.Feeds {
		state := fmt.Sprintf("%d changed", o.Changed)
		if o.Unchanged {
			state = "unchanged"
		}
		if o.Error != "" {
			state = "failed"
		}
		outcomes += fmt.Sprintf("%s %s; ", o.Feed, state)
	}
	return done, outcomes
}

// runOf is a feed's run.
func (w *world) runOf(name catalog.FeedName) catalog.FeedRun {
	w.t.Helper()
	runs, err := w.store.FeedRuns(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range runs {
		if r.Name == name {
			return r
		}
	}
	return catalog.FeedRun{}
}

// says answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// tagged answers with a text under a tag, and with nothing new to who knows the tag.
func tagged(tag, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, text)
	}
}

// Documents of three feeds.
const (
	table = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n" +
		"gpu_1x_a100,A100,1.0,30.0,200.0,1.29,us-east-1,,\n"
	types = `{"data": {"gpu_1x_a10": {"instance_type": {"name": "gpu_1x_a10", "gpu_description": "A10 (24 GB PCIe)", "price_cents_per_hour": 75,
		"specs": {"vcpus": 30, "memory_gib": 200, "storage_gib": 1400, "gpus": 1}}, "regions_with_capacity_available": [{"name": "us-east-1"}]}}}`
	euros = `<Envelope><Cube><Cube time="2026-11-27"><Cube currency="USD" rate="1.25"/></Cube></Cube></Envelope>`
)

func TestParsePlans(t *testing.T) {
	plans, err := refresh.ParsePlans("skypilot/lambda gpuhunt/vastai\naws/us-east-1=12h ecb=1h@https://mirror.example/a=b azure nothing vast/x skypilot aws aws/nowhere skypilot/nobody ecb lambdalabs=1s lambdalabs=often", refresh.World{Known: known})
	got := ""
	for _, p := range plans {
		got += fmt.Sprintf("%s %s %s\n", p.Source.Name(), p.Every, p.Source.Subject.URLs[0])
	}
	want := `skypilot/lambda 6h0m0s https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/lambda/vms.csv
gpuhunt/vast 24h0m0s https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/vastai/version
aws/us-east-1 12h0m0s https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/us-east-1/index.json
ecb 1h0m0s https://mirror.example/a=b
`
	before, azure, _ := strings.Cut(got, "azure ")
	if diff := cmp.Diff(want, before); diff != "" || !strings.Contains(azure, "prices.azure.com") || strings.Contains(azure, "%!") {
		t.Errorf("plans (-want +got):\n%s%s", diff, azure)
	}
	for _, bad := range []string{`"nothing"`, `"vast/x"`, `"skypilot"`, `"aws"`, `"aws/nowhere"`, `"skypilot/nobody"`, `"ecb": it is there twice`, `"lambdalabs=1s"`, `"lambdalabs=often"`} {
		if err == nil || !strings.Contains(err.Error(), "feed "+bad) {
			t.Errorf("the error does not name %s: %v", bad, err)
		}
	}
}

func TestOneBadFeedBlocksNoOther(t *testing.T) {
	w := newWorld(t, "skypilot/lambda lambdalabs ecb")
	w.answers["/skypilot/lambda"] = says("<html>")
	w.answers["/lambdalabs"] = says(types)
	w.answers["/ecb"] = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }
	w.job.Plans = append(w.job.Plans, refresh.Plan{Every: time.Hour, Source: refresh.Source{Kind: refresh.Kind{Name: "broken",
		Read: func(context.Context, feed.Source, feed.Subject) (feed.Batch, error) { panic("k-12345 out of range") }},
		Credential: func(context.Context) (feed.Secret, error) { return "k-12345", nil }}})
	done, got := w.run(t.Context())
	if !done.Published || strings.Count(got, "failed; ") != 3 || strings.Contains(got, "lambdalabs failed") || w.asked["/ecb"] != 4 {
		t.Errorf("got %q after %d tries of a server that is down, published %v, want only lambdalabs to be taken", got, w.asked["/ecb"], done.Published)
	}
	for _, said := range []string{w.log.String(), fmt.Sprintf("%+v", done), fmt.Sprintf("%+v", w.runOf("broken")), fmt.Sprintf("%+v", w.job.Plans)} {
		if strings.Contains(said, "k-12345") {
			t.Errorf("a credential stands in %s", said)
		}
	}
	if r := w.runOf("skypilot/lambda"); r.Failures != 1 || !strings.Contains(r.Error, "row 1") || r.AsOf.Known() {
		t.Errorf("the run of the bad feed is %+v", r)
	}
}

// TestFailureKeepsTheDate fails a feed that was good before: its prices and their
// dates stay, and it is tried again sooner than usual, but ever less often.
func TestFailureKeepsTheDate(t *testing.T) {
	w := newWorld(t, "lambdalabs=4h")
	w.answers["/lambdalabs"] = says(types)
	first, _ := w.run(t.Context())
	good := w.runOf("lambdalabs")
	w.answers["/lambdalabs"] = says(`{"data": {}}`)
	if _, got := w.run(t.Context()); got != "" {
		t.Errorf("at once again: %q, want nothing to be due", got)
	}
	for failure, wait := range []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 4 * time.Hour} {
		w.now = w.runOf("lambdalabs").DueAt
		done, got := w.run(t.Context())
		r := w.runOf("lambdalabs")
		if got != "lambdalabs failed; " || done.Version != first.Version || r.AsOf != good.AsOf || !r.SucceededAt.Equal(good.SucceededAt) || r.Failures != failure+1 {
			t.Errorf("failure %d: %q, version %s, run %+v", failure+1, got, done.Version, r)
		}
		if !r.DueAt.Equal(w.now.Add(wait)) {
			t.Errorf("after failure %d it is due in %s, want %s", failure+1, r.DueAt.Sub(w.now), wait)
		}
	}
	s, err := w.store.Load(t.Context(), first.Version)
	if err != nil {
		t.Fatal(err)
	}
	if o, ok := s.Offer("lambda.us-east-1.gpu_1x_a10.on_demand"); !ok || o.AsOf != good.AsOf {
		t.Errorf("the offer is of %s, want %s", o.AsOf, good.AsOf)
	}
	w.answers["/lambdalabs"] = says(types)
	w.now = w.runOf("lambdalabs").DueAt
	w.run(t.Context())
	if r := w.runOf("lambdalabs"); r.Failures != 0 || r.Error != "" || r.AsOf != catalog.DateOf(w.now) || !r.DueAt.Equal(w.now.Add(4*time.Hour)) {
		t.Errorf("good again: %+v", r)
	}
}

func TestUnchangedDocuments(t *testing.T) {
	w := newWorld(t, "skypilot/lambda ecb=10m")
	w.answers["/skypilot/lambda"] = tagged(`"a"`, table)
	w.answers["/ecb"] = tagged(`"b"`, euros)
	first, _ := w.run(t.Context())
	w.now = w.now.Add(6 * time.Hour)
	again, got := w.run(t.Context())
	if got != "ecb unchanged; skypilot/lambda unchanged; " || again.Published || again.Version != first.Version {
		t.Errorf("got %q, %+v, want nothing new", got, again)
	}
	if r := w.runOf("ecb"); r.AsOf.String() != "2026-11-27" || !r.SucceededAt.Equal(w.now) || r.Offers != 1 {
		t.Errorf("the run is %+v", r)
	}
}

// TestTime gives a run less time than all feeds may take: the longest overdue are
// read, and the others wait.
func TestTime(t *testing.T) {
	w := newWorld(t, "skypilot/lambda lambdalabs ecb")
	w.answers["/lambdalabs"], w.answers["/ecb"], w.answers["/skypilot/lambda"] = says(types), says(euros), says(table)
	w.now = time.Now() // as the context's deadline is counted
	ctx, cancel := context.WithDeadline(t.Context(), w.now.Add(2*time.Minute))
	defer cancel()
	done, got := w.run(ctx)
	if done.Later != 1 || !strings.HasPrefix(got, "ecb ") || strings.Contains(got, "skypilot") {
		t.Errorf("%d later, %q", done.Later, got)
	}
	done, got = w.run(ctx)
	if done.Later != 1 || got != "" {
		t.Errorf("with what takes too long alone: %d later, %q", done.Later, got)
	}
	if done, got = w.run(t.Context()); done.Later != 0 || !strings.HasPrefix(got, "skypilot/lambda ") || strings.Contains(got, "failed") {
		t.Errorf("without a deadline: %d later, %q", done.Later, got)
	}
}

func TestBaseline(t *testing.T) {
	baseline, err := small()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		current   catalog.Version // "" if nothing is
		version   catalog.Version
		published bool
	}{
		"nothing is current":             {"", baseline.Version(), true},
		"the baseline is current":        {baseline.Version(), baseline.Version(), false},
		"an older one is current":        {"seed-2020-01-01-00000000", baseline.Version(), true},
		"a version of others is current": {"2026-11-30-1", "2026-11-30-1", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			if row.current != "" {
				if _, err := w.store.Publish(t.Context(), "", catalogtest.Snapshot(t, row.current, 1)); err != nil {
					t.Fatal(err)
				}
			}
			done, _ := w.run(t.Context())
			if done.Version != row.version || done.Published != row.published || done.Offers == 0 {
				t.Errorf("got %+v, want %s, published %v", done, row.version, row.published)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	w := newWorld(t, "lambdalabs vast")
	var seen []string
	answer := func(rw http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		http.Error(rw, r.Header.Get("Authorization")+" is not allowed", http.StatusForbidden)
	}
	w.answers["/lambdalabs"], w.answers["/vast"] = answer, answer
	w.job.Plans = w.job.Plans[:1]
	done, _ := w.run(t.Context())
	if !slices.Equal(seen, []string{"Bearer k-12345"}) || strings.Contains(fmt.Sprint(done)+w.log.String(), "k-12345") || !strings.Contains(done.Feeds[0].Error, "status 403") {
		t.Errorf("sent %q, said %+v, logged %s", seen, done, w.log.String())
	}
	for name, secret := range map[string]func(context.Context) (feed.Secret, error){
		"want a credential in LAMBDALABS_KEY, or the name of its secret in LAMBDALABS_KEY_SECRET": func(context.Context) (feed.Secret, error) { return "", nil },
		"no such secret": func(context.Context) (feed.Secret, error) { return "", errors.New("no such secret") },
	} {
		w.job.Plans[0].Source.Credential = secret
		w.now = w.runOf("lambdalabs").DueAt
		if done, _ := w.run(t.Context()); len(done.Feeds) != 1 || !strings.Contains(done.Feeds[0].Error, name) {
			t.Errorf("said %+v, want %s", done, name)
		}
	}
}
