package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/chunk"
	"github.com/tierwise/tierwise/catalog/record"
)

// The states of an entry of the log; one that is published has none.
const (
	writing  = "writing"  // its chunks may be incomplete
	deleting = "deleting" // its chunks may be gone
)

// entry is a publication as an item.
type entry struct {
	record.Publication
	Nonce string `json:"nonce"` // of the publisher's attempt
	State string `json:"state,omitempty"`
}

// key is where the entry is in the log.
func (e entry) key() itemKey { return logKey(e.Sequence, e.Nonce) }

// chunkItem is a chunk as an item.
type chunkItem struct {
	Content []byte `json:"content"`
}

// Publish makes next the current version if base is; base "" says that there is
// none. Otherwise it fails with catalog.ErrConflict. To publish what is current
// already changes nothing.
func (s *Store) Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error) {
	content, err := chunk.Encode(next.Parts())
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("publish: %w", err)
	}
	e, err := s.publish(ctx, base, next, content)
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("publish %s on %q: %w", next.Version(), base, err)
	}
	return e.Parse()
}

// publish writes the chunks aside and makes them current.
func (s *Store) publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot, content chunk.Set) (entry, error) {
	current, err := s.unmoved(ctx, base)
	if err != nil || current.Version == string(next.Version()) {
		return current, err
	}
	e, err := s.newEntry(current.Sequence + 1)
	if err != nil {
		return e, err
	}
	e.Publication = record.FromPublication(catalog.Publication{
		Version: next.Version(), Sequence: e.Sequence, At: s.now(), Offers: len(next.Offers()),
	}, fmt.Sprintf("%d-%s", e.Sequence, e.Nonce), content)
	pending := e
	pending.State = writing
	if err := s.put(ctx, e.key(), pending, rule{}); err != nil {
		return e, err
	}
	if err := s.putChunks(ctx, e, content); err != nil {
		return e, err
	}
	logged, err := s.putIn(e.key(), e, inState(writing))
	if err != nil {
		return e, err
	}
	err = s.flip(ctx, current, e, logged)
	if errors.Is(err, catalog.ErrConflict) {
		return e, errors.Join(err, s.erase(ctx, e))
	}
	if err == nil {
		s.collect(ctx, e)
	}
	return e, err
}

// Rollback makes an earlier version current again if base is the current one.
// Otherwise it fails with catalog.ErrConflict, or catalog.ErrNotFound if that
// version is no longer kept.
func (s *Store) Rollback(ctx context.Context, base, to catalog.Version) (catalog.Publication, error) {
	e, err := s.rollback(ctx, base, to)
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("roll %q back to %s: %w", base, to, err)
	}
	return e.Parse()
}

// rollback publishes the chunks of an earlier entry once more.
func (s *Store) rollback(ctx context.Context, base, to catalog.Version) (entry, error) {
	current, err := s.unmoved(ctx, base)
	if err != nil {
		return entry{}, err
	}
	earlier, err := s.find(ctx, to)
	if err != nil {
		return entry{}, err
	}
	e, err := s.newEntry(current.Sequence + 1)
	if err != nil {
		return e, err
	}
	e.Publication = earlier.Again(e.Sequence, record.Instant(s.now()))
	logged, err := s.putIn(e.key(), e, absent())
	if err != nil {
		return e, err
	}
	err = s.flip(ctx, current, e, logged, s.checkIn(earlier.key(), isPublished()))
	if err == nil {
		s.collect(ctx, e)
	}
	return e, err
}

// newEntry is an entry that only names the attempt.
func (s *Store) newEntry(sequence int64) (e entry, err error) {
	e.Nonce, err = s.nonce()
	e.Sequence = sequence
	return e, err
}

// unmoved is the current entry, or catalog.ErrConflict if its version is not base.
// It is the zero entry if there is none.
func (s *Store) unmoved(ctx context.Context, base catalog.Version) (current entry, err error) {
	err = s.get(ctx, currentKey(), &current)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return current, err
	}
	if current.Version != string(base) {
		return current, fmt.Errorf("the current version is %q: %w", current.Version, catalog.ErrConflict)
	}
	return current, nil
}

// putChunks writes the content of an entry.
func (s *Store) putChunks(ctx context.Context, e entry, content chunk.Set) error {
	requests := make([]types.WriteRequest, len(content.Chunks))
	for i, c := range content.Chunks {
		item, err := encode(chunkKey(e.Set, i), chunkItem{c})
		if err != nil {
			return err
		}
		requests[i] = putRequest(item)
	}
	return s.batch(ctx, requests)
}

// flip makes e current if was is still, and does the other writes with it, by which
// the log holds e as published. An answer can be lost, so whether it was done is
// read back from the log: by then another version may be current on top of it.
func (s *Store) flip(ctx context.Context, was, e entry, writes ...types.TransactWriteItem) error {
	on := absent()
	if was.Sequence > 0 {
		on = atSequence(was.Sequence)
	}
	current, err := s.putIn(currentKey(), e, on)
	if err != nil {
		return err
	}
	if err = s.transact(ctx, append(writes, current)...); err == nil {
		return nil
	}
	var logged entry
	errRead := s.get(ctx, e.key(), &logged)
	if errRead != nil && !errors.Is(errRead, catalog.ErrNotFound) {
		return errors.Join(err, errRead)
	}
	return settled(err, errRead == nil && logged.State == "")
}

// atSequence holds while the entry of a number is current.
func atSequence(n int64) rule {
	return rule{"#name = :value", "sequence", &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}}
}

// inState holds while an entry is in a state.
func inState(state string) rule {
	return rule{"#name = :value", "state", &types.AttributeValueMemberS{Value: state}}
}

// isPublished holds while an entry's chunks are whole and kept.
func isPublished() rule {
	return rule{text: "attribute_exists(" + partition + ") AND attribute_not_exists(#name)", name: "state"}
}

// Current is the current version. It fails with catalog.ErrNotFound if nothing was
// published. It is one small read.
func (s *Store) Current(ctx context.Context) (catalog.Publication, error) {
	var e entry
	if err := s.get(ctx, currentKey(), &e); err != nil {
		return catalog.Publication{}, fmt.Errorf("current version: %w", err)
	}
	s.mu.Lock()
	s.latest = e.Publication
	s.mu.Unlock()
	return e.Parse()
}

// Publications are the entries whose versions can be read, the newest first.
func (s *Store) Publications(ctx context.Context) ([]catalog.Publication, error) {
	entries, err := s.published(ctx)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	var all []catalog.Publication
	for _, e := range entries {
		p, err := e.Parse()
		if err != nil {
			return nil, fmt.Errorf("list versions: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// published are the entries that are kept, the newest first.
func (s *Store) published(ctx context.Context) ([]entry, error) {
	all, err := s.log(ctx)
	var kept []entry
	for _, e := range all {
		if e.State == "" && len(kept) < s.keep {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// log is every entry, the newest first.
func (s *Store) log(ctx context.Context) ([]entry, error) {
	var all []entry
	for items, err := range s.pages(ctx, span{pk: logPartition, backwards: true}) {
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			var e entry
			if err := decode(item, &e); err != nil {
				return nil, err
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// find is the newest entry of a version that is kept.
func (s *Store) find(ctx context.Context, version catalog.Version) (entry, error) {
	entries, err := s.published(ctx)
	if err != nil {
		return entry{}, err
	}
	for _, e := range entries {
		if e.Version == string(version) {
			return e, nil
		}
	}
	return entry{}, catalog.ErrNotFound
}

// Load reads a version that is kept. It fails with catalog.ErrNotFound if there is
// no such version. After Current said that the version is current, it is one query.
func (s *Store) Load(ctx context.Context, version catalog.Version) (*catalog.Snapshot, error) {
	s.mu.Lock()
	p := s.latest
	s.mu.Unlock()
	if p.Version != string(version) {
		e, err := s.find(ctx, version)
		if err != nil {
			return nil, fmt.Errorf("load version %s: %w", version, err)
		}
		p = e.Publication
	}
	content, err := s.chunks(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("load version %s: %w", version, err)
	}
	snapshot, err := p.Snapshot(content)
	if err != nil {
		return nil, fmt.Errorf("load version %s: %w", version, err)
	}
	return snapshot, nil
}

// chunks reads the content of a publication. It fails with catalog.ErrNotFound if
// it is being deleted.
func (s *Store) chunks(ctx context.Context, p record.Publication) ([][]byte, error) {
	content := make([][]byte, 0, p.Chunks)
	for items, err := range s.pages(ctx, span{pk: chunkKey(p.Set, 0).pk}) {
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			var c chunkItem
			if err := decode(item, &c); err != nil {
				return nil, err
			}
			content = append(content, c.Content)
		}
	}
	if len(content) != p.Chunks {
		return nil, fmt.Errorf("%d of %d chunks are there: %w", len(content), p.Chunks, catalog.ErrNotFound)
	}
	return content, nil
}
