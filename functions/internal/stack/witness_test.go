package stack_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// witness stands between a function and the table, and notes what is done to which
// partition. It can be told to answer as a table that is over its capacity.
type witness struct {
	url       string
	mu        sync.Mutex
	seen      map[deed]bool
	throttled bool
	broken    bool
}

// deed is an action of IAM on a partition of the table.
type deed struct{ action, partition string }

// watch is a witness before the API that all tests use.
func watch(t testing.TB) *witness {
	t.Helper()
	at, err := url.Parse(api.Connection.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{seen: make(map[deed]bool)}
	proxy := httputil.NewSingleHostReverseProxy(at)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		if w.breaks() {
			panic(http.ErrAbortHandler)
		}
		if w.note(r.Header.Get("X-Amz-Target"), body) {
			out.Header().Set("Content-Type", "application/x-amz-json-1.0")
			out.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(out, `{"__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", "message": "too fast"}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// throttle lets the table refuse everything from now on, or nothing any more.
func (w *witness) throttle(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.throttled = on
}

// breakOff lets every connection to the table break off from now on, or none any more.
func (w *witness) breakOff(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = on
}

// breaks reports whether connections break off.
func (w *witness) breaks() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// deeds are what was done, in order.
func (w *witness) deeds() []deed {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []deed
	for d := range w.seen {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b deed) int { return strings.Compare(a.action+a.partition, b.action+b.partition) })
	return all
}

// operation is what of a request to DynamoDB says on which partitions it works.
type operation struct {
	Key, Item   map[string]attribute
	Values      map[string]attribute   `json:"ExpressionAttributeValues"`
	Requests    map[string]requests    `json:"RequestItems"`
	Transaction []map[string]operation `json:"TransactItems"`
}

// requests are those of a batch: writes, or the keys of what is read.
type requests struct {
	Writes []struct {
		Put    *operation `json:"PutRequest"`
		Delete *operation `json:"DeleteRequest"`
	}
	Keys []map[string]attribute
}

// UnmarshalJSON reads a list of writes, or keys.
func (r *requests) UnmarshalJSON(from []byte) error {
	if len(from) > 0 && from[0] == '[' {
		return json.Unmarshal(from, &r.Writes)
	}
	type plain requests
	return json.Unmarshal(from, (*plain)(r))
}

// parts are the operations of the requests.
func (r requests) parts() []operation {
	var all []operation
	for _, w := range r.Writes {
		for _, part := range []*operation{w.Put, w.Delete} {
			if part != nil {
				all = append(all, *part)
			}
		}
	}
	for _, key := range r.Keys {
		all = append(all, operation{Key: key})
	}
	return all
}

// attribute is a text in an item.
type attribute struct {
	S string
}

// note writes down what a request does. refuse is whether it is to be refused.
func (w *witness) note(target string, body []byte) (refuse bool) {
	_, name, _ := strings.Cut(target, ".")
	var o operation
	_ = json.Unmarshal(body, &o) // what it can't read names no partition, which no policy allows
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, step := range o.Transaction {
		for kind, part := range step {
			w.seen[deed{"dynamodb:" + map[string]string{"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem",
				"ConditionCheck": "ConditionCheckItem", "Get": "GetItem"}[kind], part.partition()}] = true
		}
	}
	for _, batch := range o.Requests {
		for _, part := range batch.parts() {
			w.seen[deed{"dynamodb:" + name, part.partition()}] = true
		}
	}
	if len(o.Transaction)+len(o.Requests) == 0 {
		w.seen[deed{"dynamodb:" + name, o.partition()}] = true
	}
	return w.throttled
}

// partition is the partition key that an operation names; "" if it names none.
func (o operation) partition() string {
	for _, of := range []attribute{o.Key["PK"], o.Item["PK"], o.Values[":pk"]} {
		if of.S != "" {
			return of.S
		}
	}
	return ""
}
