package apigw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// Handler answers a request, or says with an error why not.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Route leads requests of a method and a path to a handler. A segment of the path
// in braces ("/v1/offers/{id}") stands for any text, which Request.Values has under
// its name. A route of GET serves HEAD as well.
type Route struct {
	Method  string
	Path    string
	Handler Handler
	// Reason says otherwise why a request has no answer, also one that its handler never
	// saw; nil leaves the error.
	Reason func(ctx context.Context, err error) error
	// Failed puts why there is no answer; nil puts it as a problem document.
	Failed func(r *Request, problem schemas.ProblemDocument) Response
}

// Router finds the handler of each event. It never changes after NewRouter, so
// any number of goroutines may serve from it.
type Router struct {
	log   *slog.Logger
	now   func() time.Time
	paths map[string]map[string]Route // by path and method
}

// NewRouter makes a router that logs one line per request. now is the clock that
// durations are measured with.
func NewRouter(log *slog.Logger, now func() time.Time, routes ...Route) *Router {
	router := &Router{log: log, now: now, paths: make(map[string]map[string]Route)}
	for _, route := range routes {
		if router.paths[route.Path] == nil {
			router.paths[route.Path] = make(map[string]Route)
		}
		router.paths[route.Path][route.Method] = route
	}
	return router
}

// Serve answers an event. It has the signature that a Lambda runtime calls; the
// error is always nil, since every failure has an answer.
func (x *Router) Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	begun := x.now()
	request, err := requestOf(&event)
	route, wrong := x.find(request)
	if err == nil {
		err = wrong
	}
	var response Response
	if err == nil {
		response, err = guarded(ctx, route.Handler, request)
	}
	if err != nil && route.Reason != nil {
		err = route.Reason(ctx, err)
	}
	if err != nil {
		response = failure(request, route, err)
	}
	facts := []slog.Attr{slog.Int("status", response.Status), slog.Int("bytes", len(response.Body)), slog.Duration("took", x.now().Sub(begun))}
	if err != nil && response.Status >= http.StatusInternalServerError { // a client's mistakes are not logged in words
		facts = append(facts, slog.String("error", cause(err)))
	}
	x.record(ctx, request, facts)
	return response.event(request.Method), nil
}

// find finds the route of a request. The error is a NotFoundError or a MethodError.
func (x *Router) find(r *Request) (Route, error) {
	methods := x.methods(r)
	if methods == nil {
		return Route{}, NotFoundError{}
	}
	route, ok := methods[r.Method]
	if !ok && r.Method == http.MethodHead {
		route, ok = methods[http.MethodGet]
	}
	if !ok {
		return Route{}, MethodError{Allow: allowed(methods)}
	}
	return route, nil
}

// methods finds the routes of a request's path by method, nil if it has none, and
// notes the path's pattern and its values.
func (x *Router) methods(r *Request) map[string]Route {
	if methods, ok := x.paths[r.Path]; ok && !strings.Contains(r.Path, "{") {
		r.route = r.Path
		return methods
	}
	for pattern, methods := range x.paths {
		if values, ok := matched(pattern, r.Path); ok {
			r.route, r.Values = pattern, values
			return methods
		}
	}
	return nil
}

// matched are the texts that a path has where a pattern has names in braces. ok is
// false if the path is not of the pattern.
func matched(pattern, path string) (values map[string]string, ok bool) {
	wanted, given := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(wanted) != len(given) || !strings.Contains(pattern, "{") {
		return nil, false
	}
	values = make(map[string]string)
	for i, segment := range wanted {
		name, named := strings.CutPrefix(segment, "{")
		switch {
		case named && given[i] != "":
			values[strings.TrimSuffix(name, "}")] = given[i]
		case segment != given[i]:
			return nil, false
		}
	}
	return values, true
}

// allowed are the methods that a path has.
func allowed(methods map[string]Route) []string {
	names := slices.Collect(maps.Keys(methods))
	if _, ok := methods[http.MethodGet]; ok {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// guarded calls a handler and turns a panic into an error.
func guarded(ctx context.Context, handler Handler, r *Request) (response Response, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
	}()
	return handler(ctx, r)
}

// record writes the request's one line, as an error if it has one. Neither body
// nor query is logged.
func (x *Router) record(ctx context.Context, r *Request, facts []slog.Attr) {
	level := slog.LevelInfo
	if slices.ContainsFunc(facts, func(fact slog.Attr) bool { return fact.Key == "error" }) {
		level = slog.LevelError
	}
	who := []slog.Attr{slog.String("id", r.ID), slog.String("method", method(r.Method)), slog.String("route", cmp.Or(r.route, "none"))}
	noted, _ := ctx.Value(notesKey{}).([]slog.Attr)
	x.log.LogAttrs(ctx, level, "request", slices.Concat(who, noted, facts)...)
}

// cause is why a request failed, for the log. What is around the error of a store that is
// not available says whose things were asked for, which does not belong there.
func cause(err error) string {
	if gone, ok := errors.AsType[catalog.UnavailableError](err); ok {
		return gone.Error()
	}
	return err.Error()
}

// notesKey is where a context has what is to be logged of a request.
type notesKey struct{}

// Noting is a context whose request is logged with some facts more.
func Noting(ctx context.Context, facts ...slog.Attr) context.Context {
	return context.WithValue(ctx, notesKey{}, facts)
}

// method is a request's method for the log: whatever a client makes up counts as
// "other".
func method(name string) string {
	standard := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
	if slices.Contains(standard, name) {
		return name
	}
	return "other"
}
