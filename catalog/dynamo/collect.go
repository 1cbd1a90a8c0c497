package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// collect clears away what no reader can ask for, after e was published: entries
// beyond those that are kept, and attempts that can't win any more. What it can't
// do now, the next publication does, so its errors are of no consequence.
func (s *Store) collect(ctx context.Context, e entry) {
	all, err := s.log(ctx)
	if err != nil {
		return
	}
	kept := 0
	used := make(map[string]bool)
	var dead []entry
	for _, x := range all {
		switch {
		case x.State == "" && kept < s.keep:
			kept++
			used[x.Set] = true
		case x.State == writing && x.Sequence > e.Sequence:
			used[x.Set] = true
		default:
			dead = append(dead, x)
		}
	}
	for _, x := range dead {
		if s.bury(ctx, x, e) != nil {
			return
		}
		if used[x.Set] {
			_ = s.delete(ctx, x.key())
			continue
		}
		_ = s.erase(ctx, x)
	}
}

// bury marks an entry as being deleted, while e is current: a rollback to it
// either came first, and e is current no longer, or finds it gone.
func (s *Store) bury(ctx context.Context, x, e entry) error {
	if x.State != "" {
		return nil
	}
	x.State = deleting
	marked, err := s.putIn(x.key(), x, rule{text: "attribute_exists(" + partition + ")"})
	if err != nil {
		return err
	}
	return s.transact(ctx, marked, s.checkIn(currentKey(), atSequence(e.Sequence)))
}

// erase deletes an entry: its chunks, then the entry itself, so that chunks always
// have an entry that names them.
func (s *Store) erase(ctx context.Context, e entry) error {
	requests := make([]types.WriteRequest, e.Chunks)
	for i := range requests {
		requests[i] = deleteRequest(chunkKey(e.Set, i))
	}
	if err := s.batch(ctx, requests); err != nil {
		return err
	}
	return s.delete(ctx, e.key())
}

// delete deletes an item, if there is one.
func (s *Store) delete(ctx context.Context, k itemKey) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: s.table, Key: k.attributes()})
	if err != nil {
		return fmt.Errorf("delete item %s %s: %w", k.pk, k.sk, err)
	}
	return nil
}
