package bolt

import (
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// PutFeedRun keeps how the imports of a feed went so far.
func (s *Store) PutFeedRun(_ context.Context, r catalog.FeedRun) error {
	err := s.update(func(tx *bolt.Tx) error { return put(tx, feedRuns, key(r.Name), record.FromFeedRun(r)) })
	if err != nil {
		return fmt.Errorf("put run of feed %s: %w", r.Name, err)
	}
	return nil
}

// FeedRuns are the runs of all feeds, by name.
func (s *Store) FeedRuns(context.Context) ([]catalog.FeedRun, error) {
	return list[record.FeedRun](s, feedRuns, nil)
}

// PutHeld makes rows the quarantine of a feed. Rows that were released stay as well.
func (s *Store) PutHeld(_ context.Context, of catalog.FeedName, rows []catalog.Held) error {
	err := s.update(func(tx *bolt.Tx) error {
		released := make(map[string]bool)
		var dropped [][]byte
		err := each(tx, held, prefix(of), func(k, sealed []byte) error {
			var h record.Held
			err := unseal(held, sealed, &h)
			if released[h.ID] = h.ReleasedAt != ""; !released[h.ID] {
				dropped = append(dropped, append([]byte(nil), k...))
			}
			return err
		})
		for _, k := range dropped {
			err = errors.Join(err, remove(tx, held, k))
		}
		for _, h := range rows {
			if !released[string(h.ID)] {
				err = errors.Join(err, put(tx, held, key(string(of), string(h.ID)), record.FromHeld(h)))
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("put %d held rows of %s: %w", len(rows), of, err)
	}
	return nil
}

// Held is the quarantine of a feed, by id, released rows included.
func (s *Store) Held(_ context.Context, of catalog.FeedName) ([]catalog.Held, error) {
	return list[record.Held](s, held, prefix(of))
}

// ReleaseHeld marks a row as taken. An earlier release stands. It fails with
// catalog.ErrNotFound if there is no such row.
func (s *Store) ReleaseHeld(_ context.Context, of catalog.FeedName, id catalog.HeldID, at time.Time) error {
	err := s.update(func(tx *bolt.Tx) error {
		var h record.Held
		if err := get(tx, held, key(string(of), string(id)), &h); err != nil || h.ReleasedAt != "" {
			return err
		}
		h.ReleasedAt = record.Instant(at)
		return put(tx, held, key(string(of), string(id)), h)
	})
	if err != nil {
		return fmt.Errorf("release row %s of %s: %w", id, of, err)
	}
	return nil
}
