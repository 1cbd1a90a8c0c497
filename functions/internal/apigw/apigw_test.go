package apigw

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// echo answers with what a handler sees.
func echo(_ context.Context, r *Request) (Response, error) {
	return JSON(map[string]string{"method": r.Method, "path": r.Path, "query": r.Query.Encode(), "body": string(r.Body), "html": "<&>"})
}

// named answers with what the path says.
func named(_ context.Context, r *Request) (Response, error) { return JSON(r.Values) }

// page is a failure for people.
func page(r *Request, problem schemas.ProblemDocument) Response {
	return Response{Status: problem.Status, Header: map[string]string{"content-type": "text/plain"}, Body: r.Path + ": " + problem.Detail}
}

// routes are a path of two methods, and handlers that fail in each way.
func routes() []Route {
	failing := func(err error) Handler {
		return func(context.Context, *Request) (Response, error) { return Response{}, err }
	}
	return []Route{
		{Method: http.MethodGet, Path: "/echo", Handler: echo},
		{Method: http.MethodPost, Path: "/echo", Handler: echo},
		{Method: http.MethodPost, Path: "/post", Handler: echo},
		{Method: http.MethodGet, Path: "/unknown-error", Handler: failing(errors.New("secret: the database at 10.0.0.1 is down"))},
		{Method: http.MethodGet, Path: "/wrapped", Handler: failing(fmt.Errorf("answer: %w", schemas.Invalid("/a", "want b")))},
		{Method: http.MethodGet, Path: "/panic", Handler: func(context.Context, *Request) (Response, error) { panic("secret: index out of range") }},
		{Method: http.MethodGet, Path: "/empty", Handler: func(context.Context, *Request) (Response, error) { return Response{}, nil }},
		{Method: http.MethodGet, Path: "/things/{id}", Handler: named},
		{Method: http.MethodGet, Path: "/things/{id}/parts/{part}", Handler: named},
		{Method: http.MethodGet, Path: "/things/all", Handler: echo},
		{Method: http.MethodGet, Path: "/missing", Handler: failing(NotFoundError{What: "no thing is called x", Near: []string{"y", "z"}})},
		{Method: http.MethodGet, Path: "/tagged", Handler: func(_ context.Context, r *Request) (Response, error) { return r.JSONTagged(`W/"v1"`, "content") }},
		{Method: http.MethodPost, Path: "/decode", Handler: func(_ context.Context, r *Request) (Response, error) {
			var request schemas.RecommendRequest
			if err := r.Decode(schemas.RecommendRequestSchema, &request); err != nil {
				return Response{}, err
			}
			return JSON(request)
		}},
		{Method: http.MethodGet, Path: "/unavailable", Handler: failing(fmt.Errorf("get key of tenant secret: %w", catalog.UnavailableError{Err: errors.New("throttled")}))},
		{Method: http.MethodPost, Path: "/reason", Handler: echo, Reason: func(_ context.Context, err error) error {
			return &RefusedError{Kind: RefusedSize, Reason: "why", Detail: err.Error()}
		}},
		{Method: http.MethodGet, Path: "/page", Handler: failing(InvalidParameter("q", "want a text")), Failed: page},
		{Method: http.MethodGet, Path: "/page-panic", Handler: func(context.Context, *Request) (Response, error) { panic("secret") }, Failed: page},
	}
}

// call serves one event and gives the answer and what was logged.
func call(t *testing.T, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, string) {
	t.Helper()
	var log bytes.Buffer
	tick := time.Unix(0, 0)
	clock := func() time.Time { tick = tick.Add(time.Millisecond); return tick }
	answer, err := NewRouter(slog.New(slog.NewJSONHandler(&log, nil)), clock, routes()...).Serve(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return answer, log.String()
}

// event is a request as the gateway sends it.
func event(method, path string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{RawPath: path}
	e.RequestContext.HTTP.Method = method
	e.RequestContext.RequestID = "id-1"
	return e
}

func TestRouting(t *testing.T) {
	for _, c := range []struct {
		name, method, path string
		status             int
		allow              string
	}{
		{"found", "GET", "/echo", 200, ""},
		{"another method", "POST", "/echo", 200, ""},
		{"HEAD for GET", "HEAD", "/echo", 200, ""},
		{"no such path", "GET", "/", 404, ""},
		{"empty path", "GET", "", 404, ""},
		{"a slash too many", "GET", "/echo/", 404, ""},
		{"no such method", "DELETE", "/echo", 405, "GET, HEAD, POST"},
		{"no GET", "GET", "/post", 405, "POST"},
		{"no HEAD without GET", "HEAD", "/post", 405, "POST"},
		{"OPTIONS", "OPTIONS", "/echo", 405, "GET, HEAD, POST"},
		{"a made-up method", "BREW\n", "/echo", 405, "GET, HEAD, POST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, log := call(t, event(c.method, c.path))
			if answer.StatusCode != c.status || answer.Headers["allow"] != c.allow {
				t.Errorf("got %d, allow %q, want %d, allow %q", answer.StatusCode, answer.Headers["allow"], c.status, c.allow)
			}
			if got := strings.Count(log, "\n"); got != 1 {
				t.Errorf("got %d lines in the log, want 1:\n%s", got, log)
			}
		})
	}
}

// A segment in braces stands for any text but none.
func TestNamesInPaths(t *testing.T) {
	for _, c := range []struct{ path, body, route string }{
		{"/things/1", `{"id":"1"}`, "/things/{id}"},
		{"/things/a.b-c_d", `{"id":"a.b-c_d"}`, "/things/{id}"},
		{"/things/1/parts/2", `{"id":"1","part":"2"}`, "/things/{id}/parts/{part}"},
		{"/things/all", `"path":"/things/all"`, "/things/all"},
		{"/things/", "", "none"},
		{"/things", "", "none"},
		{"/things//parts/2", "", "none"},
		{"/things/1/parts", "", "none"},
		{"/things/1/2", "", "none"},
		{"/things/{id}", `{"id":"{id}"}`, "/things/{id}"},
	} {
		answer, log := call(t, event("GET", c.path))
		if want := c.body != ""; (answer.StatusCode == 200) != want || !strings.Contains(answer.Body, c.body) {
			t.Errorf("%s: got %d %s, want %s", c.path, answer.StatusCode, answer.Body, c.body)
		}
		if !strings.Contains(log, `"route":"`+c.route+`"`) {
			t.Errorf("%s: want route %s in the log: %s", c.path, c.route, log)
		}
	}
	if answer, _ := call(t, event("POST", "/things/1")); answer.StatusCode != 405 || answer.Headers["allow"] != "GET, HEAD" {
		t.Errorf("got %d, allow %q", answer.StatusCode, answer.Headers["allow"])
	}
}

func TestNothingOfThatName(t *testing.T) {
	answer, _ := call(t, event("GET", "/missing"))
	var p schemas.ProblemDocument
	if err := json.Unmarshal([]byte(answer.Body), &p); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 404 || p.Detail != "no thing is called x; did you mean y, z?" || len(p.Errors) != 1 || len(p.Errors[0].Near) != 2 {
		t.Errorf("got %d %s", answer.StatusCode, answer.Body)
	}
}

// Who holds the answer of a tag is not sent it again.
func TestTags(t *testing.T) {
	for held, status := range map[string]int{"": 200, `W/"v1"`: 304, `"v1"`: 304, `"v0", W/"v1"`: 304, "*": 304, `W/"v0"`: 200, `v1`: 200, ",": 200} {
		e := event("GET", "/tagged")
		e.Headers = map[string]string{"If-None-Match": held}
		answer, _ := call(t, e)
		if answer.StatusCode != status || answer.Headers["etag"] != `W/"v1"` || (answer.Body == "") != (status == 304) {
			t.Errorf("holding %s: got %d %q, tag %s", held, answer.StatusCode, answer.Body, answer.Headers["etag"])
		}
	}
}

func TestRequests(t *testing.T) {
	plain := event("POST", "/echo")
	plain.RawQueryString, plain.Body = "a=1&b=%20&a=2", "text"
	staged := event("GET", "/prod/echo")
	staged.RequestContext.Stage = "prod"
	stageOnly := event("GET", "/echo")
	stageOnly.RequestContext.Stage = "ech"
	encoded := event("POST", "/echo")
	encoded.Body, encoded.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte("téxt")), true
	for _, c := range []struct {
		name  string
		event events.APIGatewayV2HTTPRequest
		want  map[string]string
	}{
		{"query and body", plain, map[string]string{"method": "POST", "path": "/echo", "query": "a=1&a=2&b=+", "body": "text", "html": "<&>"}},
		{"named stage", staged, map[string]string{"method": "GET", "path": "/echo", "query": "", "body": "", "html": "<&>"}},
		{"stage that only looks like it", stageOnly, map[string]string{"method": "GET", "path": "/echo", "query": "", "body": "", "html": "<&>"}},
		{"base64", encoded, map[string]string{"method": "POST", "path": "/echo", "query": "", "body": "téxt", "html": "<&>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, _ := call(t, c.event)
			var got map[string]string
			if err := json.Unmarshal([]byte(answer.Body), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(answer.Body, "<&>") {
				t.Errorf("the body escapes for HTML: %s", answer.Body)
			}
		})
	}
}

func TestHeadHasNoBody(t *testing.T) {
	get, _ := call(t, event("GET", "/echo"))
	head, _ := call(t, event("HEAD", "/echo"))
	if head.Body != "" || head.StatusCode != get.StatusCode || head.Headers["content-type"] != get.Headers["content-type"] {
		t.Errorf("got %d %v %q", head.StatusCode, head.Headers, head.Body)
	}
	// "HEAD" is a letter longer than "GET", and the handler echoes the method.
	if want := fmt.Sprint(len(get.Body) + 1); head.Headers["content-length"] != want {
		t.Errorf("got content length %s, want %s", head.Headers["content-length"], want)
	}
}

func TestBodies(t *testing.T) {
	valid := `{"workload":{"kind":"finetune","model":{"params_b":"7"}}}`
	for _, c := range []struct {
		name, body string
		header     map[string]string
		base64     bool
		status     int
	}{
		{"JSON", valid, map[string]string{"content-type": "application/json"}, false, 200},
		{"with a charset", valid, map[string]string{"Content-Type": "application/json; charset=UTF-8"}, false, 200},
		{"no content type", valid, nil, false, 200},
		{"text", valid, map[string]string{"content-type": "text/plain"}, false, 415},
		{"patch of JSON", valid, map[string]string{"content-type": "application/json-patch+json"}, false, 415},
		{"Latin-1", valid, map[string]string{"content-type": "application/json; charset=iso-8859-1"}, false, 415},
		{"compressed", valid, map[string]string{"content-encoding": "gzip"}, false, 415},
		{"not valid", "{}", nil, false, 400},
		{"not base64", "%%%", nil, true, 400},
		{"too large", strings.Repeat(" ", schemas.MaxBytes+1), nil, false, 413},
		{"too large in base64", base64.StdEncoding.EncodeToString(bytes.Repeat([]byte(" "), schemas.MaxBytes+1)), nil, true, 413},
		{"far too large in base64", strings.Repeat("A", 6_000_000), nil, true, 413},
		{"as large as allowed", valid + strings.Repeat(" ", schemas.MaxBytes-len(valid)), nil, false, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("POST", "/decode")
			e.Body, e.Headers, e.IsBase64Encoded = c.body, c.header, c.base64
			answer, _ := call(t, e)
			if answer.StatusCode != c.status {
				t.Errorf("got status %d, want %d: %s", answer.StatusCode, c.status, answer.Body)
			}
			if c.status != 200 {
				if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// An error that the table does not know, and a panic, are told to the log in full
// and to the client in a fixed sentence.
func TestUnknownErrors(t *testing.T) {
	var bodies []string
	for _, c := range []struct{ path, logged string }{
		{"/unknown-error", "the database at 10.0.0.1 is down"},
		{"/panic", "secret: index out of range"},
		{"/panic", "apigw_test.go"},
	} {
		answer, log := call(t, event("GET", c.path))
		if answer.StatusCode != 500 || answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%s: got %d %v", c.path, answer.StatusCode, answer.Headers)
		}
		if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if !strings.Contains(log, c.logged) || !strings.Contains(log, `"level":"ERROR"`) || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: the log lacks %q: %s", c.path, c.logged, log)
		}
		bodies = append(bodies, answer.Body)
	}
	for _, body := range bodies {
		if body != bodies[0] || strings.Contains(body, "secret") {
			t.Errorf("got %s, want the same sentence for all", body)
		}
	}
}

// A store that is not available is said to be that, with when to try again; the log has
// why, and not what was asked for.
func TestUnavailableStore(t *testing.T) {
	answer, log := call(t, event("GET", "/unavailable"))
	if answer.StatusCode != 503 || answer.Headers["retry-after"] != "10" || strings.Contains(answer.Body, "throttled") {
		t.Errorf("got %d %v %s", answer.StatusCode, answer.Headers, answer.Body)
	}
	if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log, "throttled") || strings.Contains(log, "secret") {
		t.Errorf("the log is %s", log)
	}
}

// A route can say otherwise why there is no answer, also if its handler never saw the
// request; of a method that it does not take, it has nothing to say.
func TestReasonOfARoute(t *testing.T) {
	large := event("POST", "/reason")
	large.Body = strings.Repeat(" ", schemas.MaxBytes+1)
	for name, c := range map[string]struct {
		event  events.APIGatewayV2HTTPRequest
		status int
		reason string
	}{
		"answered":       {event("POST", "/reason"), 200, ""},
		"too large":      {large, 413, "why"},
		"another method": {event("GET", "/reason"), 405, ""},
	} {
		answer, _ := call(t, c.event)
		var p schemas.ProblemDocument
		if err := json.Unmarshal([]byte(answer.Body), &p); err != nil || answer.StatusCode != c.status || p.Reason != c.reason {
			t.Errorf("%s: got %d %s, %v", name, answer.StatusCode, answer.Body, err)
		}
	}
}

// What is answered without a route is a problem document, with when to try again where
// that helps.
func TestRefusalsWithoutARoute(t *testing.T) {
	for name, c := range map[string]struct {
		answer events.APIGatewayV2HTTPResponse
		status int
		wait   string
	}{
		"nothing to answer from":  {Unavailable(), 503, "10"},
		"no room":                 {Overloaded(), 503, "1"},
		"too many":                {TooMany(1500 * time.Millisecond), 429, "2"},
		"too many by little":      {TooMany(time.Nanosecond), 429, "1"},
		"headers too large":       {HeadersTooLarge(), 431, ""},
		"a body that breaks off":  {Unreadable(), 400, ""},
		"a failure of the server": {Failed(), 502, ""},
	} {
		if c.answer.StatusCode != c.status || c.answer.Headers["retry-after"] != c.wait || c.answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%s: got %d %v", name, c.answer.StatusCode, c.answer.Headers)
		}
		if err := schemas.Validate(schemas.ProblemSchema, []byte(c.answer.Body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFailuresForPeople(t *testing.T) {
	for _, c := range []struct {
		path   string
		status int
		body   string
		logged bool
	}{
		{"/page", 400, "/page: q: want a text", false},
		{"/page-panic", 500, "/page-panic: the request was understood, but answering it failed; the failure was logged", true},
	} {
		t.Run(c.path, func(t *testing.T) {
			answer, log := call(t, event("GET", c.path))
			if answer.StatusCode != c.status || answer.Body != c.body || answer.Headers["content-type"] != "text/plain" {
				t.Errorf("got status %d, %v, %q", answer.StatusCode, answer.Headers, answer.Body)
			}
			if strings.Contains(log, "secret") != c.logged {
				t.Errorf("the log is %q", log)
			}
		})
	}
}

func TestWrappedErrorsKeepTheirStatus(t *testing.T) {
	answer, log := call(t, event("GET", "/wrapped"))
	if answer.StatusCode != 400 || !strings.Contains(answer.Body, `"pointer":"/a"`) {
		t.Errorf("got %d %s", answer.StatusCode, answer.Body)
	}
	if strings.Contains(log, "want b") || !strings.Contains(log, `"level":"INFO"`) {
		t.Errorf("a client's mistake is logged in words: %s", log)
	}
}

func TestLog(t *testing.T) {
	e := event("GET", "/echo")
	e.RawQueryString, e.Body = "q=private", "private"
	_, log := call(t, e)
	var line map[string]any
	if err := json.Unmarshal([]byte(log), &line); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"msg": "request", "id": "id-1", "method": "GET", "route": "/echo", "status": 200.0, "took": 1e6} {
		if line[key] != want {
			t.Errorf("%s: got %v, want %v", key, line[key], want)
		}
	}
	if strings.Contains(log, "private") {
		t.Errorf("the log holds the request: %s", log)
	}
	if _, log := call(t, event("BREW", "/secret-path")); strings.Contains(log, "secret-path") || strings.Contains(log, "BREW") {
		t.Errorf("the log holds what a client made up: %s", log)
	}
}

func TestAnEmptyAnswer(t *testing.T) {
	for _, method := range []string{"GET", "HEAD"} {
		if answer, _ := call(t, event(method, "/empty")); answer.StatusCode != 200 || answer.Body != "" {
			t.Errorf("%s: got %d %q", method, answer.StatusCode, answer.Body)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		name, query, want string
	}{
		{"known", "q=a", ""},
		{"none", "", ""},
		{"unknown", "p=a", "parameter"},
		{"twice", "q=a&q=b", "twice"},
		{"many unknown", "x=1&y=2&z=3", `"x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("GET", "/")
			e.RawQueryString = c.query
			r, err := requestOf(&e)
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Parameters("q")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	long := strings.Repeat("显", 200)
	for _, c := range []struct {
		pieces []string
		most   int
	}{
		{[]string{long}, 203},
		{[]string{"a", "b", long, "c"}, 203},
		{strings.Split(strings.Repeat("word ", 500), " "), 203},
		{nil, 0},
	} {
		total := 0
		for _, piece := range brief(c.pieces) {
			total += len(piece)
		}
		if total > c.most {
			t.Errorf("brief of %d pieces has %d bytes, want at most %d", len(c.pieces), total, c.most)
		}
	}
}
