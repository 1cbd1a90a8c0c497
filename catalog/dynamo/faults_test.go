package dynamo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
)

// faulty sends requests on, except those that a fault takes.
type faulty struct {
	next interface {
		Do(*http.Request) (*http.Response, error)
	}
	fault func(f *faulty, r *request) (*http.Response, error)
	sent  atomic.Int64
}

// request is one attempt of a call.
type request struct {
	*http.Request
	call string // "PutItem"
	n    int64  // 1 for the first of the client
}

// Do is what the SDK's client calls.
func (f *faulty) Do(r *http.Request) (*http.Response, error) {
	_, call, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return f.fault(f, &request{r, call, f.sent.Add(1)})
}

// with puts a fault between the SDK's client and the network, under its retries,
// which are made quick.
func with(fault func(*faulty, *request) (*http.Response, error)) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		o.HTTPClient = &faulty{next: o.HTTPClient, fault: fault}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 8, 5*time.Millisecond, ratelimit.None
		})
	}
}

// refuse is an answer of the API that says that it failed.
func refuse(r *request, status int, kind string, more map[string]any) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	document := map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + kind, "message": "injected"}
	for name, value := range more {
		document[name] = value
	}
	body, _ := json.Marshal(document)
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amzn-Requestid": {"injected"}},
		Body: io.NopCloser(bytes.NewReader(body)), Request: r.Request,
	}, nil
}

// timeoutError is a network's time-out.
type timeoutError struct{}

func (timeoutError) Error() string   { return "injected: i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// often is a fault that takes every third attempt, but of one call the first four
// at most: where several clients take turns, every third could else be always the
// same one's.
func often(fault func(*faulty, *request) (*http.Response, error)) func(*faulty, *request) (*http.Response, error) {
	return func(f *faulty, r *request) (*http.Response, error) {
		var attempt int
		if _, err := fmt.Sscanf(r.Header.Get("Amz-Sdk-Request"), "attempt=%d", &attempt); err != nil {
			return nil, fmt.Errorf("read the number of an attempt: %w", err)
		}
		if r.n%3 == 0 && attempt <= 4 {
			return fault(f, r)
		}
		return f.next.Do(r.Request)
	}
}

// halved takes half of the items of a batch and says so.
func halved(f *faulty, r *request) (*http.Response, error) {
	if r.call != "BatchWriteItem" {
		return f.next.Do(r.Request)
	}
	var in map[string]json.RawMessage
	var tables map[string][]json.RawMessage
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, json.Unmarshal(body, &in)); err == nil {
		err = json.Unmarshal(in["RequestItems"], &tables)
	}
	if err != nil {
		return nil, err
	}
	left := make(map[string][]json.RawMessage)
	for table, items := range tables {
		if n := (len(items) + 1) / 2; n < len(items) {
			tables[table], left[table] = items[:n], items[n:]
		}
	}
	in["RequestItems"], _ = json.Marshal(tables)
	body, _ = json.Marshal(in)
	part := r.Clone(r.Context())
	part.Body, part.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response, err := f.next.Do(part)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	_ = response.Body.Close()
	body, _ = json.Marshal(map[string]any{"UnprocessedItems": left})
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response.Header.Del("X-Amz-Crc32")
	response.Header.Del("Content-Length")
	return response, nil
}

// faults are what the suite must pass under.
var faults = map[string]func(*faulty, *request) (*http.Response, error){
	"Throttled": often(func(_ *faulty, r *request) (*http.Response, error) {
		return refuse(r, http.StatusBadRequest, "ThrottlingException", nil)
	}),
	"OverCapacity": often(func(_ *faulty, r *request) (*http.Response, error) {
		return refuse(r, http.StatusBadRequest, "ProvisionedThroughputExceededException", nil)
	}),
	"ServerError": often(func(_ *faulty, r *request) (*http.Response, error) {
		return refuse(r, http.StatusInternalServerError, "InternalServerError", nil)
	}),
	"TimedOut": often(func(*faulty, *request) (*http.Response, error) { return nil, timeoutError{} }),
	"AnswerLost": often(func(f *faulty, r *request) (*http.Response, error) { // it was done, and nobody hears so
		response, err := f.next.Do(r.Request)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
		return nil, timeoutError{}
	}),
	"Colliding": func(f *faulty, r *request) (*http.Response, error) {
		if r.call == "TransactWriteItems" && r.n%2 == 0 {
			return refuse(r, http.StatusBadRequest, "TransactionCanceledException",
				map[string]any{"CancellationReasons": []map[string]string{{"Code": "None"}, {"Code": "TransactionConflict"}}})
		}
		return f.next.Do(r.Request)
	},
	"PartialBatches": halved,
}

func TestFaultsConcurrent(t *testing.T) {
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			catalogtest.Run(t, func(t *testing.T) catalogtest.Store { return over(newTable(t), with(fault)) })
		})
	}
}

// errKilled is what a killed program would not live to see.
var errKilled = errors.New("killed")

// reads are the calls that change nothing.
const reads = "GetItem Query DescribeTable"

// killAt kills the program at its nth write: before it is sent, or after it was
// done. killed tells whether it came to that.
func killAt(n int64, done bool) (fault func(*faulty, *request) (*http.Response, error), killed *atomic.Bool) {
	killed = new(atomic.Bool)
	var writes atomic.Int64
	return func(f *faulty, r *request) (*http.Response, error) {
		if killed.Load() {
			return nil, errKilled
		}
		if strings.Contains(reads, r.call) || writes.Add(1) < n {
			return f.next.Do(r.Request)
		}
		killed.Store(true)
		if done {
			if response, err := f.next.Do(r.Request); err == nil {
				_ = response.Body.Close()
			}
		}
		return nil, errKilled
	}, killed
}

// TestKilledBetweenWrites kills a publisher at every single write of a publication
// that also clears away an old one, and of a rollback.
func TestKilledBetweenWrites(t *testing.T) {
	for name, act := range map[string]func(t *testing.T, s catalogtest.Store) error{
		"publish": func(t *testing.T, s catalogtest.Store) error {
			_, err := s.Publish(t.Context(), "v5", catalogtest.Incompressible(t, "v6", 800_000))
			return err
		},
		"rollback": func(t *testing.T, s catalogtest.Store) error {
			_, err := s.Rollback(t.Context(), "v5", "v3")
			return err
		},
	} {
		for _, done := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/done=%v", name, done), func(t *testing.T) {
				for n := int64(1); killedAt(t, n, done, act); n++ {
				}
			})
		}
	}
}

// killedAt kills an act at its nth write and checks what is left. It is false if
// the act has fewer writes.
func killedAt(t *testing.T, n int64, done bool, act func(*testing.T, catalogtest.Store) error) bool {
	t.Helper()
	table := newTable(t)
	whole := over(table)
	for v := 1; v <= 5; v++ {
		base := catalog.Version("")
		if v > 1 {
			base = catalog.Version(fmt.Sprintf("v%d", v-1))
		}
		if _, err := whole.Publish(t.Context(), base, catalogtest.Snapshot(t, catalog.Version(fmt.Sprintf("v%d", v)), v)); err != nil {
			t.Fatal(err)
		}
	}
	fault, killed := killAt(n, done)
	err := act(t, over(table, with(fault)))
	after, errCurrent := over(table).Current(t.Context())
	if errCurrent != nil {
		t.Fatalf("killed at write %d: %v", n, errCurrent)
	}
	if err == nil && after.Version == "v5" {
		t.Errorf("killed at write %d: it says that it is done, and it is not", n)
	}
	checkKept(t, table, n)
	if _, err := over(table).Publish(t.Context(), after.Version, catalogtest.Snapshot(t, "next", 9)); err != nil {
		t.Errorf("killed at write %d: nobody can publish any more: %v", n, err)
	}
	checkKept(t, table, n)
	checkNoOrphans(t, table, n)
	return killed.Load()
}

// checkKept loads every version that is kept.
func checkKept(t *testing.T, table string, n int64) {
	t.Helper()
	s := over(table)
	all, err := s.Publications(t.Context())
	if err != nil || len(all) != catalogtest.Keep {
		t.Errorf("killed at write %d: %d versions are kept, %v", n, len(all), err)
	}
	for _, p := range all {
		if _, err := s.Load(t.Context(), p.Version); err != nil {
			t.Errorf("killed at write %d: %v", n, err)
		}
	}
}

// checkNoOrphans looks through the whole table for chunks that no entry names. Only
// a test may scan.
func checkNoOrphans(t *testing.T, table string, n int64) {
	t.Helper()
	items, err := dynamodb.NewScanPaginator(api.Connection.Client(), &dynamodb.ScanInput{TableName: &table}), error(nil)
	sets, named := map[string]bool{}, map[string]bool{}
	for items.HasMorePages() && err == nil {
		var page *dynamodb.ScanOutput
		if page, err = items.NextPage(t.Context()); err != nil {
			break
		}
		for _, item := range page.Items {
			pk := text(item["PK"])
			if set, ok := strings.CutPrefix(pk, "SET#"); ok {
				sets[set] = true
			}
			if pk == "LOG" {
				named[text(item["set"])] = true
			}
		}
	}
	for set := range sets {
		if !named[set] {
			t.Errorf("killed at write %d: the chunks %s are left over", n, set)
		}
	}
	if err != nil || len(named) > catalogtest.Keep {
		t.Errorf("killed at write %d: the log names %d sets, want at most %d (%v)", n, len(named), catalogtest.Keep, err)
	}
}

// What passes is told from what does not: to be refused for now, a fault of the service's
// and no connection are; to have found nothing, or a mistake of ours, is not.
func TestUnavailable(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(*faulty, *request) (*http.Response, error)
		want  bool
	}{
		"throttled": {func(_ *faulty, r *request) (*http.Response, error) {
			return refuse(r, 400, "ProvisionedThroughputExceededException", nil)
		}, true},
		"a fault":       {func(_ *faulty, r *request) (*http.Response, error) { return refuse(r, 500, "InternalServerError", nil) }, true},
		"no connection": {func(*faulty, *request) (*http.Response, error) { return nil, timeoutError{} }, true},
		"not allowed": {func(_ *faulty, r *request) (*http.Response, error) {
			return refuse(r, 400, "AccessDeniedException", nil)
		}, false},
		"no such table": {func(_ *faulty, r *request) (*http.Response, error) {
			return refuse(r, 400, "ResourceNotFoundException", nil)
		}, false},
	} {
		s := over("any", with(c.fault))
		_, err := s.Key(t.Context(), "acme", "0123456789")
		gone, ok := errors.AsType[catalog.UnavailableError](err)
		if err == nil || ok != c.want {
			t.Errorf("%s: got %v", name, err)
		}
		if ok && strings.Contains(gone.Error(), "acme") {
			t.Errorf("%s: it says whose key it was: %v", name, gone)
		}
	}
}
