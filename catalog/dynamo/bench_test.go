package dynamo_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/seed"
)

// answer is an answer that was heard before.
type answer struct {
	response http.Response
	body     []byte
}

// replaying answers what was asked before from memory, so that only the work
// beyond the network is left.
func replaying() func(*faulty, *request) (*http.Response, error) {
	heard := make(map[string]answer)
	return func(f *faulty, r *request) (*http.Response, error) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(asked))
		known, ok := heard[string(asked)]
		if !ok {
			response, err := f.next.Do(r.Request)
			if err != nil {
				return nil, err
			}
			known.response = *response
			if known.body, err = io.ReadAll(response.Body); err != nil {
				return nil, err
			}
			heard[string(asked)] = known
		}
		response := known.response
		response.Body = io.NopCloser(bytes.NewReader(known.body))
		return &response, nil
	}
}

// BenchmarkLoad is what a start pays for 30,000 offers beyond the network.
func BenchmarkLoad(b *testing.B) {
	baseline, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	snapshot, err := catalog.NewSnapshot(catalogtest.Grown(baseline, 30_000))
	if err != nil {
		b.Fatal(err)
	}
	table := newTable(b)
	p, err := over(table).Publish(b.Context(), "", snapshot)
	if err != nil {
		b.Fatal(err)
	}
	s := over(table, with(replaying()))
	b.ReportAllocs()
	for b.Loop() {
		current, err := s.Current(b.Context())
		if err == nil {
			_, err = s.Load(b.Context(), current.Version)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.Bytes), "stored-B")
}
