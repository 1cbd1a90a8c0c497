package catalogtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// publish publishes and fails the test if it can't.
func publish(t *testing.T, s Store, base catalog.Version, next *catalog.Snapshot) catalog.Publication {
	t.Helper()
	p, err := s.Publish(t.Context(), base, next)
	must(t, err)
	return p
}

// load loads and fails the test if it can't.
func load(t *testing.T, s Store, version catalog.Version) *catalog.Snapshot {
	t.Helper()
	snapshot, err := s.Load(t.Context(), version)
	must(t, err)
	return snapshot
}

// fails fails the test unless an error is another.
func fails(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

func testEmpty(t *testing.T, s Store) {
	ctx := t.Context()
	_, err := s.Current(ctx)
	fails(t, "current of nothing", err, catalog.ErrNotFound)
	_, err = s.Load(ctx, "v1")
	fails(t, "load of nothing", err, catalog.ErrNotFound)
	all, err := s.Publications(ctx)
	if len(all) != 0 || err != nil {
		t.Errorf("publications are %v, %v, want none", all, err)
	}
	_, err = s.Rollback(ctx, "", "v1")
	fails(t, "rollback to nothing", err, catalog.ErrNotFound)
	_, err = s.Publish(ctx, "v0", Snapshot(t, "v1", 1))
	fails(t, "publish on a version that is not there", err, catalog.ErrConflict)
}

func testRoundTrip(t *testing.T, s Store) {
	want := Snapshot(t, "v1", 1)
	p := publish(t, s, "", want)
	if p.Version != "v1" || p.Sequence != 1 || p.Offers != len(want.Offers()) || p.Bytes <= 0 || p.At.IsZero() || p.RolledBack {
		t.Errorf("the publication is %+v", p)
	}
	same(t, "parts", want.Parts(), load(t, s, "v1").Parts())
	current, err := s.Current(t.Context())
	must(t, err)
	same(t, "current", p, current)
}

func testCompareAndSwap(t *testing.T, s Store) {
	ctx := t.Context()
	publish(t, s, "", Snapshot(t, "v1", 1))
	publish(t, s, "v1", Snapshot(t, "v2", 2))
	for _, base := range []catalog.Version{"", "v1", "v3"} {
		_, err := s.Publish(ctx, base, Snapshot(t, "v3", 3))
		fails(t, fmt.Sprintf("publish on %q", base), err, catalog.ErrConflict)
	}
	current, err := s.Current(ctx)
	must(t, err)
	if current.Version != "v2" || current.Sequence != 2 {
		t.Errorf("current is %+v, want v2", current)
	}
	_, err = s.Load(ctx, "v3")
	fails(t, "load of what was refused", err, catalog.ErrNotFound)
}

func testPublishAgain(t *testing.T, s Store) {
	first := publish(t, s, "", Snapshot(t, "v1", 1))
	again := publish(t, s, "v1", Snapshot(t, "v1", 1))
	same(t, "the same version once more", first, again)
	all, err := s.Publications(t.Context())
	must(t, err)
	same(t, "publications", []catalog.Publication{first}, all)
}

func testKeepsSome(t *testing.T, s Store) {
	ctx := t.Context()
	var base catalog.Version
	for n := range Keep + 3 {
		version := catalog.Version(fmt.Sprintf("v%d", n))
		publish(t, s, base, Snapshot(t, version, n+1))
		base = version
	}
	all, err := s.Publications(ctx)
	must(t, err)
	if len(all) != Keep {
		t.Fatalf("%d publications are kept, want %d", len(all), Keep)
	}
	for i, p := range all {
		n := Keep + 2 - i
		if want := catalog.Version(fmt.Sprintf("v%d", n)); p.Version != want || p.Sequence != int64(n+1) {
			t.Errorf("publication %d is %+v, want %s", i, p, want)
		}
		same(t, "an earlier version", Snapshot(t, p.Version, n+1).Parts(), load(t, s, p.Version).Parts())
	}
	_, err = s.Load(ctx, "v0")
	fails(t, "load of what is no longer kept", err, catalog.ErrNotFound)
}

func testRollback(t *testing.T, s Store) {
	ctx := t.Context()
	publish(t, s, "", Snapshot(t, "v1", 1))
	publish(t, s, "v1", Snapshot(t, "v2", 2))
	_, err := s.Rollback(ctx, "v1", "v1")
	fails(t, "rollback from a version that is not current", err, catalog.ErrConflict)
	_, err = s.Rollback(ctx, "v2", "v7")
	fails(t, "rollback to an unknown version", err, catalog.ErrNotFound)
	p, err := s.Rollback(ctx, "v2", "v1")
	must(t, err)
	if p.Version != "v1" || p.Sequence != 3 || !p.RolledBack {
		t.Errorf("the rollback is %+v, want v1 as the third entry", p)
	}
	same(t, "what was rolled back to", Snapshot(t, "v1", 1).Parts(), load(t, s, "v1").Parts())
	base := catalog.Version("v1")
	for n := range Keep - 1 { // the first entry of v1 goes, its second one stays
		version := catalog.Version(fmt.Sprintf("w%d", n))
		publish(t, s, base, Snapshot(t, version, 10+n))
		base = version
	}
	same(t, "a version whose first entry is gone", Snapshot(t, "v1", 1).Parts(), load(t, s, "v1").Parts())
	_, err = s.Load(ctx, "v2")
	fails(t, "load of what is no longer kept", err, catalog.ErrNotFound)
}

func testLargeCatalogue(t *testing.T, s Store) {
	const size = 2_500_000 // several pages of 1 MB
	want := Incompressible(t, "large", size)
	if p := publish(t, s, "", want); p.Bytes < size/2 {
		t.Errorf("%d bytes are stored, want a catalogue of about %d", p.Bytes, size)
	}
	same(t, "parts", want.Parts(), load(t, s, "large").Parts())
}
