package upload

import (
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

var key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

// service is a server that answers as a script says, and then with receipts.
type service struct {
	t      *testing.T
	script []func(http.ResponseWriter)
	stored map[string]int // by id, how often a new report was stored
	order  []string
	calls  int
	now    time.Time // the server's clock; zero for the real one
}

func status(code int, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

// ServeHTTP verifies a report as the service does.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.calls++
	if !s.now.IsZero() {
		w.Header().Set("Date", s.now.UTC().Format(http.TimeFormat))
	}
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		s.t.Error(err)
		return
	}
	body, _ := io.ReadAll(unzipped)
	signed, err := jose.ParseSignedCompact(string(body), []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		s.t.Error(err)
		return
	}
	payload, err := signed.Verify(key.Public())
	if err != nil {
		s.t.Error(err)
	}
	if want, _ := KeyID(key.Public().(ed25519.PublicKey)); signed.Signatures[0].Header.KeyID != want {
		s.t.Errorf("key id %q, want %q", signed.Signatures[0].Header.KeyID, want)
	}
	if len(s.script) > 0 {
		answer := s.script[0]
		s.script = s.script[1:]
		answer(w)
		return
	}
	id := ID(payload)
	if s.stored[id] == 0 {
		s.stored[id]++
		s.order = append(s.order, string(payload))
	}
	json.NewEncoder(w).Encode(map[string]string{"id": id})
}

// outbox is a spool with some reports, and the loop that empties it.
type outbox struct {
	spool   *spool.Spool
	service *service
	loop    *Loop
	waits   []time.Duration
	offset  time.Duration
}

func newOutbox(t *testing.T, script ...func(http.ResponseWriter)) *outbox {
	t.Helper()
	o := &outbox{service: &service{t: t, script: script, stored: make(map[string]int)}}
	server := httptest.NewServer(o.service)
	t.Cleanup(server.Close)
	s, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.spool = s
	sender, err := s.Sender()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	url, err := ParseServer(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &Client{HTTP: NewHTTPClient(), Server: url, Key: key, Now: time.Now, Offset: func(d time.Duration) { o.offset = d }}
	o.loop = &Loop{Client: client, Sender: sender, Rand: rand.New(rand.NewPCG(1, 2)), Log: slog.New(slog.DiscardHandler),
		Wait: func(_ context.Context, d time.Duration) error { o.waits = append(o.waits, d); return nil }}
	return o
}

func (o *outbox) put(t *testing.T, payloads ...string) {
	t.Helper()
	w, _, err := o.spool.Writer(spool.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, payload := range payloads {
		if err := w.Seal([]byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
}

// Case 23: 429 with Retry-After, then 500, then 200: one copy, and the waits kept.
func TestCase23RetryAfterIsKept(t *testing.T) {
	o := newOutbox(t, status(429, "Retry-After", "120"), status(500))
	o.put(t, `{"n":1}`, `{"n":2}`)
	result, err := o.loop.Drain(t.Context())
	if err != nil || result.Sent != 2 || !slices.Equal(o.service.order, []string{`{"n":1}`, `{"n":2}`}) {
		t.Fatalf("got %+v, %v, %q", result, err, o.service.order)
	}
	if len(o.waits) != 2 || o.waits[0] < 120*time.Second || o.waits[1] > 2*time.Second {
		t.Errorf("waited %v, want 120 s and then a short random time", o.waits)
	}
}

// Case 24: 401 parks the report and ends the sending.
func TestCase24RevokedDoesNotLoop(t *testing.T) {
	o := newOutbox(t, status(401))
	o.put(t, `{"n":1}`, `{"n":2}`)
	_, err := o.loop.Drain(t.Context())
	rejected, _ := o.spool.Rejected()
	pending, _ := o.spool.Pending()
	if !errors.Is(err, ErrRevoked) || o.service.calls != 1 || !slices.Equal(rejected, []spool.Seq{1}) || !slices.Equal(pending, []spool.Seq{2}) {
		t.Errorf("got %v after %d calls, rejected %v, pending %v", err, o.service.calls, rejected, pending)
	}
	if got := o.spool.Reason(1); got != "401 Unauthorized" {
		t.Errorf("reason %q", got)
	}
}

// Case 25: a clock that is 40 minutes wrong does not keep a report from being taken.
func TestCase25WrongClock(t *testing.T) {
	o := newOutbox(t)
	o.service.now = time.Now().Add(40 * time.Minute)
	o.put(t, `{"n":1}`)
	if _, err := o.loop.Drain(t.Context()); err != nil || len(o.service.order) != 1 {
		t.Fatalf("%v, stored %v", err, o.service.order)
	}
	if off := o.offset - 40*time.Minute; off < -2*time.Second || off > 2*time.Second {
		t.Errorf("learnt an offset of %v", o.offset)
	}
}

func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(http.ResponseWriter)
		want   Kind
	}{
		{"400", status(400), Permanent}, {"404", status(404), Permanent}, {"409", status(409), Permanent}, {"413", status(413), Permanent},
		{"422", status(422), Permanent}, {"401", status(401), Revoked}, {"403", status(403), Revoked},
		{"408", status(408), Temporary}, {"425", status(425), Temporary}, {"429", status(429), Temporary}, {"502", status(502), Temporary},
		{"a redirect, as by a captive portal", status(302, "Location", "http://127.0.0.1:1/login"), Temporary},
		{"a page, as by a captive portal", func(w http.ResponseWriter) { io.WriteString(w, "<html>please log in") }, Temporary},
		{"a receipt of another report", func(w http.ResponseWriter) { io.WriteString(w, `{"id":"00"}`) }, Temporary},
		{"a cut connection", func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, Temporary},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := newOutbox(t, test.answer)
			got, err := o.loop.Client.Send(t.Context(), []byte(`{}`))
			if err != nil || got.Kind != test.want || got.Reason == "" {
				t.Errorf("got %+v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestPermanentFailureIsParkedWithItsReason(t *testing.T) {
	problem := func(w http.ResponseWriter) {
		w.WriteHeader(422)
		io.WriteString(w, `{"detail":"seq 1 is too old"}`)
	}
	o := newOutbox(t, problem)
	o.put(t, `{"n":1}`, `{"n":2}`)
	result, err := o.loop.Drain(t.Context())
	if err != nil || result != (Result{Sent: 1, Rejected: 1}) {
		t.Errorf("got %+v, %v", result, err)
	}
	if got := o.spool.Reason(1); got != "422 Unprocessable Entity: seq 1 is too old" {
		t.Errorf("reason %q", got)
	}
}

func TestBackoffDoublesUpToABound(t *testing.T) {
	var script []func(http.ResponseWriter)
	for range 30 {
		script = append(script, status(503))
	}
	o := newOutbox(t, script...)
	o.put(t, `{}`)
	if _, err := o.loop.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	bound := firstBackoff
	for i, wait := range o.waits {
		if wait > bound || wait > lastBackoff {
			t.Errorf("wait %d is %v, at most %v", i, wait, bound)
		}
		bound = min(2*bound, lastBackoff)
	}
	if slices.Max(o.waits) < time.Minute {
		t.Errorf("the waits never became long: %v", o.waits)
	}
}

func TestGivingUpKeepsTheReport(t *testing.T) {
	o := newOutbox(t, status(500), status(500), status(500))
	o.loop.Attempts = 2
	o.put(t, `{}`)
	_, err := o.loop.Drain(t.Context())
	pending, _ := o.spool.Pending()
	if !errors.Is(err, ErrUnsent) || len(pending) != 1 || o.service.calls != 2 {
		t.Errorf("got %v, pending %v after %d calls", err, pending, o.service.calls)
	}
}

func TestNobodyIsKeptWaitingForHours(t *testing.T) {
	o := newOutbox(t, status(503, "Retry-After", "7200"))
	o.loop.Attempts = 5
	o.put(t, `{}`)
	if _, err := o.loop.Drain(t.Context()); !errors.Is(err, ErrUnsent) || o.service.calls != 1 || len(o.waits) != 0 {
		t.Errorf("got %v after %d calls and waits of %v", err, o.service.calls, o.waits)
	}
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-5": 0, "9999999": longestWait, "soon": 0,
		"Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 30 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestEnvelopeIsTheSameEachTime(t *testing.T) {
	first, err := Envelope(key, []byte(`{"n":1}`))
	second, err2 := Envelope(key, []byte(`{"n":1}`))
	if err != nil || err2 != nil || first != second {
		t.Errorf("%v %v: %s and %s", err, err2, first, second)
	}
}

func TestServerAddresses(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://api.example.com": true, "http://127.0.0.1:8080": true, "http://localhost:8080": true, "http://[::1]:1": true,
		"http://api.example.com": false, "ftp://x": false, "": false, "api.example.com": false, "://": false,
	} {
		if _, err := ParseServer(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTooLargeReportIsNotSent(t *testing.T) {
	o := newOutbox(t)
	noise := make([]byte, 2*MaxBytes)
	source := rand.NewChaCha8([32]byte{})
	source.Read(noise)
	got, err := o.loop.Client.Send(t.Context(), fmt.Appendf(nil, "%x", noise))
	if err != nil || got.Kind != Permanent || o.service.calls != 0 {
		t.Errorf("got %+v, %v after %d calls", got, err, o.service.calls)
	}
}
