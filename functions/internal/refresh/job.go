package refresh

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/importer"
)

// Job imports the feeds that are due.
type Job struct {
	Store    importer.Store
	Baseline func() (*catalog.Snapshot, error)
	Plans    []Plan
	Now      func() time.Time
	Log      *slog.Logger
}

// Done is what a run of the job did.
type Done struct {
	Version   catalog.Version `json:"version"` // current now
	Published bool            `json:"published"`
	Offers    int             `json:"offers"`
	Feeds     []Outcome       `json:"feeds"`
	Later     int             `json:"later"` // feeds that are due and did not fit into the time
}

// Outcome is what became of a feed.
type Outcome struct {
	Feed    catalog.FeedName `json:"feed"`
	AsOf    string           `json:"as_of,omitempty"`
	Changed int              `json:"changed"`
	Held    int              `json:"held"`
	// Unchanged says that the source has nothing new.
	Unchanged bool   `json:"unchanged,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Run imports what is due, as one version, and publishes the baseline of this program
// if what is current was built on another or nothing is. A feed that fails is in its
// run and in the outcome; the error is that of the store or of the baseline.
func (j Job) Run(ctx context.Context) (Done, error) {
	due, later, err := j.due(ctx)
	if err != nil {
		return Done{}, fmt.Errorf("refresh: %w", err)
	}
	var feeds []importer.Feed
	for _, p := range due {
		feeds = append(feeds, p.Source)
	}
	i := importer.New(importer.Config{Store: j.Store, Baseline: j.Baseline, Now: j.Now, Parallel: parallel, Due: j.next})
	result, err := i.Import(ctx, importer.Options{Rebase: true}, feeds...)
	if err != nil {
		return Done{}, fmt.Errorf("refresh: %w", err)
	}
	done := Done{Version: result.Version, Published: result.Published, Offers: result.Offers, Feeds: []Outcome{}, Later: later}
	changed, held, failed := 0, 0, 0
	for at := range result.Reports {
		o := j.outcome(ctx, &result.Reports[at])
		done.Feeds = append(done.Feeds, o)
		changed, held = changed+o.Changed, held+o.Held
		if o.Error != "" {
			failed++
		}
	}
	j.Log.InfoContext(ctx, "refresh", "version", done.Version, "published", done.Published, "offers", done.Offers,
		"feeds", len(done.Feeds), "failed_feeds", failed, "later", later, "refreshed", changed, "quarantined", held)
	return done, nil
}

// outcome logs what became of a feed.
func (j Job) outcome(ctx context.Context, r *importer.Report) Outcome {
	o := Outcome{Feed: r.Feed, AsOf: r.AsOf.String(), Changed: r.Changed(), Held: len(r.Held), Unchanged: r.Unchanged, Error: r.Why()}
	level := slog.LevelInfo
	if o.Error != "" {
		level = slog.LevelError
	}
	j.Log.Log(ctx, level, "import", "feed", r.Feed, "error", o.Error, "unchanged", r.Unchanged, "took", r.Took.String(), "as_of", o.AsOf, "read", r.Read,
		"offers", r.Offers, "new", r.New, "cheaper", r.Cheaper, "dearer", r.Dearer, "gone", r.Gone+r.Superseded, "held", o.Held, "unmapped", len(r.Unmapped))
	return o
}

// parallel is how many feeds are read at a time.
const parallel = 3

// The times of a run. A schedule that is a little early must not cost a feed a whole
// turn, and the end of the time that a function has is for publishing.
const (
	early      = 5 * time.Minute
	publishing = time.Minute
)

// due are the feeds whose time has come, the longest overdue first: as many as can
// be read before the context ends, and how many are left over.
func (j Job) due(ctx context.Context) (due []Plan, later int, err error) {
	runs, err := j.Store.FeedRuns(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("read runs: %w", err)
	}
	at := make(map[catalog.FeedName]time.Time)
	for _, r := range runs {
		at[r.Name] = r.DueAt
	}
	var all []Plan
	for _, p := range j.Plans {
		if !at[p.Source.Name()].After(j.Now().Add(early)) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Plan) int {
		return cmp.Or(at[a.Source.Name()].Compare(at[b.Source.Name()]), cmp.Compare(a.Source.Name(), b.Source.Name()))
	})
	deadline, limited := ctx.Deadline()
	if !limited {
		return all, 0, nil
	}
	left := deadline.Sub(j.Now()) - publishing
	var sum, longest time.Duration
	for n, p := range all {
		sum, longest = sum+p.Source.Timeout, max(longest, p.Source.Timeout)
		// However the readings share the slots, they end within this time.
		if sum/parallel+longest > left {
			return all[:n], len(all) - n, nil
		}
	}
	return all, 0, nil
}

// firstRetry is how long a feed is left alone after it failed; it doubles with every
// failure in a row, up to the feed's own time.
const firstRetry = 15 * time.Minute

// next is when a feed is to be tried next.
func (j Job) next(r catalog.FeedRun) time.Time {
	i := slices.IndexFunc(j.Plans, func(p Plan) bool { return p.Source.Name() == r.Name })
	if i < 0 {
		return time.Time{}
	}
	wait := j.Plans[i].Every
	if r.Failures > 0 {
		const mostDoubled = 10
		wait = min(wait, firstRetry<<min(r.Failures-1, mostDoubled))
	}
	return r.AttemptedAt.Add(wait)
}
