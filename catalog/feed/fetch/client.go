package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Client opens documents over HTTP. Any number of goroutines may use it.
type Client struct {
	HTTP *http.Client
	Now  func() time.Time
	// Wait waits, or until the context ends; nil is a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Tries is how often a request is sent at most; 0 is 4.
	Tries int

	mu     sync.Mutex
	random *rand.Rand
}

// NewClient is a client that waits between tries for times that the seed spreads,
// so that many programs do not come back together.
func NewClient(transport *http.Client, now func() time.Time, seed uint64) *Client {
	return &Client{HTTP: transport, Now: now, random: rand.New(rand.NewPCG(seed, 0))}
}

// HTTP is what a Client talks with: it waits for a server to answer, but not for long,
// and for a document as long as the context lets it.
func HTTP() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout:   dialTimeout,
			ResponseHeaderTimeout: answerTimeout,
			ForceAttemptHTTP2:     true,
		},
		CheckRedirect: redirect,
	}
}

// redirect follows a server to another address, but not out of TLS.
func redirect(next *http.Request, before []*http.Request) error {
	const most = 10
	switch {
	case len(before) >= most:
		return fmt.Errorf("more than %d redirections", most)
	case before[0].URL.Scheme == "https" && next.URL.Scheme != "https":
		return errors.New("a redirection out of TLS")
	}
	return nil
}

// How long a server may take to be there, and to begin its answer.
const (
	dialTimeout   = 10 * time.Second
	answerTimeout = 30 * time.Second
)

// The waits between tries, and the longest that a server may ask for.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	mostTries   = 4
)

// Open asks for a document until it has an answer that another try would not
// change. It fails with feed.ErrUnchanged if the document is the one that the
// request knows.
func (c *Client) Open(ctx context.Context, r feed.Request) (*feed.Document, error) {
	tries := c.Tries
	if tries <= 0 {
		tries = mostTries
	}
	for try := 1; ; try++ {
		document, wait, err := c.try(ctx, r)
		if err == nil || wait < 0 {
			return document, err
		}
		if try == tries {
			return nil, fmt.Errorf("%w (tried %d times)", err, try)
		}
		if errWait := c.wait(ctx, c.pause(try, wait)); errWait != nil {
			return nil, errors.Join(err, errWait)
		}
	}
}

// never says that another try would not help.
const never time.Duration = -1

// try sends a request once. wait is how long the server wants to be left alone
// before another try: 0 if it does not say, never if that would not help.
func (c *Client) try(ctx context.Context, r feed.Request) (document *feed.Document, wait time.Duration, err error) {
	request, err := newRequest(ctx, r)
	if err != nil {
		return nil, never, err
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, retryable(ctx), fmt.Errorf("get %s: %w", shown(r.URL), plainly(err))
	}
	if response.StatusCode == http.StatusOK {
		document, err = c.document(response, r)
		if err != nil {
			_ = response.Body.Close()
			return nil, never, fmt.Errorf("get %s: %w", shown(r.URL), err)
		}
		return document, 0, nil
	}
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	_ = response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotModified:
		return nil, never, fmt.Errorf("get %s: %w", shown(r.URL), feed.ErrUnchanged)
	case response.StatusCode == http.StatusTooManyRequests, response.StatusCode == http.StatusRequestTimeout, response.StatusCode >= 500:
		return nil, c.retryAfter(response.Header), fmt.Errorf("get %s: status %d", shown(r.URL), response.StatusCode)
	default:
		return nil, never, fmt.Errorf("get %s: status %d", shown(r.URL), response.StatusCode)
	}
}

// newRequest is the request as HTTP has it.
func newRequest(ctx context.Context, r feed.Request) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, errors.New("make request: want an address that begins with http:// or https://")
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	request.Header.Set("User-Agent", "tierwise")
	if r.Known.ETag != "" {
		request.Header.Set("If-None-Match", r.Known.ETag)
	}
	if r.Known.LastModified != "" {
		request.Header.Set("If-Modified-Since", r.Known.LastModified)
	}
	return request, nil
}

// document is the body of a good answer. Its date is what the server says of it,
// but never a day to come.
func (c *Client) document(response *http.Response, r feed.Request) (*feed.Document, error) {
	limit := r.Limit
	if limit <= 0 {
		limit = feed.DefaultLimit
	}
	if response.ContentLength > limit {
		return nil, fmt.Errorf("a document of %d bytes, at most %d: %w", response.ContentLength, limit, feed.ErrTooLarge)
	}
	document, err := feed.NewDocument(response.Body, limit, response.Body.Close)
	if err != nil {
		return nil, err
	}
	document.Name, document.Size = shown(r.URL), max(0, response.ContentLength)
	document.Validators = catalog.Validators{ETag: response.Header.Get("ETag"), LastModified: response.Header.Get("Last-Modified")}
	at := c.Now()
	if modified, err := http.ParseTime(document.Validators.LastModified); err == nil && modified.Before(at) {
		at = modified
	}
	document.Date = catalog.DateOf(at)
	return document, nil
}

// retryAfter is how long the server wants to be left alone.
func (c *Client) retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(c.Now()))
	}
	return 0
}

// retryable says whether a request without an answer may be sent again: not once
// its time is over.
func retryable(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return never
	}
	return 0
}

// pause is how long to wait after a try: what the server asked for, or a random
// part of a time that doubles.
func (c *Client) pause(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, longestWait)
	}
	most := min(firstWait<<(try-1), longestWait)
	c.mu.Lock()
	defer c.mu.Unlock()
	return most/2 + time.Duration(c.random.Int64N(int64(most/2)+1))
}

// wait waits, or until the context ends.
func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shown is an address as it may be shown: without user, query and fragment.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(an address that can't be read)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// plainly is an error of a client without the address that it repeats.
func plainly(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
