package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"debug/elf"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/nvmltest"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
)

// The budget of the agent on a box of eight GPUs.
const (
	mostBinary = 15e6
	mostRSS    = 30e6
	mostCPU    = 0.5 // percent of one core
	mostUpload = 200e3
	mostSpool  = 50e6
)

// release is the release binary that make has built. Without it, the agent is built as
// go build does.
func release(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("PROBE_RELEASE"); path != "" {
		absolute, err := filepath.Abs(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		return absolute
	}
	path := filepath.Join(t.TempDir(), "probe-agent")
	if output, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	return path
}

// footprint is what a running agent takes.
type footprint struct {
	rss, binary int64
	cpu         float64 // percent of one core
	threads     int
	upload      float64 // bytes per day and GPU
}

// measure watches the agent at work on eight busy GPUs at 1 Hz.
func measure(t testing.TB, length time.Duration) footprint {
	t.Helper()
	r := newRig(t, nvmltest.H100(8))
	cmd := r.command("run", "--offline", "--window", fmt.Sprint(length/2))
	cmd.Path = release(t)
	cmd.Args[0] = cmd.Path
	p := watchProcess(t, cmd)
	p.waitFor("msg=measuring")
	var f footprint
	before, start := cpuTime(t, cmd.Process.Pid), time.Now()
	end := time.After(length)
	for sample := time.NewTicker(time.Second); f.cpu == 0; {
		select {
		case <-sample.C:
			f.rss = max(f.rss, status(t, cmd.Process.Pid, "VmRSS")*1024)
			f.threads = max(f.threads, int(status(t, cmd.Process.Pid, "Threads")))
		case <-end:
			sample.Stop()
			f.cpu = 100 * (cpuTime(t, cmd.Process.Pid) - before).Seconds() / time.Since(start).Seconds()
			f.cpu = max(f.cpu, 1e-9)
		}
	}
	info, err := os.Stat(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	f.binary = info.Size()
	f.upload = uploadPerDay(t)
	return f
}

// cpuTime is what a process has used, of all its threads.
func cpuTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads of %d: %v", pid, err)
	}
	var total time.Duration
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		total += time.Duration(ns)
	}
	return total
}

// status is a number of /proc/PID/status.
func status(t testing.TB, pid int, name string) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// uploadPerDay is what the reports of a day come to, for each GPU: those of an hour,
// signed and compressed, 24 times. The hour is a recorded one, whose readings vary.
func uploadPerDay(t testing.TB) float64 {
	t.Helper()
	r := bare(t)
	path := filepath.Join(t.TempDir(), "hour.json")
	if err := os.WriteFile(path, []byte(variedHour()), 0o600); err != nil {
		t.Fatal(err)
	}
	got := r.run("run", "--scenario", path, "--for", "1h", "--output", "json").want(t, exitOK)
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	signed, err := upload.Envelope(key, []byte(got.out))
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	zip.Write([]byte(signed))
	zip.Close()
	return 24 * float64(body.Len()) / 8
}

// variedHour is a scenario of eight GPUs whose clock, power and heat change every 10 s.
func variedHour() string {
	var devices, steps []string
	for i := range 8 {
		devices = append(devices, fmt.Sprintf(`{"name": "NVIDIA H100 80GB HBM3", "uuid": "GPU-%d", "pci_bus_id": "%d", "values": {"utilization_gpu_percent": 99,
			"clock_sm_max_mhz": 1980, "power_limit_enforced_milliwatts": 700000, "power_limit_default_milliwatts": 700000, "throttle_sw_power_cap_ns": 0,
			"throttle_sw_thermal_ns": 0, "energy_millijoules": 1, "pcie_sent_bytes": 0, "pcie_received_bytes": 0, "pcie_generation": 5, "pcie_width": 16},
			"rates": {"throttle_sw_power_cap_ns": 31234567, "throttle_sw_thermal_ns": 1234567, "energy_millijoules": 601234, "pcie_sent_bytes": 91234567,
			"pcie_received_bytes": 1234567}}`, i, i))
	}
	for second := 0; second < 3600; second += 10 {
		for i := range 8 {
			n := (second*7919 + i*104729) % 997
			steps = append(steps, fmt.Sprintf(`{"at_seconds": %d, "devices": [%d], "values": {"clock_sm_mhz": %d, "power_milliwatts": %d,
				"temperature_celsius": %d, "memory_temperature_celsius": %d}}`, second, i, 1400+n/2, 450_000+n*233, 50+n%23, 60+n%31))
		}
	}
	return fmt.Sprintf(`{"versions": {"driver": "550.54.15", "nvml": "12", "cuda": "12.4"}, "duration_seconds": 3600, "devices": [%s], "steps": [%s]}`,
		strings.Join(devices, ","), strings.Join(steps, ","))
}

func (f footprint) check(t testing.TB) {
	t.Helper()
	if f.binary > mostBinary || f.rss > mostRSS || f.cpu >= mostCPU || f.upload > mostUpload {
		t.Errorf("over the budget: binary %.1f MB, RSS %.1f MB, CPU %.3f%%, upload %.0f KB a day and GPU",
			float64(f.binary)/1e6, float64(f.rss)/1e6, f.cpu, f.upload/1e3)
	}
}

// Case 29: eight GPUs on a machine with many cores, within the budget.
func TestCase29Footprint(t *testing.T) {
	f := measure(t, 4*time.Second)
	f.check(t)
	if f.threads > 24 {
		t.Errorf("%d threads", f.threads)
	}
	before, limit := runtime.GOMAXPROCS(0), debug.SetMemoryLimit(-1)
	defer func() { runtime.GOMAXPROCS(before); debug.SetMemoryLimit(limit) }()
	runtime.GOMAXPROCS(224)
	limitRuntime(func(string) string { return "" })
	if got := runtime.GOMAXPROCS(0); got > 2 || debug.SetMemoryLimit(-1) != memoryLimit {
		t.Errorf("GOMAXPROCS %d, memory limit %d", got, debug.SetMemoryLimit(-1))
	}
	runtime.GOMAXPROCS(3)
	limitRuntime(func(string) string { return "as the user says" })
	if got := runtime.GOMAXPROCS(0); got != 3 {
		t.Errorf("GOMAXPROCS %d against the user's word", got)
	}
}

// BenchmarkFootprint takes half a minute for its figures, whatever -benchtime says.
func BenchmarkFootprint(b *testing.B) {
	f := measure(b, 30*time.Second)
	f.check(b)
	b.ReportMetric(0, "ns/op") // says nothing here
	b.ReportMetric(float64(f.binary)/1e6, "MB-binary")
	b.ReportMetric(float64(f.rss)/1e6, "MB-RSS")
	b.ReportMetric(f.cpu, "%CPU")
	b.ReportMetric(f.upload/1e3, "KB/day/GPU")
	b.ReportMetric(float64(f.threads), "threads")
}

// The release binary runs on the oldest glibc that is promised, and binds lazily: what
// the driver lacks must not keep it from starting.
func TestReleaseNeedsOldGlibc(t *testing.T) {
	path := os.Getenv("PROBE_RELEASE")
	if path == "" {
		t.Skip("make test builds the release binary and sets PROBE_RELEASE; go test alone has none")
	}
	binary, err := elf.Open(release(t))
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	symbols, err := binary.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	versions := 0
	for _, s := range symbols {
		if s.Version == "" {
			continue
		}
		versions++
		if newer(s.Version) {
			t.Errorf("%s needs %s, at most GLIBC_2.17", s.Name, s.Version)
		}
	}
	if versions == 0 {
		t.Error("no symbol has a version: nothing was tested")
	}
	for _, tag := range []elf.DynTag{elf.DT_FLAGS, elf.DT_FLAGS_1} {
		values, err := binary.DynValue(tag)
		if err != nil {
			t.Fatal(err)
		}
		now := map[elf.DynTag]uint64{elf.DT_FLAGS: uint64(elf.DF_BIND_NOW), elf.DT_FLAGS_1: uint64(elf.DF_1_NOW)}[tag]
		if slices.ContainsFunc(values, func(v uint64) bool { return v&now != 0 }) {
			t.Error("the binary binds all symbols at its start")
		}
	}
	r := bare(t)
	cmd := r.command("doctor")
	cmd.Path = release(t)
	if cmd.Run(); cmd.ProcessState.ExitCode() != exitNoDriver {
		t.Errorf("doctor of the release binary ends with %d", cmd.ProcessState.ExitCode())
	}
	full := newRig(t, nvmltest.H100(1), "nvmlDeviceGetGpuFabricInfoV").command("inventory")
	if full.Path = release(t); full.Run() != nil {
		t.Errorf("inventory of the release binary: %v", full.ProcessState)
	}
}

// newer reports whether a symbol version is newer than glibc 2.17.
func newer(version string) bool {
	text, ok := strings.CutPrefix(version, "GLIBC_")
	if !ok {
		return true
	}
	var major, minor int
	fmt.Sscanf(text, "%d.%d", &major, &minor)
	return major > 2 || major == 2 && minor > 17
}

// Case 33: the unit needs no user, and systemd has nothing to say against it.
func TestCase33Unit(t *testing.T) {
	text, err := os.ReadFile("packaging/tierwise-probe.service")
	if err != nil {
		t.Fatal(err)
	}
	unit := string(text)
	for _, line := range []string{"DynamicUser=yes", "Type=notify", "Restart=always", "RestartSec=5s", "ProtectSystem=strict",
		"StateDirectory=tierwise-probe", "MemoryMax=64M", "EnvironmentFile=-/etc/default/tierwise-probe"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit lacks %s", line)
		}
	}
	if strings.Contains(unit, "\nUser=") {
		t.Error("the unit needs a user")
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // the rest is systemd's own opinion
	}
	path := filepath.Join(t.TempDir(), "tierwise-probe.service")
	unit = strings.ReplaceAll(unit, "/usr/local/bin/probe-agent", os.Args[0])
	if err := os.WriteFile(path, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(analyze, "verify", path).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze verify: %v\n%s", err, output)
	}
}

// systemd is told that the service is ready, also while the driver is not.
func TestNotifySystemd(t *testing.T) {
	r := newRig(t, nvmltest.H100(1).With("init", "!9"))
	listener, path := unixgram(t)
	r.env = []string{"NOTIFY_SOCKET=" + path}
	r.start("run", "--offline")
	message := make([]byte, 100)
	listener.SetReadDeadline(time.Now().Add(patience))
	n, err := listener.Read(message)
	if err != nil || string(message[:n]) != "READY=1" {
		t.Errorf("got %q, %v", message[:n], err)
	}
}

func unixgram(t *testing.T) (*net.UnixConn, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, path
}
