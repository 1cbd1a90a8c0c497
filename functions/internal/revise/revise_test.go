package revise_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/functions/internal/revise"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// catalogue is a catalogue of a version with a GPU of a known clock.
func catalogue(t *testing.T, version catalog.Version) *catalog.Snapshot {
	t.Helper()
	parts := catalogtest.Snapshot(t, version, 1).Parts()
	g := parts.GPUs[0]
	g.PeakClockMHz = 1000
	parts.GPUs = []catalog.GPUModel{g}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// put keeps reports of three tenants' boxes, some days ago. Names are as they were typed.
func put(t *testing.T, s *bolt.Store, daysAgo int, clock float64) {
	t.Helper()
	for _, tenant := range []string{"a", "b", "c"} {
		at := now().Add(-time.Duration(daysAgo) * 24 * time.Hour)
		_, err := s.PutReport(t.Context(), catalog.Report{
			ID: catalog.ReportID(fmt.Sprintf("%s %d %g", tenant, daysAgo, clock)), Box: catalog.BoxID("box of " + tenant), Tenant: catalog.TenantID(tenant),
			Kind: catalog.WatchReport, ReceivedAt: at, From: at.Add(-time.Hour), Until: at, Typed: catalog.Typed{Provider: "P", SKU: "X1-001"},
			Readings: []catalog.Reading{{Name: "NVIDIA X1-SXM4-80GB", Sufficient: true, BusySeconds: 3600, Clock: catalog.Mean{N: 1, Sum: clock},
				Devices: []catalog.Device{{Hash: catalog.GPUHash(tenant)}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *testing.T, c revise.Config) revise.Result {
	t.Helper()
	result, err := revise.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestRun(t *testing.T) {
	at := now()
	s := bolt.New(filepath.Join(t.TempDir(), "c.db"), now, bolt.Options{})
	c := revise.Config{Store: s, Baseline: func() (*catalog.Snapshot, error) { return catalogue(t, "seed-1"), nil }, Now: func() time.Time { return at }}
	if r := run(t, c); r.Published || r.Coefficients != 0 || r.Version != "seed-1" {
		t.Errorf("without reports: %+v", r)
	}
	put(t, s, 1, 500)
	first := run(t, c)
	if !first.Published || first.Coefficients != 2 || first.Counted != 3 || first.Version[:7] != "seed-1+" {
		t.Fatalf("three tenants: %+v", first)
	}
	snapshot, err := s.Load(t.Context(), first.Version)
	if err != nil {
		t.Fatal(err)
	}
	k, ok := snapshot.Coefficient("X1-80GB", "p", "x1-001")
	if !ok || k.SKU != "x1-001" || k.Tenants != 3 || k.Value > 0.92 {
		t.Errorf("coefficient %+v", k)
	}
	at = at.Add(time.Hour)
	if r := run(t, c); r.Published || r.Version != first.Version {
		t.Errorf("once more: %+v", r)
	}
	at = at.Add(24 * time.Hour)
	if r := run(t, c); !r.Published || r.Version == first.Version {
		t.Errorf("a day later: %+v", r)
	}
	kept, err := s.Coefficients(t.Context())
	if err != nil || len(kept) != 2 {
		t.Errorf("kept are %+v, %v", kept, err)
	}
}

// overtaken is a store in which another publisher is faster, once.
type overtaken struct {
	*bolt.Store
	t    *testing.T
	done bool
}

func (o *overtaken) Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error) {
	if !o.done {
		o.done = true
		if _, err := o.Store.Publish(ctx, base, catalogue(o.t, "seed-1+feeds")); err != nil {
			o.t.Fatal(err)
		}
	}
	return o.Store.Publish(ctx, base, next)
}

func TestAnotherPublisher(t *testing.T) {
	s := &overtaken{Store: bolt.New(filepath.Join(t.TempDir(), "c.db"), now, bolt.Options{}), t: t}
	put(t, s.Store, 1, 500)
	c := revise.Config{Store: s, Baseline: func() (*catalog.Snapshot, error) { return catalogue(t, "seed-1"), nil }, Now: now}
	r := run(t, c)
	all, err := s.Publications(t.Context())
	if err != nil || len(all) != 2 || all[0].Version != r.Version || all[1].Version != "seed-1+feeds" {
		t.Errorf("%+v, published are %+v, %v", r, all, err)
	}
}

// What is frozen stays until someone releases it.
func TestRelease(t *testing.T) {
	s := bolt.New(filepath.Join(t.TempDir(), "c.db"), now, bolt.Options{})
	c := revise.Config{Store: s, Baseline: func() (*catalog.Snapshot, error) { return catalogue(t, "seed-1"), nil }, Now: now}
	of := catalog.Coefficient{GPU: "X1-80GB", Provider: "p"}
	for day := 10; day < 30; day++ {
		put(t, s, day, 950)
	}
	run(t, c)
	put(t, s, 1, 500)
	jumped := run(t, c)
	if len(jumped.Alerts) != 2 || !jumped.Published {
		t.Fatalf("a jump: %+v", jumped)
	}
	if err := revise.Release(t.Context(), c, catalog.Coefficient{GPU: "X1-80GB", Provider: "q"}); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("nothing to release: %v", err)
	}
	if err := revise.Release(t.Context(), c, of); err != nil {
		t.Fatal(err)
	}
	r := run(t, c)
	snapshot, err := s.Load(t.Context(), r.Version)
	if err != nil {
		t.Fatal(err)
	}
	if k, ok := snapshot.Coefficient("X1-80GB", "p", ""); !ok || k.Frozen || len(r.Alerts) != 1 {
		t.Errorf("after the release: %+v, alerts %+v", k, r.Alerts)
	}
}
