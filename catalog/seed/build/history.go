package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog/seed"
)

// earlier are the rows that state a price which an offer had before the one it is
// kept with, under an open licence, one a date. old are superseded rows: they count
// even where no newer row of the offer may be taken.
func earlier(old, others, kept []offer, r *report) []offer {
	now := make(map[string]offer, len(kept))
	for _, o := range kept {
		now[string(o.id)] = o
	}
	var past []offer
	for i, o := range slices.Concat(old, others) {
		newer, listed := now[string(o.id)]
		switch {
		case o.amount == "" || listed && !o.asOf.Before(newer.asOf) || !listed && i >= len(old):
		case !openLicence(o.source.licence):
			r.out["history: source without a stated licence"]++
		case !o.asOf.Known():
			r.out["history: no date"]++
		default:
			past = append(past, o)
		}
	}
	return onePerDate(past)
}

// onePerDate keeps the best of several rows about one offer and date, ordered by
// offer and date. Rows that contradict each other are not kept.
func onePerDate(past []offer) []offer {
	slices.SortStableFunc(past, func(a, b offer) int {
		return cmp.Or(strings.Compare(string(a.id), string(b.id)), a.asOf.Time().Compare(b.asOf.Time()), better(a, b))
	})
	var kept []offer
	for i := 0; i < len(past); {
		end := i + 1
		for end < len(past) && past[end].id == past[i].id && past[end].asOf == past[i].asOf {
			end++
		}
		if !contradicted(past[i:end]) {
			kept = append(kept, past[i])
		}
		i = end
	}
	return kept
}

// addHistory adds the earlier prices.
func (b *built) addHistory(inputs) error {
	listed := make(map[string]bool, len(b.offers))
	for _, o := range b.offers {
		listed[string(o.id)] = true
	}
	for _, o := range b.past {
		source, err := b.library.cite(seed.HistoryTable, o.source, o.asOf)
		if err != nil {
			return err
		}
		b.add(seed.HistoryTable, string(o.id), o.asOf.String(), o.amount, string(o.basis), o.currency, source)
		b.currencies[o.currency] = true
		if !listed[string(o.id)] {
			b.report.notes["earlier price of an offer that is not listed"]++
		}
	}
	return nil
}
