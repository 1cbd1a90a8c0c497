package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

// record is the command record.
func (p *program) record(ctx context.Context, args []string) error {
	var source sourceFlags
	set, c := p.flags("record")
	source.register(set)
	length := set.Duration("for", time.Minute, "how `long` to record")
	if err := c.parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 || *length <= 0 {
		return usagef("want record [--for 1m] FILE")
	}
	m, err := p.open(&source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	inventory, err := m.survey()
	if err != nil {
		return err
	}
	scenario := p.recordFor(ctx, m, inventory, *length)
	text, err := json.Marshal(scenario)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if err := spool.WriteFile(set.Arg(0), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return p.print(c, map[string]any{"file": set.Arg(0), "seconds": scenario.DurationSeconds, "gpus": len(scenario.Devices)},
		func(out io.Writer) {
			fmt.Fprintf(out, "%d GPUs, %.0f s in %s; UUIDs are replaced\n", len(scenario.Devices), scenario.DurationSeconds, set.Arg(0))
		})
}

// recordFor records until the time or the context is over.
func (p *program) recordFor(ctx context.Context, m *machine, inventory *sampler.Inventory, length time.Duration) *sampler.Scenario {
	recorder := sampler.NewRecorder(inventory, func(uuid string) string { return "GPU-" + identity.GPU(uuid) })
	poller := sampler.NewPoller(m.guard, inventory, p.gpm())
	bar, start := p.progress(), m.clock.Now()
	defer bar.done()
	for tick := 0; ; tick++ {
		at := m.clock.Now().Sub(start)
		for _, s := range poller.Poll(tick, at) {
			recorder.Add(&s)
		}
		if event, ok := m.guard.NextEvent(0).Get(); ok {
			recorder.AddEvent(event, at)
		}
		if at >= length || m.clock.Wait(ctx, time.Second) != nil {
			return recorder.Finish(at)
		}
		bar.show("recording: %v of %v", at.Round(time.Second), length)
	}
}

// build describes the program.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
	Cgo     bool   `json:"cgo"`
}

// version is the command version.
func (p *program) version(_ context.Context, args []string) error {
	set, c := p.flags("version")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	b := build{Version: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			b.Cgo = b.Cgo || s.Key == "CGO_ENABLED" && s.Value == "1"
		}
	}
	return p.print(c, b, func(out io.Writer) {
		fmt.Fprintf(out, "probe-agent %s (%s, %s%s)\n", b.Version, b.Go, b.System, map[bool]string{false: ", without NVML: built without cgo"}[b.Cgo])
	})
}
