package bolt

import (
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// PutPortfolio replaces a portfolio if the one that is kept has the same revision, and
// counts it up. Otherwise it fails with catalog.ErrConflict.
func (s *Store) PutPortfolio(_ context.Context, p catalog.Portfolio) (catalog.Portfolio, error) {
	err := s.update(func(tx *bolt.Tx) error {
		if err := samePortfolio(tx, p.Tenant, p.ID, p.Revision); err != nil {
			return err
		}
		p.Revision++
		return put(tx, portfolios, key(string(p.Tenant), string(p.ID)), record.FromPortfolio(p))
	})
	if err != nil {
		return catalog.Portfolio{}, fmt.Errorf("put portfolio %s of tenant %s, revision %d: %w", p.ID, p.Tenant, p.Revision, err)
	}
	return p, nil
}

// samePortfolio fails with catalog.ErrConflict unless the portfolio that is kept has a
// revision; none has 0.
func samePortfolio(tx *bolt.Tx, tenant catalog.TenantID, id catalog.PortfolioID, revision int64) error {
	var was record.Portfolio
	if err := get(tx, portfolios, key(string(tenant), string(id)), &was); err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return err
	}
	if was.Revision != revision {
		return fmt.Errorf("revision %d is kept: %w", was.Revision, catalog.ErrConflict)
	}
	return nil
}

// Portfolio finds a portfolio.
func (s *Store) Portfolio(_ context.Context, tenant catalog.TenantID, id catalog.PortfolioID) (catalog.Portfolio, error) {
	return item[record.Portfolio](s, portfolios, key(string(tenant), string(id)))
}

// DeletePortfolio forgets a portfolio of a revision. It fails with catalog.ErrConflict
// if another is kept; to delete nothing is no error.
func (s *Store) DeletePortfolio(_ context.Context, p catalog.Portfolio) error {
	where := key(string(p.Tenant), string(p.ID))
	err := s.update(func(tx *bolt.Tx) error {
		if err := get(tx, portfolios, where, new(record.Portfolio)); err != nil {
			return ignoreNotFound(err)
		}
		if err := samePortfolio(tx, p.Tenant, p.ID, p.Revision); err != nil {
			return err
		}
		return remove(tx, portfolios, where)
	})
	if err != nil {
		return fmt.Errorf("delete portfolio %s of tenant %s, revision %d: %w", p.ID, p.Tenant, p.Revision, err)
	}
	return nil
}
