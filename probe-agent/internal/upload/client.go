package upload

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// MaxBytes is the largest body of a request.
const MaxBytes = 256 << 10

// maxAnswer is how much of an answer is read.
const maxAnswer = 64 << 10

// Client talks to one server with one key. All fields are required.
type Client struct {
	HTTP   *http.Client
	Server *url.URL
	Key    ed25519.PrivateKey
	Now    func() time.Time
	// Offset is told how far the server's clock is ahead, each time the server says.
	Offset func(time.Duration)
}

// NewHTTPClient is a client that follows no redirects: what a captive portal answers
// is no answer.
func NewHTTPClient() *http.Client {
	return &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ParseServer reads a server's address. Plain HTTP is for this machine only.
func ParseServer(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("server %q: want https://HOST", text)
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("server %q: plain http is for this machine only; want https", text)
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Outcome is what became of one attempt.
type Outcome struct {
	Kind   Kind
	Reason string        // in words; empty if stored
	After  time.Duration // for Temporary: not before; 0 if the server does not say
}

// Kind sorts outcomes by what to do next.
type Kind uint8

// The kinds.
const (
	Stored    Kind = iota // the server has it
	Temporary             // try again
	Permanent             // the server will never take this report
	Revoked               // the server takes nothing from this box
)

// Request is the very request that Send makes.
func (c *Client) Request(ctx context.Context, payload []byte) (*http.Request, error) {
	signed, err := Envelope(c.Key, payload)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	if _, err = io.WriteString(zip, signed); err == nil {
		err = zip.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("compress report: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Server.JoinPath("v1/measurements").String(), &body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	r.Header.Set("Content-Type", "application/jose")
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("Tierwise-Sent-At", c.Now().UTC().Format(time.RFC3339))
	r.Header.Set("User-Agent", "tierwise-probe")
	return r, nil
}

// Send makes one attempt to bring a report to the server.
func (c *Client) Send(ctx context.Context, payload []byte) (Outcome, error) {
	r, err := c.Request(ctx, payload)
	if err != nil {
		return Outcome{}, err
	}
	if r.ContentLength > MaxBytes {
		return Outcome{Kind: Permanent, Reason: fmt.Sprintf("the request has %d bytes, at most %d", r.ContentLength, MaxBytes)}, nil
	}
	status, header, answer, err := c.do(r)
	if err != nil {
		return Outcome{Kind: Temporary, Reason: err.Error()}, nil
	}
	return c.judge(status, header, answer, ID(payload)), nil
}

// do makes a request and reads the answer. The error says nothing of addresses.
func (c *Client) do(r *http.Request) (int, http.Header, []byte, error) {
	response, err := c.HTTP.Do(r)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return 0, nil, nil, fmt.Errorf("reach the server: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("read the server's answer: %w", err)
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		c.Offset(date.Sub(c.Now()).Round(time.Second))
	}
	return response.StatusCode, response.Header, answer, nil
}

// judge sorts an answer.
func (c *Client) judge(status int, header http.Header, answer []byte, id string) Outcome {
	switch {
	case status >= 200 && status < 300:
		var receipt struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(answer, &receipt) != nil || receipt.ID != id {
			return Outcome{Kind: Temporary, Reason: "the answer is no receipt of this report"}
		}
		return Outcome{Kind: Stored}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Outcome{Kind: Revoked, Reason: reason(status, answer)}
	case status >= 300 && status < 400: // a captive portal
		return Outcome{Kind: Temporary, Reason: reason(status, nil)}
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests, status >= 500:
		return Outcome{Kind: Temporary, Reason: reason(status, answer), After: retryAfter(header.Get("Retry-After"), c.Now())}
	}
	return Outcome{Kind: Permanent, Reason: reason(status, answer)}
}

// reason is a status in words, with the detail of a problem document.
func reason(status int, answer []byte) string {
	text := fmt.Sprintf("%d %s", status, http.StatusText(status))
	var problem struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(answer, &problem) == nil && problem.Detail != "" {
		text += ": " + strings.ToValidUTF8(problem.Detail, "?")
	}
	return text
}

// longestWait is how long a server can ask to be left alone.
const longestWait = 24 * time.Hour

// retryAfter reads the header in both of its forms; 0 if it says nothing.
func retryAfter(text string, now time.Time) time.Duration {
	var after time.Duration
	if n, err := strconv.Atoi(text); err == nil {
		after = time.Duration(min(max(n, 0), int(longestWait.Seconds()))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		after = at.Sub(now)
	}
	return min(max(after, 0), longestWait)
}
