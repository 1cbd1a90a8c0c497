package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/fetch"
)

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// waits is a clock that notes waits instead of waiting.
type waits []time.Duration

func (w *waits) wait(ctx context.Context, d time.Duration) error {
	*w = append(*w, d)
	return ctx.Err()
}

// client is a client of a server, and its waits.
func client(t *testing.T, handler http.HandlerFunc) (*fetch.Client, *waits, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, w := fetch.NewClient(server.Client(), noon, 1), new(waits)
	c.Wait = w.wait
	return c, w, server.URL
}

// read is the text of a document.
func read(t *testing.T, from feed.Source, r feed.Request) (string, *feed.Document, error) {
	t.Helper()
	d, err := from.Open(t.Context(), r)
	if err != nil {
		return "", nil, err
	}
	defer d.Close()
	text, err := io.ReadAll(d)
	return string(text), d, err
}

func TestRetries(t *testing.T) {
	for name, row := range map[string]struct {
		statuses []int // of the answers, the last one again and again
		header   string
		tries    int
		ok       bool
	}{
		"at once":                    {[]int{200}, "", 1, true},
		"after two failures":         {[]int{503, 500, 200}, "", 3, true},
		"when told to wait":          {[]int{429, 200}, "7", 2, true},
		"never":                      {[]int{502}, "", 4, false},
		"not if it is no use":        {[]int{404}, "", 1, false},
		"not if it is not allowed":   {[]int{401}, "", 1, false},
		"when told to wait too long": {[]int{503, 200}, "86400", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			c, w, url := client(t, func(rw http.ResponseWriter, _ *http.Request) {
				status := row.statuses[min(tries, len(row.statuses)-1)]
				tries++
				if status != 200 && row.header != "" {
					rw.Header().Set("Retry-After", row.header)
				}
				rw.WriteHeader(status)
				fmt.Fprint(rw, "text")
			})
			text, _, err := read(t, c, feed.Request{URL: url})
			if tries != row.tries || (err == nil) != row.ok || row.ok && text != "text" {
				t.Errorf("got %q, %v after %d tries", text, err, tries)
			}
			if len(*w) != row.tries-1 {
				t.Errorf("waited %v", *w)
			}
			for i, d := range *w {
				if d <= 0 || d > 30*time.Second || row.header == "7" && d != 7*time.Second || i > 0 && d < (*w)[i-1]/2 {
					t.Errorf("waited %v", *w)
				}
			}
		})
	}
}

func TestConditional(t *testing.T) {
	c, _, url := client(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `"v1"`)
		rw.Header().Set("Last-Modified", "Sun, 29 Nov 2026 10:00:00 GMT")
		if r.Header.Get("If-None-Match") == `"v1"` && r.Header.Get("If-Modified-Since") != "" {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(rw, "text")
	})
	_, d, err := read(t, c, feed.Request{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	if want := (catalog.Validators{ETag: `"v1"`, LastModified: "Sun, 29 Nov 2026 10:00:00 GMT"}); d.Validators != want || d.Date.String() != "2026-11-29" {
		t.Errorf("got %+v of %s", d.Validators, d.Date)
	}
	if _, _, err := read(t, c, feed.Request{URL: url, Known: d.Validators}); !errors.Is(err, feed.ErrUnchanged) {
		t.Errorf("got %v, want that it is unchanged", err)
	}
}

func TestDates(t *testing.T) {
	for header, want := range map[string]string{
		"":                              "2026-11-30",
		"nonsense":                      "2026-11-30",
		"Thu, 31 Dec 2099 10:00:00 GMT": "2026-11-30",
		"Tue, 01 Jul 2025 23:59:59 GMT": "2025-07-01",
	} {
		c, _, url := client(t, func(rw http.ResponseWriter, _ *http.Request) {
			if header != "" {
				rw.Header().Set("Last-Modified", header)
			}
			fmt.Fprint(rw, "text")
		})
		_, d, err := read(t, c, feed.Request{URL: url})
		if err != nil || d.Date.String() != want {
			t.Errorf("%q: got %v, %v, want %s", header, d, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	c, _, url := client(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			rw.(http.Flusher).Flush()
		}
		fmt.Fprint(rw, strings.Repeat("a", 1001))
	})
	for _, path := range []string{"/sized", "/chunked"} {
		if _, _, err := read(t, c, feed.Request{URL: url + path, Limit: 1000}); !errors.Is(err, feed.ErrTooLarge) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	cut, _, url := client(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "100")
		fmt.Fprint(rw, "cut")
	})
	if text, _, err := read(t, cut, feed.Request{URL: url}); err == nil {
		t.Errorf("a document that was cut reads %q", text)
	}
}

func TestErrorsHideSecrets(t *testing.T) {
	const secret = "s3cret"
	c, _, url := client(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("User-Agent") == "" {
			t.Errorf("got the headers %v", r.Header)
		}
		rw.WriteHeader(http.StatusForbidden)
		fmt.Fprint(rw, r.Header)
	})
	request := feed.Request{URL: strings.Replace(url, "//", "//user:"+secret+"@", 1) + "/path?key=" + secret, Header: http.Header{}}
	request.Header.Set("Authorization", feed.Secret(secret).Bearer())
	_, _, err := read(t, c, request)
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "/path: status 403") {
		t.Errorf("got %v", err)
	}
	for _, at := range []string{"http://127.0.0.1:1/?key=" + secret, "http://[" + secret, "ftp://" + secret} {
		request.URL = at
		if _, _, err := read(t, c, request); err == nil || strings.Contains(err.Error(), "key="+secret) || strings.Contains(err.Error(), "["+secret) {
			t.Errorf("%s: got %v", at, err)
		}
	}
}

func TestStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	c, _, url := client(t, func(rw http.ResponseWriter, _ *http.Request) {
		tries++
		cancel()
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := c.Open(ctx, feed.Request{URL: url}); err == nil || tries != 1 {
		t.Errorf("got %v after %d tries", err, tries)
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		modified time.Time
		want     string
	}{{noon().AddDate(0, 0, -40), "2026-10-21"}, {noon().AddDate(1, 0, 0), "2026-11-30"}} {
		if err := os.Chtimes(path, row.modified, row.modified); err != nil {
			t.Fatal(err)
		}
		var told int64
		from := fetch.Watched{From: fetch.Either{Files: fetch.Files{Now: noon}}, Watch: func(_ string, n int64) { told = n }}
		text, d, err := read(t, from, feed.Request{URL: path})
		if err != nil || text != "text" || d.Date.String() != row.want || d.Name != "a.csv" || told != 4 {
			t.Errorf("got %q, %+v, %v", text, d, err)
		}
	}
	for _, missing := range []string{path + "x", filepath.Dir(path)} {
		if _, _, err := read(t, fetch.Files{Now: noon}, feed.Request{URL: missing}); err == nil {
			t.Errorf("%s opens", missing)
		}
	}
}
