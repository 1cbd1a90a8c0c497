package endpoint

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crypto/rand"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/boxtest"
	"github.com/tierwise/tierwise/functions/internal/forgery"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/schemas"
)

// station is a router for boxes over a store of its own.
type station struct {
	t      *testing.T
	store  *bolt.Store
	router *apigw.Router
	now    time.Time
	stored int
}

func newStation(t *testing.T, o ingest.Options) *station {
	t.Helper()
	s := &station{t: t, now: noon().Truncate(time.Second)}
	clock := func() time.Time { return s.now }
	s.store = bolt.New(filepath.Join(t.TempDir(), "c.db"), clock, bolt.Options{})
	snapshot, log := smallCatalogue(t), slog.New(slog.DiscardHandler)
	routes := NewMeasurements(ingest.New(s.store, snapshot, clock, o), log, func() { s.stored++ }).Routes()
	s.router = apigw.NewRouter(log, clock, append(routes, NewCoefficients(snapshot, s.store, clock).Routes()...)...)
	return s
}

// code issues an enrolment code.
func (s *station) code(tenant catalog.TenantID) string {
	s.t.Helper()
	text, code, err := ingest.IssueCode(rand.Reader, tenant, s.now)
	if err = errors.Join(err, s.store.PutCode(s.t.Context(), code)); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// enrolled is a box of a tenant.
func (s *station) enrolled(tenant catalog.TenantID, name string) *boxtest.Box {
	s.t.Helper()
	b := boxtest.New(name)
	body := b.Enrolment(s.code(tenant), func(e *schemas.Enrolment) { e.Provider, e.SKU = "Amazon Web Services", "P4D.24xlarge" })
	s.want("enroll", s.post(EnrollPath, body), 200, "")
	return b
}

// post sends a body as JSON.
func (s *station) post(path string, body []byte) events.APIGatewayV2HTTPResponse {
	s.t.Helper()
	return serve(s.t, s.router, event("POST", path, string(body)))
}

// send sends the body of a report, with more headers by name and value.
func (s *station) send(body []byte, headers ...string) events.APIGatewayV2HTTPResponse {
	s.t.Helper()
	e := event("POST", MeasurementsPath, base64.StdEncoding.EncodeToString(body))
	e.IsBase64Encoded = true
	e.Headers = map[string]string{"content-type": "application/jose", "content-encoding": "gzip"}
	for i := 0; i < len(headers); i += 2 {
		e.Headers[headers[i]] = headers[i+1]
	}
	return serve(s.t, s.router, e)
}

// want fails unless an answer has a status and, as a problem, a reason.
func (s *station) want(what string, answer events.APIGatewayV2HTTPResponse, status int, reason string) {
	s.t.Helper()
	var p schemas.ProblemDocument
	if status >= 400 {
		if err := json.Unmarshal([]byte(answer.Body), &p); err != nil {
			s.t.Fatal(err)
		}
		if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil {
			s.t.Errorf("%s: %v", what, err)
		}
	}
	if answer.StatusCode != status || p.Reason != reason {
		s.t.Errorf("%s: got status %d, reason %q, want %d, %q: %.300s", what, answer.StatusCode, p.Reason, status, reason, answer.Body)
	}
}

// reports are those of the day that the station has.
func (s *station) reports() []catalog.Report {
	s.t.Helper()
	var all []catalog.Report
	for r, err := range s.store.Reports(s.t.Context(), catalog.DateOf(s.now)) {
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func TestMeasurement(t *testing.T) {
	s := newStation(t, ingest.Options{})
	b := s.enrolled("acme", "b1")
	payload := b.Report(boxtest.Watch{Until: s.now, Ratio: 0.6, GPUs: 2})
	answer := s.send(b.Body(payload))
	s.want("a report", answer, 200, "")
	if err := schemas.Validate(schemas.MeasurementReceiptSchema, []byte(answer.Body)); err != nil {
		t.Error(err)
	}
	id := sha256.Sum256(payload)
	var receipt schemas.MeasurementReceipt
	if err := json.Unmarshal([]byte(answer.Body), &receipt); err != nil || receipt.ID != hex.EncodeToString(id[:]) {
		t.Errorf("receipt %+v, %v", receipt, err)
	}
	aws, sku, gpu := "aws", "p4d.24xlarge", "A100-40GB-SXM"
	want := schemas.MeasurementReceipt{ID: receipt.ID, GPUs: []schemas.ReceivedGPU{{Name: "NVIDIA A100-SXM4-40GB", GPU: &gpu, Counts: true}},
		Box: schemas.ReceivedBox{Provider: schemas.ReceivedName{Typed: "Amazon Web Services", Name: &aws}, SKU: schemas.ReceivedName{Typed: "P4D.24xlarge", Name: &sku}}}
	if diff := cmp.Diff(want, receipt); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	plain := s.send([]byte(b.Sign(boxtest.Measurement, payload)), "content-encoding", "")
	if plain.Body != answer.Body || plain.StatusCode != 200 {
		t.Errorf("the repeat, not compressed: %d %s, want %s", plain.StatusCode, plain.Body, answer.Body)
	}
	all := s.reports()
	if len(all) != 1 || s.stored != 2 {
		t.Fatalf("%d reports are kept, %d told", len(all), s.stored)
	}
	r := all[0]
	clock, _ := r.Readings[0].Clock.Value()
	if r.Provider != "aws" || r.SKU != "p4d.24xlarge" || r.Tenant != "acme" || r.Box != catalog.BoxID(b.ID) || r.Driver != "550.54.15" ||
		!r.ReceivedAt.Equal(s.now) || !r.From.Equal(s.now.Add(-time.Hour)) || len(r.Readings) != 1 || len(r.Readings[0].Devices) != 2 ||
		r.Readings[0].BusySeconds != 7200 || clock < 700 || clock > 900 || len(r.Readings[0].Prints) != 2 || r.Readings[0].Devices[0].Errors != 3 {
		t.Errorf("kept as %+v", r)
	}
	kept, err := s.store.Payload(t.Context(), r.Box, r.ID)
	if err != nil || !bytes.Equal(kept, payload) {
		t.Errorf("the payload is %s, %v", kept, err)
	}
}

// A box whose clock is wrong can send all the same.
func TestWrongClock(t *testing.T) {
	s := newStation(t, ingest.Options{})
	b := s.enrolled("acme", "b1")
	slow := s.now.Add(-40 * time.Minute)
	s.want("40 minutes slow", s.send(b.Body(b.Report(boxtest.Watch{Until: slow})), "tierwise-sent-at", slow.Format(time.RFC3339)), 200, "")
	r := s.reports()[0]
	if r.ClockOffset != 40*time.Minute || !r.ReceivedAt.Equal(s.now) || !r.Until.Equal(s.now) || !r.From.Equal(s.now.Add(-time.Hour)) {
		t.Errorf("offset %s, received %s, from %s until %s", r.ClockOffset, r.ReceivedAt, r.From, r.Until)
	}
	heard := func(d map[string]any) { d["clock_offset_seconds"] = -86400 }
	fast := s.now.Add(24 * time.Hour)
	s.want("a day fast", s.send(b.Body(b.Report(boxtest.Watch{Until: fast.Add(-2 * time.Hour), Change: heard}))), 200, "")
	for _, r := range s.reports() {
		if r.ClockOffset == -24*time.Hour && !r.Until.Equal(s.now.Add(-2*time.Hour)) {
			t.Errorf("a day fast: until %s", r.Until)
		}
	}
}

// gpuOf changes the first GPU of a report.
func gpuOf(change func(gpu map[string]any)) func(map[string]any) {
	return func(d map[string]any) { change(d["gpus"].([]any)[0].(map[string]any)) }
}

// steadyOf changes the statistics of the first GPU of a report.
func steadyOf(change func(sums map[string]any)) func(map[string]any) {
	return gpuOf(func(gpu map[string]any) { change(gpu["steady"].(map[string]any)) })
}

// What can't be true, or is badly made, has a status and a reason, is counted, and
// nothing of it is kept.
func TestBadMeasurements(t *testing.T) {
	s := newStation(t, ingest.Options{})
	b, other, rival := s.enrolled("acme", "b1"), s.enrolled("acme", "b2"), s.enrolled("beta", "b3")
	revoked := s.enrolled("acme", "b4")
	if err := s.store.RevokeBox(t.Context(), catalog.BoxID(revoked.ID), s.now); err != nil {
		t.Fatal(err)
	}
	first := b.Report(boxtest.Watch{Until: s.now})
	s.want("the honest one", s.send(b.Body(first)), 200, "")
	changed := func(change func(map[string]any)) []byte {
		return other.Body(other.Report(boxtest.Watch{Until: s.now, Change: change}))
	}
	forged := strings.Split(b.Sign(boxtest.Measurement, b.Report(boxtest.Watch{Until: s.now})), ".")
	forged[2] = strings.Split(other.Sign(boxtest.Measurement, []byte("{}")), ".")[2]
	ofB := gpuOf(func(gpu map[string]any) { gpu["gpu"] = b.GPU(0) })
	unpadded := b.Report(boxtest.Watch{Until: s.now})
	for _, c := range []struct {
		name   string
		body   []byte
		status int
		reason string
	}{
		{"wrong signature", boxtest.Gzip(strings.Join(forged, ".")), 401, "bad_signature"},
		{"unknown key", boxtest.New("stranger").Body(first), 401, "unknown_box"},
		{"revoked key", revoked.Body(revoked.Report(boxtest.Watch{Until: s.now})), 403, "key_revoked"},
		{"signed as something else", boxtest.Gzip(b.Sign(boxtest.Forget, first)), 400, "bad_envelope"},
		{"no JWS", boxtest.Gzip("hello"), 400, "bad_envelope"},
		{"no algorithm", boxtest.Gzip(base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"`+b.ID+`","typ":"tierwise-measurement+jws"}`)) + "." + forged[1] + "."), 400, "bad_envelope"},
		{"empty", nil, 400, "bad_encoding"},
		{"truncated gzip", b.Body(first)[:200], 400, "bad_encoding"},
		{"no gzip", []byte(b.Sign(boxtest.Measurement, first)), 400, "bad_encoding"},
		{"gzip bomb", bomb(), 413, "too_large"},
		{"replay from another box", other.Body(first), 409, "replayed"},
		{"replay from another tenant", rival.Body(first), 409, "replayed"},
		{"keys not in the schema", changed(func(d map[string]any) { d["hostname"] = "secret" }), 400, "invalid_document"},
		{"negative counter", changed(steadyOf(func(sums map[string]any) { sums["energy_joules"] = map[string]any{"total": -1, "seconds": 60} })), 400, "invalid_document"},
		{"NaN", other.Body([]byte(strings.Replace(string(unpadded), `"lost_seconds":0`, `"lost_seconds":NaN`, 1))), 400, "invalid_document"},
		{"a number beyond all", other.Body([]byte(strings.Replace(string(unpadded), `"lost_seconds":0`, `"lost_seconds":1e999`, 1))), 400, "invalid_document"},
		{"a recorded machine", changed(func(d map[string]any) { d["source"] = "replay" }), 422, "replay_source"},
		{"clock above the maximum", changed(gpuOf(func(gpu map[string]any) { gpu["clock_sm_max_mhz"] = 1300 })), 422, "clock_above_max"},
		{"power above the limit", changed(gpuOf(func(gpu map[string]any) { gpu["power_limit_enforced_watts"] = 300 })), 422, "power_above_limit"},
		{"energy without power", changed(steadyOf(func(sums map[string]any) {
			sums["energy_joules"] = map[string]any{"total": 300 * 3600, "seconds": 3600}
		})), 422, "energy_off_power"},
		{"busy for longer than it was there", changed(gpuOf(func(gpu map[string]any) { gpu["busy_seconds"] = 7200 })), 422, "busy_above_wall"},
		{"an hour in a minute", changed(func(d map[string]any) {
			d["mono_end_seconds"] = d["mono_start_seconds"].(float64) + 60
			d["wall_start"] = d["wall_end"]
		}), 422, "busy_above_wall"},
		{"a sum above the maximum", changed(steadyOf(func(sums map[string]any) { sums["clock_sm_mhz"].(map[string]any)["sum"] = 3600 * 2000.0 })), 422, "statistics_inconsistent"},
		{"a histogram of another clock", changed(steadyOf(func(sums map[string]any) {
			h := make([]int, 20)
			h[0] = 3600
			sums["clock_histogram"] = h
		})), 422, "statistics_inconsistent"},
		{"another PCI device", changed(gpuOf(func(gpu map[string]any) { gpu["pci_device_id"] = "1eb8" })), 422, "hardware_inconsistent"},
		{"another compute capability", changed(gpuOf(func(gpu map[string]any) { gpu["compute_capability"] = "9.0" })), 422, "hardware_inconsistent"},
		{"half the memory", changed(gpuOf(func(gpu map[string]any) { gpu["memory_total_bytes"] = 20e9 })), 422, "hardware_inconsistent"},
		{"faster than any", changed(func(d map[string]any) {
			d["throughput"] = []any{map[string]any{"source": "benchmark", "unit": "teraflops", "rate": map[string]any{
				"n": 1, "sum": 400, "sumsq": 160000, "min": 400, "max": 400, "p5": 400, "p50": 400, "p95": 400}}}
		}), 422, "faster_than_possible"},
		{"one GPU twice", changed(func(d map[string]any) { d["gpus"] = append(d["gpus"].([]any), d["gpus"].([]any)[0]) }), 422, "same_gpu_twice"},
		{"the GPU of another tenant", rival.Body(rival.Report(boxtest.Watch{Until: s.now, Change: ofB})), 409, "gpu_two_tenants"},
		{"the GPU of another box", changed(ofB), 409, "gpu_two_boxes"},
		{"fewer memory errors than before", b.Body(b.Report(boxtest.Watch{Until: s.now, Length: time.Hour, Change: gpuOf(func(gpu map[string]any) {
			gpu["ecc"] = map[string]any{"enabled": true, "corrected_aggregate": 0, "uncorrected_aggregate": 0}
		})})), 422, "counter_fell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, err := s.store.Refusals(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := &station{t: t, store: s.store, router: s.router, now: s.now}
			s.want(c.name, s.send(c.body), c.status, c.reason)
			after, err := s.store.Refusals(t.Context())
			if err != nil || after[c.reason] != before[c.reason]+1 {
				t.Errorf("counted %d times after %d, %v", after[c.reason], before[c.reason], err)
			}
			if all := s.reports(); len(all) != 1 {
				t.Errorf("%d reports are kept, want the honest one", len(all))
			}
		})
	}
	counted, err := s.store.Refusals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range forgery.Reasons() {
		if counted[string(reason)] == 0 {
			t.Errorf("no report is refused because of %s", reason)
		}
	}
	s.want("as JSON", s.send(b.Body(first), "content-type", "application/json"), 415, "bad_media_type")
	s.want("as zstd", s.send(b.Body(first), "content-encoding", "zstd"), 415, "bad_media_type")
	s.want("too large to be looked at", s.send(bytes.Repeat([]byte{1}, schemas.MaxBytes+1)), 413, "too_large")
	s.want("with a parameter", serve(t, s.router, event("POST", MeasurementsPath+"?x=1", "")), 400, "invalid_document")
	s.want("an API key that is no key", serve(t, s.router, event("DELETE", "/v1/boxes/"+b.ID, "")), 401, "bad_signature")
	if after, err := s.store.Refusals(t.Context()); err != nil || after["too_large"] != counted["too_large"]+1 || after["bad_media_type"] != counted["bad_media_type"]+2 {
		t.Errorf("counted %v after %v, %v", after, counted, err)
	}
}

// bomb is a gzip of 64 MiB of nothing.
func bomb() []byte {
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	nothing := make([]byte, 1<<20)
	for range 64 {
		_, _ = zip.Write(nothing) // a buffer takes all
	}
	_ = zip.Close()
	return out.Bytes()
}

func TestReplaysWhereTheyAreWanted(t *testing.T) {
	s := newStation(t, ingest.Options{Replays: true})
	b := s.enrolled("acme", "b1")
	s.want("a recorded machine", s.send(b.Body(b.Report(boxtest.Watch{Until: s.now, Change: func(d map[string]any) { d["source"] = "replay" }}))), 200, "")
}

func TestEnrolment(t *testing.T) {
	s := newStation(t, ingest.Options{})
	b, late := boxtest.New("b1"), boxtest.New("b2")
	code := s.code("acme")
	answer := s.post(EnrollPath, b.Enrolment(code, func(e *schemas.Enrolment) { e.Provider = "amazn" }))
	s.want("enroll", answer, 200, "")
	if err := schemas.Validate(schemas.EnrolmentReceiptSchema, []byte(answer.Body)); err != nil {
		t.Error(err)
	}
	var receipt schemas.EnrolmentReceipt
	if err := json.Unmarshal([]byte(answer.Body), &receipt); err != nil || receipt.KeyID != b.ID || receipt.Box.Provider.Name != nil ||
		!cmp.Equal(receipt.Box.Provider.Near, []string{"aws"}) {
		t.Errorf("receipt %s, %v", answer.Body, err)
	}
	again := s.post(EnrollPath, b.Enrolment(strings.ToLower(code), func(e *schemas.Enrolment) { e.Provider = "amazn" }))
	if again.StatusCode != 200 || again.Body != answer.Body {
		t.Errorf("the repeat: %d %s", again.StatusCode, again.Body)
	}
	s.want("the code from another box", s.post(EnrollPath, late.Enrolment(code, nil)), 403, "code_refused")
	s.want("a code that never was", s.post(EnrollPath, late.Enrolment("AAAA-BBBB-CCCC", nil)), 403, "code_refused")
	old := s.code("acme")
	s.now = s.now.Add(ingest.CodeLife)
	s.want("a code too old", s.post(EnrollPath, late.Enrolment(old, nil)), 403, "code_refused")
	s.want("another tenant's key", s.post(EnrollPath, b.Enrolment(s.code("beta"), nil)), 403, "key_taken")

	tampered := bytes.Replace(late.Enrolment(s.code("acme"), nil), []byte(`"nonce":"A`), []byte(`"nonce":"B`), 1)
	s.want("a changed nonce", s.post(EnrollPath, tampered), 400, "bad_proof")
	s.want("an unknown field", s.post(EnrollPath, bytes.Replace(b.Enrolment(code, nil), []byte(`{`), []byte(`{"host":"x",`), 1)), 400, "invalid_document")
	s.want("nothing", s.post(EnrollPath, nil), 400, "invalid_document")
	refused, err := s.store.Refusals(t.Context())
	if want := map[string]int64{"code_refused": 3, "key_taken": 1, "bad_proof": 1, "invalid_document": 2}; err != nil || !cmp.Equal(want, refused) {
		t.Errorf("refusals are %v, %v, want %v", refused, err, want)
	}
}

// A key is replaced by one that the old one vouches for: the box stays the same.
func TestRotation(t *testing.T) {
	s := newStation(t, ingest.Options{})
	b := s.enrolled("acme", "b1")
	first := b.ID
	before := b.Report(boxtest.Watch{Until: s.now.Add(-time.Hour)})
	s.want("before", s.send(b.Body(before)), 200, "")
	old := *b
	s.want("a new key that the old one did not sign", s.post(EnrollPath, boxtest.New("thief").Enrolment(s.code("acme"), func(e *schemas.Enrolment) {
		e.Replaces = &schemas.EnrolmentReplaces{KeyID: first, Signature: strings.Repeat("A", 86)}
	})), 400, "bad_proof")
	renewal := b.Renewal(s.code("acme"))
	s.want("renew", s.post(EnrollPath, renewal), 200, "")
	s.want("renew once more: the answer was lost", s.post(EnrollPath, renewal), 200, "")
	s.want("with the old key", s.send(old.Body(old.Report(boxtest.Watch{Until: s.now}))), 403, "key_revoked")
	s.want("what was sent before, signed anew", s.send(b.Body(before)), 200, "")
	s.want("with the new key", s.send(b.Body(b.Report(boxtest.Watch{Until: s.now}))), 200, "")
	all := s.reports()
	if len(all) != 2 || all[0].Box != catalog.BoxID(first) || all[1].Box != catalog.BoxID(first) {
		t.Errorf("%d reports, want two of one machine: %+v", len(all), all)
	}
	// Another owner's account does not take the box's history over.
	s.want("to another tenant", s.post(EnrollPath, b.Renewal(s.code("beta"))), 200, "")
	box, err := s.store.Box(t.Context(), catalog.BoxID(b.ID))
	if err != nil || box.Machine != box.ID || box.Tenant != "beta" {
		t.Errorf("%+v, %v", box, err)
	}
}

func TestForgetting(t *testing.T) {
	s := newStation(t, ingest.Options{})
	forget := func(id, authorization string) events.APIGatewayV2HTTPResponse {
		e := event("DELETE", "/v1/boxes/"+id, "")
		e.Headers["authorization"] = authorization
		return serve(t, s.router, e)
	}
	key := func(tenant catalog.TenantID) string {
		text, key, err := apikey.Issue(rand.Reader, tenant, "", s.now)
		if err = errors.Join(err, s.store.PutKey(t.Context(), key)); err != nil {
			t.Fatal(err)
		}
		return "Bearer " + text
	}
	b, other := s.enrolled("acme", "b1"), s.enrolled("acme", "b2")
	for _, box := range []*boxtest.Box{b, other} {
		s.want("a report", s.send(box.Body(box.Report(boxtest.Watch{Until: s.now}))), 200, "")
	}
	s.want("nobody", forget(b.ID, ""), 401, "bad_signature")
	s.want("another box", forget(b.ID, other.ForgetMe()), 401, "bad_signature")
	s.want("a report's signature", forget(b.ID, "Bearer "+b.Sign(boxtest.Measurement, []byte("{}"))), 400, "bad_envelope")
	s.want("another owner", forget(b.ID, key("beta")), 401, "unknown_box")
	s.want("no such box", forget("nothing", b.ForgetMe()), 404, "")
	s.want("no box at all", forget(strings.Repeat("x", 65), b.ForgetMe()), 404, "")
	s.want("the box itself", forget(b.ID, b.ForgetMe()), 204, "")
	s.want("the box once more", forget(b.ID, b.ForgetMe()), 404, "")
	if all := s.reports(); len(all) != 1 || all[0].Box != catalog.BoxID(other.ID) {
		t.Errorf("kept are %+v", all)
	}
	s.want("a box that is gone", s.send(b.Body(b.Report(boxtest.Watch{Until: s.now}))), 401, "unknown_box")
	s.want("its owner", forget(other.ID, key("acme")), 204, "")
	if all := s.reports(); len(all) != 0 {
		t.Errorf("kept are %+v", all)
	}
}
