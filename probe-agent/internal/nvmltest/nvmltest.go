// Package nvmltest makes a libnvidia-ml.so.1 for tests: a library of C, compiled from
// testdata, that answers from a text file. So the real binary runs end to end without a
// GPU, on old drivers and broken ones too.
package nvmltest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Library compiles the library without some of its symbols, as an older driver would
// lack them, and returns its path.
func Library(t testing.TB, without ...string) string {
	t.Helper()
	dir := t.TempDir()
	library := filepath.Join(dir, "libnvidia-ml.so.1")
	hidden := ""
	if len(without) > 0 {
		hidden = "local: " + strings.Join(without, "; ") + ";"
	}
	script := filepath.Join(dir, "symbols")
	write(t, script, "{ global: nvml*; "+hidden+" };\n")
	_, here, _, _ := runtime.Caller(0)
	source := filepath.Join(filepath.Dir(here), "testdata", "nvml.c")
	cc := exec.Command("gcc", "-O0", "-shared", "-fPIC", "-pthread", "-w", "-Wl,--version-script="+script, "-o", library, source)
	if output, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", source, err, output)
	}
	return library
}

// Config is what the library answers: see the head of testdata/nvml.c.
type Config map[string]string

// With is the config with other answers; "" takes one away.
func (c Config) With(pairs ...string) Config {
	changed := maps.Clone(c)
	for i := 0; i+1 < len(pairs); i += 2 {
		if changed[pairs[i]] = pairs[i+1]; pairs[i+1] == "" {
			delete(changed, pairs[i])
		}
	}
	return changed
}

// Write replaces the file that the library reads, at once.
func (c Config) Write(t testing.TB, path string) {
	t.Helper()
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&text, "%s %s\n", key, c[key])
	}
	write(t, path+".new", text.String())
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// H100 is a box of busy H100 SXM GPUs with all NVLinks on switches.
func H100(gpus int) Config {
	c := Config{
		"count": fmt.Sprint(gpus), "driver": "550.54.15", "nvml": "12.550.54.15", "cuda": "12040",
		"name": "NVIDIA H100 80GB HBM3", "pci_device": fmt.Sprint(0x2330), "capability": "9.0",
		"utilization": "99", "clock": "1755", "clock_memory": "2619", "clock_max": "1980", "clock_max_memory": "2619",
		"clock_application": "1980", "reasons": "4", "power": "610000", "limit": "700000", "limit_default": "700000",
		"energy": "1000000+610000/s", "temperature": "61", "slowdown": "87", "margin": "26",
		"memory": "85520809984", "memory_used": "70000000000", "ecc": "1", "ecc_corrected_volatile": "0",
		"ecc_uncorrected_volatile": "0", "ecc_corrected_aggregate": "0", "ecc_uncorrected_aggregate": "0", "remapped": "0",
		"pcie": "5", "pcie_width": "16", "pcie_max": "5", "pcie_width_max": "16", "pcie_max_device": "5", "replays": "0",
		"mig": "0", "virtualization": "0", "persistence": "1", "processes": "1", "fabric": "3", "addressing": "0", "gpm": "1",
		"gpm_sm": "92", "gpm_tensor": "55", "gpm_dram": "40",
		"field82": "70", "field74": "1000+500000000/s", "field76": "0", "field269": "0", "field270": "0", "field271": "0",
		"field197": "5+1000000/s", "field198": "5+2000000/s", "field138": "0+1000/s", "field139": "0+1000/s",
		"ancestor": "50", "p2p": "0", "nvlinks": "18", "nvlink_active": "1", "nvlink_version": "4", "nvlink_remote_type": "2",
		"events": "1", "serial": "1652922005311",
	}
	for i := range gpus {
		c[fmt.Sprintf("gpu%d.uuid", i)] = fmt.Sprintf("GPU-0c0ffee0-0000-4000-8000-%012d", i)
	}
	return c
}
