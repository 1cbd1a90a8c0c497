package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Store is what an importer publishes to.
type Store interface {
	// Current fails with catalog.ErrNotFound if nothing was published.
	Current(ctx context.Context) (catalog.Publication, error)
	Load(ctx context.Context, version catalog.Version) (*catalog.Snapshot, error)
	// Publish fails with catalog.ErrConflict if base is not current; "" means that
	// nothing is.
	Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error)
	// AppendHistory keeps each point once, however often it is given.
	AppendHistory(ctx context.Context, points []catalog.PricePoint) error

	FeedRuns(ctx context.Context) ([]catalog.FeedRun, error)
	PutFeedRun(ctx context.Context, r catalog.FeedRun) error
	Held(ctx context.Context, of catalog.FeedName) ([]catalog.Held, error)
	// PutHeld replaces the quarantine of a feed but for rows that were released.
	PutHeld(ctx context.Context, of catalog.FeedName, rows []catalog.Held) error
	ReleaseHeld(ctx context.Context, of catalog.FeedName, id catalog.HeldID, at time.Time) error
}

// Feed is one source of facts.
type Feed interface {
	// Name is the same for every reading of the feed.
	Name() catalog.FeedName
	// Read is all that the source says now. It fails with feed.ErrUnchanged if that is
	// what is known already.
	Read(ctx context.Context, k Known) (feed.Batch, error)
}

// Known is what a feed may use of what is known already.
type Known struct {
	Documents map[string]catalog.Validators
	// SKU reports whether the catalogue has an instance type.
	SKU func(catalog.ProviderID, catalog.SKU) bool
}

// Config is what an importer needs.
type Config struct {
	Store Store
	// Baseline is what the first import builds on, and what later ones take the
	// hardware, models and rates from that no feed gives.
	Baseline func() (*catalog.Snapshot, error)
	Now      func() time.Time
	// Parallel is how many feeds are read at a time; 0 is 3.
	Parallel int
	// Due is when a feed is to be tried next, after a run as it went; nil is never.
	Due func(r catalog.FeedRun) time.Time
}

// Importer imports feeds.
type Importer struct{ config Config }

// New is an importer.
func New(c Config) *Importer {
	if c.Parallel <= 0 {
		c.Parallel = 3
	}
	if c.Due == nil {
		c.Due = func(catalog.FeedRun) time.Time { return time.Time{} }
	}
	return &Importer{c}
}

// mostBuilds is how often a version is built anew because another was published
// meanwhile.
const mostBuilds = 5

// reading is what a feed said.
type reading struct {
	feed     Feed
	run      catalog.FeedRun // of the attempts before
	batch    feed.Batch
	took     time.Duration
	err      error
	released map[catalog.HeldID]bool
	held     map[catalog.HeldID]catalog.Held
}

// Import reads feeds and publishes what they say as one version. A feed that can't
// be read, or is refused, keeps no other from being taken, and its earlier prices
// stay as they are. The error is that of the store, or of the baseline.
func (i *Importer) Import(ctx context.Context, o Options, feeds ...Feed) (Result, error) {
	from, err := i.base(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("import: %w", err)
	}
	readings, err := i.read(ctx, from, feeds)
	if err != nil {
		return Result{}, fmt.Errorf("import: %w", err)
	}
	var result Result
	err = i.onCurrent(ctx, from, func(from base) (err error) {
		result, err = i.build(ctx, o, from, readings)
		return err
	})
	if err == nil && !o.Try {
		err = i.keep(ctx, readings, &result)
	}
	if err != nil {
		return result, fmt.Errorf("import: %w", err)
	}
	return result, nil
}

// onCurrent builds on what is current, and anew if that changes meanwhile.
func (i *Importer) onCurrent(ctx context.Context, from base, build func(base) error) error {
	for builds := 1; ; builds++ {
		err := build(from)
		if !errors.Is(err, catalog.ErrConflict) || builds == mostBuilds {
			return err
		}
		if from, err = i.base(ctx); err != nil {
			return err
		}
	}
}

// read reads feeds, some at a time.
func (i *Importer) read(ctx context.Context, from base, feeds []Feed) ([]*reading, error) {
	runs, err := i.config.Store.FeedRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	byName := make(map[catalog.FeedName]catalog.FeedRun)
	for _, r := range runs {
		byName[r.Name] = r
	}
	skus := knownSKUs(from.snapshot)
	known := func(p catalog.ProviderID, sku catalog.SKU) bool { return skus[skuOf{p, sku}] != nil }
	readings := make([]*reading, len(feeds))
	slots := make(chan struct{}, i.config.Parallel)
	var group sync.WaitGroup
	for at, f := range feeds {
		r := &reading{feed: f, run: byName[f.Name()]}
		readings[at] = r
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			began := i.config.Now()
			r.batch, r.err = f.Read(ctx, Known{Documents: r.run.Documents, SKU: known})
			r.took = i.config.Now().Sub(began)
		})
	}
	group.Wait()
	for _, r := range readings {
		if err := i.quarantine(ctx, r); err != nil {
			return nil, err
		}
	}
	return readings, nil
}

// quarantine reads what is held of a feed.
func (i *Importer) quarantine(ctx context.Context, r *reading) error {
	rows, err := i.config.Store.Held(ctx, r.feed.Name())
	if err != nil {
		return fmt.Errorf("read quarantine of %s: %w", r.feed.Name(), err)
	}
	r.released, r.held = make(map[catalog.HeldID]bool), make(map[catalog.HeldID]catalog.Held)
	for _, h := range rows {
		r.released[h.ID] = !h.ReleasedAt.IsZero()
		r.held[h.ID] = h
	}
	return nil
}

// build builds the next version on what is current, and publishes it if it differs.
func (i *Importer) build(ctx context.Context, o Options, from base, readings []*reading) (Result, error) {
	d := newDraft(from.snapshot)
	result := Result{Version: from.current, Offers: len(from.snapshot.Offers())}
	for _, r := range readings {
		report := Report{Feed: r.feed.Name(), Took: r.took}
		switch {
		case errors.Is(r.err, feed.ErrUnchanged):
			report.Unchanged, report.AsOf = true, r.run.AsOf
		case r.err != nil:
			report.Err = r.err
		default:
			a := applier{draft: d, batch: &r.batch, report: &report, options: o, today: catalog.DateOf(i.config.Now()),
				released: r.released, kept: make(map[catalog.OfferID]bool)}
			a.apply()
		}
		result.Reports = append(result.Reports, report)
	}
	if d.unchanged() && !(from.rebased && o.Rebase) || o.Try {
		return result, nil
	}
	done, err := i.publish(ctx, from, d)
	if err != nil {
		return result, err
	}
	result.Version, result.Offers, result.Published = done.Version, done.Offers, true
	return result, nil
}

// publish publishes a draft. History is kept before: a price that was replaced was
// true, whatever becomes of the version.
func (i *Importer) publish(ctx context.Context, from base, d *draft) (catalog.Publication, error) {
	points := d.points()
	next, err := d.snapshot(d.version(from), points)
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("build the next version: %w", err)
	}
	if len(points) > 0 {
		if err := i.config.Store.AppendHistory(ctx, points); err != nil {
			return catalog.Publication{}, err
		}
	}
	return i.config.Store.Publish(ctx, from.current, next)
}

// mostHeld is how many rows of a feed the quarantine lists; the report counts all.
const mostHeld = 1000

// keep keeps the run and the quarantine of every feed.
func (i *Importer) keep(ctx context.Context, readings []*reading, result *Result) error {
	var failed error
	for at, r := range readings {
		report := &result.Reports[at]
		if report.Err == nil && !report.Unchanged {
			failed = errors.Join(failed, i.config.Store.PutHeld(ctx, r.feed.Name(), i.listed(r, report)))
		}
		failed = errors.Join(failed, i.config.Store.PutFeedRun(ctx, i.ran(r, report, result.Version)))
	}
	return failed
}

// listed are the rows that the quarantine lists, each since it was first seen.
func (i *Importer) listed(r *reading, report *Report) []catalog.Held {
	rows := make(map[catalog.HeldID]catalog.Held)
	for _, h := range report.Held {
		if h.HeldAt = i.config.Now(); !r.held[h.ID].HeldAt.IsZero() {
			h.HeldAt = r.held[h.ID].HeldAt
		}
		rows[h.ID] = h
	}
	all := slices.SortedFunc(maps.Values(rows), compareHeld)
	return all[:min(mostHeld, len(all))]
}

// ran is how the attempts to import a feed went, this one included.
func (i *Importer) ran(r *reading, report *Report, version catalog.Version) catalog.FeedRun {
	run := r.run
	run.Name, run.AttemptedAt, run.Error = r.feed.Name(), i.config.Now(), report.Why()
	switch {
	case run.Error != "":
		run.Failures++
	case report.Unchanged:
		run.SucceededAt, run.Failures = run.AttemptedAt, 0
	default:
		run.SucceededAt, run.Failures, run.AsOf, run.Version = run.AttemptedAt, 0, report.AsOf, version
		run.Offers, run.Changed, run.Held, run.Documents = report.Offers, report.Changed(), len(report.Held), r.batch.Documents
	}
	run.DueAt = i.config.Due(run)
	return run
}
