package catalog

import (
	"errors"
	"time"
)

// What a store of catalogues can fail with, beside the failures of its medium.
// Test with errors.Is.
var (
	// ErrNotFound says that the store has no such thing.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that something changed since it was read, or is there
	// already with other content: read it again and decide anew.
	ErrConflict = errors.New("conflict")
	// ErrCorrupt says that stored content is not what was written.
	ErrCorrupt = errors.New("corrupt")
)

// UnavailableError says that the store does not answer, or refuses for now because it is
// asked too much: the same may succeed in a moment.
type UnavailableError struct {
	Err error // of the store's medium; it names nothing that is stored
}

// Error is the medium's error.
func (e UnavailableError) Error() string { return "the store is not available: " + e.Err.Error() }

// Unwrap is the medium's error.
func (e UnavailableError) Unwrap() error { return e.Err }

// Publication is an entry of a store's log of catalogue versions. The last one
// is the current version.
type Publication struct {
	Version  Version
	Sequence int64 // 1 for the first, then one more each time
	At       time.Time
	Offers   int
	Bytes    int // stored, compressed
	// RolledBack says that the entry made an earlier version current again.
	RolledBack bool
}
