package mirror_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/mirror"
)

// clock is a clock that the test moves.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time           { return time.Unix(1_800_000_000, c.at.Load()) }
func (c *clock) advance(by time.Duration) { c.at.Add(int64(by)) }
func snapshot(t *testing.T, v string) *catalog.Snapshot {
	return catalogtest.Snapshot(t, catalog.Version(v), 1)
}

// flaky is a store that counts what it is asked, and fails when told to.
type flaky struct {
	*bolt.Store
	fail          atomic.Pointer[error]
	checks, loads atomic.Int32
	slow          chan struct{} // if not nil, Current waits for it
}

func (f *flaky) Current(ctx context.Context) (catalog.Publication, error) {
	f.checks.Add(1)
	if f.slow != nil {
		<-f.slow
	}
	if _, bounded := ctx.Deadline(); !bounded {
		return catalog.Publication{}, errors.New("a call without a deadline")
	}
	if err := f.fail.Load(); err != nil {
		return catalog.Publication{}, *err
	}
	return f.Store.Current(ctx)
}

func (f *flaky) Load(ctx context.Context, v catalog.Version) (*catalog.Snapshot, error) {
	f.loads.Add(1)
	return f.Store.Load(ctx, v)
}

func newFlaky(t *testing.T) *flaky {
	return &flaky{Store: bolt.New(filepath.Join(t.TempDir(), "c.db"), time.Now, bolt.Options{})}
}

// latest asks a mirror.
func latest(t *testing.T, m *mirror.Mirror) mirror.View {
	t.Helper()
	v, err := m.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func publish(t *testing.T, f *flaky, base, next string) {
	t.Helper()
	if _, err := f.Publish(t.Context(), catalog.Version(base), snapshot(t, next)); err != nil {
		t.Fatal(err)
	}
}

func TestFollowsTheStore(t *testing.T) {
	var c clock
	f := newFlaky(t)
	publish(t, f, "", "v1")
	m := mirror.New(mirror.Config{Source: f, Now: c.now})
	for range 5 {
		c.advance(10 * time.Second)
		if v := latest(t, m); v.Snapshot.Version() != "v1" || v.Stale || v.Age != 0 {
			t.Errorf("got %s, stale %v", v.Snapshot.Version(), v.Stale)
		}
	}
	publish(t, f, "v1", "v2")
	if v := latest(t, m); v.Snapshot.Version() != "v1" || f.checks.Load() != 1 {
		t.Errorf("within a minute: got %s after %d checks, want v1 after 1", v.Snapshot.Version(), f.checks.Load())
	}
	c.advance(time.Minute)
	if v := latest(t, m); v.Snapshot.Version() != "v2" || f.checks.Load() != 2 || f.loads.Load() != 2 {
		t.Errorf("after a minute: got %s after %d checks and %d loads, want v2 after 2 and 2", v.Snapshot.Version(), f.checks.Load(), f.loads.Load())
	}
	c.advance(time.Minute)
	if latest(t, m); f.checks.Load() != 3 || f.loads.Load() != 2 {
		t.Errorf("unchanged: %d checks and %d loads, want 3 and 2", f.checks.Load(), f.loads.Load())
	}
}

// Who knows that another version is current need not wait for a minute.
func TestExpire(t *testing.T) {
	var c clock
	f := newFlaky(t)
	publish(t, f, "", "v1")
	m := mirror.New(mirror.Config{Source: f, Now: c.now})
	latest(t, m)
	publish(t, f, "v1", "v2")
	m.Expire()
	if v := latest(t, m); v.Snapshot.Version() != "v2" || f.checks.Load() != 2 {
		t.Errorf("got %s after %d checks, want v2 after 2", v.Snapshot.Version(), f.checks.Load())
	}
}

func TestStaleWhileUnreachable(t *testing.T) {
	var c clock
	f := newFlaky(t)
	publish(t, f, "", "v1")
	m := mirror.New(mirror.Config{Source: f, Now: c.now})
	latest(t, m)
	down := errors.New("connection refused")
	f.fail.Store(&down)
	for minute := range 3 {
		c.advance(time.Minute)
		v := latest(t, m)
		if want := time.Duration(minute+1) * time.Minute; v.Snapshot.Version() != "v1" || !v.Stale || v.Age != want || !errors.Is(v.Reason, down) {
			t.Errorf("got %s, stale %v of %s because of %v, want v1, stale of %s", v.Snapshot.Version(), v.Stale, v.Age, v.Reason, want)
		}
	}
	if latest(t, m); f.checks.Load() != 4 {
		t.Errorf("%d checks, want 4: one a minute, down or not", f.checks.Load())
	}
	f.fail.Store(nil)
	c.advance(time.Minute)
	if v := latest(t, m); v.Stale || v.Reason != nil {
		t.Errorf("it is stale after the store came back: %v", v.Reason)
	}
}

func TestBaseline(t *testing.T) {
	var c clock
	f := newFlaky(t)
	m := mirror.New(mirror.Config{Source: f, Now: c.now, Baseline: func() (*catalog.Snapshot, error) { return snapshot(t, "base"), nil }})
	if v := latest(t, m); v.Snapshot.Version() != "base" || v.Stale {
		t.Errorf("of an empty store: got %s, stale %v, want the baseline, not stale", v.Snapshot.Version(), v.Stale)
	}
	down := errors.New("connection refused")
	f.fail.Store(&down)
	n := mirror.New(mirror.Config{Source: f, Now: c.now, Baseline: func() (*catalog.Snapshot, error) { return snapshot(t, "base"), nil }})
	c.advance(time.Second)
	if v := latest(t, n); v.Snapshot.Version() != "base" || !v.Stale || v.Age != time.Second {
		t.Errorf("of a store that is down: got %s, stale %v of %s, want the baseline, stale", v.Snapshot.Version(), v.Stale, v.Age)
	}
	if _, err := mirror.New(mirror.Config{Source: f, Now: c.now}).Latest(t.Context()); !errors.Is(err, down) {
		t.Errorf("without a baseline: got %v, want %v", err, down)
	}
	f.fail.Store(nil)
	publish(t, f, "", "v1")
	c.advance(time.Minute)
	if v := latest(t, m); v.Snapshot.Version() != "v1" {
		t.Errorf("after the first publication: got %s, want v1", v.Snapshot.Version())
	}
}

// TestNobodyWaitsConcurrent: while one asks a slow store, others get what is held.
func TestNobodyWaitsConcurrent(t *testing.T) {
	var c clock
	f := newFlaky(t)
	publish(t, f, "", "v1")
	m := mirror.New(mirror.Config{Source: f, Now: c.now})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { _, _ = m.Latest(t.Context()) })
	}
	group.Wait()
	if f.checks.Load() != 1 {
		t.Errorf("%d checks at the start, want 1", f.checks.Load())
	}
	f.slow = make(chan struct{})
	c.advance(time.Minute)
	group.Go(func() { latest(t, m) })
	for f.checks.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	for range 8 {
		if v := latest(t, m); v.Snapshot.Version() != "v1" {
			t.Errorf("got %s", v.Snapshot.Version())
		}
	}
	close(f.slow)
	group.Wait()
}
