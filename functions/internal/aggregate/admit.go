package aggregate

import (
	"cmp"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Exclusion is why a report counts for nothing.
type Exclusion string

// The exclusions.
const (
	Outside         Exclusion = "outside_window"
	UnknownGPU      Exclusion = "gpu_unknown"
	UnknownProvider Exclusion = "provider_unknown"
	Insufficient    Exclusion = "insufficient"
	Partitioned     Exclusion = "partitioned"
	GPUElsewhere    Exclusion = "gpu_elsewhere"     // another box said first that it had the GPU at the time
	SharedPrint     Exclusion = "identical_history" // another box said first that its clock went exactly so
	NoReadings      Exclusion = "nothing_measured"
)

// why is why a report that was admitted gives no figure.
func why(r *catalog.Report) Exclusion {
	reason := NoReadings
	for i := range r.Readings {
		switch x := &r.Readings[i]; {
		case x.GPU == "":
			reason = UnknownGPU
		case x.Partitioned:
			reason = Partitioned
		case !x.Sufficient:
			reason = Insufficient
		}
	}
	if reason == NoReadings && len(r.Readings) > 0 {
		return UnknownProvider
	}
	return reason
}

// admitted are the reports of the window without those that contradict an earlier one:
// of two that can't both be true, the first to come counts.
func admitted(reports []catalog.Report, now time.Time) (kept []*catalog.Report, excluded map[Exclusion]int) {
	excluded = make(map[Exclusion]int)
	inside := make([]*catalog.Report, 0, len(reports))
	for i := range reports {
		r := &reports[i]
		if age := now.Sub(r.ReceivedAt); age < 0 || age > Window {
			excluded[Outside]++
			continue
		}
		inside = append(inside, r)
	}
	slices.SortFunc(inside, func(a, b *catalog.Report) int {
		return cmp.Or(a.ReceivedAt.Compare(b.ReceivedAt), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Box, b.Box))
	})
	seen, prints := make(map[catalog.GPUHash]*history), make(map[uint64]catalog.BoxID)
	for _, r := range inside {
		switch {
		case contradicts(r, seen):
			excluded[GPUElsewhere]++
		case copies(r, prints):
			excluded[SharedPrint]++
		default:
			kept = append(kept, r)
		}
	}
	return kept, excluded
}

// history is where a GPU was, as far as anyone said.
type history struct {
	sightings []catalog.Sighting
	moved     bool // not all are of one box
}

// contradicts reports whether a box says that it had a GPU when another one had it,
// and else notes what it says.
func contradicts(r *catalog.Report, seen map[catalog.GPUHash]*history) bool {
	all := r.Sightings()
	for i := range all {
		h := seen[all[i].GPU]
		if h != nil && h.elsewhere(&all[i]) {
			return true
		}
	}
	for _, s := range all {
		if seen[s.GPU] == nil {
			seen[s.GPU] = new(history)
		}
		seen[s.GPU].note(s)
	}
	return false
}

// elsewhere reports whether another box had the GPU at the time.
func (h *history) elsewhere(s *catalog.Sighting) bool {
	if !h.moved && h.sightings[0].Box == s.Box {
		return false
	}
	return slices.ContainsFunc(h.sightings, func(earlier catalog.Sighting) bool {
		return earlier.Box != s.Box && earlier.Overlaps(s)
	})
}

// note keeps what a box says.
func (h *history) note(s catalog.Sighting) {
	h.moved = h.moved || len(h.sightings) > 0 && h.sightings[0].Box != s.Box
	h.sightings = append(h.sightings, s)
}

// copies reports whether the clock of a GPU went exactly as that of another box's did
// before, and else notes how it went.
func copies(r *catalog.Report, prints map[uint64]catalog.BoxID) bool {
	for _, x := range r.Readings {
		for _, p := range x.Prints {
			if by, known := prints[p]; known && by != r.Box {
				return true
			}
		}
	}
	for _, x := range r.Readings {
		for _, p := range x.Prints {
			prints[p] = r.Box
		}
	}
	return false
}
