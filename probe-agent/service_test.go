package main

import (
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/tierwise/tierwise/probe-agent/internal/nvmltest"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
)

// service is the server side, as far as an agent sees it.
type service struct {
	t   testing.TB
	url string

	mu      sync.Mutex
	key     ed25519.PublicKey
	renewed int                           // enrolments that named an earlier key
	stored  map[string]report.Measurement // by id
	repeats int
	deleted []string
	fail    func(w http.ResponseWriter) bool // answers in the server's place if it returns true
}

func newService(t testing.TB) *service {
	s := &service{t: t, stored: make(map[string]report.Measurement)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/enroll", s.enroll)
	mux.HandleFunc("POST /v1/measurements", s.measurement)
	mux.HandleFunc("DELETE /v1/boxes/{id}", s.forget)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *service) enroll(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e upload.Enrolment
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		s.t.Error(err)
	}
	if e.Code != "GOOD" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	key, _ := base64.RawURLEncoding.DecodeString(e.PublicKey)
	signature, _ := base64.RawURLEncoding.DecodeString(e.Signature)
	if !ed25519.Verify(key, e.SignedText(), signature) {
		s.t.Error("the enrolment's signature is wrong")
	}
	if e.Replaces != nil {
		s.renewed++
		old, _ := base64.RawURLEncoding.DecodeString(e.Replaces.Signature)
		if !ed25519.Verify(s.key, e.SignedText(), old) {
			s.t.Error("the old key's signature is wrong")
		}
	}
	s.key = key
	id, err := upload.KeyID(s.key)
	if err != nil {
		s.t.Error(err)
	}
	json.NewEncoder(w).Encode(map[string]string{"key_id": id})
}

// open verifies a JWS and returns its payload.
func (s *service) open(signed string) []byte {
	jws, err := jose.ParseSignedCompact(signed, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		s.t.Error(err)
		return nil
	}
	payload, err := jws.Verify(s.key)
	if err != nil {
		s.t.Error(err)
	}
	return payload
}

func (s *service) measurement(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		return // the agent was killed while it sent
	}
	body, err := io.ReadAll(unzipped)
	if err != nil {
		return
	}
	if s.fail != nil && s.fail(w) {
		return
	}
	payload := s.open(string(body))
	id := upload.ID(payload)
	if _, again := s.stored[id]; again {
		s.repeats++
	}
	var m report.Measurement
	if err := json.Unmarshal(payload, &m); err != nil {
		s.t.Error(err)
	}
	s.stored[id] = m
	if s.fail != nil && s.fail(w) {
		return // it is stored, and the agent does not hear of it
	}
	json.NewEncoder(w).Encode(map[string]string{"id": id})
}

func (s *service) forget(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	payload := s.open(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if !strings.Contains(string(payload), `"action":"forget"`) || !strings.Contains(string(payload), r.PathValue("id")) {
		s.t.Errorf("forget is signed over %s", payload)
	}
	s.deleted = append(s.deleted, r.PathValue("id"))
}

func (s *service) setFail(fail func(w http.ResponseWriter) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// reports are what the server has.
func (s *service) reports() []report.Measurement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.stored))
}

// repeated is how many reports came again.
func (s *service) repeated() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repeats
}

// renewals are how many enrolments named an earlier key.
func (s *service) renewals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renewed
}

// deletions are the boxes that asked to be forgotten.
func (s *service) deletions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deleted)
}

func answers(status int) func(w http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.WriteHeader(status)
		return true
	}
}

// online is a short run whose reports are sent.
func online(length string) []string {
	return []string{"run", "--output", "json", "--interval", "20ms", "--window", "100ms", "--report-every", "200ms", "--for", length}
}

func TestFromEnrolmentToForgetting(t *testing.T) {
	s, r := newService(t), newRig(t, nvmltest.H100(2))
	r.run("upload").want(t, exitNotEnrolled)
	r.run("enroll", "--server", s.url, "--code", "BAD").want(t, exitNotEnrolled)
	r.run(append(online("300ms"), "--offline")...).want(t, exitOK)
	got := r.run("enroll", "--server", s.url, "--code", "GOOD", "--provider", "some cloud", "--region", "eu-1", "--sku", "x1.8xlarge").want(t, exitOK)
	if !strings.Contains(got.err, "No hostname, address, process") {
		t.Errorf("the consent is not shown: %q", got.err)
	}
	r.run("doctor").want(t, exitOK)

	// What was measured before is signed with the new key.
	dry := r.run("upload", "--dry-run").want(t, exitOK)
	if !strings.Contains(dry.out, "POST "+s.url+"/v1/measurements") || !strings.Contains(dry.out, `"schema":"tierwise.measurement/1"`) || len(s.reports()) != 0 {
		t.Errorf("dry run, %d stored:\n%s", len(s.reports()), dry.out)
	}
	exported := decode[bundle](t, r.run("export").want(t, exitOK))
	if len(exported.Reports) == 0 || !strings.Contains(dry.out, exported.Reports[0]) {
		t.Error("export and upload would not send the same bytes")
	}
	r.run("upload").want(t, exitOK)
	r.run(online("300ms")...).want(t, exitOK)
	last := len(s.reports())
	for _, m := range s.reports() {
		if m.Seq > 2 && (m.Provider != "some cloud" || m.Region != "eu-1" || m.SKU != "x1.8xlarge" || m.Reporter != "tenant" || m.ClockOffsetSeconds == nil) {
			t.Errorf("report %d: %q, %q, %q, %v", m.Seq, m.Provider, m.Region, m.Reporter, m.ClockOffsetSeconds)
		}
	}
	if last < 3 {
		t.Errorf("%d reports were stored", last)
	}

	// The key is renewed, signed by the old one.
	r.run("enroll", "--server", s.url, "--code", "GOOD").want(t, exitOK)
	r.run(online("300ms")...).want(t, exitOK)
	r.run("forget").want(t, exitOK)
	if s.renewals() != 1 || len(s.deletions()) != 1 || len(s.reports()) <= last {
		t.Errorf("deleted %v, stored %d", s.deletions(), len(s.reports()))
	}
	r.run("upload").want(t, exitNotEnrolled)
}

// Case 24, as a process: a box that is refused parks its report and ends.
func TestCase24Process(t *testing.T) {
	s, r := newService(t), newRig(t, nvmltest.H100(1))
	r.run("enroll", "--server", s.url, "--code", "GOOD").want(t, exitOK)
	r.run(append(online("300ms"), "--offline")...).want(t, exitOK)
	s.setFail(answers(http.StatusUnauthorized))
	r.run("upload").want(t, exitNotEnrolled)
	if got := r.run("report", "--list"); !strings.Contains(got.out, "rejected") || !strings.Contains(got.out, "401 Unauthorized") {
		t.Errorf("the list:\n%s", got.out)
	}
	// A run goes on measuring, sends nothing more, and says so by its exit code.
	if got := r.run(online("300ms")...).want(t, exitNotEnrolled); !strings.Contains(got.err, "report sealed") {
		t.Errorf("nothing was measured:\n%s", got.err)
	}
}

func TestServerDown(t *testing.T) {
	s, r := newService(t), newRig(t, nvmltest.H100(1))
	r.run("enroll", "--server", s.url, "--code", "GOOD").want(t, exitOK)
	r.run(append(online("200ms"), "--offline")...).want(t, exitOK)
	s.setFail(answers(http.StatusInternalServerError))
	r.run("upload", "--attempts", "2").want(t, exitUnsent)
	s.setFail(nil)
	r.run("upload").want(t, exitOK)
}

// A disk that was cloned does not speak for the box that it was copied from.
func TestClonedBox(t *testing.T) {
	s, r := newService(t), newRig(t, nvmltest.H100(1))
	r.run("enroll", "--server", s.url, "--code", "GOOD").want(t, exitOK)
	r.run(append(online("200ms"), "--offline")...).want(t, exitOK)
	nvmltest.H100(1).With("gpu0.uuid", "GPU-of-another-box").Write(t, r.config)
	got := r.run("upload").want(t, exitNotEnrolled)
	if !strings.Contains(got.err, "cloned") || len(s.reports()) != 0 {
		t.Errorf("%d stored, %q", len(s.reports()), got.err)
	}
	if got := r.run("report", "--list"); !strings.Contains(got.out, "pending") {
		t.Error("the spool is not kept")
	}
	r.run(online("200ms")...).want(t, exitNotEnrolled)

	// Nor does it take the original's place when it enrolls itself.
	r.run("enroll", "--server", s.url, "--code", "GOOD").want(t, exitOK)
	if s.renewals() != 0 {
		t.Error("the copy replaces the key of the box that it was copied from")
	}
	r.run("upload").want(t, exitOK)
}

// verify --share makes a report too, and does not lose one that a kill has left.
func TestSharedVerification(t *testing.T) {
	r := newRig(t, nvmltest.H100(1))
	b := r.start("run", "--offline", "--interval", "20ms", "--window", "60ms", "--report-every", "1h")
	journal := filepath.Join(r.state, "spool", "journal-00000001.jsonl")
	b.waitUntil(func() bool {
		text, err := os.ReadFile(journal)
		return err == nil && strings.Contains(string(text), `"window"`)
	})
	b.cmd.Process.Kill()
	b.wait()
	r.run("verify", "--share", "--observe", "1s", "--benchmark", `echo "# Avg bus bandwidth    : 361.2"`, "--expect", "busbw_gb_s>=300").want(t, exitOK)
	first := decode[report.Measurement](t, r.run("report", "--seq", "1", "--output", "json").want(t, exitOK))
	second := decode[report.Measurement](t, r.run("report", "--seq", "2", "--output", "json").want(t, exitOK))
	if first.Kind != "watch" || first.GPUs[0].Windows.Total == 0 || second.Kind != "verify" || second.Tier != "A" || !second.Enough || len(second.Checks) == 0 {
		t.Errorf("first %s, %+v; second %s, tier %s, %d checks", first.Kind, first.GPUs[0].Windows, second.Kind, second.Tier, len(second.Checks))
	}
}

// kills is how often the agent is killed: 200 times by make soak.
func kills(t *testing.T) int {
	text := os.Getenv("PROBE_KILLS")
	if text == "" {
		return 10
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Killed at random points, against a server that fails at random, every report arrives
// exactly once.
func TestKilledAtRandom(t *testing.T) {
	s, r := newService(t), newRig(t, nvmltest.H100(1))
	r.run("enroll", "--server", s.url, "--code", "GOOD").want(t, exitOK)
	random := rand.New(rand.NewPCG(20261130, 9))
	var mu sync.Mutex
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	for round := range kills(t) {
		cmd := r.command("run", "--interval", "10ms", "--window", "20ms", "--report-every", "20ms", "--for", "1h")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := func() { cmd.Process.Kill() }
		s.setFail(func(w http.ResponseWriter) bool {
			switch draw(12) {
			case 0:
				kill()
			case 1:
				w.WriteHeader(http.StatusServiceUnavailable)
			case 2:
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
			case 3:
				panic(http.ErrAbortHandler)
			default:
				return false
			}
			return true
		})
		timer := time.AfterFunc(time.Duration(50+draw(700))*time.Millisecond, kill)
		cmd.Wait()
		timer.Stop()
		if cmd.ProcessState.Exited() {
			t.Fatalf("round %d: it ended by itself: %v", round, cmd.ProcessState)
		}
	}
	s.setFail(nil)
	r.run(append(online("100ms"), "--offline")...).want(t, exitOK) // makes a report of the last journal
	r.run("upload").want(t, exitOK)
	checkArrival(t, s, r)
}

// checkArrival tests that the server has every report that was made, each once.
func checkArrival(t *testing.T, s *service, r *rig) {
	t.Helper()
	bySeq := make(map[uint64]int)
	for _, m := range s.reports() {
		bySeq[m.Seq]++
		if m.GPUs[0].Windows.Total == 0 {
			t.Errorf("report %d is empty", m.Seq)
		}
	}
	for seq := uint64(1); seq <= uint64(len(bySeq)); seq++ {
		if bySeq[seq] != 1 {
			t.Errorf("report %d was stored %d times", seq, bySeq[seq])
		}
	}
	list := r.run("report", "--list").want(t, exitOK).out
	if strings.Contains(list, "pending") || strings.Contains(list, "rejected") || strings.Count(list, "sent") != len(bySeq) {
		t.Errorf("the server has %d reports, the box:\n%s", len(bySeq), list)
	}
	t.Logf("%d reports, %d of them sent more than once", len(bySeq), s.repeated())
	if len(bySeq) < kills(t) {
		t.Errorf("only %d reports: the agent was killed before it did anything", len(bySeq))
	}
}
