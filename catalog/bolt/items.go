package bolt

import (
	"bytes"
	"errors"
	"iter"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
)

// separator stands between the parts of a key; no part contains it.
const separator = "\x00"

// key joins the parts of a key.
func key[S ~string](parts ...S) []byte {
	plain := make([]string, len(parts))
	for i, p := range parts {
		plain[i] = strings.ReplaceAll(string(p), separator, "")
	}
	return []byte(strings.Join(plain, separator))
}

// prefix is what the keys of all items below some parts begin with.
func prefix[S ~string](parts ...S) []byte { return append(key(parts...), separator...) }

// each calls do with every item of a bucket whose key has the prefix, in order.
func each(tx *bolt.Tx, bucket string, prefix []byte, do func(key, sealed []byte) error) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if err := do(k, v); err != nil {
			return err
		}
	}
	return nil
}

// parsed is a record that becomes a value of the vocabulary.
type parsed[V any] interface{ Parse() (V, error) }

// list reads all items below a prefix.
func list[R parsed[V], V any](s *Store, bucket string, prefix []byte) ([]V, error) {
	var values []V
	err := s.view(func(tx *bolt.Tx) error {
		return each(tx, bucket, prefix, func(_, sealed []byte) error {
			var record R
			if err := unseal(bucket, sealed, &record); err != nil {
				return err
			}
			value, err := record.Parse()
			values = append(values, value)
			return err
		})
	})
	if errors.Is(err, catalog.ErrNotFound) { // no file yet
		return nil, nil
	}
	return values, err
}

// item reads one item.
func item[R parsed[V], V any](s *Store, bucket string, key []byte) (value V, err error) {
	var record R
	if err := s.view(func(tx *bolt.Tx) error { return get(tx, bucket, key, &record) }); err != nil {
		return value, err
	}
	return record.Parse()
}

// batch is how many items are read in one transaction while the caller works on them.
const batch = 500

// stream yields all items below a prefix. It holds neither file nor memory of more
// than a batch, so the caller may take any time and write meanwhile.
func stream[R parsed[V], V any](s *Store, bucket string, prefix []byte) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		after := prefix
		for first := true; ; first = false {
			values, last, err := page[R, V](s, bucket, prefix, after, first)
			for _, value := range values {
				if !yield(value, nil) {
					return
				}
			}
			if err != nil {
				var none V
				yield(none, err)
				return
			}
			if len(values) < batch {
				return
			}
			after = last
		}
	}
}

// errFull ends a page.
var errFull = errors.New("page is full")

// page reads a batch from a key on, or after it unless it is the first.
func page[R parsed[V], V any](s *Store, bucket string, prefix, from []byte, first bool) (values []V, last []byte, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, sealed := c.Seek(from); k != nil && bytes.HasPrefix(k, prefix); k, sealed = c.Next() {
			if !first && bytes.Equal(k, from) {
				continue
			}
			if len(values) == batch {
				return errFull
			}
			var record R
			if err := unseal(bucket, sealed, &record); err != nil {
				return err
			}
			value, err := record.Parse()
			if err != nil {
				return err
			}
			values, last = append(values, value), bytes.Clone(k)
		}
		return nil
	})
	if errors.Is(err, errFull) || errors.Is(err, catalog.ErrNotFound) {
		err = nil
	}
	return values, last, err
}
