package main

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// rate is how many requests are let through: so many a second in the long run, and so
// many at once before. Zero a second is no bound.
type rate struct{ perSecond, atOnce float64 }

// limited lets requests through at a rate, as the gateway of the deployed stack does, and
// refuses the rest. Any number of goroutines may serve from it.
type limited struct {
	next lambdaHandler
	rate rate
	now  func() time.Time

	mu   sync.Mutex
	left float64 // how many may come now
	at   time.Time
}

// newLimited lets requests through at a rate.
func newLimited(next lambdaHandler, r rate, now func() time.Time) *limited {
	r.atOnce = max(r.atOnce, 1)
	return &limited{next: next, rate: r, now: now, left: r.atOnce, at: now()}
}

// Serve answers an event, or says when to try again.
func (l *limited) Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if wait := l.take(); wait > 0 {
		return apigw.TooMany(wait), nil
	}
	return l.next.Serve(ctx, event)
}

// take lets one request through. If none may come now, it is how long until one may.
func (l *limited) take() (wait time.Duration) {
	if l.rate.perSecond <= 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.left = min(l.rate.atOnce, l.left+max(0, now.Sub(l.at).Seconds())*l.rate.perSecond)
	l.at = now
	if l.left < 1 {
		return time.Duration((1 - l.left) / l.rate.perSecond * float64(time.Second))
	}
	l.left--
	return 0
}
