package stack_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/boxtest"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/functions/internal/revise"
	"github.com/tierwise/tierwise/schemas"
)

// station is the function that takes reports, and the table behind it.
type station struct {
	t     *testing.T
	store *dynamo.Store
	l     *lambda
}

// ask sends an event, wants a status, and reads the answer into to if it is not nil.
func (s station) ask(e events.APIGatewayV2HTTPRequest, status int, to any) {
	s.t.Helper()
	var answer events.APIGatewayV2HTTPResponse
	s.l.invoke(s.t, e, &answer)
	if answer.StatusCode != status {
		s.t.Fatalf("%s %s: status %d, want %d: %s", e.RequestContext.HTTP.Method, e.RawPath, answer.StatusCode, status, answer.Body)
	}
	if to != nil {
		decode(s.t, []byte(answer.Body), to)
	}
}

// code issues an enrolment code.
func (s station) code(tenant catalog.TenantID) string {
	s.t.Helper()
	text, code, err := ingest.IssueCode(rand.Reader, tenant, time.Now())
	if err = errors.Join(err, s.store.PutCode(s.t.Context(), code)); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// report is the event with a box's report, compressed as the agent does, and as the
// gateway hands binary bodies on.
func report(t *testing.T, b *boxtest.Box) events.APIGatewayV2HTTPRequest {
	t.Helper()
	e := event(t, "POST /v1/measurements", "", "")
	e.Headers["content-type"], e.Headers["content-encoding"] = "application/jose", "gzip"
	e.Body = base64.StdEncoding.EncodeToString(b.Body(b.Report(boxtest.Watch{Until: time.Now(), Ratio: 0.8})))
	e.IsBase64Encoded = true
	return e
}

// atOnce wakes two instances at the same time, one by the stream and one by the schedule:
// neither fails, and one of them publishes. It returns what that one did.
func atOnce(t *testing.T, instances ...*lambda) revise.Result {
	t.Helper()
	answers := make([]struct {
		revise.Result
		ErrorMessage string
	}, len(instances))
	var group sync.WaitGroup
	for i, l := range instances {
		group.Go(func() { l.invoke(t, json.RawMessage(recorded(t, []string{"stream", "schedule"}[i])), &answers[i]) })
	}
	group.Wait()
	var published []revise.Result
	for _, a := range answers {
		if a.ErrorMessage != "" {
			t.Errorf("a run failed: %s", a.ErrorMessage)
		}
		if a.Published {
			published = append(published, a.Result)
		}
	}
	if len(published) != 1 {
		t.Fatalf("got %+v, want one publication", answers)
	}
	return published[0]
}

// Boxes of three owners are let in and report; the stream wakes aggregate, and what they
// measured is in the next catalogue. One of them changes its key, and one is forgotten.
func TestMeasurementsOfTheStack(t *testing.T) {
	table := create(t)["Table"]
	store := dynamo.New(dynamo.Config{Client: api.Connection.Client(), Table: table, Now: time.Now, Random: rand.Reader})
	baseline, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	text, key, err := apikey.Issue(rand.Reader, "ada", "test", time.Now())
	if err = errors.Join(err, store.PutKey(t.Context(), key)); err != nil {
		t.Fatal(err)
	}
	aggregating, taking := watch(t), watch(t)
	built := build(t, "aggregate")
	aggregate := start(t, built, table, aggregating.url)
	bootstrap := build(t, "measurements")
	s := station{t, store, start(t, bootstrap, table, taking.url)}

	boxes := make(map[catalog.TenantID]*boxtest.Box)
	for _, tenant := range []catalog.TenantID{"ada", "ben", "cho"} {
		b := boxtest.New(string(tenant))
		boxes[tenant] = b
		at := func(e *schemas.Enrolment) { e.Provider = "gcp" }
		s.ask(event(t, "POST /v1/enroll", "", string(b.Enrolment(s.code(tenant), at))), http.StatusOK, nil)
		one := report(t, b)
		s.ask(one, http.StatusOK, nil)
		s.ask(one, http.StatusOK, nil)
	}
	s.ask(event(t, "POST /v1/enroll", "", string(boxes["cho"].Renewal(s.code("cho")))), http.StatusOK, nil)
	s.ask(report(t, boxtest.New("a stranger")), http.StatusUnauthorized, nil)

	first := atOnce(t, aggregate, start(t, built, table, aggregating.url))
	var again revise.Result
	aggregate.invoke(t, json.RawMessage(recorded(t, "schedule")), &again)
	if first.Reports != 3 || first.Counted != 3 || first.Coefficients == 0 || again.Published || again.Version != first.Version {
		t.Fatalf("got %+v, then %+v, want three reports counted and published once", first, again)
	}
	base := again.Version
	for n := range 12 { // so that the next publication has something to clear away
		next := catalogtest.Snapshot(t, catalog.Version(fmt.Sprintf("seed-2020-01-01-%08d", n)), 1)
		if n == 11 {
			next = baseline
		}
		if _, err := store.Publish(t.Context(), base, next); err != nil {
			t.Fatal(err)
		}
		base = next.Version()
	}
	aggregate.invoke(t, json.RawMessage(recorded(t, "schedule")), &again)
	checkDeeds(t, "aggregate", permissions(t)["aggregate"], aggregating.deeds())

	s.l = start(t, bootstrap, table, taking.url) // one that was started since
	var measured schemas.CoefficientsResponse
	s.ask(event(t, "GET /v1/coefficients?provider=gcp&gpu=A100-40GB-SXM", "", ""), http.StatusOK, &measured)
	if len(measured.Coefficients) != 1 || measured.Coefficients[0].Tenants != 3 || measured.CatalogVersion != string(again.Version) || measured.Refused["unknown_box"] != 1 {
		t.Errorf("got %+v, want what three owners measured, and one refusal", measured)
	}
	s.ask(event(t, "DELETE /v1/boxes/"+boxes["ada"].ID, text, ""), http.StatusNoContent, nil)
	s.ask(report(t, boxes["ada"]), http.StatusUnauthorized, nil)
	checkDeeds(t, "measurements", permissions(t)["measurements"], taking.deeds())
	misuse(t, "measurements", s.l, text)
}
