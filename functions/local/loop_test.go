package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// loop is a server, the folder of its store, and the agent.
type loop struct {
	t           *testing.T
	base, data  string
	agent, home string // the agent's program, and where boxes keep their state
}

// newLoop serves the embedded catalogue from an empty store.
func newLoop(t *testing.T) loop {
	t.Helper()
	l := loop{t: t, data: t.TempDir(), home: t.TempDir(), agent: filepath.Join(t.TempDir(), "probe-agent")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", l.agent, "../../probe-agent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build probe-agent: %v\n%s", err, out)
	}
	p, printed := l.program()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(ctx, []string{"serve", "--data", l.data, "--accept-replays"})
		p.stdout.(io.Closer).Close()
	}()
	l.base = address(t, printed)
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return l
}

// program is the program as it runs, and what it prints.
func (l loop) program() (*program, io.Reader) {
	p, _, _ := newProgram("")
	printed, out := io.Pipe()
	p.stdout, p.getenv, p.random, p.now, p.load = out, environment("PORT", "0"), rand.Reader, time.Now, seed.Load
	return p, printed
}

// measure lets a box in as a tenant's, and plays a recorded machine to the agent, which
// sends what it measured.
func (l loop) measure(tenant string) {
	l.t.Helper()
	p, stdout, stderr := newProgram("")
	p.random, p.now = rand.Reader, time.Now
	if code := p.run(l.t.Context(), []string{"enroll-code", tenant, "--data", l.data}); code != exitOK {
		l.t.Fatalf("no code: %s", stderr)
	}
	machine := []string{"--scenario", filepath.Join("../../probe-agent/testdata/loop", tenant+".json"), "--state", filepath.Join(l.home, tenant)}
	for _, command := range [][]string{
		{"enroll", "--server", l.base, "--code", strings.TrimSpace(stdout.String()), "--provider", "Dataoorts"}, {"run"},
		{"verify", "--share", "--claim", "gpu=A100-40GB-SXM"}, {"upload"},
	} {
		process := exec.CommandContext(l.t.Context(), l.agent, append(command, machine...)...)
		out, err := process.CombinedOutput()
		if failed := command[0] == "verify"; err != nil && !failed || failed && process.ProcessState.ExitCode() != 1 {
			l.t.Fatalf("probe-agent %s of %s: %v\n%s", command[0], tenant, err, out)
		}
	}
}

// get reads a document.
func (l loop) get(path string, to any) (text string) {
	l.t.Helper()
	response, err := http.Get(l.base + path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(body, to)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		l.t.Fatalf("GET %s: status %d, %v: %.500s", path, response.StatusCode, err, body)
	}
	return string(body)
}

// published waits until something is measured.
func (l loop) published() schemas.CoefficientsResponse {
	l.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var r schemas.CoefficientsResponse
		if l.get("/v1/coefficients", &r); len(r.Coefficients) > 0 {
			return r
		}
	}
	l.t.Fatal("nothing is published after a minute")
	return schemas.CoefficientsResponse{}
}

// training is the stage that a plan is about.
func training(t *testing.T, p *schemas.Plan) *schemas.Stage {
	t.Helper()
	for i := range p.Stages {
		if p.Stages[i].Name == "train" {
			return &p.Stages[i]
		}
	}
	t.Fatalf("no stage trains in %+v", p)
	return nil
}

// Three owners' boxes at the cheapest provider turn out slow. Once all three have
// reported, that provider is no longer the cheapest way, the answer says by what
// measurement, and can be had again from its catalogue version.
func TestClosedLoop(t *testing.T) {
	l := newLoop(t)
	question := func(q string) string {
		return "/v1/recommend?computed_at=2026-11-30T00:00:00Z&q=" + url.QueryEscape(q)
	}
	var before, after, there schemas.RecommendResponse
	l.get(question("cheapest 7B fine-tune"), &before)
	was := training(t, &before.Plans[0])
	if *was.Offer.GPU != "A100-40GB-SXM" || was.Offer.Provider != "dataoorts" || was.Efficiency.Source != "prior" {
		t.Fatalf("before, %+v is the best", was.Offer)
	}
	for _, tenant := range []string{"ada", "ben"} {
		l.measure(tenant)
	}
	p, stdout, stderr := newProgram("")
	p.now, p.load = time.Now, seed.Load
	if code := p.run(t.Context(), []string{"aggregate", "--data", l.data}); code != exitOK || !strings.Contains(stdout.String(), "2 of 4 reports count; 0 coefficients") {
		t.Errorf("of two owners: %s%s, want no coefficient", stdout, stderr)
	}
	l.measure("cho")
	measured := l.published()
	c := measured.Coefficients[0]
	if c.GPU != "A100-40GB-SXM" || c.Provider != "dataoorts" || c.Tier != "C" || c.Tenants != 3 || c.Boxes != 3 || c.Value >= c.Prior {
		t.Fatalf("got %+v, want an A100 that is slow", c)
	}
	text := l.get(question("cheapest 7B fine-tune"), &after)
	if is := training(t, &after.Plans[0]); is.Offer.Provider == "dataoorts" || after.CatalogVersion != measured.CatalogVersion {
		t.Errorf("after, still %+v is the best, of %s", is.Offer, after.CatalogVersion)
	}
	l.get(question("cheapest 7B fine-tune on dataoorts"), &there)
	e := training(t, &there.Plans[0]).Efficiency
	if e.Source != "measured" || e.Tier != "C" || e.Tenants != 3 || e.Boxes != 3 || e.Value >= was.Efficiency.Value {
		t.Errorf("there, the efficiency is %+v", e)
	}
	if said, _ := json.Marshal(after.Assumptions); !strings.Contains(string(said), "measured by 3 tenants on 3 boxes (evidence C)") {
		t.Errorf("the answer does not say why: %s", said)
	}
	if said, _ := json.Marshal(there.Plans[0].Warnings); !strings.Contains(string(said), "train: 3 of 3 boxes of this provider with this GPU were held back under load") {
		t.Errorf("no warning says what checks found: %s", said)
	}
	l.replay(text, question("cheapest 7B fine-tune"), catalog.Version(after.CatalogVersion))
}

// replay tests that a version of the store gives an answer again.
func (l loop) replay(text, path string, version catalog.Version) {
	l.t.Helper()
	store := bolt.New(filepath.Join(l.data, dataFile), time.Now, bolt.Options{})
	snapshot, err := store.Load(l.t.Context(), version)
	if err != nil {
		l.t.Fatal(err)
	}
	router := apigw.NewRouter(slog.New(slog.DiscardHandler), time.Now, endpoint.NewRecommend(engine.New(snapshot), time.Now).Routes()...)
	event := events.APIGatewayV2HTTPRequest{}
	event.RequestContext.HTTP.Method = http.MethodGet
	event.RawPath, event.RawQueryString, _ = strings.Cut(path, "?")
	again, err := router.Serve(l.t.Context(), event)
	if err != nil || again.Body != text {
		l.t.Errorf("from version %s the answer is another (%v):\n%.300s\nnot\n%.300s", version, err, again.Body, text)
	}
}
