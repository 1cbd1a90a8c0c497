// Package revise brings what boxes measured into the next version of the catalogue, by
// compare and swap: an answer names its version, and can be replayed from it.
package revise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/aggregate"
	"github.com/tierwise/tierwise/functions/internal/naming"
)

// Store is where reports and versions of the catalogue are.
type Store interface {
	// Current fails with catalog.ErrNotFound if nothing was published.
	Current(ctx context.Context) (catalog.Publication, error)
	Load(ctx context.Context, version catalog.Version) (*catalog.Snapshot, error)
	// Publish fails with catalog.ErrConflict if base is not current; "" means that
	// nothing is.
	Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error)
	// Reports are those that were received on a day in UTC.
	Reports(ctx context.Context, day catalog.Date) iter.Seq2[catalog.Report, error]
	PutCoefficients(ctx context.Context, all []catalog.Coefficient) error
}

// Config is what a revision needs.
type Config struct {
	Store Store
	// Baseline is the catalogue while nothing is published.
	Baseline func() (*catalog.Snapshot, error)
	Now      func() time.Time
}

// Result is what a revision did.
type Result struct {
	Version      catalog.Version             `json:"version"` // current now
	Published    bool                        `json:"published"`
	Coefficients int                         `json:"coefficients"`
	Checks       int                         `json:"checks"`
	Reports      int                         `json:"reports"` // that were read
	Counted      int                         `json:"counted"` // that a figure rests on
	Excluded     map[aggregate.Exclusion]int `json:"excluded,omitempty"`
	Alerts       []aggregate.Alert           `json:"alerts,omitempty"`
}

// mostBuilds is how often a version is built anew because another was published
// meanwhile.
const mostBuilds = 5

// Run makes coefficients of the reports of the window and publishes them if they differ
// from those that are published. To run it again changes nothing.
func Run(ctx context.Context, c Config) (Result, error) {
	reports, err := c.reports(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("revise: %w", err)
	}
	var result Result
	err = c.onCurrent(ctx, func(b base) error {
		named(reports, b.snapshot)
		made := aggregate.Run(reports, aggregate.Input{Catalogue: b.snapshot, Now: c.Now().UTC()})
		result = Result{Version: b.snapshot.Version(), Coefficients: len(made.Coefficients), Checks: len(made.Checks), Reports: len(reports),
			Counted: made.Counted, Excluded: made.Excluded, Alerts: made.Alerts}
		if unchanged(b.snapshot, &made) {
			return nil
		}
		if err := c.Store.PutCoefficients(ctx, made.Coefficients); err != nil {
			return err
		}
		done, err := c.publish(ctx, b, made.Coefficients, made.Checks)
		result.Version, result.Published = done.Version, err == nil
		return err
	})
	if err != nil {
		return result, fmt.Errorf("revise: %w", err)
	}
	return result, nil
}

// Release lets a coefficient that was frozen move again: someone has looked. It fails
// with catalog.ErrNotFound if none is frozen.
func Release(ctx context.Context, c Config, of catalog.Coefficient) error {
	err := c.onCurrent(ctx, func(b base) error {
		all := slices.Clone(b.snapshot.Coefficients())
		at := slices.IndexFunc(all, func(k catalog.Coefficient) bool {
			return k.GPU == of.GPU && k.Provider == of.Provider && k.SKU == of.SKU && k.Frozen
		})
		if at < 0 {
			return catalog.ErrNotFound
		}
		all[at].Frozen, all[at].ReleasedAt = false, c.Now().UTC()
		_, err := c.publish(ctx, b, all, b.snapshot.CheckRates())
		return err
	})
	if err != nil {
		return fmt.Errorf("release the coefficient of %s at %s: %w", of.GPU, of.Provider, err)
	}
	return nil
}

// base is what the next version is built on.
type base struct {
	current  catalog.Version // "" if nothing is published
	snapshot *catalog.Snapshot
}

// onCurrent builds on what is current, and anew if that changes meanwhile.
func (c Config) onCurrent(ctx context.Context, build func(base) error) error {
	for builds := 1; ; builds++ {
		b, err := c.base(ctx)
		if err != nil {
			return err
		}
		if err = build(b); !errors.Is(err, catalog.ErrConflict) || builds == mostBuilds {
			return err
		}
	}
}

// base is the current catalogue.
func (c Config) base(ctx context.Context) (base, error) {
	current, err := c.Store.Current(ctx)
	if errors.Is(err, catalog.ErrNotFound) {
		snapshot, err := c.Baseline()
		return base{"", snapshot}, err
	}
	if err != nil {
		return base{}, err
	}
	snapshot, err := c.Store.Load(ctx, current.Version)
	return base{current.Version, snapshot}, err
}

// readers is how many days are read at a time.
const readers = 4

// reports are those of the window, and of the days that it begins and ends in.
func (c Config) reports(ctx context.Context) ([]catalog.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	now := c.Now().UTC()
	var days []catalog.Date
	for at := now.Add(-aggregate.Window); len(days) == 0 || days[len(days)-1] != catalog.DateOf(now); at = at.Add(24 * time.Hour) {
		days = append(days, catalog.DateOf(at))
	}
	found, errs := make([][]catalog.Report, len(days)), make([]error, len(days))
	free := make(chan struct{}, readers)
	var reading sync.WaitGroup
	for i := range days {
		free <- struct{}{}
		reading.Go(func() {
			if found[i], errs[i] = c.reportsOf(ctx, days[i]); errs[i] != nil {
				stop() // the other days are of no use without it
			}
			<-free
		})
	}
	reading.Wait()
	return slices.Concat(found...), errors.Join(errs...)
}

// reportsOf are those of a day.
func (c Config) reportsOf(ctx context.Context, day catalog.Date) ([]catalog.Report, error) {
	var all []catalog.Report
	for r, err := range c.Store.Reports(ctx, day) {
		if err != nil {
			return nil, fmt.Errorf("read reports of %s: %w", day, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// named finds names for what the catalogue had no name for when it came.
func named(reports []catalog.Report, s *catalog.Snapshot) {
	names := naming.New(s)
	for i := range reports {
		r := &reports[i]
		if r.Provider == "" {
			r.Provider, _ = names.Provider(r.Typed.Provider)
		}
		if r.SKU == "" {
			r.SKU, _ = names.SKU(r.Provider, r.Typed.SKU)
		}
		for k := range r.Readings {
			x := &r.Readings[k]
			if x.GPU != "" {
				continue
			}
			g, ok, _ := names.GPU(naming.Card{Name: x.Name, PCIDevice: x.PCIDevice, MemoryBytes: x.MemoryBytes})
			if ok {
				x.GPU = g.ID
			}
		}
	}
}

// publish publishes a catalogue with other coefficients.
func (c Config) publish(ctx context.Context, b base, coefficients []catalog.Coefficient, checks []catalog.CheckRate) (catalog.Publication, error) {
	parts := b.snapshot.Parts()
	parts.Coefficients, parts.Checks = coefficients, checks
	parts.Version = c.version(b, coefficients, checks)
	next, err := catalog.NewSnapshot(parts)
	if err != nil {
		return catalog.Publication{}, fmt.Errorf("build the next version: %w", err)
	}
	return c.Store.Publish(ctx, b.current, next)
}

// versionSeparator stands between the version of the baseline and what was built on it.
const versionSeparator = "+"

// version names a catalogue: its baseline, the day, and a digest of what it was built
// on and what it says.
func (c Config) version(b base, coefficients []catalog.Coefficient, checks []catalog.CheckRate) catalog.Version {
	baseline, _, _ := strings.Cut(string(b.snapshot.Version()), versionSeparator)
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n", b.snapshot.Version())
	for _, k := range coefficients {
		fmt.Fprintf(digest, "%+v\n", k)
	}
	for _, k := range checks {
		fmt.Fprintf(digest, "%+v\n", k)
	}
	return catalog.Version(fmt.Sprintf("%s%s%s-%s", baseline, versionSeparator, c.Now().UTC().Format(time.DateOnly), hex.EncodeToString(digest.Sum(nil))[:8]))
}

// longestUnpublished is how old what is published may get while it hardly changes.
const longestUnpublished = 24 * time.Hour

// unchanged reports whether what was made hardly differs from what is published: a
// version costs a reading of the whole catalogue by everyone.
func unchanged(s *catalog.Snapshot, made *aggregate.Result) bool {
	sameRates := slices.EqualFunc(s.CheckRates(), made.Checks, func(a, b catalog.CheckRate) bool {
		a.ComputedAt = b.ComputedAt
		return a == b
	})
	return sameRates && slices.EqualFunc(s.Coefficients(), made.Coefficients, sameCoefficient)
}

// sameCoefficient reports whether a plan can't tell two coefficients apart.
func sameCoefficient(was, is catalog.Coefficient) bool {
	const leastChange = 0.0005
	near := func(a, b float64) bool { return math.Abs(a-b) < leastChange }
	same := was.GPU == is.GPU && was.Provider == is.Provider && was.SKU == is.SKU && was.Tenants == is.Tenants && was.Boxes == is.Boxes &&
		was.Frozen == is.Frozen && was.Evidence == is.Evidence && was.Reference == is.Reference && is.ComputedAt.Sub(was.ComputedAt) < longestUnpublished
	return same && near(was.Value, is.Value) && near(was.Measured, is.Measured) &&
		near(was.Interval.Low, is.Interval.Low) && near(was.Interval.High, is.Interval.High)
}
