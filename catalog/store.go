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
