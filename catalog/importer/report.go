package importer

import (
	"fmt"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Guard is a test of all that a feed says of a provider at once.
type Guard string

// The guards. One that trips refuses the provider's prices as a whole.
const (
	TooFew      Guard = "too_few"    // nothing, or hardly anything, can be used
	Vanished    Guard = "vanished"   // most of the offers are gone
	Moved       Guard = "moved"      // most of the prices moved a lot: another unit or currency?
	Undated     Guard = "date"       // prices of a day to come, or older than those that are there
	UnknownName Guard = "provider"   // the catalogue does not know the provider
	Garbled     Guard = "unreadable" // most of the rows can't be read
)

// Guards are those that a person may overrule.
func Guards() []Guard { return []Guard{TooFew, Vanished, Moved, Garbled} }

// Refusal is a guard that tripped.
type Refusal struct {
	Provider catalog.ProviderID
	Guard    Guard
	Detail   string
}

// Report is what an import made of one feed.
type Report struct {
	Feed      catalog.FeedName
	Took      time.Duration // to read it
	Err       error         // why nothing of it could be read; nil otherwise
	Unchanged bool          // the documents are those of the last import
	Refused   []Refusal

	AsOf    catalog.Date
	Read    int            // rows
	Skipped map[string]int // rows about something else
	Offers  int            // that it stands for

	New, Cheaper, Dearer int
	Redated              int // the same price of a newer day
	Facts                int // other facts changed: hardware, availability, rates
	Same, Older          int // nothing new, or the catalogue knew newer
	Gone, Superseded     int
	Unmapped             map[string]int // offers by the names of GPUs that the catalogue does not know

	Held []catalog.Held
}

// Failed reports whether a feed, or a part of it, was not taken.
func (r *Report) Failed() bool { return r.Err != nil || len(r.Refused) > 0 }

// Why is why the feed, or a part of it, was not taken, "" if it was.
func (r *Report) Why() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	var reasons []string
	for _, refused := range r.Refused {
		reasons = append(reasons, strings.TrimSpace(fmt.Sprintf("%s %s: %s", refused.Provider, refused.Guard, refused.Detail)))
	}
	return strings.Join(reasons, "; ")
}

// Changed is how many offers the feed added, changed or removed.
func (r *Report) Changed() int {
	return r.New + r.Cheaper + r.Dearer + r.Redated + r.Facts + r.Gone + r.Superseded
}

// Count is how many rows are in quarantine for a reason.
func (r *Report) Count(reason catalog.HoldReason) int {
	n := 0
	for _, h := range r.Held {
		if h.Reason == reason {
			n++
		}
	}
	return n
}

// Result is what an import did.
type Result struct {
	Reports   []Report
	Version   catalog.Version // current now
	Offers    int
	Published bool
}
