package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// defaultState is where key and reports are kept: where systemd or the user says, or
// in the usual places.
func (p *program) defaultState() string {
	for _, name := range []string{"TIERWISE_STATE", "STATE_DIRECTORY"} {
		if dir := p.getenv(name); dir != "" {
			return dir
		}
	}
	if dir := p.getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "tierwise-probe")
	}
	if home := p.getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "tierwise-probe")
	}
	return filepath.Join(os.TempDir(), "tierwise-probe")
}

// machineFile reads a small file that the machine describes itself in; "" if it can't.
func (p *program) machineFile(path string) string {
	text, err := os.ReadFile(filepath.Join(p.root, path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// header is the part of a report that describes machine and agent.
func (p *program) header(kind, source string) report.Measurement {
	return report.Measurement{
		Schema: report.Schema, AgentVersion: version, Source: source, Kind: kind,
		BootID: identity.Boot(p.machineFile("proc/sys/kernel/random/boot_id")), BootDay: p.bootDay(),
		System: report.System{CPUs: runtime.NumCPU()},
	}
}

// bootDay is the date of the last boot; "" if it is unknown.
func (p *program) bootDay() string {
	for line := range strings.Lines(p.machineFile("proc/stat")) {
		if text, ok := strings.CutPrefix(line, "btime "); ok {
			if at, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
				return time.Unix(at, 0).UTC().Format(time.DateOnly)
			}
		}
	}
	return ""
}

// fingerprint tells this machine from another; "" if no GPU is known.
func (p *program) fingerprint(inventory *sampler.Inventory) string {
	if inventory == nil || len(inventory.Devices) == 0 {
		return ""
	}
	uuid, ok := inventory.Devices[0].UUID.Get()
	if !ok {
		return ""
	}
	return identity.Fingerprint(p.machineFile("etc/machine-id"), uuid)
}

// profilers are programs that use the counters that GPM needs.
var profilers = []string{"nv-hostengine", "dcgm-exporter", "dcgmi", "ncu", "nsys"}

// profiling reports whether a profiler runs, as far as this process can see. What runs
// is looked at and not kept.
func (p *program) profiling() bool {
	names, _ := filepath.Glob(filepath.Join(p.root, "proc/[0-9]*/comm")) // the pattern is valid
	for _, path := range names {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, name := range profilers {
			if strings.TrimSpace(string(text)) == name {
				return true
			}
		}
	}
	return false
}

// gpm says whether GPM may be read, looked up at most once a minute.
func (p *program) gpm() func() bool {
	var last time.Time
	free := false
	return func() bool {
		if now := p.now(); last.IsZero() || now.Sub(last) >= time.Minute {
			last, free = now, !p.profiling()
		}
		return free
	}
}
