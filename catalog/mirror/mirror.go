// Package mirror holds the current catalogue in memory and follows the store it
// comes from: at most one small read a minute, and a whole load only when another
// version is current. While the store can't be reached it serves the last good
// catalogue and says that it is stale.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Source is where catalogues come from.
type Source interface {
	// Current is the current version, by one small read; catalog.ErrNotFound if
	// nothing was published.
	Current(ctx context.Context) (catalog.Publication, error)
	// Load reads a version whole.
	Load(ctx context.Context, version catalog.Version) (*catalog.Snapshot, error)
}

// How often the source is asked, and how long it has to answer.
const (
	interval     = time.Minute
	checkTimeout = 2 * time.Second
	loadTimeout  = 10 * time.Second
)

// Config is what a mirror needs.
type Config struct {
	Source Source
	Now    func() time.Time
	// Baseline is what to serve while nothing was ever read; nil if there is none.
	Baseline func() (*catalog.Snapshot, error)
	// Runs are the runs of the feeds that keep the source fresh; nil if none do.
	Runs func(ctx context.Context) ([]catalog.FeedRun, error)
}

// View is the catalogue at an instant.
type View struct {
	Snapshot *catalog.Snapshot
	// Stale is true if the source could not be asked when it last should have
	// been: what is current now may be newer.
	Stale bool
	// Age is how long ago the snapshot was last known to be current, if it is stale.
	// For a baseline that is when the mirror was made.
	Age time.Duration
	// Reason is why the snapshot is stale.
	Reason error
}

// Mirror is the current catalogue. Any number of goroutines may ask it.
type Mirror struct {
	config Config

	mu        sync.Mutex
	snapshot  *catalog.Snapshot
	confirmed time.Time     // when it was last known to be current
	asked     time.Time     // when the source was last asked
	reason    error         // why that failed
	asking    chan struct{} // closed when the running request ends; nil if none runs
	runs      []catalog.FeedRun
	runsAsked time.Time // when the source was last asked for them
	runsErr   error     // why that failed
}

// New is a mirror that has not asked yet.
func New(c Config) *Mirror { return &Mirror{config: c, confirmed: c.Now()} }

// Latest is the current catalogue. Whoever comes first after a minute asks the
// source; others get what is held meanwhile, or wait if nothing is. It fails only
// if there is nothing to serve at all.
func (m *Mirror) Latest(ctx context.Context) (View, error) {
	for {
		m.mu.Lock()
		now := m.config.Now()
		if m.snapshot != nil && (m.asking != nil || now.Sub(m.asked) < interval) {
			defer m.mu.Unlock()
			return m.view(now), nil
		}
		running := m.asking
		if running == nil {
			running = make(chan struct{})
			m.asking, m.asked = running, now
			held := m.snapshot
			m.mu.Unlock()
			if err := m.ask(ctx, held); err != nil {
				return View{}, err
			}
			continue
		}
		m.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return View{}, fmt.Errorf("wait for the catalogue: %w", ctx.Err())
		}
	}
}

// Expire makes the next who asks ask the source, however short ago that was last done:
// for who knows that another version is current.
func (m *Mirror) Expire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = time.Time{}
}

// Reach asks the source for its current version now, whatever is held. It fails if the
// source can't be asked; that nothing is published is no failure.
func (m *Mirror) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if _, err := m.config.Source.Current(ctx); err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("reach the store: %w", err)
	}
	return nil
}

// FeedRuns are the runs of the feeds that keep the source fresh, and when they were
// asked for: a minute ago at most. It fails if the source can't be asked.
func (m *Mirror) FeedRuns(ctx context.Context) (runs []catalog.FeedRun, at time.Time, err error) {
	m.mu.Lock()
	now := m.config.Now()
	if m.config.Runs == nil || !m.runsAsked.IsZero() && now.Sub(m.runsAsked) < interval {
		defer m.mu.Unlock()
		return m.runs, m.runsAsked, m.runsErr
	}
	m.runsAsked = now // whoever comes meanwhile gets what is held
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if runs, err = m.config.Runs(ctx); err != nil {
		err = fmt.Errorf("read the runs of feeds: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs, m.runsErr = runs, err
	return runs, now, err
}

// view is what is held. The lock is held.
func (m *Mirror) view(now time.Time) View {
	v := View{Snapshot: m.snapshot, Stale: m.reason != nil, Reason: m.reason}
	if v.Stale {
		v.Age = now.Sub(m.confirmed)
	}
	return v
}

// ask asks the source and keeps the answer. It holds no lock meanwhile. It fails if
// there is nothing to serve.
func (m *Mirror) ask(ctx context.Context, held *catalog.Snapshot) error {
	next, reason := m.read(ctx, held)
	var err error
	if reason != nil && held == nil {
		next, err = m.baseline(reason)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if next != nil {
		m.snapshot = next
	}
	if m.reason = reason; errors.Is(reason, catalog.ErrNotFound) && m.snapshot != nil {
		m.reason = nil // nothing is published: the baseline is the catalogue
	}
	if m.reason == nil {
		m.confirmed = m.asked
	}
	close(m.asking)
	m.asking = nil
	return err
}

// read is the current catalogue, held if it is that.
func (m *Mirror) read(ctx context.Context, held *catalog.Snapshot) (*catalog.Snapshot, error) {
	checking, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	current, err := m.config.Source.Current(checking)
	if err != nil {
		return nil, fmt.Errorf("ask for the current catalogue: %w", err)
	}
	if held != nil && held.Version() == current.Version {
		return held, nil
	}
	loading, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	snapshot, err := m.config.Source.Load(loading, current.Version)
	if err != nil {
		return nil, fmt.Errorf("load the current catalogue: %w", err)
	}
	return snapshot, nil
}

// baseline is what to serve when nothing was ever read.
func (m *Mirror) baseline(reason error) (*catalog.Snapshot, error) {
	if m.config.Baseline == nil {
		return nil, fmt.Errorf("no catalogue: %w", reason)
	}
	snapshot, err := m.config.Baseline()
	if err != nil && errors.Is(reason, catalog.ErrNotFound) { // the source has none, which is no fault of it
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("no catalogue: %w", errors.Join(reason, err))
	}
	return snapshot, nil
}
