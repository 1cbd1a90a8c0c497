package dynamo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// machineItem is a key of a machine below it.
type machineItem struct {
	Box string `json:"box"`
}

// PutBox keeps a new box. It fails with catalog.ErrConflict if another box has its id.
func (s *Store) PutBox(ctx context.Context, b catalog.Box) error {
	r := record.FromBox(b)
	first, err := s.putIn(boxKey(b.ID), r, absent())
	below, errBelow := s.putIn(machineKey(b.Machine, b.ID), machineItem{r.ID}, rule{})
	if err = errors.Join(err, errBelow); err == nil {
		err = s.transact(ctx, first, below)
	}
	if err == nil {
		return nil
	}
	var was record.Box
	if errRead := s.get(ctx, boxKey(b.ID), &was); errRead != nil {
		return fmt.Errorf("put box %s: %w", b.ID, errors.Join(err, errRead))
	}
	if err := settled(err, reflect.DeepEqual(was, r)); err != nil {
		return fmt.Errorf("put box %s: %w", b.ID, err)
	}
	return nil
}

// Box finds a box.
func (s *Store) Box(ctx context.Context, id catalog.BoxID) (catalog.Box, error) {
	return item[record.Box](ctx, s, boxKey(id))
}

// revokedAt is the attribute that ends a box or a key.
const revokedAt = "revoked_at"

// RevokeBox stops a box from reporting. An earlier revocation stands.
func (s *Store) RevokeBox(ctx context.Context, id catalog.BoxID, at time.Time) error {
	err := s.setOnce(ctx, boxKey(id), revokedAt, record.Instant(at))
	if errors.Is(err, errCondition) { // revoked already, unless there is no such box
		err = s.get(ctx, boxKey(id), new(record.Box))
	}
	if err != nil {
		return fmt.Errorf("revoke box %s: %w", id, err)
	}
	return nil
}

// DeleteBox forgets a machine: its reports, where its GPUs were seen, and its keys, the
// first one last. It is no error if there is none.
func (s *Store) DeleteBox(ctx context.Context, machine catalog.BoxID) error {
	// Reports before what points to them: a crash between leaves both to be found.
	err := s.deleteReports(ctx, machine)
	if err == nil {
		err = s.deleteKeys(ctx, machine)
	}
	if err != nil {
		return fmt.Errorf("delete box %s: %w", machine, err)
	}
	return s.delete(ctx, boxKey(machine))
}

// deleteReports deletes all that a machine sent.
func (s *Store) deleteReports(ctx context.Context, machine catalog.BoxID) error {
	var contents, payloads []types.WriteRequest
	gpus := make(map[string]bool)
	for items, err := range s.pages(ctx, span{pk: boxKey(machine).pk, prefix: reportPrefix}) {
		if err != nil {
			return err
		}
		for _, item := range items {
			var p payload
			if err := decode(item, &p); err != nil {
				return err
			}
			contents = append(contents, deleteRequest(reportKey(p.Day, p.Report, machine)), deleteRequest(senderKey(p.Report)))
			payloads = append(payloads, deleteRequest(payloadKey(machine, p.Report)))
			for _, gpu := range p.GPUs {
				gpus[gpu] = true
			}
		}
	}
	for gpu := range gpus {
		if err := s.deleteSighting(ctx, catalog.GPUHash(gpu), machine); err != nil {
			return err
		}
	}
	if err := s.batch(ctx, contents); err != nil {
		return err
	}
	return s.batch(ctx, payloads)
}

// deleteSighting forgets where a GPU was seen if that was in a machine.
func (s *Store) deleteSighting(ctx context.Context, gpu catalog.GPUHash, machine catalog.BoxID) error {
	var was sighting
	err := s.get(ctx, sightingKey(gpu), &was)
	switch {
	case errors.Is(err, catalog.ErrNotFound), err == nil && was.Box != string(machine):
		return nil
	case err != nil:
		return err
	}
	return s.delete(ctx, sightingKey(gpu))
}

// deleteKeys deletes the keys of a machine.
func (s *Store) deleteKeys(ctx context.Context, machine catalog.BoxID) error {
	var keys, links []types.WriteRequest
	for items, err := range s.pages(ctx, span{pk: boxKey(machine).pk, prefix: keyPrefix}) {
		if err != nil {
			return err
		}
		for _, item := range items {
			var m machineItem
			if err := decode(item, &m); err != nil {
				return err
			}
			keys = append(keys, deleteRequest(boxKey(catalog.BoxID(m.Box))))
			links = append(links, deleteRequest(machineKey(machine, catalog.BoxID(m.Box))))
		}
	}
	if err := s.batch(ctx, keys); err != nil {
		return err
	}
	return s.batch(ctx, links)
}

// codeLife is how long a code is kept after it has ended: whoever tries it late is told
// the same as of one that never was.
const codeLife = 24 * time.Hour

// expiringCode is an enrolment code as an item.
type expiringCode struct {
	record.EnrolmentCode
	Expires int64 `json:"expires"`
}

// PutCode keeps a new enrolment code. It fails with catalog.ErrConflict if there is
// another of its id.
func (s *Store) PutCode(ctx context.Context, c catalog.EnrolmentCode) error {
	r := record.FromEnrolmentCode(c)
	err := s.put(ctx, codeKey(c.ID), expiringCode{r, c.ExpiresAt.Add(codeLife).Unix()}, absent())
	if err == nil {
		return nil
	}
	var was record.EnrolmentCode
	if errRead := s.get(ctx, codeKey(c.ID), &was); errRead != nil {
		err = errors.Join(err, errRead)
	}
	if err := settled(err, was == r); err != nil {
		return fmt.Errorf("put enrolment code of tenant %s: %w", c.Tenant, err)
	}
	return nil
}

// UseCode uses an enrolment code for a box. It fails with catalog.ErrNotFound if there
// is none, or it is too old, and with catalog.ErrConflict if another box used it.
func (s *Store) UseCode(ctx context.Context, id catalog.CodeID, by catalog.BoxID, at time.Time) (catalog.EnrolmentCode, error) {
	c, err := s.useCode(ctx, id, by, at)
	if err != nil {
		return catalog.EnrolmentCode{}, fmt.Errorf("use an enrolment code: %w", err)
	}
	return c.Parse()
}

// useCode marks a code as used, and reads it back: another box may have been faster.
func (s *Store) useCode(ctx context.Context, id catalog.CodeID, by catalog.BoxID, at time.Time) (record.EnrolmentCode, error) {
	var c record.EnrolmentCode
	if err := s.get(ctx, codeKey(id), &c); err != nil {
		return c, err
	}
	if err := c.May(by, at); err != nil || c.UsedBy != "" {
		return c, err
	}
	errWrite := s.setOnce(ctx, codeKey(id), "used_by", string(by))
	if err := s.get(ctx, codeKey(id), &c); err != nil {
		return c, errors.Join(errWrite, err)
	}
	if c.UsedBy == "" {
		return c, errWrite
	}
	return c, c.May(by, at)
}
