package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/ingest"
)

// BenchmarkIngest sends reports over HTTP, each new, to the handlers of tierwise serve and
// its store in a file, from a client in the same process. A report is on the disk when it
// is answered.
func BenchmarkIngest(b *testing.B) {
	const clients = 128
	snapshot, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	store := bolt.New(filepath.Join(b.TempDir(), dataFile), time.Now, bolt.Options{})
	reports := sealed(b, store, b.N)
	log := slog.New(slog.DiscardHandler)
	routes := endpoint.NewMeasurements(ingest.New(store, snapshot, time.Now, ingest.Options{}), log, nil).Routes()
	server := httptest.NewServer(gateway{newBounded(apigw.NewRouter(log, time.Now, routes...), mostReports, longestWait)})
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	next := make(chan []byte)
	var senders sync.WaitGroup
	for range clients {
		senders.Go(func() {
			for body := range next {
				if status := post(client, server.URL+endpoint.MeasurementsPath, body); status != http.StatusOK {
					b.Errorf("status %d", status)
				}
			}
		})
	}
	began := processorTime(b)
	b.ResetTimer()
	for i := range b.N {
		next <- reports[i]
	}
	close(next)
	senders.Wait()
	b.StopTimer()
	kept := 0
	for _, err := range store.Reports(b.Context(), catalog.DateOf(time.Now())) {
		if err != nil {
			b.Fatal(err)
		}
		kept++
	}
	if kept != len(reports) {
		b.Errorf("%d of %d reports are kept", kept, len(reports))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reports/s")
	b.ReportMetric((processorTime(b)-began).Seconds()*1000/float64(b.N), "cpu-ms/op") // the client's too
}

// processorTime is what the process has had of processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// post sends a report. The status is 0 if there is no answer.
func post(client *http.Client, url string, body []byte) (status int) {
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/jose")
	request.Header.Set("Content-Encoding", "gzip")
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}
