package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// journal collects what a server logs while it runs.
type journal struct {
	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes a line.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.log.Write(p)
}

// String is what was logged so far.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.log.String()
}

// server is tierwise serve on a socket, until the test ends.
type server struct {
	address string // host and port
	log     *journal
}

// sent is a request.
type sent struct {
	method, path, body string
	header             map[string]string
}

// serving starts tierwise serve over a store with the keys of some tenants, which it
// returns by tenant in keys.
func serving(t *testing.T, keys map[string]string, flags ...string) server {
	t.Helper()
	data := t.TempDir()
	for tenant := range keys {
		p, out, errs := newProgram("")
		p.random = rand.Reader
		if code := p.run(t.Context(), []string{"api-key", "create", tenant, "--data", data}); code != exitOK {
			t.Fatalf("no key: %s", errs)
		}
		keys[tenant] = strings.TrimSpace(out.String())
	}
	p, _, _ := newProgram("")
	printed, out := io.Pipe()
	log := new(journal)
	p.stdout, p.stderr, p.random, p.now = out, log, rand.Reader, time.Now
	p.getenv = func(name string) string {
		return map[string]string{"PORT": "0", "SLACK_SIGNING_SECRET": slackSecret, endpoint.ChartKeyVariable: strings.Repeat("secret", 6)}[name]
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(ctx, append([]string{"serve", "--data", data}, flags...))
		out.Close()
	}()
	s := server{strings.TrimPrefix(address(t, printed), "http://"), log}
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return s
}

// slackSecret is a signing secret.
const slackSecret = "s1gn1ng-s3cret"

// send writes a request byte for byte, as no client would, and reads the answer.
func (s server) send(t *testing.T, r sent) (*http.Response, []byte) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", r.method, r.path, s.address)
	for name, value := range r.header {
		fmt.Fprintf(&text, "%s: %s\r\n", name, value)
	}
	if r.body != "" && r.header["Transfer-Encoding"] == "" {
		fmt.Fprintf(&text, "Content-Length: %d\r\n", len(r.body))
	}
	text.WriteString("\r\n" + r.body)
	connection, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	go func() { _, _ = io.WriteString(connection, text.String()) }() // the server may answer before it has read all
	asked, _ := http.NewRequest(http.MethodGet, "/", nil)
	if r.method == http.MethodHead {
		asked.Method = r.method
	}
	response, body := answered(t, connection, asked)
	return response, body
}

const (
	secretBody = "b0dy-marker"
	email      = "ada@example.com"
	forged     = "tw_acme_0000000000_0000000000000000000000000000000000000000000000000000000000000000"
)

// flood is so many headers of so many bytes each.
func flood(n, bytes int) map[string]string {
	headers := make(map[string]string)
	for i := range n {
		headers[fmt.Sprintf("X-Flood-%d", i)] = strings.Repeat("a", bytes)
	}
	return headers
}

// with is headers and one more.
func with(headers map[string]string, name, value string) map[string]string {
	headers[name] = value
	return headers
}

// TestBadInput sends tierwise serve what clients send by mistake or by intent: each gets
// its status and a problem document, and nothing of it is in the log.
func TestBadInput(t *testing.T) {
	keys := map[string]string{"acme": "", "other": ""}
	s := serving(t, keys)
	portfolio := `{"months": 3, "workloads": [{"name": "` + email + `", "resources": [{"offer": {"gpu": "A100"}}]}]}`
	key := func(tenant string) map[string]string {
		return map[string]string{"Authorization": "Bearer " + keys[tenant], "Content-Type": "application/json"}
	}
	if response, body := s.send(t, sent{"PUT", "/v1/portfolios/main", portfolio, key("acme")}); response.StatusCode != 200 {
		t.Fatalf("got status %d: %s", response.StatusCode, body)
	}
	jsonBody := map[string]string{"Content-Type": "application/json"}
	large := strings.Repeat(secretBody, schemas.MaxBytes/len(secretBody)+1)
	rental := `{"rental": {"hours": "2"}, "hardware": {"gpu": "T4"}}`
	for name, c := range map[string]struct {
		sent
		status int
		reason string
	}{
		"a large body":               {sent{"POST", "/v1/recommend", large, jsonBody}, 413, ""},
		"a large report":             {sent{"POST", "/v1/measurements", large, map[string]string{"Content-Type": "application/jose"}}, 413, "too_large"},
		"a large enrolment":          {sent{"POST", "/v1/enroll", large, jsonBody}, 413, "too_large"},
		"a large body by chunks":     {sent{"POST", "/v1/tco", chunked(large), map[string]string{"Content-Type": "application/json", "Transfer-Encoding": "chunked"}}, 413, ""},
		"chunks that are none":       {sent{"POST", "/v1/tco", secretBody, map[string]string{"Transfer-Encoding": "chunked"}}, 400, ""},
		"base64, which is no JSON":   {sent{"POST", "/v1/recommend", base64.StdEncoding.EncodeToString([]byte(rental)), jsonBody}, 400, ""},
		"bytes that are no text":     {sent{"POST", "/v1/recommend", "\xff\xfe" + secretBody, jsonBody}, 400, ""},
		"no content type":            {sent{"POST", "/v1/recommend", rental, nil}, 200, ""}, // it is taken for JSON
		"no content type, no JSON":   {sent{"POST", "/v1/recommend", secretBody, nil}, 400, ""},
		"no content type, a report":  {sent{"POST", "/v1/measurements", secretBody, nil}, 415, "bad_media_type"},
		"a form":                     {sent{"POST", "/v1/recommend", "a=" + secretBody, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, 415, ""},
		"a form to enroll":           {sent{"POST", "/v1/enroll", "a=" + secretBody, map[string]string{"Content-Type": "text/plain"}}, 415, "bad_media_type"},
		"a content type made up":     {sent{"POST", "/v1/tco", rental, map[string]string{"Content-Type": ";;;"}}, 415, ""},
		"compressed":                 {sent{"POST", "/v1/tco", rental, with(map[string]string{"Content-Encoding": "gzip"}, "Content-Type", "application/json")}, 415, ""},
		"two content types":          {sent{"POST", "/v1/tco", rental, map[string]string{"Content-Type": "application/json", "content-type": "text/plain"}}, 415, ""},
		"a report that is no JWS":    {sent{"POST", "/v1/measurements", secretBody, map[string]string{"Content-Type": "application/jose"}}, 400, "bad_envelope"},
		"a method of others":         {sent{"DELETE", "/v1/recommend", "", nil}, 405, ""},
		"a method made up":           {sent{"BREW", "/v1/offers", "", nil}, 405, ""},
		"TRACE":                      {sent{"TRACE", "/healthz", "", nil}, 405, ""},
		"OPTIONS of all":             {sent{"OPTIONS", "*", "", nil}, 404, ""},
		"GET with a body":            {sent{"GET", "/healthz", secretBody, nil}, 200, ""},
		"no such path":               {sent{"GET", "/v1/" + secretBody, "", nil}, 404, ""},
		"two slashes":                {sent{"GET", "//v1/offers", "", nil}, 404, ""},
		"two slashes within":         {sent{"GET", "/v1//offers", "", nil}, 404, ""},
		"a slash at the end":         {sent{"GET", "/v1/offers/", "", nil}, 404, ""},
		"a path that climbs":         {sent{"GET", "/v1/x/../offers", "", nil}, 404, ""},
		"the same in hexadecimal":    {sent{"GET", "/v1/x/%2e%2e/offers", "", nil}, 404, ""},
		"to another's by climbing":   {sent{"GET", "/v1/portfolios/x/../main", "", key("acme")}, 404, ""},
		"an encoded slash":           {sent{"GET", "/v1%2foffers%2fx%2fhistory%2f", "", nil}, 404, ""},
		"an encoded slash in a name": {sent{"GET", "/v1/portfolios/a%2fb", "", key("acme")}, 404, ""},
		"climbing in a name":         {sent{"GET", "/v1/portfolios/..%2f..%2fmain", "", key("acme")}, 404, ""},
		"a name of dots":             {sent{"GET", "/v1/portfolios/..", "", key("acme")}, 404, ""},
		"a zero byte":                {sent{"GET", "/v1/portfolios/main%00", "", key("acme")}, 404, ""},
		"a backslash":                {sent{"GET", "/v1\\offers", "", nil}, 404, ""},
		"another case":               {sent{"GET", "/V1/offers", "", nil}, 404, ""},
		"a file of the server's":     {sent{"GET", "/assets/..%2f..%2fgo.mod", "", nil}, 404, ""},
		"a query of no form":         {sent{"GET", "/v1/offers?gpu=%zz" + secretBody, "", nil}, 400, ""},
		"hundreds of headers":        {sent{"GET", "/healthz", "", flood(500, 10)}, 200, ""},
		"a flood of headers":         {sent{"GET", "/healthz", "", flood(2000, 50)}, 431, ""},
		"a huge header":              {sent{"GET", "/healthz", "", flood(1, 100_000)}, 431, ""},
		"no key":                     {sent{"GET", "/v1/portfolios/main", "", nil}, 401, ""},
		"a key of nobody":            {sent{"GET", "/v1/portfolios/main", "", map[string]string{"Authorization": "Bearer " + forged}}, 401, ""},
		"a forged secret":            {sent{"GET", "/v1/portfolios/main", "", map[string]string{"Authorization": "Bearer " + keys["acme"][:len(keys["acme"])-4] + "0000"}}, 401, ""},
		"another tenant's name":      {sent{"GET", "/v1/portfolios/main", "", map[string]string{"Authorization": "Bearer " + strings.Replace(keys["acme"], "acme", "other", 1)}}, 401, ""},
		"two keys":                   {sent{"GET", "/v1/portfolios/main", "", with(key("other"), "authorization", "Bearer "+keys["acme"])}, 401, ""},
		"a token without signature":  {sent{"GET", "/v1/portfolios/main", "", map[string]string{"Authorization": "Bearer eyJhbGciOiJub25lIn0.eyJ0ZW5hbnQiOiJhY21lIn0."}}, 401, ""},
		"a user and no key":          {sent{"GET", "/v1/portfolios/main", "", map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(email+":x"))}}, 401, ""},
		"another tenant's":           {sent{"GET", "/v1/portfolios/main", "", key("other")}, 404, ""},
		"another tenant's forecast":  {sent{"GET", "/v1/portfolios/main/forecast", "", key("other")}, 404, ""},
		"a box of nobody":            {sent{"DELETE", "/v1/boxes/" + secretBody, "", key("acme")}, 404, ""},
		"a code of nobody":           {sent{"POST", "/v1/slack/commands", "text=" + secretBody, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, 401, ""},
		"a picture nobody signed":    {sent{"GET", "/v1/charts/" + secretBody + ".png", "", nil}, 404, ""},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := s.send(t, c.sent)
			if response.StatusCode != c.status {
				t.Fatalf("got status %d, want %d: %.300s", response.StatusCode, c.status, body)
			}
			if c.status < 400 {
				return
			}
			if kind := response.Header.Get("Content-Type"); kind != "application/problem+json" {
				t.Errorf("it is %s: %.300s", kind, body)
			}
			var problem schemas.ProblemDocument
			if err := schemas.Validate(schemas.ProblemSchema, body); err != nil || json.Unmarshal(body, &problem) != nil || problem.Reason != c.reason {
				t.Errorf("%v, reason %q, want %q: %s", err, problem.Reason, c.reason, body)
			}
			if wanted := c.status == 405; (response.Header.Get("Allow") != "") != wanted {
				t.Errorf("Allow is %q", response.Header.Get("Allow"))
			}
			if wanted := c.status == 401 && c.path != "/v1/slack/commands"; (response.Header.Get("Www-Authenticate") != "") != wanted {
				t.Errorf("WWW-Authenticate is %q", response.Header.Get("Www-Authenticate"))
			}
		})
	}
	for _, private := range []string{secretBody, email, keys["acme"], keys["other"], keys["acme"][len(keys["acme"])-64:], "tw_", "Bearer", "eyJ", "acme", "X-Flood", slackSecret, "127.0.0.1", "\"error\"", "level=ERROR"} {
		if at := strings.Index(s.log.String(), private); at >= 0 {
			t.Errorf("the log has %q: %.200s", private, s.log.String()[at:])
		}
	}
	if lines := strings.Count(s.log.String(), "\n"); lines < 50 {
		t.Errorf("the log has %d lines, want one for each request:\n%s", lines, s.log)
	}
}

// chunked is a body in one chunk.
func chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// answered reads the answer to a request from a connection.
func answered(t *testing.T, connection net.Conn, asked *http.Request) (*http.Response, []byte) {
	t.Helper()
	if err := connection.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), asked)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil && len(body) == 0 {
		t.Fatal(err)
	}
	return response, body
}
