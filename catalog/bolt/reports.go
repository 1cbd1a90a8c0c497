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

// sent is a report below its box: its payload, where the rest is, and its GPUs.
type sent struct {
	Day     string   `json:"day"`
	Report  string   `json:"report"`
	GPUs    []string `json:"gpus,omitempty"`
	Payload []byte   `json:"payload"`
}

// sender is who sent a report.
type sender struct {
	Box string `json:"box"`
}

// PutReport keeps a report. stored is false if the box sent it before. It fails with a
// catalog.ClaimError if the report takes for its own what is another's.
func (s *Store) PutReport(_ context.Context, r catalog.Report) (stored bool, err error) {
	err = s.together(func(tx *bolt.Tx) (write func() error, err error) {
		var by sender
		err = get(tx, senders, key(r.ID), &by)
		switch {
		case err == nil && by.Box == string(r.Box):
			return func() error { return nil }, nil
		case err == nil:
			return nil, catalog.ClaimError{Claim: catalog.ClaimPayload}
		case !errors.Is(err, catalog.ErrNotFound):
			return nil, err
		}
		latest, err := admitted(tx, &r)
		stored = err == nil
		return func() error { return putReport(tx, r, latest) }, err
	})
	if err != nil {
		return false, fmt.Errorf("put report %s: %w", r.ID, err)
	}
	return stored, nil
}

// admitted are the latest sightings of a report's GPUs once it is kept.
func admitted(tx *bolt.Tx, r *catalog.Report) ([]catalog.Sighting, error) {
	all := r.Sightings()
	for i := range all {
		var kept record.Sighting
		err := get(tx, sightings, key(all[i].GPU), &kept)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		was, err := kept.Parse()
		if err != nil {
			return nil, err
		}
		if all[i], err = was.Admit(&all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// putReport writes a report that is new.
func putReport(tx *bolt.Tx, r catalog.Report, latest []catalog.Sighting) error {
	one := sent{Day: record.Day(r.ReceivedAt), Report: string(r.ID), Payload: r.Payload}
	var err error
	for _, seen := range r.Sightings() {
		one.GPUs = append(one.GPUs, string(seen.GPU))
	}
	for _, seen := range latest {
		err = errors.Join(err, put(tx, sightings, key(seen.GPU), record.FromSighting(seen)))
	}
	return errors.Join(err,
		put(tx, senders, key(r.ID), sender{string(r.Box)}),
		put(tx, boxReports, key(string(r.Box), one.Report), one),
		put(tx, reports, key(one.Day, one.Report, string(r.Box)), record.FromReport(r)))
}

// Reports are the reports that were received on a day in UTC, in no order and without
// their payloads.
func (s *Store) Reports(_ context.Context, day catalog.Date) iter.Seq2[catalog.Report, error] {
	return stream[record.Report](s, reports, prefix(day.String()))
}

// Payload is what a box sent.
func (s *Store) Payload(_ context.Context, box catalog.BoxID, id catalog.ReportID) ([]byte, error) {
	var one sent
	err := s.view(func(tx *bolt.Tx) error { return get(tx, boxReports, key(string(box), string(id)), &one) })
	if err != nil {
		return nil, fmt.Errorf("payload of report %s: %w", id, err)
	}
	return one.Payload, nil
}

// tally counts.
type tally struct {
	N int64 `json:"n"`
}

// CountRefusal counts a report that was refused.
func (s *Store) CountRefusal(_ context.Context, reason string) error {
	err := s.together(func(tx *bolt.Tx) (write func() error, err error) {
		var t tally
		if err := get(tx, refusals, key(reason), &t); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return nil, err
		}
		t.N++
		return func() error { return put(tx, refusals, key(reason), t) }, nil
	})
	if err != nil {
		return fmt.Errorf("count a refusal: %w", err)
	}
	return nil
}

// Refusals are how many reports were ever refused, by reason.
func (s *Store) Refusals(context.Context) (map[string]int64, error) {
	all := make(map[string]int64)
	err := s.view(func(tx *bolt.Tx) error {
		return each(tx, refusals, nil, func(k, sealed []byte) error {
			var t tally
			err := unseal(refusals, sealed, &t)
			all[string(k)] = t.N
			return err
		})
	})
	if err = ignoreNotFound(err); err != nil {
		return nil, fmt.Errorf("read refusals: %w", err)
	}
	return all, nil
}
