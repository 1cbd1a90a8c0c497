package main

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
)

// How many requests wait for each that is answered, and how long one waits: beyond
// either it is refused at once, so that under any load those that are let in are
// answered soon, and memory does not grow.
const (
	waitingEach = 64
	longestWait = time.Second
)

// bounded lets a number of requests in at a time.
type bounded struct {
	next    lambdaHandler
	inside  chan struct{} // one for each that is answered now
	waiting atomic.Int64
	wait    time.Duration
}

// newBounded answers at most so many requests at a time.
func newBounded(next lambdaHandler, most int, wait time.Duration) *bounded {
	return &bounded{next: next, inside: make(chan struct{}, most), wait: wait}
}

// Serve answers an event, or refuses it if there is no room. Health is always told.
func (b *bounded) Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if event.RawPath == endpoint.HealthPath {
		return b.next.Serve(ctx, event)
	}
	if !b.enter(ctx) {
		return apigw.Overloaded(), nil
	}
	defer func() { <-b.inside }()
	return b.next.Serve(ctx, event)
}

// enter waits for room. It reports whether there was some in time.
func (b *bounded) enter(ctx context.Context) bool {
	defer b.waiting.Add(-1)
	if b.waiting.Add(1) > int64(cap(b.inside)*waitingEach) {
		return false
	}
	// All who came are counted before one is answered: else, with a processor for each that
	// is let in, they would wait for that unseen, as long as it takes.
	runtime.Gosched()
	select {
	case b.inside <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	select {
	case b.inside <- struct{}{}:
		return true
	case <-timer.C:
		return false
	case <-ctx.Done():
		return false
	}
}
