package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/chunk"
	"github.com/tierwise/tierwise/catalog/record"
)

// Publish makes next the current version if base is; base "" says that there is
// none. Otherwise it fails with catalog.ErrConflict. To publish what is current
// already changes nothing.
func (s *Store) Publish(_ context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error) {
	content, err := chunk.Encode(next.Parts())
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("publish: %w", err)
	}
	var entry record.Publication
	err = s.update(func(tx *bolt.Tx) error {
		current, err := moved(tx, base)
		if err != nil || current.Version == string(next.Version()) {
			entry = current
			return err
		}
		entry = record.FromPublication(catalog.Publication{
			Version: next.Version(), Sequence: current.Sequence + 1, At: s.now(), Offers: len(next.Offers()),
		}, strconv.FormatInt(current.Sequence+1, 10), content)
		for i, c := range content.Chunks {
			if err := putChunk(tx, entry.Set, i, c); err != nil {
				return err
			}
		}
		return s.appendEntry(tx, entry)
	})
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("publish %s on %q: %w", next.Version(), base, err)
	}
	return entry.Parse()
}

// Rollback makes an earlier version current again if base is the current one.
// Otherwise it fails with catalog.ErrConflict, or catalog.ErrNotFound if that
// version is no longer kept.
func (s *Store) Rollback(_ context.Context, base, to catalog.Version) (catalog.Publication, error) {
	var entry record.Publication
	err := s.update(func(tx *bolt.Tx) error {
		current, err := moved(tx, base)
		if err != nil {
			return err
		}
		earlier, err := find(tx, to)
		if err != nil {
			return err
		}
		entry = earlier.Again(current.Sequence+1, record.Instant(s.now()))
		return s.appendEntry(tx, entry)
	})
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("roll %q back to %s: %w", base, to, err)
	}
	return entry.Parse()
}

// Current is the current version. It fails with catalog.ErrNotFound if nothing
// was published.
func (s *Store) Current(context.Context) (catalog.Publication, error) {
	var entry record.Publication
	err := s.view(func(tx *bolt.Tx) (err error) {
		entry, err = last(tx)
		return err
	})
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("current version: %w", err)
	}
	return entry.Parse()
}

// Publications are the entries whose versions can be read, the newest first.
func (s *Store) Publications(context.Context) ([]catalog.Publication, error) {
	all, err := list[record.Publication](s, publications, nil)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	slices.Reverse(all)
	return all, nil
}

// Load reads a version that is kept. It fails with catalog.ErrNotFound if there is
// no such version.
func (s *Store) Load(_ context.Context, version catalog.Version) (*catalog.Snapshot, error) {
	var entry record.Publication
	var content [][]byte
	err := s.view(func(tx *bolt.Tx) (err error) {
		if entry, err = find(tx, version); err != nil {
			return err
		}
		return each(tx, chunks, prefix(entry.Set), func(_, c []byte) error {
			content = append(content, slices.Clone(c))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("load version %s: %w", version, err)
	}
	snapshot, err := entry.Snapshot(content)
	if err != nil {
		return nil, fmt.Errorf("load version %s: %w", version, err)
	}
	return snapshot, nil
}

// moved is the last entry, or catalog.ErrConflict if its version is not base. It
// is the zero entry if there is none.
func moved(tx *bolt.Tx, base catalog.Version) (record.Publication, error) {
	current, err := last(tx)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return current, err
	}
	if current.Version != string(base) {
		return current, fmt.Errorf("the current version is %q: %w", current.Version, catalog.ErrConflict)
	}
	return current, nil
}

// last is the newest entry of the log.
func last(tx *bolt.Tx) (entry record.Publication, err error) {
	b := tx.Bucket([]byte(publications))
	if b == nil {
		return entry, catalog.ErrNotFound
	}
	k, sealed := b.Cursor().Last()
	if k == nil {
		return entry, catalog.ErrNotFound
	}
	return entry, unseal(publications, sealed, &entry)
}

// find is the newest entry of a version.
func find(tx *bolt.Tx, version catalog.Version) (found record.Publication, err error) {
	err = each(tx, publications, nil, func(_, sealed []byte) error {
		var entry record.Publication
		if err := unseal(publications, sealed, &entry); err != nil {
			return err
		}
		if entry.Version == string(version) {
			found = entry
		}
		return nil
	})
	if err == nil && found.Sequence == 0 {
		err = catalog.ErrNotFound
	}
	return found, err
}

// putChunk writes a chunk.
func putChunk(tx *bolt.Tx, set string, number int, content []byte) error {
	b, err := tx.CreateBucketIfNotExists([]byte(chunks))
	if err != nil {
		return fmt.Errorf("write chunk: %w", err)
	}
	if err := b.Put(binary.BigEndian.AppendUint32(prefix(set), uint32(number)), content); err != nil {
		return fmt.Errorf("write chunk: %w", err)
	}
	return nil
}

// appendEntry writes an entry of the log and drops those that are too old.
func (s *Store) appendEntry(tx *bolt.Tx, entry record.Publication) error {
	at := binary.BigEndian.AppendUint64(nil, uint64(entry.Sequence))
	if err := put(tx, publications, at, entry); err != nil {
		return err
	}
	oldest := entry.Sequence - int64(s.keep) + 1
	var dropped [][]byte
	kept := make(map[string]bool)
	sets := make(map[string]bool)
	err := each(tx, publications, nil, func(k, sealed []byte) error {
		var e record.Publication
		if err := unseal(publications, sealed, &e); err != nil {
			return err
		}
		if e.Sequence >= oldest {
			kept[e.Set] = true
			return nil
		}
		sets[e.Set] = true
		dropped = append(dropped, slices.Clone(k))
		return nil
	})
	for _, k := range dropped {
		err = errors.Join(err, remove(tx, publications, k))
	}
	for set := range sets {
		if !kept[set] {
			err = errors.Join(err, removeAll(tx, chunks, prefix(set)))
		}
	}
	return err
}

// removeAll deletes every item whose key has the prefix.
func removeAll(tx *bolt.Tx, bucket string, prefix []byte) error {
	var found [][]byte
	err := each(tx, bucket, prefix, func(k, _ []byte) error {
		found = append(found, slices.Clone(k))
		return nil
	})
	for _, k := range found {
		err = errors.Join(err, remove(tx, bucket, k))
	}
	return err
}
