package bolt

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
)

// The buckets, with the keys of their items.
const (
	publications = "publications" // sequence, 8 bytes big-endian
	chunks       = "chunks"       // set, number, 4 bytes big-endian: content without a checksum of its own
	history      = "history"      // offer, record.PricePoint.Key
	boxes        = "boxes"        // box
	reports      = "reports"      // day, report, box
	boxReports   = "box_reports"  // box, report: the day
	coefficients = "coefficients" // record.Coefficient.Key
	tenants      = "tenants"      // tenant
	keys         = "keys"         // tenant, key
	overrides    = "overrides"    // tenant
)

// Options are what a store can be told; the zero value works.
type Options struct {
	// Keep is how many publications stay readable; 0 is 10.
	Keep int
	// Timeout is how long to wait for another process that has the file; 0 is 10 s.
	Timeout time.Duration
}

// Store is a store in a file. Any number of goroutines may use it.
type Store struct {
	path    string
	now     func() time.Time
	keep    int
	timeout time.Duration

	mu      sync.Mutex
	db      *bolt.DB // open while users > 0
	users   int
	checked bool // the file was found whole, so it may be written to
}

// New is the store in the file of a name, which is created when something is
// first written. now dates publications.
func New(path string, now func() time.Time, o Options) *Store {
	s := &Store{path: path, now: now, keep: o.Keep, timeout: o.Timeout}
	if s.keep <= 0 {
		s.keep = 10
	}
	if s.timeout <= 0 {
		s.timeout = 10 * time.Second
	}
	return s
}

// view runs a reading transaction. A file that does not exist is as an empty one.
func (s *Store) view(do func(*bolt.Tx) error) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", s.path, catalog.ErrNotFound)
	}
	return s.use(func(db *bolt.DB) error { return db.View(do) })
}

// update runs a writing transaction, after the whole file was checked once.
func (s *Store) update(do func(*bolt.Tx) error) error {
	if err := s.create(); err != nil {
		return err
	}
	return s.use(func(db *bolt.DB) error {
		if err := s.check(db); err != nil {
			return err
		}
		return db.Update(do)
	})
}

// use opens the file unless another goroutine has, and closes it after the last
// one. Damage that the library answers with a panic or a fault of the memory map
// is an error.
func (s *Store) use(do func(*bolt.DB) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if damage := recover(); damage != nil {
			err = fmt.Errorf("%s: %v: %w", s.path, damage, catalog.ErrCorrupt)
		}
	}()
	db, err := s.acquire()
	if err != nil {
		return err
	}
	defer s.release()
	return do(db)
}

// acquire is the open file.
func (s *Store) acquire() (*bolt.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		db, err := s.open()
		if err != nil {
			return nil, err
		}
		s.db = db
	}
	s.users++
	return s.db, nil
}

// release closes the file if nobody uses it any more.
func (s *Store) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		_ = s.db.Close() // everything is on disk since its transaction ended
		s.db = nil
	}
}

// open opens the file and compares its size with what it says it holds.
func (s *Store) open() (*bolt.DB, error) {
	db, err := bolt.Open(s.path, 0o600, &bolt.Options{Timeout: s.timeout, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, bolt.ErrTimeout):
		return nil, fmt.Errorf("open %s: another process has had it for %s: %w", s.path, s.timeout, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("open store: %w", err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w: %w", s.path, err, catalog.ErrCorrupt)
	}
	err = db.View(func(tx *bolt.Tx) error {
		info, err := os.Stat(s.path)
		if err == nil && info.Size() < tx.Size() {
			err = fmt.Errorf("%s has %d bytes of %d: %w", s.path, info.Size(), tx.Size(), catalog.ErrCorrupt)
		}
		return err
	})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// create makes the file if there is none: aside, whole, then by its name.
func (s *Store) create() error {
	if _, err := os.Stat(s.path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	aside, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	_ = aside.Close()
	defer os.Remove(aside.Name())
	db, err := bolt.Open(aside.Name(), 0o600, &bolt.Options{Timeout: s.timeout})
	if err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	if err := os.Link(aside.Name(), s.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create store: %w", err)
	}
	return nil
}

// check reads every page once per store, before the first write: a file that is
// damaged anywhere must not be written to.
func (s *Store) check(db *bolt.DB) error {
	s.mu.Lock()
	checked := s.checked
	s.mu.Unlock()
	if checked {
		return nil
	}
	err := db.View(func(tx *bolt.Tx) error {
		var problems []error
		for problem := range tx.Check() {
			problems = append(problems, problem)
		}
		return errors.Join(problems...)
	})
	if err != nil {
		return fmt.Errorf("check %s: %w: %w", s.path, err, catalog.ErrCorrupt)
	}
	s.mu.Lock()
	s.checked = true
	s.mu.Unlock()
	return nil
}

// put writes a record with its checksum.
func put(tx *bolt.Tx, bucket string, key []byte, record any) error {
	b, err := tx.CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return fmt.Errorf("write %s: %w", bucket, err)
	}
	document, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("write %s: %w", bucket, err)
	}
	sealed := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(document))
	if err := b.Put(key, append(sealed, document...)); err != nil {
		return fmt.Errorf("write %s: %w", bucket, err)
	}
	return nil
}

// get reads a record. It fails with catalog.ErrNotFound if there is none.
func get(tx *bolt.Tx, bucket string, key []byte, record any) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return fmt.Errorf("read %s: %w", bucket, catalog.ErrNotFound)
	}
	sealed := b.Get(key)
	if sealed == nil {
		return fmt.Errorf("read %s: %w", bucket, catalog.ErrNotFound)
	}
	return unseal(bucket, sealed, record)
}

// unseal reads what put wrote.
func unseal(bucket string, sealed []byte, record any) error {
	const sum = 4
	if len(sealed) < sum || crc32.ChecksumIEEE(sealed[sum:]) != binary.BigEndian.Uint32(sealed) {
		return fmt.Errorf("read %s: a checksum is wrong: %w", bucket, catalog.ErrCorrupt)
	}
	if err := json.Unmarshal(sealed[sum:], record); err != nil {
		return fmt.Errorf("read %s: %w: %w", bucket, err, catalog.ErrCorrupt)
	}
	return nil
}

// remove deletes an item, if there is one.
func remove(tx *bolt.Tx, bucket string, key []byte) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	if err := b.Delete(key); err != nil {
		return fmt.Errorf("delete from %s: %w", bucket, err)
	}
	return nil
}
