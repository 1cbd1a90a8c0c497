package main

import (
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/importer"
)

// importResult is what an import did, in JSON.
type importResult struct {
	Version   string       `json:"version"` // current now; "" if nothing is published
	Offers    int          `json:"offers"`
	Published bool         `json:"published"`
	DryRun    bool         `json:"dry_run"`
	Feeds     []feedResult `json:"feeds"`
}

// feedResult is what an import did with a feed, in JSON.
type feedResult struct {
	Feed       string         `json:"feed"`
	Refused    string         `json:"refused,omitempty"` // why it, or a part of it, was not taken
	Unchanged  bool           `json:"unchanged"`
	AsOf       string         `json:"as_of,omitempty"`
	Read       int            `json:"rows"`
	Skipped    map[string]int `json:"skipped,omitempty"`
	Offers     int            `json:"offers"`
	New        int            `json:"new"`
	Cheaper    int            `json:"cheaper"`
	Dearer     int            `json:"dearer"`
	Redated    int            `json:"redated"`
	Facts      int            `json:"facts_changed"`
	Same       int            `json:"same"`
	Older      int            `json:"older"`
	Gone       int            `json:"gone"`
	Superseded int            `json:"superseded"`
	Held       int            `json:"held"`
	Unmapped   map[string]int `json:"unmapped_gpus,omitempty"`
}

// importResultOf is the result of an import in JSON.
func importResultOf(result importer.Result, try bool) importResult {
	x := importResult{Version: string(result.Version), Offers: result.Offers, Published: result.Published, DryRun: try, Feeds: []feedResult{}}
	for i := range result.Reports {
		r := &result.Reports[i]
		f := feedResult{
			Feed: string(r.Feed), Refused: r.Why(), Unchanged: r.Unchanged, Read: r.Read, Skipped: r.Skipped, Offers: r.Offers,
			New: r.New, Cheaper: r.Cheaper, Dearer: r.Dearer, Redated: r.Redated, Facts: r.Facts, Same: r.Same, Older: r.Older,
			Gone: r.Gone, Superseded: r.Superseded, Held: len(r.Held), Unmapped: r.Unmapped,
		}
		if r.AsOf != (catalog.Date{}) {
			f.AsOf = r.AsOf.String()
		}
		x.Feeds = append(x.Feeds, f)
	}
	return x
}

// heldResult is a row of the quarantine in JSON.
type heldResult struct {
	ID     string `json:"id"`
	Feed   string `json:"feed"`
	Row    int    `json:"row"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	Offer  string `json:"offer,omitempty"`
	Detail string `json:"detail"`
	Since  string `json:"since"`
}

// heldResultOf is a row of the quarantine in JSON.
func heldResultOf(q quarantined) heldResult {
	x := heldResult{ID: string(q.ID), Feed: string(q.feed), Row: q.Row, State: q.state(), Reason: string(q.Reason), Detail: q.Detail, Since: q.HeldAt.UTC().Format(time.RFC3339)}
	if q.Offer != nil {
		x.Offer = string(q.Offer.ID)
	}
	return x
}

// releaseResult is what became of a feed's released rows, in JSON.
type releaseResult struct {
	Feed      string `json:"feed"`
	Released  int    `json:"released"`
	Version   string `json:"version"`
	Published bool   `json:"published"`
}

// diffResult is the differences between two versions in JSON.
type diffResult struct {
	From     string       `json:"from"`
	To       string       `json:"to"`
	Prices   []moveResult `json:"prices"`
	New      []moveResult `json:"new"`
	Gone     []moveResult `json:"gone"`
	Other    []moveResult `json:"changed_otherwise"`
	Redated  int          `json:"redated"`
	AsBefore int          `json:"as_before"`
}

// moveResult is the difference of an offer in JSON: prices as texts with their unit.
type moveResult struct {
	Offer   string `json:"offer"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Percent string `json:"percent,omitempty"`
	AsOf    string `json:"as_of,omitempty"`
}

// result is the differences in JSON, all of them.
func (m *movement) result(from, to catalog.Version) diffResult {
	all := func(moves []move) []moveResult {
		list := []moveResult{}
		for i := range moves {
			c := moves[i].cells()
			list = append(list, moveResult{c[0], c[1], c[2], c[3], c[4]})
		}
		return list
	}
	return diffResult{string(from), string(to), all(m.priced), all(m.appeared), all(m.vanished), all(m.other), m.redated, m.same}
}
