package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// PutFeedRun keeps how the imports of a feed went so far.
func (s *Store) PutFeedRun(ctx context.Context, r catalog.FeedRun) error {
	if err := s.put(ctx, feedRunKey(r.Name), record.FromFeedRun(r), rule{}); err != nil {
		return fmt.Errorf("put run of feed %s: %w", r.Name, err)
	}
	return nil
}

// FeedRuns are the runs of all feeds, by name.
func (s *Store) FeedRuns(ctx context.Context) ([]catalog.FeedRun, error) {
	return list[record.FeedRun](ctx, s, span{pk: feedsPartition})
}

// PutHeld makes rows the quarantine of a feed. Rows that were released stay as
// well; one that is released while this runs may have to be released again.
func (s *Store) PutHeld(ctx context.Context, of catalog.FeedName, rows []catalog.Held) error {
	requests, err := s.heldRequests(ctx, of, rows)
	if err == nil {
		err = s.batch(ctx, requests)
	}
	if err != nil {
		return fmt.Errorf("put %d held rows of %s: %w", len(rows), of, err)
	}
	return nil
}

// heldRequests are the writes that make rows the quarantine of a feed.
func (s *Store) heldRequests(ctx context.Context, of catalog.FeedName, rows []catalog.Held) ([]types.WriteRequest, error) {
	before, err := s.Held(ctx, of)
	if err != nil {
		return nil, err
	}
	kept := make(map[catalog.HeldID]bool)
	for _, h := range before {
		kept[h.ID] = !h.ReleasedAt.IsZero()
	}
	var requests []types.WriteRequest
	for _, h := range rows {
		if kept[h.ID] {
			continue
		}
		kept[h.ID] = true
		item, err := encode(heldKey(of, h.ID), record.FromHeld(h))
		if err != nil {
			return nil, err
		}
		requests = append(requests, putRequest(item))
	}
	for _, h := range before {
		if !kept[h.ID] {
			requests = append(requests, deleteRequest(heldKey(of, h.ID)))
		}
	}
	return requests, nil
}

// Held is the quarantine of a feed, by id, released rows included.
func (s *Store) Held(ctx context.Context, of catalog.FeedName) ([]catalog.Held, error) {
	return list[record.Held](ctx, s, span{pk: heldPartition(of)})
}

// ReleaseHeld marks a row as taken. An earlier release stands. It fails with
// catalog.ErrNotFound if there is no such row.
func (s *Store) ReleaseHeld(ctx context.Context, of catalog.FeedName, id catalog.HeldID, at time.Time) error {
	err := s.setOnce(ctx, heldKey(of, id), "released_at", record.Instant(at))
	if errors.Is(err, errCondition) { // released already, unless there is no such row
		err = s.get(ctx, heldKey(of, id), new(record.Held))
	}
	if err != nil {
		return fmt.Errorf("release row %s of %s: %w", id, of, err)
	}
	return nil
}
