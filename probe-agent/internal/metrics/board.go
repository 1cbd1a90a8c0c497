package metrics

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

// Board holds the newest state. Make one with NewBoard; it may be used from several
// goroutines.
type Board struct {
	dcgm    bool
	version string

	mu     sync.Mutex
	system report.System
	gpus   []gpu
	errors map[failure]int
	last   time.Time
	usage  spool.Usage
}

// gpu is the newest state of one GPU.
type gpu struct {
	index      string
	facts      report.Facts
	fast, slow sampler.Readings
	xids       map[uint64]int
	efficiency *float64
	tier       string
	lost       bool
}

// failure is a kind of reading that failed.
type failure struct {
	quantity sampler.Quantity
	code     sampler.Code
}

// NewBoard is an empty board. With dcgm it also shows the common metrics under the
// names of DCGM's exporter.
func NewBoard(version string, dcgm bool) *Board {
	return &Board{version: version, dcgm: dcgm, errors: make(map[failure]int)}
}

// SetInventory says which GPUs there are.
func (b *Board) SetInventory(system report.System, facts []report.Facts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.system = system
	b.gpus = make([]gpu, len(facts))
	for i := range b.gpus {
		b.gpus[i] = gpu{index: strconv.Itoa(i), facts: facts[i], xids: make(map[uint64]int)}
	}
}

// SetSample shows a sample of a GPU.
func (b *Board) SetSample(s *sampler.Sample, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := &b.gpus[s.Device]
	g.fast, g.lost = s.Readings, s.Lost()
	b.last = now
	for q, v := range s.Readings {
		if state := v.State(); state != sampler.StateOK && state != sampler.StateNotSupported {
			b.errors[failure{sampler.Quantity(q), v.Code()}]++
		}
	}
}

// SetSlow shows what changes rarely of a GPU.
func (b *Board) SetSlow(device int, r *sampler.Readings, facts report.Facts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gpus[device].slow, b.gpus[device].facts = *r, facts
}

// SetEfficiency shows a provisional efficiency of a GPU.
func (b *Board) SetEfficiency(device int, ratio float64, tier string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gpus[device].efficiency, b.gpus[device].tier = &ratio, tier
}

// AddEvent counts an event.
func (b *Board) AddEvent(device int, xid uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if device >= 0 && device < len(b.gpus) {
		b.gpus[device].xids[xid]++
	}
}

// SetUsage shows how full the spool is.
func (b *Board) SetUsage(u spool.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.usage = u
}

// Text is the board in Prometheus' text format 0.0.4.
func (b *Board) Text() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out bytes.Buffer
	w := writer{&out}
	for _, f := range families {
		w.family(f, b.gpus)
	}
	if b.dcgm {
		for _, f := range dcgmFamilies {
			w.family(f, b.gpus)
		}
	}
	b.writeOwn(w)
	return out.Bytes()
}

// writeOwn writes what is no GPU's.
func (b *Board) writeOwn(w writer) {
	w.head("gpuprobe_agent_info", "gauge", "Versions of the agent and of the driver.")
	w.sample("gpuprobe_agent_info", []label{{"version", b.version}, {"driver_version", b.system.Driver},
		{"cuda_driver_version", b.system.CUDA}}, 1)
	if !b.last.IsZero() {
		w.single("gpuprobe_last_sample_timestamp_seconds", "When the GPUs were last read.", float64(b.last.UnixMilli())/1000)
	}
	w.single("gpuprobe_spool_bytes", "What the spool holds.", float64(b.usage.Bytes))
	w.single("gpuprobe_reports_pending", "Reports that the server has not got yet.", float64(b.usage.Pending))
	w.head("gpuprobe_scrape_errors_total", "counter", "Readings that failed, by quantity and NVML code.")
	failures := make([]failure, 0, len(b.errors))
	for f := range b.errors {
		failures = append(failures, f)
	}
	slices.SortFunc(failures, func(x, y failure) int {
		return int(x.quantity)*2000 + int(x.code) - int(y.quantity)*2000 - int(y.code)
	})
	for _, f := range failures {
		labels := []label{{"call", f.quantity.String()}, {"code", strconv.Itoa(int(f.code))}}
		w.sample("gpuprobe_scrape_errors_total", labels, float64(b.errors[f]))
	}
}

// ServeHTTP answers a scrape.
func (b *Board) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(b.Text()) // a scraper that went away is no error
}

// WriteTextfile replaces a file for node_exporter's textfile collector, which never
// sees half of it. There are no timestamps in it: the collector exports its mtime.
func (b *Board) WriteTextfile(path string) error {
	return spool.WriteFile(path, b.Text(), 0o644)
}
