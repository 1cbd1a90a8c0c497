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

// PutBox keeps a new box. It fails with catalog.ErrConflict if another box has its id.
func (s *Store) PutBox(_ context.Context, b catalog.Box) error {
	err := s.update(func(tx *bolt.Tx) error {
		return errors.Join(
			insert(tx, boxes, key(b.ID), record.FromBox(b)),
			put(tx, boxKeys, key(b.Machine, b.ID), struct{}{}))
	})
	if err != nil {
		return fmt.Errorf("put box %s: %w", b.ID, err)
	}
	return nil
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

// DeleteBox forgets a machine: its keys, its reports, and where its GPUs were seen. It
// is no error if there is none.
func (s *Store) DeleteBox(_ context.Context, machine catalog.BoxID) error {
	err := s.update(func(tx *bolt.Tx) error {
		err := errors.Join(deleteReports(tx, machine), remove(tx, boxes, key(machine)))
		below := prefix(machine)
		errKeys := each(tx, boxKeys, below, func(k, _ []byte) error {
			return remove(tx, boxes, k[len(below):])
		})
		return errors.Join(err, errKeys, removeAll(tx, boxKeys, below))
	})
	if err != nil {
		return fmt.Errorf("delete box %s: %w", machine, err)
	}
	return nil
}

// deleteReports deletes all that a machine sent.
func deleteReports(tx *bolt.Tx, machine catalog.BoxID) error {
	var all []sent
	err := each(tx, boxReports, prefix(machine), func(_, sealed []byte) error {
		var one sent
		err := unseal(boxReports, sealed, &one)
		all = append(all, one)
		return err
	})
	for _, one := range all {
		err = errors.Join(err, remove(tx, reports, key(one.Day, one.Report, string(machine))), remove(tx, senders, key(one.Report)))
		for _, gpu := range one.GPUs {
			err = errors.Join(err, deleteSighting(tx, gpu, machine))
		}
	}
	return errors.Join(err, removeAll(tx, boxReports, prefix(machine)))
}

// deleteSighting forgets where a GPU was seen if that was in a machine.
func deleteSighting(tx *bolt.Tx, gpu string, machine catalog.BoxID) error {
	var was record.Sighting
	err := get(tx, sightings, key(gpu), &was)
	if err != nil || was.Box != string(machine) {
		return ignoreNotFound(err)
	}
	return remove(tx, sightings, key(gpu))
}

// PutCode keeps a new enrolment code. It fails with catalog.ErrConflict if there is
// another of its id.
func (s *Store) PutCode(_ context.Context, c catalog.EnrolmentCode) error {
	err := s.update(func(tx *bolt.Tx) error { return insert(tx, codes, key(c.ID), record.FromEnrolmentCode(c)) })
	if err != nil {
		return fmt.Errorf("put enrolment code of tenant %s: %w", c.Tenant, err)
	}
	return nil
}

// UseCode uses an enrolment code for a box. It fails with catalog.ErrNotFound if there
// is none, or it is too old, and with catalog.ErrConflict if another box used it.
func (s *Store) UseCode(_ context.Context, id catalog.CodeID, by catalog.BoxID, at time.Time) (catalog.EnrolmentCode, error) {
	var c record.EnrolmentCode
	err := s.update(func(tx *bolt.Tx) error {
		if err := get(tx, codes, key(id), &c); err != nil {
			return err
		}
		if err := c.May(by, at); err != nil {
			return err
		}
		c.UsedBy = string(by)
		return put(tx, codes, key(id), c)
	})
	if err != nil {
		return catalog.EnrolmentCode{}, fmt.Errorf("use an enrolment code: %w", err)
	}
	return c.Parse()
}
