package catalog

import "time"

// FeedName names one reading of a feed: its format and whose prices it gives, as
// in "skypilot/lambda".
type FeedName string

// Validators are what an HTTP server gave with a document, to ask it later whether
// the document has changed.
type Validators struct {
	ETag         string
	LastModified string
}

// FeedRun is how the attempts to import a feed went so far. A failed attempt
// changes nothing of what the last good one found.
type FeedRun struct {
	Name        FeedName
	AttemptedAt time.Time
	SucceededAt time.Time // of the last good attempt; zero if there was none
	DueAt       time.Time // when to try next; zero if by hand only

	Error    string // why the last attempt failed, "" if it did not
	Failures int    // failed attempts in a row

	// Of the last good attempt.
	AsOf      Date    // of the newest price
	Version   Version // that holds what it found
	Offers    int     // that the feed stands for
	Changed   int     // offers that it added, changed or removed
	Held      int     // rows in quarantine
	Documents map[string]Validators
}

// HeldID names a row in quarantine by all that it says, so that the same row has
// the same id in every import.
type HeldID string

// HoldReason is why a row is in quarantine.
type HoldReason string

// The reasons. Rows that are only noted are in the catalogue all the same, marked
// for what they are; all others are not, and what was there before stays.
const (
	Unreadable      HoldReason = "unreadable"         // a cell is not what its column says
	PriceMissing    HoldReason = "price_missing"      // none, zero or negative; noted if the offer never had one
	PriceDrop       HoldReason = "price_drop"         // far below the price before
	FallsWithGPUs   HoldReason = "falls_with_gpus"    // more of the same GPUs for less
	RegionOutlier   HoldReason = "region_outlier"     // far off the SKU's price in other regions
	Conflict        HoldReason = "conflict"           // several rows of one offer that differ
	SpotNotCheaper  HoldReason = "spot_not_cheaper"   // no spot offer, nor is an earlier one kept
	HardwareUnknown HoldReason = "hardware_unknown"   // the source does not say what the SKU is, nor does the catalogue
	VRAMOff         HoldReason = "vram_off_reference" // noted
	GPUUnmapped     HoldReason = "unmapped_gpu"       // noted
)

// Held is a row in quarantine.
type Held struct {
	ID     HeldID
	Row    int // in its document, the header of a table being row 1
	Reason HoldReason
	Column string // that is to blame, "" if no single one is
	Detail string // what was found and what was expected
	Noted  bool   // the offer is in the catalogue all the same
	Offer  *Offer // as it would be; nil if the row can't be read

	HeldAt     time.Time // first seen
	ReleasedAt time.Time // taken for good by a person; zero if not
}
