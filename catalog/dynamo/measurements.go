package dynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// AppendHistory keeps price points. Points that are kept already stay one.
func (s *Store) AppendHistory(ctx context.Context, points []catalog.PricePoint) error {
	var requests []types.WriteRequest
	seen := make(map[itemKey]bool) // a batch may not name an item twice
	for _, p := range points {
		r := record.FromPricePoint(p)
		k := itemKey{historyPartition(p.Offer), r.Key()}
		if seen[k] {
			continue
		}
		seen[k] = true
		item, err := encode(k, r)
		if err != nil {
			return fmt.Errorf("append %d price points: %w", len(points), err)
		}
		requests = append(requests, putRequest(item))
	}
	if err := s.batch(ctx, requests); err != nil {
		return fmt.Errorf("append %d price points: %w", len(points), err)
	}
	return nil
}

// History are the price points of an offer, the oldest first; those without a date
// come before all others.
func (s *Store) History(ctx context.Context, offer catalog.OfferID) iter.Seq2[catalog.PricePoint, error] {
	return stream[record.PricePoint](ctx, s, span{pk: historyPartition(offer)})
}

// PutBox keeps a new box. It fails with catalog.ErrConflict if another box has its id.
func (s *Store) PutBox(ctx context.Context, b catalog.Box) error {
	r := record.FromBox(b)
	err := s.put(ctx, boxKey(b.ID), r, absent())
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

// DeleteBox forgets a box and its reports, the box itself last. It is no error if
// there is none.
func (s *Store) DeleteBox(ctx context.Context, id catalog.BoxID) error {
	var sent, pointers []types.WriteRequest
	for items, err := range s.pages(ctx, span{pk: boxKey(id).pk, prefix: reportPrefix}) {
		if err != nil {
			return fmt.Errorf("delete box %s: %w", id, err)
		}
		for _, item := range items {
			var p pointer
			if err := decode(item, &p); err != nil {
				return fmt.Errorf("delete box %s: %w", id, err)
			}
			sent = append(sent, deleteRequest(reportKey(p.Day, p.Report, id)))
			pointers = append(pointers, deleteRequest(pointerKey(id, p.Report)))
		}
	}
	// Reports before what points to them: a crash between leaves both to be found.
	for _, requests := range [][]types.WriteRequest{sent, pointers} {
		if err := s.batch(ctx, requests); err != nil {
			return fmt.Errorf("delete box %s: %w", id, err)
		}
	}
	return s.delete(ctx, boxKey(id))
}

// reportLife is how long a report and where it is are kept. The table's time to live
// deletes them by their attribute expires, in seconds since 1970.
const reportLife = 400 * 24 * time.Hour

// pointer says where a box's report is.
type pointer struct {
	Day     string `json:"day"`
	Report  string `json:"report"`
	Nonce   string `json:"nonce"` // of the call that stored it
	Expires int64  `json:"expires"`
}

// expiring is a report as an item.
type expiring struct {
	record.Report
	Expires int64 `json:"expires"`
}

// PutReport keeps a report. stored is false if the box sent it before.
func (s *Store) PutReport(ctx context.Context, r catalog.Report) (stored bool, err error) {
	p := pointer{Day: record.Day(r.ReceivedAt), Report: string(r.ID), Expires: r.ReceivedAt.Add(reportLife).Unix()}
	if p.Nonce, err = s.nonce(); err != nil {
		return false, err
	}
	at := pointerKey(r.Box, p.Report)
	first, err := s.putIn(at, p, absent())
	content, errContent := s.putIn(reportKey(p.Day, p.Report, r.Box), expiring{record.FromReport(r), p.Expires}, rule{})
	if err = errors.Join(err, errContent); err == nil {
		err = s.transact(ctx, first, content)
	}
	if err == nil {
		return true, nil
	}
	var was pointer
	errRead := s.get(ctx, at, &was)
	switch {
	case errors.Is(err, errCondition) && errRead == nil, errRead == nil && was.Nonce == p.Nonce:
		return was.Nonce == p.Nonce, nil
	default:
		return false, fmt.Errorf("put report %s: %w", r.ID, errors.Join(err, errRead))
	}
}

// Reports are the reports that were received on a day in UTC, in no order.
func (s *Store) Reports(ctx context.Context, day catalog.Date) iter.Seq2[catalog.Report, error] {
	return func(yield func(catalog.Report, error) bool) {
		going := true
		for shard := uint32(0); shard < reportShards && going; shard++ {
			stream[record.Report](ctx, s, span{pk: reportsPartition(day.String(), shard)})(func(r catalog.Report, err error) bool {
				going = yield(r, err) && err == nil
				return going
			})
		}
	}
}

// PutCoefficients keeps coefficients, each unless a newer one is kept.
func (s *Store) PutCoefficients(ctx context.Context, all []catalog.Coefficient) error {
	for _, c := range all {
		r := record.FromCoefficient(c)
		newer := rule{"attribute_not_exists(" + partition + ") OR #name < :value", "computed_at", &types.AttributeValueMemberS{Value: r.ComputedAt}}
		err := s.put(ctx, itemKey{coefficientsPartition, r.Key()}, r, newer)
		if err != nil && !errors.Is(err, errCondition) {
			return fmt.Errorf("put %d coefficients: %w", len(all), err)
		}
	}
	return nil
}

// Coefficients are all coefficients, by GPU, provider and SKU.
func (s *Store) Coefficients(ctx context.Context) ([]catalog.Coefficient, error) {
	return list[record.Coefficient](ctx, s, span{pk: coefficientsPartition})
}
