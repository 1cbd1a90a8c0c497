package candidate

import (
	"slices"
	"strings"
)

// tally counts what is ruled out by reason. The reasons are so few that each is looked
// for among them.
type tally []Rejection

// add counts so many more for a reason.
func (t *tally) add(reason Reason, count int) {
	for i := range *t {
		if r := &(*t)[i]; r.Reason == reason {
			r.Count += count
			return
		}
	}
	*t = append(*t, Rejection{reason, count})
}

// sorted are the counts by reason, ascending.
func (t tally) sorted() []Rejection {
	slices.SortFunc(t, func(a, b Rejection) int { return strings.Compare(string(a.Reason), string(b.Reason)) })
	return t
}
