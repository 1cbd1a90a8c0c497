package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/metrics"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// clock passes as fast as it is waited for, and calls back at each wait.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	waited func(now time.Time)
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.now = c.now.Add(d)
	now := c.now
	c.mu.Unlock()
	if c.waited != nil {
		c.waited(now)
	}
	return ctx.Err()
}

// run is an agent on a scenario, and what became of it.
type run struct {
	agent *Agent
	clock *clock
	spool *spool.Spool
	log   bytes.Buffer
}

var begin = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func newRun(t *testing.T, scenario string, length time.Duration) *run {
	t.Helper()
	parsed, err := sampler.ParseScenario(strings.NewReader(scenario))
	if err != nil {
		t.Fatal(err)
	}
	r := &run{clock: &clock{now: begin}}
	if r.spool, err = spool.Open(filepath.Join(t.TempDir(), "spool")); err != nil {
		t.Fatal(err)
	}
	writer, unfinished, err := r.spool.Writer(spool.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(writer.Close)
	r.agent = &Agent{
		Config: Config{Interval: time.Second, ReportEvery: time.Hour, Rules: window.DefaultRules(), For: length, WaitForDriver: true,
			Header: report.Measurement{Schema: report.Schema, AgentVersion: "test", Source: "replay", Kind: "watch"}},
		Source: sampler.NewGuard(sampler.NewReplay(parsed, r.clock.Now), time.Minute), Clock: r.clock, Writer: writer, Spool: r.spool,
		Board: metrics.NewBoard("test", true), Log: slog.New(slog.NewTextHandler(&r.log, nil)), GPM: func() bool { return true },
		Offset: func() *float64 { return nil }, Unfinished: unfinished,
	}
	return r
}

// reports are the pending reports.
func (r *run) reports(t *testing.T) []report.Measurement {
	t.Helper()
	pending, err := r.spool.Pending()
	if err != nil {
		t.Fatal(err)
	}
	var all []report.Measurement
	for _, seq := range pending {
		payload, err := r.spool.Read(seq)
		if err != nil {
			t.Fatal(err)
		}
		var m report.Measurement
		if err := json.Unmarshal(payload, &m); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// gpu is a busy card of a scenario.
const gpu = `{"name": "NVIDIA H100 80GB HBM3", "uuid": "GPU-%d", "pci_bus_id": "%d", "compute_capability": "9.0", "values": {
	"utilization_gpu_percent": 99, "clock_sm_mhz": 1755, "clock_sm_max_mhz": 1980, "power_milliwatts": 600000,
	"power_limit_enforced_milliwatts": 700000, "power_limit_default_milliwatts": 700000, "energy_millijoules": 1000,
	"temperature_celsius": 60, "temperature_slowdown_celsius": 87, "throttle_sw_power_cap_ns": 0, "memory_total_bytes": 85000000000,
	"memory_used_bytes": 70000000000, "compute_processes": 1, "gpm_supported": 1},
	"rates": {"energy_millijoules": 600000, "throttle_sw_power_cap_ns": 500000000},
	"gpm": {"sm_utilization": 0.9, "tensor_active": 0.5, "dram_bandwidth": 0.4}}`

// busyBox is a scenario of busy cards, with more keys.
func busyBox(gpus int, more string) string {
	var devices []string
	for i := range gpus {
		devices = append(devices, fmt.Sprintf(gpu, i, i))
	}
	return fmt.Sprintf(`{"versions": {"driver": "550", "nvml": "12", "cuda": "12.4"}, "duration_seconds": 86400, "devices": [%s]%s}`,
		strings.Join(devices, ","), more)
}

func TestSixHoursAreSixReports(t *testing.T) {
	r := newRun(t, busyBox(2, ""), 6*time.Hour)
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	reports := r.reports(t)
	if len(reports) != 6 && len(reports) != 7 { // the last second may fall behind the last hour
		t.Fatalf("got %d reports", len(reports))
	}
	var seconds, energy float64
	for i, m := range reports {
		if m.Seq != uint64(i+1) {
			t.Errorf("report %d has number %d", i, m.Seq)
		}
		seconds += m.GPUs[0].ObservedSeconds
		if m.GPUs[0].Steady != nil {
			energy += m.GPUs[0].Steady.Energy.Total
		}
		if m.GPUs[0].Cold != nil {
			energy += m.GPUs[0].Cold.Energy.Total
		}
		if mean := m.GPUs[0].Steady; mean != nil && mean.ClockSM.Sum/float64(mean.ClockSM.N) != 1755 {
			t.Errorf("mean clock %v", mean.ClockSM.Sum/float64(mean.ClockSM.N))
		}
	}
	if seconds != 21600 || energy < 600*21599 || energy > 600*21601 {
		t.Errorf("got %v s and %v J, want 21600 s at 600 W", seconds, energy)
	}
	if first := reports[0]; first.Tier != "C" || !first.Enough || first.GPUs[0].Windows.Cold != 2 || first.GPUs[0].Steady.DRAMBandwidth == nil {
		t.Errorf("the first report: %+v", first.GPUs[0].Windows)
	}
}

// Case 8: at boot the driver is ready after 40 s.
func TestCase8DriverReadyLate(t *testing.T) {
	for code, name := range map[int]string{9: "driver not loaded", 12: "library not found", 3: "PCI not ready"} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, busyBox(1, fmt.Sprintf(`, "open_failures": [{"until_seconds": 40, "code": %d}]`, code)), 5*time.Minute)
			if err := r.agent.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := r.reports(t); len(got) != 1 || got[0].GPUs[0].Windows.Total < 3 {
				t.Errorf("got %+v", got)
			}
			if n := strings.Count(r.log.String(), "waiting for the driver"); n < 3 || n > 8 {
				t.Errorf("%d lines for 40 s of waiting:\n%s", n, r.log.String())
			}
		})
	}
}

// Case 9: the driver is upgraded underneath.
func TestCase9VersionMismatch(t *testing.T) {
	r := newRun(t, busyBox(2, `, "steps": [{"at_seconds": 150, "values": {"utilization_gpu_percent": 0}}]`), time.Hour)
	r.agent.Source = sampler.NewGuard(&mismatch{Source: r.agent.Source, clock: r.clock}, time.Minute)
	err := r.agent.Run(t.Context())
	var broken *DriverError
	if !errors.As(err, &broken) || broken.Code != sampler.CodeVersionMismatch {
		t.Fatalf("got %v", err)
	}
	if got := r.reports(t); len(got) != 1 || got[0].GPUs[0].Windows.Total != 2 && got[0].GPUs[0].Windows.Total != 3 {
		t.Errorf("what was measured before is not kept: %+v", got)
	}
}

// mismatch fails after 150 s as a driver does that was upgraded.
type mismatch struct {
	sampler.Source
	clock *clock
}

func (m *mismatch) Read(device int, q sampler.Quantity) sampler.Value[float64] {
	if m.clock.Now().Sub(begin) >= 150*time.Second {
		return sampler.Failed[float64](sampler.CodeVersionMismatch)
	}
	return m.Source.Read(device, q)
}

// Case 11: one GPU of eight falls off the bus.
func TestCase11ConcurrentGPUsOneLost(t *testing.T) {
	r := newRun(t, busyBox(8, `, "events": [{"at_seconds": 600, "device": 5, "xid": 79}], "steps": [{"at_seconds": 600, "devices": [5],
		"values": {"utilization_gpu_percent": {"state": "gpu_lost"}, "clock_sm_mhz": {"state": "gpu_lost"}}}]`), 20*time.Minute)
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := r.reports(t)[0]
	for i, g := range m.GPUs {
		switch availability := 1 - g.LostSeconds/g.ObservedSeconds; {
		case i == 5 && (availability < 0.49 || availability > 0.51 || len(g.Events) != 1 || g.Events[0].XID != 79 || len(g.GPU) != 32):
			t.Errorf("the lost GPU: availability %v, events %v, id %q", availability, g.Events, g.GPU)
		case i != 5 && (g.LostSeconds != 0 || g.BusySeconds < 1190 || len(g.Events) != 0):
			t.Errorf("GPU %d suffered: %+v", i, g)
		}
	}
	if !strings.Contains(r.log.String(), "xid=79") {
		t.Errorf("the log is silent:\n%s", r.log.String())
	}
	text := string(r.agent.Board.Text())
	for _, want := range []string{`gpuprobe_available{gpu="5",id="` + m.GPUs[5].GPU + `"} 0`, `gpuprobe_available{gpu="4",id="` + m.GPUs[4].GPU + `"} 1`,
		`xid="79"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// Case 28: while a profiler runs, its counters are left alone.
func TestCase28ProfilerRuns(t *testing.T) {
	r := newRun(t, busyBox(1, ""), 5*time.Minute)
	r.agent.GPM = func() bool { return false }
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := r.reports(t)[0]
	if len(m.Notes) != 1 || m.Notes[0] != report.NoteGPMOff || m.GPUs[0].Cold.SMUtilization != nil {
		t.Errorf("notes %v, SM utilisation %v", m.Notes, m.GPUs[0].Cold.SMUtilization)
	}
}

func TestGPUsGone(t *testing.T) {
	r := newRun(t, busyBox(1, ""), time.Hour)
	r.agent.Source = sampler.NewGuard(&vanishing{Source: r.agent.Source}, time.Minute)
	if err := r.agent.Run(t.Context()); !errors.Is(err, ErrNoGPUs) {
		t.Errorf("got %v", err)
	}
	if len(r.reports(t)) != 1 {
		t.Error("what was measured before is not kept")
	}
}

// vanishing counts a GPU once, and then none.
type vanishing struct {
	sampler.Source
	counted bool
}

func (v *vanishing) DeviceCount() sampler.Value[int] {
	defer func() { v.counted = true }()
	return sampler.Of(map[bool]int{false: 1, true: 0}[v.counted])
}

func TestNoGPUsIsNoBox(t *testing.T) {
	r := newRun(t, `{"versions": {"driver": "1", "nvml": "1", "cuda": "1"}, "duration_seconds": 10, "devices": []}`, time.Minute)
	r.agent.Config.WaitForDriver = false
	if err := r.agent.Run(t.Context()); !errors.Is(err, ErrNoGPUs) {
		t.Errorf("got %v", err)
	}
}

func TestCrashLosesNoClosedWindow(t *testing.T) {
	r := newRun(t, busyBox(2, ""), 0)
	crash, die := context.WithCancel(context.Background())
	r.clock.waited = func(now time.Time) {
		if now.Sub(begin) > 10*time.Minute {
			die()
			// What a kill leaves: the journal as it is now.
			saveJournal(t, r)
			r.clock.waited = nil
		}
	}
	if err := r.agent.Run(crash); err != nil {
		t.Fatal(err)
	}
	again := newRun(t, busyBox(2, ""), time.Minute)
	restoreJournal(t, r, again)
	if err := again.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	reports := again.reports(t)
	if len(reports) != 2 || reports[0].GPUs[0].Windows.Total != 10 || reports[0].Seq != 1 || reports[1].Seq != 2 {
		t.Fatalf("got %d reports, the first %+v", len(reports), reports[0].GPUs[0].Windows)
	}
	if len(reports[0].Notes) != 1 || reports[0].Notes[0] != report.NoteRecovered {
		t.Errorf("notes %v", reports[0].Notes)
	}
}

func journals(r *run) []string {
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(r.spoolDir()), "spool", "journal-*"))
	return found
}

func (r *run) spoolDir() string { return r.agent.Writer.Dir() }

func saveJournal(t *testing.T, r *run) {
	t.Helper()
	for _, path := range journals(r) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.spoolDir(), "saved"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// restoreJournal gives the journal of a run that crashed to another one.
func restoreJournal(t *testing.T, from, to *run) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from.spoolDir(), "saved"))
	if err != nil {
		t.Fatal(err)
	}
	to.agent.Unfinished = spool.ParseJournal(text)
}

// A spool that can't be written does not stop the measuring.
func TestFullDisk(t *testing.T) {
	r := newRun(t, busyBox(1, ""), 3*time.Hour)
	if err := os.RemoveAll(r.spoolDir()); err != nil { // and a file in its place
		t.Fatal(err)
	}
	if err := os.WriteFile(r.spoolDir(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	repaired := false
	r.clock.waited = func(now time.Time) {
		if !repaired && now.Sub(begin) > 2*time.Hour {
			repaired = true
			os.Remove(r.spoolDir())
			if _, err := spool.Open(r.spoolDir()); err != nil {
				t.Error(err)
			}
		}
	}
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var windows int
	for _, m := range r.reports(t) {
		windows += m.GPUs[0].Windows.Total
	}
	if windows < 178 {
		t.Errorf("%d windows of 180 were kept", windows)
	}
	if n := strings.Count(r.log.String(), "can't be written"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, r.log.String())
	}
}

// The upload of a day stays small.
func TestUploadBudget(t *testing.T) {
	r := newRun(t, busyBox(8, ""), time.Hour+time.Minute)
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	payload, err := r.spool.Read(1)
	if err != nil {
		t.Fatal(err)
	}
	if perDay := 24 * len(payload) / 8; perDay > 200_000 {
		t.Errorf("%d bytes a day and GPU even before compression, at most 200,000", perDay)
	}
}
