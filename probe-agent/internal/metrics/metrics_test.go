package metrics

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

func board(dcgm bool) *Board {
	b := NewBoard("1.0", dcgm)
	b.SetInventory(report.System{Driver: "550", CUDA: "12.4"}, []report.Facts{{GPU: "aa", Model: `Card "X" \ Y`}, {GPU: "bb"}})
	s := sampler.Sample{Device: 0}
	s.Readings[sampler.UtilizationGPU] = sampler.Of(99.0)
	s.Readings[sampler.ClockSM] = sampler.Of(1755.0)
	s.Readings[sampler.Energy] = sampler.Of(2_500_000.0)
	s.Readings[sampler.ThrottleSWThermal] = sampler.Of(3e9)
	s.Readings[sampler.PowerUsage] = sampler.Failed[float64](sampler.CodeNoPermission)
	b.SetSample(&s, time.Unix(1_800_000_000, 0))
	lost := sampler.Sample{Device: 1}
	lost.Readings[sampler.UtilizationGPU] = sampler.Failed[float64](sampler.CodeGPULost)
	b.SetSample(&lost, time.Unix(1_800_000_000, 0))
	b.AddEvent(1, 79)
	b.SetEfficiency(0, 0.88, "C")
	b.SetUsage(spool.Usage{Bytes: 1234, Pending: 2})
	return b
}

func TestNamesUnitsAndAbsence(t *testing.T) {
	text := string(board(false).Text())
	for _, want := range []string{
		`gpuprobe_utilization_ratio{gpu="0",id="aa"} 0.99`, `gpuprobe_sm_clock_hertz{gpu="0",id="aa"} 1.755e+09`,
		`gpuprobe_energy_joules_total{gpu="0",id="aa"} 2500`, `gpuprobe_throttle_seconds_total{gpu="0",id="aa",reason="sw_thermal"} 3`,
		`gpuprobe_xid_total{gpu="1",id="bb",xid="79"} 1`, `gpuprobe_efficiency_ratio{gpu="0",id="aa",tier="C"} 0.88`,
		`gpuprobe_info{gpu="0",id="aa",model="Card \"X\" \\ Y",pci_device_id="",compute_capability=""} 1`,
		`gpuprobe_scrape_errors_total{call="power_milliwatts",code="4"} 1`, `gpuprobe_available{gpu="1",id="bb"} 0`,
		`gpuprobe_field_state{gpu="0",id="aa",field="power_milliwatts",state="no_permission"} 1`,
		`gpuprobe_last_sample_timestamp_seconds 1.8e+09`, `gpuprobe_spool_bytes 1234`, `gpuprobe_reports_pending 2`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	for _, absent := range []string{"gpuprobe_power_watts", "gpuprobe_temperature_celsius", "gpuprobe_memory", "DCGM"} {
		if strings.Contains(text, absent) {
			t.Errorf("%s is there, though it is unknown", absent)
		}
	}
}

func TestDCGMNames(t *testing.T) {
	text := string(board(true).Text())
	for _, want := range []string{`DCGM_FI_DEV_GPU_UTIL{gpu="0",id="aa"} 99`, `DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",id="aa"} 2.5e+06`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	if len(dcgmFamilies) != 10 {
		t.Errorf("%d names", len(dcgmFamilies))
	}
}

// Every line is one of the format's, and each metric has one head, above its samples.
func TestTextFormat(t *testing.T) {
	sample := regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)(\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? [0-9.e+-]+$`)
	seen := make(map[string]bool)
	current := ""
	for line := range strings.Lines(string(board(true).Text())) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "# TYPE "); ok {
			current, _, _ = strings.Cut(head, " ")
			if seen[current] {
				t.Errorf("%s has two heads", current)
			}
			seen[current] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		if found := sample.FindStringSubmatch(line); found == nil || found[1] != current {
			t.Errorf("below %s: %q", current, line)
		}
	}
}

func TestScrapeAndTextfile(t *testing.T) {
	b := board(false)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	path := filepath.Join(t.TempDir(), "x.prom")
	if err := b.WriteTextfile(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != w.Body.String() || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("endpoint and textfile differ (%v), %v", err, w.Header())
	}
}

func TestConcurrentScrapes(t *testing.T) {
	b := board(true)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 50 {
				b.Text()
				b.AddEvent(i%2, 31)
				b.SetSample(&sampler.Sample{Device: i % 2}, time.Unix(int64(i), 0))
			}
		})
	}
	all.Wait()
}
