package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/metrics"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// DriverError ends a run: nothing more can be had from the driver.
type DriverError struct {
	Call string
	Code sampler.Code
}

// Error is the failure in words.
func (e *DriverError) Error() string { return fmt.Sprintf("%s: %s", e.Call, e.Code) }

// ErrNoGPUs ends a run on a machine whose driver knows no GPU, or knows none any more.
var ErrNoGPUs = errors.New("the driver knows no GPU")

// Clock is the time of a run.
type Clock interface {
	Now() time.Time
	// Wait returns after a time, or with the context's error.
	Wait(context.Context, time.Duration) error
}

// Config says what to do. All fields are required but For, WaitForDriver and those of
// Header.
type Config struct {
	Interval      time.Duration // between ticks
	ReportEvery   time.Duration
	Rules         window.Rules
	For           time.Duration // 0 means until the context ends
	WaitForDriver bool          // try again for as long as the driver is not there
	// Header is the part of a report that never changes.
	Header report.Measurement
}

// Agent runs once. All fields are required but Opened, Work, Progress and Sealed.
type Agent struct {
	Config Config
	Source *sampler.Guard
	Clock  Clock
	Writer *spool.Writer
	Spool  *spool.Spool
	Board  *metrics.Board
	Log    *slog.Logger
	// GPM says whether profiling counters may be read now.
	GPM func() bool
	// Offset is how far the server's clock is known to be ahead; nil if that is unknown.
	Offset func() *float64
	// Unfinished are the records of a report that a crash has left.
	Unfinished [][]byte
	// Opened is told, once, which GPUs there are.
	Opened func(*sampler.Inventory)
	// Work returns what programs have reported since it was last called.
	Work func() []report.WorkRecord
	// Progress is told at every tick how long the run has lasted.
	Progress func(elapsed time.Duration)
	// Sealed is called when a report becomes pending.
	Sealed func()

	start      time.Time
	inventory  *sampler.Inventory
	poller     *sampler.Poller
	collectors []*window.Collector
	facts      []report.Facts
	draft      *report.Draft
	windowEnd  time.Duration
	reportEnd  time.Duration
	noEvents   bool // the driver has none
	diskFails  bool
}

// Run measures until the time is over, the context ends, or nothing more can be had
// from the driver. What was measured is in the spool when it returns.
func (a *Agent) Run(ctx context.Context) error {
	a.start = a.Clock.Now()
	if err := a.open(ctx); err != nil {
		return err
	}
	if a.Opened != nil {
		a.Opened(a.inventory)
	}
	if a.recover(); a.draft == nil {
		a.begin()
	}
	a.Log.Info("measuring", "gpus", len(a.inventory.Devices), "interval", a.Config.Interval, "window", a.Config.Rules.Window)
	for tick := 0; ; tick++ {
		at := a.elapsed()
		err := a.tick(tick, at)
		if err == nil && a.Config.For > 0 && at >= a.Config.For {
			return a.finish(nil)
		}
		if err != nil {
			return a.finish(err)
		}
		next := time.Duration(tick+1) * a.Config.Interval
		if now := a.elapsed(); next < now { // late: ticks are dropped, not made up for
			tick = int(now / a.Config.Interval)
			next = time.Duration(tick+1) * a.Config.Interval
		}
		if a.Clock.Wait(ctx, next-a.elapsed()) != nil {
			return a.finish(nil)
		}
	}
}

func (a *Agent) elapsed() time.Duration { return a.Clock.Now().Sub(a.start) }

// The bounds of the wait for a driver that is not ready.
const (
	firstDriverWait = time.Second
	lastDriverWait  = 30 * time.Second
	surveyTimeout   = 5 * time.Second
)

// open waits for the driver and reads what there is. A driver is also not ready while
// it knows no GPU.
func (a *Agent) open(ctx context.Context) error {
	for wait := firstDriverWait; ; wait = min(2*wait, lastDriverWait) {
		err := a.tryOpen()
		var broken *DriverError
		final := errors.As(err, &broken) && broken.Code == sampler.CodeVersionMismatch
		if err == nil || final || !a.Config.WaitForDriver {
			return err
		}
		a.Log.Warn("waiting for the driver", "reason", err.Error(), "again_in", wait)
		if err := a.Clock.Wait(ctx, wait); err != nil {
			return fmt.Errorf("wait for the driver: %w", err)
		}
	}
}

func (a *Agent) tryOpen() error {
	if code := a.Source.Open(); code != sampler.CodeSuccess {
		return &DriverError{"open NVML", code}
	}
	a.Source.NextEvent(0) // registers: there is no history of what comes before
	inventory, code := sampler.Survey(a.Source.Within(surveyTimeout))
	if code != sampler.CodeSuccess {
		return &DriverError{"count the GPUs", code}
	}
	if len(inventory.Devices) == 0 {
		return ErrNoGPUs
	}
	a.setInventory(inventory)
	return nil
}

func (a *Agent) setInventory(inventory *sampler.Inventory) {
	a.inventory = inventory
	a.poller = sampler.NewPoller(a.Source, inventory, a.GPM)
	for i := range inventory.Devices {
		d := &inventory.Devices[i]
		a.facts = append(a.facts, report.NewFacts(d, &d.Readings))
		a.collectors = append(a.collectors, window.NewCollector(i, a.Config.Rules, d.Readings))
	}
	a.Board.SetInventory(report.NewSystem(inventory.Versions, a.Config.Header.System.CPUs), a.facts)
	for i := range inventory.Devices {
		a.Board.SetSlow(i, &inventory.Devices[i].Readings, a.facts[i])
	}
}

// tick reads everything once.
func (a *Agent) tick(tick int, at time.Duration) error {
	now := a.Clock.Now()
	for i, s := range a.poller.Poll(tick, at) {
		if code, fatal := s.Fatal(); fatal {
			return &DriverError{"read the GPUs", code}
		}
		a.collectors[i].Add(&s)
		a.Board.SetSample(&s, now)
	}
	a.takeEvents()
	if a.Work != nil {
		for _, w := range a.Work() {
			a.record(report.Record{Work: &w})
		}
	}
	if a.Progress != nil {
		a.Progress(at)
	}
	if at < a.windowEnd {
		return nil
	}
	a.windowEnd = at + a.Config.Rules.Window
	a.closeWindows()
	if at >= a.reportEnd && a.seal() {
		a.begin()
	}
	if count, ok := a.Source.DeviceCount().Get(); ok && count == 0 {
		return ErrNoGPUs
	}
	return nil
}

// finish keeps what the last, shorter window holds.
func (a *Agent) finish(err error) error {
	a.closeWindows()
	a.seal()
	return err
}
