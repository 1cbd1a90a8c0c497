package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/importer"
)

// tally is a number with what it counts.
type tally struct {
	what string
	n    int
}

// renderReport is what an import made of a feed, for people.
func renderReport(r *importer.Report) string {
	switch {
	case r.Err != nil:
		return ""
	case r.Unchanged:
		return fmt.Sprintf("%s: nothing has changed since prices of %s.\n", r.Feed, dateOr(r.AsOf))
	}
	text := fmt.Sprintf("%s: %d rows read in %s, prices of %s.\n", r.Feed, r.Read, r.Took.Round(time.Millisecond), dateOr(r.AsOf))
	held, noted := reasons(r.Held)
	skipped := countsOf(r.Skipped)
	for _, line := range []struct {
		name  string
		total int
		of    []tally
	}{
		{"offers", r.Offers, []tally{{"new", r.New}, {"cheaper", r.Cheaper}, {"dearer", r.Dearer}, {"changed otherwise", r.Facts},
			{"newer date", r.Redated}, {"as before", r.Same}, {"older than known", r.Older}}},
		{"gone", r.Gone + r.Superseded, []tally{{"no longer listed", r.Gone}, {"stated more exactly now", r.Superseded}}},
		{"held", total(held), held},
		{"noted", total(noted), noted},
		{"skipped", total(skipped), skipped},
		{"unmapped", len(r.Unmapped), countsOf(r.Unmapped)},
	} {
		if line.total > 0 {
			text += wrap(fmt.Sprintf("  %-9s %7d  ", line.name, line.total), strings.Repeat(" ", 21), tallies(line.of))
		}
	}
	if total(held) > 0 {
		text += wrap("  ", "  ", fmt.Sprintf("Held rows are not in the catalogue, which keeps what it had: \"tierwise quarantine list --feed %s\".", r.Feed))
	}
	return text
}

// dateOr is a date, or that it is unknown.
func dateOr(d catalog.Date) string { return cmp.Or(d.String(), "an unknown date") }

// reasons count the rows in quarantine by reason: those that are not in the
// catalogue, and those that are.
func reasons(rows []catalog.Held) (held, noted []tally) {
	inside, outside := make(map[string]int), make(map[string]int)
	for _, h := range rows {
		if h.Noted {
			inside[string(h.Reason)]++
		} else {
			outside[string(h.Reason)]++
		}
	}
	return countsOf(outside), countsOf(inside)
}

// countsOf are counts, the largest first.
func countsOf(counts map[string]int) []tally {
	var all []tally
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, tally{what, counts[what]})
	}
	slices.SortStableFunc(all, func(a, b tally) int { return cmp.Compare(b.n, a.n) })
	return all
}

// total is the sum of counts.
func total(of []tally) int {
	n := 0
	for _, t := range of {
		n += t.n
	}
	return n
}

// tallies are the counts above zero in words.
func tallies(of []tally) string {
	var words []string
	for _, t := range of {
		if t.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", t.what, t.n))
		}
	}
	return strings.Join(words, ", ")
}
