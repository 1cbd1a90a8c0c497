package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tierwise/tierwise/probe-agent/internal/nvmltest"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/verify"
)

// These are cases from public reports, run as a user would, on a library made for each.
// Those that need no process are beside the code that they are about: 13 in sampler, 15
// in report, 7, 17 to 21, 27, 30 and 31 in verify, 19 in window too, 23 to 25 in upload,
// 8, 9, 11 and 28 in agent, and of this package 24 in service_test.go, 28 in
// machine_test.go, 29 and 33 in footprint_test.go.

// quick makes a run of moments out of one of minutes.
var quick = []string{"--offline", "--interval", "20ms", "--window", "100ms", "--report-every", "1h"}

func runFor(length string, more ...string) []string {
	return append(append([]string{"run", "--output", "json", "--for", length}, quick...), more...)
}

func field(t *testing.T, g *report.GPU, name string) string {
	t.Helper()
	for _, f := range g.Fields {
		if f.Field == name {
			return f.State
		}
	}
	return ""
}

// Case 1: no driver at all.
func TestCase1NoLibrary(t *testing.T) {
	r := bare(t)
	r.env = []string{"LD_LIBRARY_PATH=" + t.TempDir()}
	got := r.run("doctor").want(t, exitNoDriver)
	for _, want := range []string{"FAIL", "libnvidia-ml.so.1 is not found", "--gpus all"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("doctor does not say %q:\n%s", want, got.out)
		}
	}
	for _, args := range [][]string{{"inventory"}, {"run", "--once", "--offline"}, {"record", filepath.Join(t.TempDir(), "x")}, {"verify"}} {
		if got := r.run(args...).want(t, exitNoDriver); !strings.Contains(got.out+got.err, "libnvidia-ml.so.1 is not found") {
			t.Errorf("%v says %q", args, got.err)
		}
	}
}

// Case 2: driver 535 lacks nvmlDeviceGetGpuFabricInfoV.
func TestCase2MissingSymbol(t *testing.T) {
	r := newRig(t, nvmltest.H100(2), "nvmlDeviceGetGpuFabricInfoV")
	m := decode[report.Measurement](t, r.run(runFor("300ms")...).want(t, exitOK))
	for i := range m.GPUs {
		if got := field(t, &m.GPUs[i], "fabric_state"); got != "function_not_found" {
			t.Errorf("GPU %d: the field is %q", i, got)
		}
		if len(m.GPUs[i].Fields) != 1 || m.GPUs[i].Cold == nil || m.GPUs[i].Cold.ClockSM.P50 != 1755 {
			t.Errorf("GPU %d: something else is missing: %+v", i, m.GPUs[i])
		}
	}
	got := r.run("doctor").want(t, exitOK)
	if !strings.Contains(got.out, "function_not_found: fabric_state") {
		t.Errorf("doctor does not name it:\n%s", got.out)
	}
}

// Case 3: the same for symbols that other drivers lack; the older way is taken where
// there is one.
func TestCase3OlderWays(t *testing.T) {
	r := newRig(t, nvmltest.H100(1), "nvmlDeviceGetMarginTemperature", "nvmlDeviceGetRemappedRows_v2", "nvmlDeviceGetAddressingMode",
		"nvmlDeviceGetTemperatureV", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetCurrentClocksEventReasons")
	m := decode[report.Measurement](t, r.run(runFor("300ms")...).want(t, exitOK))
	g := &m.GPUs[0]
	for _, name := range []string{"temperature_margin_celsius", "addressing_mode"} {
		if got := field(t, g, name); got != "function_not_found" {
			t.Errorf("%s is %q", name, got)
		}
	}
	if len(g.Fields) != 2 || g.Cold.Temperature == nil || g.MemoryTotal == nil || g.Remapped == nil || len(g.Cold.Reasons) != 1 {
		t.Errorf("an older way was not taken: %+v", g)
	}
}

// Every symbol in turn may be missing: the process lives.
func TestEverySymbolMayBeMissing(t *testing.T) {
	var all []string
	for _, name := range []string{"GetUtilizationRates", "GetClockInfo", "GetPowerUsage", "GetFieldValues", "GetNvLinkState",
		"GetTopologyCommonAncestor", "GetP2PStatus", "GetComputeRunningProcesses_v3", "GetPciInfo_v3", "GetUUID", "GetName",
		"GetEccMode", "GetTotalEccErrors", "RegisterEvents", "GetTotalEnergyConsumption", "GetMigMode", "GetEnforcedPowerLimit"} {
		all = append(all, "nvmlDevice"+name)
	}
	all = append(all, "nvmlEventSetCreate", "nvmlEventSetWait_v2", "nvmlGpmQueryDeviceSupport", "nvmlGpmMetricsGet", "nvmlSystemGetDriverVersion",
		"nvmlSystemGetCudaDriverVersion")
	for _, symbol := range all {
		t.Run(symbol, func(t *testing.T) {
			newRig(t, nvmltest.H100(1), symbol).run(runFor("60ms")...).want(t, exitOK)
		})
	}
	t.Run("all of them", func(t *testing.T) { newRig(t, nvmltest.H100(1), all...).run(runFor("60ms")...).want(t, exitOK) })
	t.Run("no way to count", func(t *testing.T) {
		newRig(t, nvmltest.H100(1), "nvmlDeviceGetCount_v2").run("inventory").want(t, exitNoDriver)
	})
}

// Case 4: a field that is not supported, inside of a call that succeeded.
func TestCase4FieldNotSupported(t *testing.T) {
	r := newRig(t, nvmltest.H100(1).With("field82", "!3"))
	got := r.run(runFor("300ms")...).want(t, exitOK)
	if m := decode[report.Measurement](t, got); m.GPUs[0].Cold.MemoryTemperature != nil {
		t.Errorf("the memory's temperature is %+v", m.GPUs[0].Cold.MemoryTemperature)
	}
	if strings.Contains(got.out, "memory_temperature_celsius") {
		t.Errorf("it is in the report:\n%s", got.out)
	}
}

// Case 9, as a process: the driver is upgraded underneath.
func TestCase9Process(t *testing.T) {
	box := nvmltest.H100(2)
	r := newRig(t, box)
	b := r.start("run", "--offline", "--interval", "20ms", "--window", "100ms", "--report-every", "100ms")
	b.waitFor("report sealed")
	box.With("fail", "!18").Write(t, r.config)
	if code := b.wait(); code != exitNoDriver {
		t.Errorf("got exit code %d", code)
	}
	if n := strings.Count(b.text(), "different versions"); n != 1 {
		t.Errorf("%d lines say why:\n%s", n, b.text())
	}
	got := r.run("report", "--output", "json").want(t, exitOK)
	if m := decode[report.Measurement](t, got); m.GPUs[0].Windows.Total == 0 {
		t.Error("nothing is in the spool")
	}
}

// Case 8, as a process: it waits for a driver that is not loaded.
func TestCase8Process(t *testing.T) {
	box := nvmltest.H100(1)
	r := newRig(t, box.With("init", "!9"))
	b := r.start(append([]string{"run"}, quick...)...)
	b.waitFor("waiting for the driver")
	stopped := r.start("run", "--offline", "--state", t.TempDir())
	stopped.waitFor("waiting for the driver")
	stopped.cmd.Process.Signal(syscall.SIGTERM)
	if code := stopped.wait(); code != exitOK {
		t.Errorf("stopped while it waits: exit code %d:\n%s", code, stopped.text())
	}
	box.Write(t, r.config)
	b.waitFor("msg=measuring")
	b.cmd.Process.Signal(syscall.SIGTERM)
	if code := b.wait(); code != exitOK {
		t.Errorf("got exit code %d:\n%s", code, b.text())
	}
}

// Case 12: a driver's call hangs; the other GPUs are read on time.
func TestCase12HangingCall(t *testing.T) {
	box := nvmltest.H100(4)
	r := newRig(t, box)
	b := r.start("run", "--offline", "--interval", "20ms", "--window", "200ms", "--report-every", "1h", "--output", "json", "--for", "4s")
	b.waitFor("msg=measuring")
	box.With("gpu2.clock", "hang").Write(t, r.config)
	if code := b.wait(); code != exitOK {
		t.Fatalf("got exit code %d:\n%s", code, b.text())
	}
	m := decode[report.Measurement](t, r.run("report", "--output", "json"))
	for i, g := range m.GPUs {
		samples := 0
		if g.Cold != nil {
			samples = g.Cold.Samples
		}
		switch {
		case i == 2 && (g.UnobservedSeconds < 1 || samples > 120):
			t.Errorf("the hanging GPU: %v s unobserved, %d samples", g.UnobservedSeconds, samples)
		case i != 2 && (samples < 50 || g.UnobservedSeconds > 0): // 200 ticks, less the one that waited for the timeout
			t.Errorf("GPU %d suffered: %d samples, %v s unobserved", i, samples, g.UnobservedSeconds)
		}
	}
}

// Case 21: a device without memory of its own.
func TestCase21Process(t *testing.T) {
	r := newRig(t, nvmltest.H100(1).With("name", "NVIDIA GB10", "memory", ""))
	m := decode[report.Measurement](t, r.run(runFor("100ms")...).want(t, exitOK))
	if m.GPUs[0].MemoryTotal != nil {
		t.Errorf("memory %v", *m.GPUs[0].MemoryTotal)
	}
}

// Case 32: a scraper never sees half a textfile, and a full directory is only a warning.
func TestCase32Textfile(t *testing.T) {
	r := newRig(t, nvmltest.H100(2))
	path := filepath.Join(t.TempDir(), "gpuprobe.prom")
	r.run(runFor("200ms", "--textfile", path)...).want(t, exitOK)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "gpuprobe_power_watts{gpu=\"1\"") || !strings.HasSuffix(string(text), "\n") {
		t.Errorf("the textfile:\n%s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".tmp-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	got := r.run(runFor("200ms", "--textfile", filepath.Join(path, "below", "a", "file"))...).want(t, exitOK)
	if !strings.Contains(got.err, "the textfile can't be written") {
		t.Errorf("no warning:\n%s", got.err)
	}
}

// Nothing of the machine but what is agreed leaves it, in a report or in a metric.
func TestPrivacyOfARealReport(t *testing.T) {
	r := newRig(t, nvmltest.H100(2))
	path := filepath.Join(t.TempDir(), "metrics")
	got := r.run(runFor("300ms", "--textfile", path)...).want(t, exitOK)
	metrics, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	machine, _ := os.ReadFile("/etc/machine-id")
	secrets := map[string]string{"a UUID": "0c0ffee0", "a serial number": "1652922005311", "the boot id": strings.TrimSpace(string(boot)),
		"the machine id": strings.TrimSpace(string(machine)), "the state directory": r.state, "the process id": fmt.Sprint(os.Getpid())}
	if len(host) > 3 { // a shorter name can be part of any word
		secrets["the hostname"] = host
	}
	for what, secret := range secrets {
		if secret == "" || what == "the process id" && len(secret) < 4 {
			continue
		}
		if strings.Contains(got.out, `"`+secret) || what != "the process id" && strings.Contains(got.out+string(metrics), secret) {
			t.Errorf("%s is shown: %q", what, secret)
		}
	}
}

func TestVerifyAsAUser(t *testing.T) {
	r := newRig(t, nvmltest.H100(8))
	script := `echo "# Out of bounds values : 0 OK"; echo "# Avg bus bandwidth    : 361.2"; sleep 2.5`
	claim := "gpu=H100-SXM,count=8,nvlink=full,ecc=on,mem=80"
	type outcome struct{ Checks []verify.Check }
	got := decode[outcome](t, r.run("verify", "--output", "json", "--claim", claim, "--image-cuda", "12.4", "--benchmark", script).want(t, exitOK))
	status := make(map[string]verify.Status)
	for _, c := range got.Checks {
		status[c.ID] = c.Status
	}
	for _, id := range []string{"gpu_count", "gpu_model", "gpu_memory", "nvlink_topology", "p2p_data", "ecc_mode", "ecc_errors", "power_limit_reduced",
		"throttling", "pcie_link", "memory_temperature", "cuda_version", "benchmark_busbw_gb_s", "benchmark_wrong_values"} {
		if status[id] != verify.Pass {
			t.Errorf("%s is %q", id, status[id])
		}
	}
	r.run("verify", "--claim", "gpu=H200-SXM,count=8", "--observe", "1s").want(t, exitFailed)
	r.run("verify", "--claim", claim, "--observe", "1s").want(t, exitInconclusive) // nobody has copied data
	r.run("verify", "--claim", "gpus=8").want(t, exitUsage)
}

// Case 27, as a process: the history tells the same GPU in another rental.
func TestCase27Process(t *testing.T) {
	history := filepath.Join(t.TempDir(), "carried")
	first := newRig(t, nvmltest.H100(1).With("ecc_uncorrected_volatile", "4"))
	first.run("verify", "--observe", "1s", "--history", history).want(t, exitFailed)
	text, err := os.ReadFile(history)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.ReplaceAll(string(text), `"rental":"`, `"rental":"earlier`)
	if err := os.WriteFile(history, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	got := newRig(t, nvmltest.H100(1)).run("verify", "--observe", "1s", "--history", history)
	if !strings.Contains(got.out, "is the same GPU") || !strings.Contains(got.out, "which failed ecc_errors") {
		t.Errorf("verify says:\n%s", got.out)
	}
}

func TestRecordAndReplay(t *testing.T) {
	r := newRig(t, nvmltest.H100(2))
	path := filepath.Join(t.TempDir(), "box.json")
	r.run("record", "--for", "2s", path).want(t, exitOK)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := sampler.ParseScenario(f); err != nil {
		t.Fatal(err)
	}
	m := decode[report.Measurement](t, bare(t).run("run", "--scenario", path, "--output", "json").want(t, exitOK))
	if m.Source != "replay" || len(m.GPUs) != 2 || m.GPUs[0].Model != "NVIDIA H100 80GB HBM3" {
		t.Errorf("replayed: %+v", m)
	}
}

// The user's program reports its rate in each of the ways there are.
func TestThroughputOfACommand(t *testing.T) {
	r := newRig(t, nvmltest.H100(1))
	script := `for i in 1 2 3; do echo "step $i tokens/s: 3,100"; done; sleep 0.3`
	args := append([]string{"run", "--output", "json", "--pattern", `tokens/s: ([0-9,]+)`, "--model", "name=llama-2-7b,params_b=7,phase=train"}, quick...)
	got := r.run(append(args, "--", "sh", "-c", script)...).want(t, exitOK)
	if !strings.Contains(got.err, "step 3 tokens/s: 3,100") {
		t.Errorf("the command's output is gone:\n%s", got.err)
	}
	m := decode[report.Measurement](t, got)
	if len(m.Work) != 1 || m.Work[0].Rate.N != 3 || m.Work[0].Rate.P50 != 3100 || m.Work[0].Model.ParamsB != 7 || m.Tier != "B" {
		t.Errorf("throughput %+v, tier %s", m.Work, m.Tier)
	}
	if text := fmt.Sprint(m); strings.Contains(text, "step") {
		t.Error("the log line is in the report")
	}
	r.run(append(append([]string{"run"}, quick...), "--", "false")...).want(t, exitFailed)
}

func TestUsageErrors(t *testing.T) {
	r := bare(t)
	for _, args := range [][]string{{"bogus"}, {"run", "--bogus"}, {"run", "--pattern", "("}, {"run", "--interval", "1ns"}, {"doctor", "x"},
		{"doctor", "--output", "xml"}, {"verify", "--expect", "x"}, {"verify", "--bandwidth-budget", "much"}, {"enroll"}, {"record"},
		{"enroll", "--code", "x", "--server", "http://example.com"}, {"run", "--metrics-compat", "x"}, {"run", "--once", "--for", "1s"}} {
		if got := r.run(args...); got.code != exitUsage || got.err == "" || got.out != "" {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, got.code, got.out, got.err)
		}
	}
	if got := r.run("run", "-h"); got.code != exitOK {
		t.Errorf("-h: exit code %d", got.code)
	}
}

func TestInterrupted(t *testing.T) {
	r := newRig(t, nvmltest.H100(1))
	b := r.start(append([]string{"run"}, quick...)...)
	b.waitFor("msg=measuring")
	b.cmd.Process.Signal(os.Interrupt)
	if code := b.wait(); code != exitInterrupted {
		t.Errorf("got exit code %d:\n%s", code, b.text())
	}
}

// No colours, and no half lines, where nobody looks.
func TestPlainOutput(t *testing.T) {
	got := newRig(t, nvmltest.H100(1)).run("doctor").want(t, exitOK)
	if strings.Contains(got.out+got.err, "\x1b") {
		t.Errorf("escapes in %q", got.out)
	}
}

// The endpoint listens on this machine only unless it is told otherwise.
func TestMetricsEndpoint(t *testing.T) {
	r := newRig(t, nvmltest.H100(2))
	b := r.start(append([]string{"run", "--listen", "0", "--throughput-listen", "0"}, quick...)...)
	b.waitFor("msg=measuring")
	_, after, ok := strings.Cut(b.text(), "address=")
	if !ok {
		t.Fatalf("no address in %s", b.text())
	}
	address, _, _ := strings.Cut(after, "\n")
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("it listens at %s", address)
	}
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(text), `gpuprobe_sm_clock_hertz{gpu="1"`) {
		t.Errorf("%v: %s", err, text)
	}
}

// A whole scenario, replayed in a moment: cases 15, 17, 19 and 20 on one card.
func TestReplayedScenario(t *testing.T) {
	r := bare(t)
	args := []string{"run", "--scenario", "testdata/rtx3090_hot_memory.json", "--output", "json"}
	m := decode[report.Measurement](t, r.run(args...).want(t, exitOK))
	g := m.GPUs[0]
	if got := fmt.Sprint(g.Notes); got != "[memory_thermal_suspected processes_hidden power_limit_reduced]" {
		t.Errorf("notes %s", got)
	}
	if g.Windows.Cold != 2 || g.Windows.Steady < 22 || g.Windows.Unused < 4 || !g.Enough || m.Source != "replay" {
		t.Errorf("windows %+v, enough: %v, source %s", g.Windows, g.Enough, m.Source)
	}
	if s := g.Steady; s.ClockSM.P5 != 1395 || s.ClockSM.P95 != 1695 || s.MemoryTemperature != nil || s.PCIeGeneration.Min != 4 {
		t.Errorf("clocks %+v, memory %v, PCIe %+v", s.ClockSM, s.MemoryTemperature, s.PCIeGeneration)
	}
	// A day of a real box and a replayed one never mix.
	if got := r.run("report").want(t, exitFailed); !strings.Contains(got.err, "there is no report yet") {
		t.Errorf("the replay is among the measurements: %s", got.out)
	}
}
