package supply_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func TestRefresh(t *testing.T) {
	baseline, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		current   catalog.Version // "" if nothing is
		version   catalog.Version
		published bool
	}{
		"nothing is current":          {"", baseline.Version(), true},
		"the baseline is current":     {baseline.Version(), baseline.Version(), false},
		"an older one is current":     {"seed-2020-01-01-00000000", baseline.Version(), true},
		"a feed's version is current": {"2026-11-30-1", "2026-11-30-1", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := bolt.New(filepath.Join(t.TempDir(), "c.db"), time.Now, bolt.Options{})
			if row.current != "" {
				if _, err := s.Publish(t.Context(), "", catalogtest.Snapshot(t, row.current, 1)); err != nil {
					t.Fatal(err)
				}
			}
			done, err := supply.Refresh(t.Context(), s)
			if err != nil || done.Version != row.version || done.Published != row.published || done.Offers == 0 {
				t.Errorf("got %+v, %v, want %s, published %v", done, err, row.version, row.published)
			}
		})
	}
}

func TestWithoutTable(t *testing.T) {
	e := supply.Environment{Getenv: func(string) string { return "" }, Now: time.Now, Random: bytes.NewReader(nil)}
	if _, err := supply.Store(e); err == nil {
		t.Error("a store without a table is no error")
	}
	view, err := supply.Mirror(e).Latest(t.Context())
	if err != nil || view.Stale || len(view.Snapshot.Offers()) == 0 {
		t.Errorf("the baseline alone is stale %v, %v", view.Stale, err)
	}
}
