package refresh_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/importer"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/refresh"
)

// table30k is a table of 30,000 offers on demand, of which some cost more than usual.
type table30k struct{ dearer int }

// Open opens the table.
func (t table30k) Open(_ context.Context, r feed.Request) (*feed.Document, error) {
	from, to := io.Pipe()
	go func() {
		_, _ = fmt.Fprintln(to, "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region")
		for i := range 30_000 {
			cents := 100 + i%400*7
			if i < t.dearer {
				cents += 5
			}
			_, _ = fmt.Fprintf(to, "k%d.large,,,4.0,16.0,%d.%02d,,eu-west-%d\n", i%400, cents/100, cents%100, i/400)
		}
		_ = to.Close()
	}()
	d, err := feed.NewDocument(from, r.Limit, from.Close)
	if err == nil {
		d.Name, d.Date = r.URL, catalog.Date{Year: 2026, Month: 11, Day: 30}
	}
	return d, err
}

// BenchmarkPublishChanges imports a table of 30,000 offers of which 1,000 cost something
// else than before, into a store that has the others.
func BenchmarkPublishChanges(b *testing.B) {
	clock := func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
	kind, err := refresh.KindOf("skypilot")
	if err != nil {
		b.Fatal(err)
	}
	source := refresh.Source{Kind: kind, Subject: feed.Subject{Provider: "aws", URLs: []string{"table"}}}
	store := bolt.New(filepath.Join(b.TempDir(), "c.db"), clock, bolt.Options{})
	i := importer.New(importer.Config{Store: store, Baseline: seed.Load, Now: clock})
	for _, dearer := range []int{0, 1000} {
		source.From = table30k{dearer}
		if _, err := i.Import(b.Context(), importer.Options{}, source); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		source.From = table30k{n % 2 * 1000}
		result, err := i.Import(b.Context(), importer.Options{}, source)
		if err != nil || !result.Published {
			b.Fatalf("published %v, %v", result.Published, err)
		}
		if r := result.Reports[0]; r.Changed() != 1000 || r.Offers != 30_000 {
			b.Fatalf("%d of %d changed: %s", r.Changed(), r.Offers, r.Why())
		}
	}
}
