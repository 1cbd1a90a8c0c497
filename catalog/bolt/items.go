package bolt

import (
	"bytes"
	"errors"
	"iter"
	"reflect"
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

// insert writes a new item. The same item once more is no error; another under its
// key is catalog.ErrConflict.
func insert[R any](tx *bolt.Tx, bucket string, key []byte, is R) error {
	var was R
	err := get(tx, bucket, key, &was)
	if errors.Is(err, catalog.ErrNotFound) {
		return put(tx, bucket, key, is)
	}
	if err == nil && !reflect.DeepEqual(was, is) {
		err = catalog.ErrConflict
	}
	return err
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
	return values, ignoreNotFound(err) // no file yet
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
		for p := (page[V]{next: prefix}); p.next != nil; {
			p.from, p.next, p.values = p.next, nil, nil
			p.err = ignoreNotFound(s.view(func(tx *bolt.Tx) error { return fill[R](tx, bucket, prefix, &p) }))
			if !p.yield(yield) {
				return
			}
		}
	}
}

// page is a batch of what is streamed.
type page[V any] struct {
	from   []byte
	values []V
	next   []byte // where the next page begins; nil if this is the last
	err    error  // what ended it early
}

// yield hands the page to the reader. It is false if the stream ends here.
func (p *page[V]) yield(to func(V, error) bool) bool {
	for _, value := range p.values {
		if !to(value, nil) {
			return false
		}
	}
	if p.err != nil {
		var none V
		to(none, p.err)
	}
	return p.err == nil
}

// fill reads the next batch of a page.
func fill[R parsed[V], V any](tx *bolt.Tx, bucket string, prefix []byte, p *page[V]) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, sealed := c.Seek(p.from); k != nil && bytes.HasPrefix(k, prefix); k, sealed = c.Next() {
		if len(p.values) == batch {
			p.next = bytes.Clone(k)
			return nil
		}
		var record R
		if err := unseal(bucket, sealed, &record); err != nil {
			return err
		}
		value, err := record.Parse()
		if err != nil {
			return err
		}
		p.values = append(p.values, value)
	}
	return nil
}

// ignoreNotFound drops the error that says that there is nothing.
func ignoreNotFound(err error) error {
	if errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	return err
}
