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
	berrors "go.etcd.io/bbolt/errors"

	"github.com/tierwise/tierwise/catalog"
)

// The buckets, with the keys of their items.
const (
	publications = "publications" // sequence, 8 bytes big-endian
	chunks       = "chunks"       // set, number, 4 bytes big-endian: content without a checksum of its own
	history      = "history"      // offer, record.PricePoint.Key
	boxes        = "boxes"        // box
	reports      = "reports"      // day, report, box
	boxReports   = "box_reports"  // box, report: the payload, and the day
	senders      = "senders"      // report: which box sent it
	sightings    = "sightings"    // GPU
	boxKeys      = "box_keys"     // machine, key
	codes        = "codes"        // code
	refusals     = "refusals"     // reason
	coefficients = "coefficients" // record.Coefficient.Key
	tenants      = "tenants"      // tenant
	keys         = "keys"         // tenant, key
	overrides    = "overrides"    // tenant
	portfolios   = "portfolios"   // tenant, portfolio
	feedRuns     = "feed_runs"    // feed
	held         = "held"         // feed, row
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

	gate    sync.RWMutex // readers of this process, or one writer; other processes are held off by the file's lock
	checked bool         // the file was found whole, so it may be written to

	queue   sync.Mutex
	waiting []*turn // for the next transaction that is shared
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
	s.gate.RLock()
	defer s.gate.RUnlock()
	return s.use(bolt.Options{ReadOnly: true}, func(db *bolt.DB) error { return db.View(do) })
}

// update runs a writing transaction. Before the first one it reads every page: a
// file that is damaged anywhere must not be written to.
func (s *Store) update(do func(*bolt.Tx) error) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if err := s.create(); err != nil {
		return err
	}
	if !s.checked {
		if err := s.use(bolt.Options{ReadOnly: true}, check); err != nil {
			return err
		}
		s.checked = true
	}
	return s.use(bolt.Options{}, func(db *bolt.DB) error { return db.Update(do) })
}

// use opens the file for the time of one operation. Damage that the library
// answers with a panic, or that makes the memory map fault, is an error.
func (s *Store) use(o bolt.Options, do func(*bolt.DB) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if damage := recover(); damage != nil {
			err = fmt.Errorf("%s: %v: %w", s.path, damage, catalog.ErrCorrupt)
		}
	}()
	o.Timeout = s.timeout
	db, err := bolt.Open(s.path, 0o600, &o)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("open %s: another process has had it for %s: %w", s.path, s.timeout, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open store: %w", err)
	case err != nil:
		return fmt.Errorf("open %s: %w: %w", s.path, err, catalog.ErrCorrupt)
	}
	defer func() { _ = db.Close() }() // everything is on disk since its transaction ended
	if err := db.View(s.compareSize); err != nil {
		return err
	}
	return do(db)
}

// compareSize tests that the file has all that it says it holds.
func (s *Store) compareSize(tx *bolt.Tx) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("%s has %d bytes of %d: %w", s.path, info.Size(), tx.Size(), catalog.ErrCorrupt)
	}
	return nil
}

// check reads every page.
func check(db *bolt.DB) error {
	return db.View(func(tx *bolt.Tx) error {
		var problems []error
		for problem := range tx.Check() {
			problems = append(problems, problem)
		}
		if len(problems) > 0 {
			return fmt.Errorf("check %s: %w: %w", db.Path(), errors.Join(problems...), catalog.ErrCorrupt)
		}
		return nil
	})
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
