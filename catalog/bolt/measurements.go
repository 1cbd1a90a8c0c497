package bolt

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

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

// PutBox keeps a new box. It fails with catalog.ErrConflict if another box has its id.
func (s *Store) PutBox(_ context.Context, b catalog.Box) error {
	err := s.update(func(tx *bolt.Tx) error {
		return insert(tx, boxes, key(b.ID), record.FromBox(b))
	})
	if err != nil {
		return fmt.Errorf("put box %s: %w", b.ID, err)
	}
	return nil
}

// insert writes a new item. The same item once more is no error; another under its
// key is catalog.ErrConflict.
func insert[R any](tx *bolt.Tx, bucket string, key []byte, is R) error {
	var was R
	err := get(tx, bucket, key, &was)
	if errors.Is(err, catalog.ErrNotFound) {
		return put(tx, bucket, key, is)
	}
	if err == nil && !reflect.DeepEqual(was, is) {
		err = catalog.ErrConflict
	}
	return err
}

// Box finds a box.
func (s *Store) Box(_ context.Context, id catalog.BoxID) (catalog.Box, error) {
	return item[record.Box](s, boxes, key(id))
}

// RevokeBox stops a box from reporting. An earlier revocation stands.
func (s *Store) RevokeBox(_ context.Context, id catalog.BoxID, at time.Time) error {
	err := s.update(func(tx *bolt.Tx) error {
		var b record.Box
		if err := get(tx, boxes, key(id), &b); err != nil || b.RevokedAt != "" {
			return err
		}
		b.RevokedAt = record.Instant(at)
		return put(tx, boxes, key(id), b)
	})
	if err != nil {
		return fmt.Errorf("revoke box %s: %w", id, err)
	}
	return nil
}

// DeleteBox forgets a box and its reports. It is no error if there is none.
func (s *Store) DeleteBox(_ context.Context, id catalog.BoxID) error {
	err := s.update(func(tx *bolt.Tx) error {
		var sent []pointer
		err := each(tx, boxReports, prefix(id), func(_, sealed []byte) error {
			var p pointer
			err := unseal(boxReports, sealed, &p)
			sent = append(sent, p)
			return err
		})
		for _, p := range sent {
			err = errors.Join(err, remove(tx, reports, key(p.Day, p.Report, string(id))))
		}
		return errors.Join(err, removeAll(tx, boxReports, prefix(id)), remove(tx, boxes, key(id)))
	})
	if err != nil {
		return fmt.Errorf("delete box %s: %w", id, err)
	}
	return nil
}

// pointer says where a box's report is.
type pointer struct {
	Day    string `json:"day"`
	Report string `json:"report"`
}

// PutReport keeps a report. stored is false if the box sent it before.
func (s *Store) PutReport(_ context.Context, r catalog.Report) (stored bool, err error) {
	at := pointer{Day: record.Day(r.ReceivedAt), Report: string(r.ID)}
	byBox := key(string(r.Box), string(r.ID))
	err = s.update(func(tx *bolt.Tx) error {
		err := get(tx, boxReports, byBox, new(pointer))
		if !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		stored = true
		return errors.Join(
			put(tx, boxReports, byBox, at),
			put(tx, reports, key(at.Day, at.Report, string(r.Box)), record.FromReport(r)))
	})
	if err != nil {
		return false, fmt.Errorf("put report %s: %w", r.ID, err)
	}
	return stored, nil
}

// Reports are the reports that were received on a day in UTC, in no order.
func (s *Store) Reports(_ context.Context, day catalog.Date) iter.Seq2[catalog.Report, error] {
	return stream[record.Report](s, reports, prefix(day.String()))
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
