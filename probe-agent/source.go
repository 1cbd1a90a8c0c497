package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/agent"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// sourceFlags say where readings come from.
type sourceFlags struct{ library, scenario string }

func (s *sourceFlags) register(set *flag.FlagSet) {
	set.StringVar(&s.library, "nvml", "", "`path` of libnvidia-ml.so.1, if the loader does not find it")
	set.StringVar(&s.scenario, "scenario", "", "read a recorded machine from a `file` instead of this one")
}

// state is where the state of the source is kept below a directory: what was replayed
// must never be taken for a measurement of this machine.
func (s *sourceFlags) state(dir string) string {
	if s.scenario == "" {
		return dir
	}
	return filepath.Join(dir, "replay")
}

// callTimeout is how long one call of the driver may take. A tick is longer.
const callTimeout = 800 * time.Millisecond

// A machine is where readings come from, with the time that belongs to it: that of a
// scenario passes as fast as it is read.
type machine struct {
	guard    *sampler.Guard
	clock    agent.Clock
	scenario *sampler.Scenario // nil for the machine that this is
}

// name is the source on the wire.
func (m *machine) name() string {
	if m.scenario != nil {
		return "replay"
	}
	return "nvml"
}

// open makes the source; nothing is loaded yet.
func (p *program) open(flags *sourceFlags) (*machine, error) {
	if flags.scenario == "" {
		return &machine{guard: sampler.NewGuard(sampler.NewNVML(flags.library), callTimeout), clock: realClock{p.now}}, nil
	}
	f, err := os.Open(flags.scenario)
	if err != nil {
		return nil, fmt.Errorf("open scenario: %w", err)
	}
	defer f.Close()
	scenario, err := sampler.ParseScenario(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flags.scenario, err)
	}
	clock := &scenarioClock{now: p.now().Truncate(time.Second)}
	return &machine{guard: sampler.NewGuard(sampler.NewReplay(scenario, clock.Now), callTimeout), clock: clock, scenario: scenario}, nil
}

// survey opens the driver and reads what there is.
func (m *machine) survey() (*sampler.Inventory, error) {
	if code := m.guard.Open(); code != sampler.CodeSuccess {
		return nil, &agent.DriverError{Call: "open NVML", Code: code}
	}
	inventory, code := sampler.Survey(m.guard.Within(5 * time.Second))
	if code != sampler.CodeSuccess {
		return inventory, &agent.DriverError{Call: "count the GPUs", Code: code}
	}
	if len(inventory.Devices) == 0 {
		return inventory, agent.ErrNoGPUs
	}
	return inventory, nil
}

// realClock is the machine's.
type realClock struct{ now func() time.Time }

func (c realClock) Now() time.Time { return c.now() }

func (c realClock) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scenarioClock passes as fast as it is waited for.
type scenarioClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *scenarioClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *scenarioClock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
	return ctx.Err()
}
