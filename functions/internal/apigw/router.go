package apigw

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Handler answers a request, or says with an error why not.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Route leads requests of a method and a path to a handler. A route of GET
// serves HEAD as well.
type Route struct {
	Method  string
	Path    string
	Handler Handler
}

// Router finds the handler of each event. It never changes after NewRouter, so
// any number of goroutines may serve from it.
type Router struct {
	log   *slog.Logger
	now   func() time.Time
	paths map[string]map[string]Handler // by path and method
}

// NewRouter makes a router that logs one line per request. now is the clock that
// durations are measured with.
func NewRouter(log *slog.Logger, now func() time.Time, routes ...Route) *Router {
	router := &Router{log: log, now: now, paths: make(map[string]map[string]Handler)}
	for _, route := range routes {
		if router.paths[route.Path] == nil {
			router.paths[route.Path] = make(map[string]Handler)
		}
		router.paths[route.Path][route.Method] = route.Handler
	}
	return router
}

// Serve answers an event. It has the signature that a Lambda runtime calls; the
// error is always nil, since every failure has an answer.
func (x *Router) Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	begun := x.now()
	request, err := requestOf(&event)
	var response Response
	if err == nil {
		response, err = x.handle(ctx, request)
	}
	if err != nil {
		response = failure(err)
	}
	facts := []slog.Attr{slog.Int("status", response.Status), slog.Int("bytes", len(response.Body)), slog.Duration("took", x.now().Sub(begun))}
	if response.Status >= http.StatusInternalServerError { // a client's mistakes are not logged in words
		facts = append(facts, slog.String("error", err.Error()))
	}
	x.record(ctx, request, facts)
	return response.event(request.Method), nil
}

// handle finds the handler and calls it.
func (x *Router) handle(ctx context.Context, r *Request) (Response, error) {
	methods, ok := x.paths[r.Path]
	if !ok {
		return Response{}, NotFoundError{}
	}
	handler, ok := methods[r.Method]
	if !ok && r.Method == http.MethodHead {
		handler, ok = methods[http.MethodGet]
	}
	if !ok {
		return Response{}, MethodError{Allow: allowed(methods)}
	}
	return guarded(ctx, handler, r)
}

// allowed are the methods that a path has.
func allowed(methods map[string]Handler) []string {
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
	level, route := slog.LevelInfo, "none"
	if slices.ContainsFunc(facts, func(fact slog.Attr) bool { return fact.Key == "error" }) {
		level = slog.LevelError
	}
	if _, ok := x.paths[r.Path]; ok {
		route = r.Path
	}
	who := []slog.Attr{slog.String("id", r.ID), slog.String("method", method(r.Method)), slog.String("route", route)}
	x.log.LogAttrs(ctx, level, "request", append(who, facts...)...)
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
