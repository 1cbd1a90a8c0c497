package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/schemas"
)

// slow answers once it is let go.
type slow struct {
	begun chan struct{}
	let   chan struct{}
}

// Serve waits to be let go, unless it is asked for its health.
func (s slow) Serve(_ context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if e.RawPath != "/healthz" {
		s.begun <- struct{}{}
		<-s.let
	}
	return events.APIGatewayV2HTTPResponse{StatusCode: 200}, nil
}

func TestOverloadConcurrent(t *testing.T) {
	const inside, more = 2, 300
	s := slow{begun: make(chan struct{}, inside+more), let: make(chan struct{})}
	b := newBounded(s, inside, 50*time.Millisecond)
	statuses := make(chan events.APIGatewayV2HTTPResponse, inside+more)
	var group sync.WaitGroup
	ask := func(path string) {
		answer, err := b.Serve(t.Context(), events.APIGatewayV2HTTPRequest{RawPath: path})
		if err != nil {
			t.Error(err)
		}
		statuses <- answer
	}
	for range inside {
		group.Go(func() { ask("/v1/recommend") })
	}
	for range inside {
		<-s.begun
	}
	for range more {
		group.Go(func() { ask("/v1/recommend") })
	}
	for range more {
		if a := <-statuses; a.StatusCode != 503 || a.Headers["retry-after"] != "1" || schemas.Validate(schemas.ProblemSchema, []byte(a.Body)) != nil {
			t.Errorf("got %+v while there is no room", a)
		}
	}
	ask("/healthz")
	if a := <-statuses; a.StatusCode != 200 {
		t.Errorf("health: got status %d", a.StatusCode)
	}
	close(s.let)
	for range inside {
		if a := <-statuses; a.StatusCode != 200 {
			t.Errorf("what was let in: got status %d", a.StatusCode)
		}
	}
	group.Wait()
	ask("/v1/recommend")
	if a := <-statuses; a.StatusCode != 200 || b.waiting.Load() != 0 {
		t.Errorf("after the overload: got status %d with %d waiting", a.StatusCode, b.waiting.Load())
	}
}

// busy answers after a while in which it lets nobody else use its processor.
type busy struct{ answers *atomic.Int64 }

// Serve does nothing useful.
func (b busy) Serve(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	for until := time.Now().Add(time.Millisecond); time.Now().Before(until); {
	}
	b.answers.Add(1)
	return events.APIGatewayV2HTTPResponse{StatusCode: 200}, nil
}

// On one processor, too, those for whom there is no room are refused before the others are
// answered.
func TestOverloadOfOneProcessorConcurrent(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var answers atomic.Int64
	b := newBounded(busy{&answers}, 1, time.Minute)
	var group sync.WaitGroup
	refused := make(chan int64, 300)
	for range 300 {
		group.Go(func() {
			if answer, _ := b.Serve(context.Background(), events.APIGatewayV2HTTPRequest{RawPath: "/"}); answer.StatusCode == 503 {
				refused <- answers.Load()
			}
		})
	}
	group.Wait()
	close(refused)
	if n := len(refused); n < 200 || answers.Load()+int64(n) != 300 {
		t.Errorf("%d answered, %d refused of 300, want at most a hundred answered", answers.Load(), n)
	}
	for before := range refused {
		if before > 30 {
			t.Errorf("one was refused after %d were answered", before)
		}
	}
}

// Who waits is let in when another is done, and not before; who gives up is gone.
func TestWaitingConcurrent(t *testing.T) {
	s := slow{begun: make(chan struct{}, 2), let: make(chan struct{})}
	b := newBounded(s, 1, time.Minute)
	statuses := make(chan int, 2)
	for range 2 {
		go func() {
			answer, _ := b.Serve(context.Background(), events.APIGatewayV2HTTPRequest{RawPath: "/"})
			statuses <- answer.StatusCode
		}()
	}
	<-s.begun
	s.let <- struct{}{}
	<-s.begun
	s.let <- struct{}{}
	if a, b := <-statuses, <-statuses; a != 200 || b != 200 {
		t.Errorf("got %d and %d, want both answered", a, b)
	}
	b.inside <- struct{}{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if answer, _ := b.Serve(gone, events.APIGatewayV2HTTPRequest{RawPath: "/"}); answer.StatusCode != 503 {
		t.Errorf("who gave up got status %d", answer.StatusCode)
	}
}

// Over HTTP, who finds no room gets a problem document that says when to try again.
func TestOverloadOverHTTPConcurrent(t *testing.T) {
	s := slow{begun: make(chan struct{}, 1), let: make(chan struct{})}
	server := httptest.NewServer(gateway{newBounded(s, 1, 0)})
	defer server.Close()
	first := make(chan int, 1)
	go func() {
		response, err := http.Get(server.URL + "/v1/recommend?q=7b")
		if err != nil {
			first <- 0
			return
		}
		response.Body.Close()
		first <- response.StatusCode
	}()
	<-s.begun
	response, err := http.Get(server.URL + "/v1/recommend?q=7b")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = schemas.Validate(schemas.ProblemSchema, body)
	}
	if err != nil || response.StatusCode != 503 || response.Header.Get("Retry-After") != "1" || response.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("got status %d, %v, %v: %s", response.StatusCode, response.Header, err, body)
	}
	close(s.let)
	if status := <-first; status != 200 {
		t.Errorf("who was let in got status %d", status)
	}
}
