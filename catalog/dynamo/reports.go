package dynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// reportLife is how long a report and what belongs to it are kept. The table's time to
// live deletes them by their attribute expires, in seconds since 1970.
const reportLife = 400 * 24 * time.Hour

// expiring is a report as an item.
type expiring struct {
	record.Report
	Expires int64 `json:"expires"`
}

// payload is a report below its box: what was signed, where the rest is, and its GPUs.
type payload struct {
	Day     string   `json:"day"`
	Report  string   `json:"report"`
	GPUs    []string `json:"gpus,omitempty"`
	Content []byte   `json:"content"`
	Expires int64    `json:"expires"`
}

// sender is who sent a report.
type sender struct {
	Box     string `json:"box"`
	Nonce   string `json:"nonce"` // of the call that stored it
	Expires int64  `json:"expires"`
}

// sighting is where a GPU was last measured.
type sighting struct {
	record.Sighting
	Nonce string `json:"nonce"` // of the call that stored it
}

// mostCollisions is how often a report is decided anew because one of its GPUs was
// seen elsewhere meanwhile.
const mostCollisions = 10

// PutReport keeps a report. stored is false if the box sent it before. It fails with a
// catalog.ClaimError if the report takes for its own what is another's.
func (s *Store) PutReport(ctx context.Context, r catalog.Report) (stored bool, err error) {
	nonce, err := s.nonce()
	if err != nil {
		return false, err
	}
	for tried := 0; ; tried++ {
		stored, err = s.putReport(ctx, r, nonce)
		if err == nil || !errors.Is(err, errCondition) || tried == mostCollisions {
			break
		}
		if err = s.wait(ctx, tried); err != nil {
			break
		}
	}
	if err != nil {
		return false, fmt.Errorf("put report %s: %w", r.ID, err)
	}
	return stored, nil
}

// putReport decides and writes. It fails with errCondition if something changed
// between.
func (s *Store) putReport(ctx context.Context, r catalog.Report, nonce string) (stored bool, err error) {
	if stored, known, err := s.sentBefore(ctx, r, nonce); known || err != nil {
		return stored, err
	}
	writes, err := s.reportWrites(ctx, r, nonce)
	if err != nil {
		return false, err
	}
	err = s.transact(ctx, writes...)
	if err == nil {
		return true, nil
	}
	// Its answer may have been lost, and another call may have been faster.
	if stored, known, errRead := s.sentBefore(ctx, r, nonce); known || errRead != nil {
		return stored, errRead
	}
	return false, err
}

// sentBefore looks for a report. If it is known, stored tells whether by the call of
// this nonce; another box's is a catalog.ClaimError.
func (s *Store) sentBefore(ctx context.Context, r catalog.Report, nonce string) (stored, known bool, err error) {
	var by sender
	err = s.get(ctx, senderKey(string(r.ID)), &by)
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return false, false, nil
	case err == nil && by.Box != string(r.Box):
		return false, true, catalog.ClaimError{Claim: catalog.ClaimPayload}
	}
	return by.Nonce == nonce, err == nil, err
}

// reportWrites are the writes that keep a new report.
func (s *Store) reportWrites(ctx context.Context, r catalog.Report, nonce string) ([]types.TransactWriteItem, error) {
	expires := r.ReceivedAt.Add(reportLife).Unix()
	one := payload{Day: record.Day(r.ReceivedAt), Report: string(r.ID), Content: r.Payload, Expires: expires}
	seen := r.Sightings()
	for i := range seen {
		one.GPUs = append(one.GPUs, string(seen[i].GPU))
	}
	writes, err := s.sightingWrites(ctx, seen, nonce)
	if err != nil {
		return nil, err
	}
	by, err := s.putIn(senderKey(one.Report), sender{string(r.Box), nonce, expires}, absent())
	content, errContent := s.putIn(reportKey(one.Day, one.Report, r.Box), expiring{record.FromReport(r), expires}, rule{})
	below, errBelow := s.putIn(payloadKey(r.Box, one.Report), one, rule{})
	return append(writes, by, content, below), errors.Join(err, errContent, errBelow)
}

// sightingWrites are the writes of where GPUs are seen now.
func (s *Store) sightingWrites(ctx context.Context, seen []catalog.Sighting, nonce string) ([]types.TransactWriteItem, error) {
	kept, err := s.sightings(ctx, seen)
	if err != nil {
		return nil, err
	}
	var writes []types.TransactWriteItem
	for i := range seen {
		next, on := seen[i], absent()
		if item, known := kept[seen[i].GPU]; known {
			was, err := item.Parse()
			if err != nil {
				return nil, err
			}
			if next, err = was.Admit(&seen[i]); err != nil {
				return nil, err
			}
			on = rule{"#name = :value", "nonce", &types.AttributeValueMemberS{Value: item.Nonce}}
		}
		write, err := s.putIn(sightingKey(next.GPU), sighting{record.FromSighting(next), nonce}, on)
		if err != nil {
			return nil, err
		}
		writes = append(writes, write)
	}
	return writes, nil
}

// sightings reads where GPUs were last seen.
func (s *Store) sightings(ctx context.Context, of []catalog.Sighting) (map[catalog.GPUHash]sighting, error) {
	found := make(map[catalog.GPUHash]sighting)
	var keys []attributes
	for i := range of {
		keys = append(keys, sightingKey(of[i].GPU).attributes())
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	for tried := 0; len(keys) > 0; tried++ {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{*s.table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
		})
		if err != nil {
			return nil, fmt.Errorf("read %d sightings: %w", len(keys), err)
		}
		for _, item := range out.Responses[*s.table] {
			var one sighting
			if err := decode(item, &one); err != nil {
				return nil, err
			}
			found[catalog.GPUHash(one.GPU)] = one
		}
		if keys = out.UnprocessedKeys[*s.table].Keys; len(keys) == 0 {
			break
		}
		if err := s.wait(ctx, tried); err != nil {
			return nil, fmt.Errorf("%d sightings can't be read: %w", len(keys), err)
		}
	}
	return found, nil
}

// Reports are the reports that were received on a day in UTC, in no order and without
// their payloads.
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

// Payload is what a box sent.
func (s *Store) Payload(ctx context.Context, machine catalog.BoxID, id catalog.ReportID) ([]byte, error) {
	var one payload
	if err := s.get(ctx, payloadKey(machine, string(id)), &one); err != nil {
		return nil, fmt.Errorf("payload of report %s: %w", id, err)
	}
	return one.Content, nil
}

// tally counts reports that were refused for a reason.
type tally struct {
	Reason string `json:"reason"`
	N      int64  `json:"n"`
}

// CountRefusal counts a report that was refused.
func (s *Store) CountRefusal(ctx context.Context, reason string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: s.table, Key: refusalKey(reason).attributes(),
		UpdateExpression:         aws.String("SET #reason = :reason ADD #n :one"),
		ExpressionAttributeNames: map[string]string{"#n": "n", "#reason": "reason"},
		ExpressionAttributeValues: attributes{
			":one": &types.AttributeValueMemberN{Value: "1"}, ":reason": &types.AttributeValueMemberS{Value: reason},
		},
	})
	if err != nil {
		return fmt.Errorf("count a refusal: %w", err)
	}
	return nil
}

// Refusals are how many reports were ever refused, by reason.
func (s *Store) Refusals(ctx context.Context) (map[string]int64, error) {
	all := make(map[string]int64)
	for items, err := range s.pages(ctx, span{pk: refusalsPartition}) {
		if err != nil {
			return nil, fmt.Errorf("read refusals: %w", err)
		}
		for _, item := range items {
			var t tally
			if err := decode(item, &t); err != nil {
				return nil, fmt.Errorf("read refusals: %w", err)
			}
			all[t.Reason] = t.N
		}
	}
	return all, nil
}
