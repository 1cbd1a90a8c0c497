package bolt

import (
	"context"
	"errors"
	"fmt"
	"iter"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// AppendHistory keeps price points. Points that are kept already stay one.
func (s *Store) AppendHistory(_ context.Context, points []catalog.PricePoint) error {
	err := s.update(func(tx *bolt.Tx) error {
		for _, p := range points {
			r := record.FromPricePoint(p)
			if err := put(tx, history, key(r.Offer, r.Key()), r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("append %d price points: %w", len(points), err)
	}
	return nil
}

// History are the price points of an offer, the oldest first; those without a date
// come before all others.
func (s *Store) History(_ context.Context, offer catalog.OfferID) iter.Seq2[catalog.PricePoint, error] {
	return stream[record.PricePoint](s, history, prefix(offer))
}

// PutCoefficients keeps coefficients, each unless a newer one is kept.
func (s *Store) PutCoefficients(_ context.Context, all []catalog.Coefficient) error {
	err := s.update(func(tx *bolt.Tx) error {
		for _, c := range all {
			if err := putNewer(tx, record.FromCoefficient(c)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put %d coefficients: %w", len(all), err)
	}
	return nil
}

// putNewer writes a coefficient unless a newer one is there.
func putNewer(tx *bolt.Tx, c record.Coefficient) error {
	var was record.Coefficient
	err := get(tx, coefficients, key(c.Key()), &was)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) || err == nil && was.ComputedAt >= c.ComputedAt {
		return ignoreNotFound(err)
	}
	return put(tx, coefficients, key(c.Key()), c)
}

// Coefficients are all coefficients, by GPU, provider and SKU.
func (s *Store) Coefficients(context.Context) ([]catalog.Coefficient, error) {
	return list[record.Coefficient](s, coefficients, nil)
}
