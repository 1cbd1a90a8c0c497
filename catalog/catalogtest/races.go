package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// rebase publishes on whatever is current, again and again until nobody was
// faster, and returns the publication it built on.
func rebase(ctx context.Context, s Store, next *catalog.Snapshot) (base catalog.Publication, err error) {
	for {
		base, err = s.Current(ctx)
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return base, err
		}
		_, err = s.Publish(ctx, base.Version, next)
		if !errors.Is(err, catalog.ErrConflict) {
			return base, err
		}
	}
}

func testRacingPublishers(t *testing.T, s Store) {
	bases := make([]catalog.Version, Keep)
	var group sync.WaitGroup
	for n := range bases {
		next := Snapshot(t, catalog.Version(fmt.Sprintf("v%d", n)), n+1)
		group.Go(func() {
			base, err := rebase(t.Context(), s, next)
			if err != nil {
				t.Errorf("publisher %d: %v", n, err)
			}
			bases[n] = base.Version
		})
	}
	group.Wait()
	seen := make(map[catalog.Version]bool)
	for n, base := range bases {
		if seen[base] {
			t.Errorf("publisher %d won on %q, which another had won on", n, base)
		}
		seen[base] = true
	}
	all, err := s.Publications(t.Context())
	must(t, err)
	for i, p := range all {
		if want := int64(len(bases) - i); p.Sequence != want {
			t.Errorf("entry %d has the number %d, want %d", i, p.Sequence, want)
		}
		checkWhole(t, load(t, s, p.Version))
	}
	if len(all) != len(bases) {
		t.Errorf("%d entries, want %d", len(all), len(bases))
	}
}

// checkWhole fails the test if a catalogue's prices are not all the same.
func checkWhole(t *testing.T, s *catalog.Snapshot) {
	t.Helper()
	first := s.Offers()[1].Price.Amount.Decimal
	for _, o := range s.Offers() {
		if o.Price.Known() && !o.Price.Amount.Decimal.Equal(first) {
			t.Errorf("version %s: %s costs %s, another offer %s: a mix of versions", s.Version(), o.ID, o.Price.Amount.Decimal, first)
		}
	}
}

func testReadersSeeNoMix(t *testing.T, s Store) {
	publish(t, s, "", Snapshot(t, "v0", 1))
	var done atomic.Bool
	var group sync.WaitGroup
	defer group.Wait() // also where a publication fails and ends the test
	defer done.Store(true)
	for range 2 {
		group.Go(func() {
			for last := int64(0); !done.Load(); {
				last = readCurrent(t, s, last)
			}
		})
	}
	for n := range 6 {
		base := catalog.Version(fmt.Sprintf("v%d", n))
		publish(t, s, base, Snapshot(t, catalog.Version(fmt.Sprintf("v%d", n+1)), n+2))
	}
}

// readCurrent reads the current version whole, and checks that it is not older
// than the one before. A version that went out of what is kept meanwhile is fine.
func readCurrent(t *testing.T, s Store, last int64) int64 {
	p, err := s.Current(t.Context())
	if err != nil || p.Sequence < last {
		t.Errorf("current is %+v after number %d: %v", p, last, err)
		return last
	}
	snapshot, err := s.Load(t.Context(), p.Version)
	if errors.Is(err, catalog.ErrNotFound) {
		return p.Sequence
	}
	if err != nil {
		t.Errorf("load of %s: %v", p.Version, err)
		return p.Sequence
	}
	checkWhole(t, snapshot)
	return p.Sequence
}

func testRacingReports(t *testing.T, s Store) {
	r := report("box", "r")
	var stored atomic.Int32
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			first, err := s.PutReport(t.Context(), r)
			if err != nil {
				t.Error(err)
			}
			if first {
				stored.Add(1)
			}
		})
	}
	group.Wait()
	if n := stored.Load(); n != 1 {
		t.Errorf("%d of the same report count as stored, want 1", n)
	}
	if all := collect(t, s.Reports(t.Context(), day())); len(all) != 1 {
		t.Errorf("%d reports are kept, want 1", len(all))
	}
}

func testRacingOverrides(t *testing.T, s Store) {
	var won atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			_, err := s.PutOverrides(t.Context(), ownPrices())
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, catalog.ErrConflict) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := won.Load(); n != 1 {
		t.Errorf("%d of the changes of one revision won, want 1", n)
	}
}

// testRacingClaims: of several boxes that say they have a GPU, one has.
func testRacingClaims(t *testing.T, s Store) {
	var kept atomic.Int32
	var group sync.WaitGroup
	for n := range 4 {
		r := ofGPU(report(catalog.BoxID(fmt.Sprintf("box %d", n)), catalog.ReportID(fmt.Sprintf("r%d", n))), "g")
		group.Go(func() {
			stored, err := s.PutReport(t.Context(), r)
			if _, claimed := errors.AsType[catalog.ClaimError](err); err != nil && !claimed {
				t.Error(err)
			}
			if stored {
				kept.Add(1)
			}
		})
	}
	group.Wait()
	if n := kept.Load(); n != 1 {
		t.Errorf("%d boxes have one GPU at a time, want 1", n)
	}
}

// testRacingCodes: of several boxes that use a code, one may.
func testRacingCodes(t *testing.T, s Store) {
	must(t, s.PutCode(t.Context(), catalog.EnrolmentCode{ID: "c", Tenant: "acme", CreatedAt: noon(), ExpiresAt: noon().Add(time.Minute)}))
	var won atomic.Int32
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			_, err := s.UseCode(t.Context(), "c", catalog.BoxID(fmt.Sprintf("box %d", n)), noon())
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, catalog.ErrConflict) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := won.Load(); n != 1 {
		t.Errorf("%d boxes used one code, want 1", n)
	}
}
