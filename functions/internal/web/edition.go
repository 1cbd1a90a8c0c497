package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// edition is the API over one version of the catalogue, as pages ask it.
type edition struct {
	snapshot *catalog.Snapshot
	routes   map[string]apigw.Handler // by method and path
}

// newEdition is the API over a catalogue.
func newEdition(s *catalog.Snapshot, api API) *edition {
	e := &edition{snapshot: s, routes: make(map[string]apigw.Handler)}
	for _, route := range api(s) {
		e.routes[route.Method+" "+route.Path] = route.Handler
	}
	return e
}

// ask answers a request of the API. Its errors are the API's.
func (e *edition) ask(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	handler := e.routes[r.Method+" "+r.Path]
	if handler == nil {
		return apigw.Response{}, apigw.NotFoundError{}
	}
	r.Header = http.Header{}
	return handler(ctx, r)
}

// get asks for a document.
func (v *visit) get(ctx context.Context, path string, query url.Values, into any) error {
	return v.read(ctx, &apigw.Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

// getOne is get for a path with a name in braces.
func (v *visit) getOne(ctx context.Context, path string, values map[string]string, into any) error {
	return v.read(ctx, &apigw.Request{Method: http.MethodGet, Path: path, Values: values, Query: v.instant()}, into)
}

// post sends a document, as of the instant that the page is asked for, and reads the
// answer.
func (v *visit) post(ctx context.Context, path string, document, into any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("ask %s: %w", path, err)
	}
	return v.read(ctx, &apigw.Request{Method: http.MethodPost, Path: path, Query: v.instant(), Body: body}, into)
}

// read asks and reads the answer.
func (v *visit) read(ctx context.Context, r *apigw.Request, into any) error {
	answer, err := v.ask(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(answer.Body), into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", r.Path, err)
	}
	return nil
}

// mostEditions is how many earlier versions are held: links to plans come in waves.
const mostEditions = 2

// archive holds the API over earlier versions of the catalogue. Any number of
// goroutines may use it.
type archive struct {
	past Past // nil if there are none
	api  API

	mu   sync.Mutex
	held []*edition // the one that came first is first
}

// longestVersion is longer than any version is.
const longestVersion = 200

// at is the API over a version. The error is an apigw.NotFoundError if it is not kept.
func (a *archive) at(ctx context.Context, version catalog.Version) (*edition, error) {
	gone := apigw.NotFoundError{What: "the catalogue's version " + schemas.Quoted(string(version)) + " is not kept here"}
	if a.past == nil || len(version) > longestVersion || strings.ContainsFunc(string(version), func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, gone
	}
	if e := a.find(version); e != nil {
		return e, nil
	}
	s, err := a.past.Load(ctx, version)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, gone
	}
	if err != nil {
		return nil, fmt.Errorf("open version %s: %w", version, err)
	}
	return a.hold(newEdition(s, a.api)), nil
}

// find is a version that is held, or nil.
func (a *archive) find(version catalog.Version) *edition {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.held {
		if e.snapshot.Version() == version {
			return e
		}
	}
	return nil
}

// hold holds a version instead of the one that came first.
func (a *archive) hold(e *edition) *edition {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = append(a.held, e)
	if len(a.held) > mostEditions {
		a.held = slices.Delete(a.held, 0, 1)
	}
	return e
}
