package catalogtest

import (
	"errors"
	"sync"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// portfolio is a portfolio that nobody has stored yet.
func portfolio(tenant catalog.TenantID, id catalog.PortfolioID) catalog.Portfolio {
	return catalog.Portfolio{Tenant: tenant, ID: id, Document: []byte(`{"workloads": []}`), ChangedAt: noon()}
}

func testPortfolios(t *testing.T, s Store) {
	ctx := t.Context()
	_, err := s.Portfolio(ctx, "acme", "p")
	fails(t, "unknown portfolio", err, catalog.ErrNotFound)
	must(t, s.DeletePortfolio(ctx, catalog.Portfolio{Tenant: "acme", ID: "p", Revision: 1}))
	first, err := s.PutPortfolio(ctx, portfolio("acme", "p"))
	must(t, err)
	want := portfolio("acme", "p")
	want.Revision = 1
	same(t, "as put", want, first)
	_, err = s.PutPortfolio(ctx, portfolio("acme", "p"))
	fails(t, "of an old revision", err, catalog.ErrConflict)
	other, err := s.PutPortfolio(ctx, portfolio("acme-2", "p"))
	must(t, err)
	first.Document = []byte(`{"months": 3}`)
	second, err := s.PutPortfolio(ctx, first)
	must(t, err)
	got, err := s.Portfolio(ctx, "acme", "p")
	must(t, err)
	same(t, "as read", second, got)
	fails(t, "delete an old revision", s.DeletePortfolio(ctx, first), catalog.ErrConflict)
	must(t, s.DeletePortfolio(ctx, second))
	_, err = s.Portfolio(ctx, "acme", "p")
	fails(t, "deleted portfolio", err, catalog.ErrNotFound)
	got, err = s.Portfolio(ctx, "acme-2", "p")
	must(t, err)
	same(t, "another tenant's", other, got)
}

// testRacingPortfolios: of writers of one revision one wins.
func testRacingPortfolios(t *testing.T, s Store) {
	const writers = 12
	var wait sync.WaitGroup
	results := make(chan error, writers)
	for range writers {
		wait.Go(func() {
			_, err := s.PutPortfolio(t.Context(), portfolio("acme", "p"))
			results <- err
		})
	}
	wait.Wait()
	close(results)
	won := 0
	for err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, catalog.ErrConflict):
			t.Errorf("got %v, want a conflict", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won, want 1", won)
	}
}
