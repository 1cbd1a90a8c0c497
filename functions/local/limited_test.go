package main

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/schemas"
)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// at serves a request and returns its status; of a refusal, it checks what it says.
func at(t *testing.T, l *limited) (status int, wait string) {
	t.Helper()
	answer, err := l.Serve(t.Context(), events.APIGatewayV2HTTPRequest{RawPath: "/healthz"})
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode == 429 {
		if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil || answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%v: %v %s", err, answer.Headers, answer.Body)
		}
	}
	return answer.StatusCode, answer.Headers["retry-after"]
}

// So many may come at once, then so many a second; who comes too soon is told when.
func TestRate(t *testing.T) {
	c := &clock{now: time.Unix(1e9, 0)}
	l := newLimited(slow{}, rate{perSecond: 0.4, atOnce: 3}, c.read)
	for i := range 3 {
		if status, _ := at(t, l); status != 200 {
			t.Errorf("request %d: got status %d", i, status)
		}
	}
	if status, wait := at(t, l); status != 429 || wait != "3" {
		t.Errorf("one too many: got status %d, Retry-After %q, want 429 and 3 (2.5 s)", status, wait)
	}
	c.move(2 * time.Second)
	if status, wait := at(t, l); status != 429 || wait != "1" {
		t.Errorf("too soon: got status %d, Retry-After %q, want 429 and 1 (0.5 s)", status, wait)
	}
	c.move(501 * time.Millisecond)
	if status, _ := at(t, l); status != 200 {
		t.Errorf("after the wait: got status %d", status)
	}
	c.move(time.Hour)
	c.move(-time.Minute) // a clock that is set back gives nothing and takes nothing
	passed := 0
	for range 10 {
		if status, _ := at(t, l); status == 200 {
			passed++
		}
	}
	if passed != 3 {
		t.Errorf("after an hour %d may come at once, want 3", passed)
	}
}

func TestRateConcurrent(t *testing.T) {
	c := &clock{now: time.Unix(1e9, 0)}
	l := newLimited(slow{}, rate{perSecond: 1, atOnce: 50}, c.read)
	statuses := make(chan int, 400)
	var group sync.WaitGroup
	for range cap(statuses) {
		group.Go(func() {
			status, _ := at(t, l)
			statuses <- status
		})
	}
	group.Wait()
	close(statuses)
	counts := make(map[int]int)
	for status := range statuses {
		counts[status]++
	}
	if counts[200] != 50 || counts[429] != 350 {
		t.Errorf("got %v, want 50 answers", counts)
	}
}

func TestNoRate(t *testing.T) {
	l := newLimited(slow{}, rate{}, time.Now)
	for range 1000 {
		if status, _ := at(t, l); status != 200 {
			t.Fatalf("got status %d without a bound", status)
		}
	}
}

// tierwise serve refuses what is beyond its rate.
func TestServedRate(t *testing.T) {
	s := serving(t, nil, "--requests-per-second", "0.01", "--requests-at-once", "2")
	for i, want := range []int{200, 200, 429} {
		response, body := s.send(t, sent{method: "GET", path: "/healthz"})
		if response.StatusCode != want {
			t.Errorf("request %d: got status %d, want %d: %s", i, response.StatusCode, want, body)
		}
		if wait, err := strconv.Atoi(response.Header.Get("Retry-After")); (want == 429) != (err == nil && wait >= 90 && wait <= 100) {
			t.Errorf("request %d: Retry-After %d, %v", i, wait, err)
		}
	}
}
