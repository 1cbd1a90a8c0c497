package revise_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/revise"
)

// BenchmarkRun makes coefficients of 100,000 reports that are in a file, of 2,000 boxes
// of 200 owners in a month, and finds that they are published already.
func BenchmarkRun(b *testing.B) {
	const n, senders = 100_000, 256
	store := bolt.New(filepath.Join(b.TempDir(), "c.db"), now, bolt.Options{})
	reports := make(chan catalog.Report)
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			for r := range reports {
				if _, err := store.PutReport(b.Context(), r); err != nil {
					b.Error(err)
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		box := i % 2000
		at := now().Add(-time.Duration(i) * 25 * time.Second)
		reports <- catalog.Report{
			ID: catalog.ReportID(fmt.Sprint(i)), Box: catalog.BoxID(fmt.Sprint("box ", box)), Tenant: catalog.TenantID(fmt.Sprint("tenant-", box%200)),
			Kind: catalog.WatchReport, ReceivedAt: at, From: at.Add(-time.Hour), Until: at, Typed: catalog.Typed{Provider: "gcp"},
			Readings: []catalog.Reading{{Name: "NVIDIA A100-SXM4-40GB", PCIDevice: "20b0", MemoryBytes: 42949672960, Sufficient: true, BusySeconds: 3600,
				Evidence: catalog.Passive, Clock: catalog.Mean{N: 3600, Sum: 3600 * (1200 + 100*random.Float64())}, ClockMax: 1410, Prints: []uint64{random.Uint64()},
				Devices: []catalog.Device{{Hash: catalog.GPUHash(fmt.Sprint(box))}}}},
		}
	}
	close(reports)
	sending.Wait()
	config := revise.Config{Store: store, Baseline: seed.Load, Now: now}
	if _, err := revise.Run(b.Context(), config); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		result, err := revise.Run(b.Context(), config)
		if err != nil || result.Published || result.Counted < n*9/10 {
			b.Fatalf("got %+v, %v", result, err)
		}
	}
}
