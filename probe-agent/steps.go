package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/verify"
	"github.com/tierwise/tierwise/probe-agent/internal/workload"
)

// notAsked is a check that the user did not ask for.
func notAsked(id, title, how string) verify.Check {
	return verify.Check{ID: id, Title: title, Status: verify.Skip, Evidence: "not asked for: " + how}
}

// benchmark is the first of the three steps.
func (v *verifier) benchmark(ctx context.Context, inventory *sampler.Inventory) []verify.Check {
	if v.f.benchmark == "" {
		return []verify.Check{notAsked("benchmark", "Benchmark", "give --benchmark 'COMMAND'")}
	}
	expectations := v.f.expectations
	if e, ok := verify.AllReduce(inventory); ok {
		expectations = append(expectations, e)
	}
	if e, ok := verify.ClaimedAllReduce(v.f.parsedClaim); ok {
		expectations = append(expectations, e)
	}
	var runs []verify.Run
	for range v.f.runs {
		output := verify.NewOutput(v.f.parsedMetrics)
		lines := workload.NewLineWriter(output.Line)
		err := verify.RunCommand(ctx, v.f.benchmark, v.p.stderr, lines)
		runs = append(runs, verify.Run{Metrics: output.Metrics(), Invalid: output.Invalid(), Err: err})
		if err != nil {
			break
		}
	}
	v.metrics = verify.Mean(runs)
	return v.dropUnprinted(verify.Benchmark(runs, expectations))
}

// dropUnprinted drops expectations of an all-reduce that nobody has run: they come from
// the GPUs, not from the user.
func (v *verifier) dropUnprinted(checks []verify.Check) []verify.Check {
	var kept []verify.Check
	for _, c := range checks {
		_, printed := v.metrics["busbw_gb_s"]
		if c.ID != "benchmark_busbw_gb_s" || printed || v.expects("busbw_gb_s") {
			kept = append(kept, c)
		}
	}
	return kept
}

func (v *verifier) expects(metric string) bool {
	for _, e := range v.f.expectations {
		if e.Metric == metric {
			return true
		}
	}
	return false
}

// work are the benchmark's rates, as a report holds them.
func (v *verifier) work() []report.WorkRecord {
	units := map[string]workload.Unit{"busbw_gb_s": workload.Gigabytes, "samples_per_second": workload.Samples,
		"tokens_per_second": workload.Tokens}
	var records []report.WorkRecord
	for name, value := range v.metrics {
		if unit, ok := units[name]; ok {
			records = append(records, report.WorkRecord{Source: "benchmark", Unit: string(unit), Rate: value})
		}
	}
	return records
}

// network is the second step: a fault, and bandwidth over time.
func (v *verifier) network(ctx context.Context) {
	if v.f.fault == "" {
		v.add(notAsked("network_fault", "The job survives a network fault", "give --fault 'COMMAND'; it needs root outside of a plain container"))
	} else {
		f := verify.Fault{Command: v.f.fault, Settle: 5 * time.Second, Cut: v.f.cut, Recover: v.f.recover, Progress: v.f.progressLine,
			Output: v.p.stderr, Now: v.p.now, Say: func(text string) { fmt.Fprintln(v.p.stderr, text) }}
		v.add(f.Run(ctx))
	}
	if v.f.bandwidth == "" {
		v.add(notAsked("bandwidth_throttled", "Bandwidth stays what it is in the first minute", "give --bandwidth URL; the traffic may cost money"))
		return
	}
	v.bandwidth(ctx)
}

// longestDownload is how long the bandwidth is watched.
const longestDownload = 10 * time.Minute

func (v *verifier) bandwidth(ctx context.Context) {
	fmt.Fprintf(v.p.stderr, "downloading up to %.1f GB (%s)\n", float64(v.f.budgetBytes)/1e9, v.cost())
	ctx, cancel := context.WithTimeout(ctx, longestDownload+time.Minute)
	defer cancel()
	bar := v.p.progress()
	b := verify.Bandwidth{Budget: v.f.budgetBytes, Longest: longestDownload, Now: v.p.now, Progress: func(elapsed time.Duration, bytes int64) {
		bar.show("downloading: %.1f of %.1f GB in %v", float64(bytes)/1e9, float64(v.f.budgetBytes)/1e9, elapsed.Round(time.Second))
	}}
	rates, err := download(ctx, v.f.bandwidth, &b)
	bar.done()
	if err != nil && len(rates) == 0 {
		v.add(verify.Check{ID: "bandwidth_throttled", Title: "Bandwidth stays what it is in the first minute", Status: verify.Inconclusive,
			Actual: "no download", Evidence: err.Error()})
		return
	}
	v.add(verify.JudgeBandwidth(rates, v.f.parsedClaim)...)
}

// cost says what a download costs at most.
func (v *verifier) cost() string {
	price, err := strconv.ParseFloat(v.f.pricePerGB, 64)
	if err != nil {
		return "what that costs is unknown: see your provider's price of traffic"
	}
	return fmt.Sprintf("at most %.2f at the price given", price*float64(v.f.budgetBytes)/1e9)
}

func download(ctx context.Context, url string, b *verify.Bandwidth) ([]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("download: %s", response.Status)
	}
	return b.Measure(ctx, response.Body)
}

// disk is the third step.
func (v *verifier) disk() {
	if v.f.remnants == "" {
		v.add(notAsked("data_remnants", "Disks were erased before the rental", "give --remnants DEVICE, as root"))
		return
	}
	v.add(v.remnants())
}

func (v *verifier) remnants() verify.Check {
	mounts, err := os.Open(filepath.Join(v.p.root, "proc/self/mountinfo"))
	if err != nil {
		return verify.Uncheckable(err.Error())
	}
	defer mounts.Close()
	device, reason := verify.OpenScratch(v.f.remnants, mounts)
	if device == nil {
		return verify.Uncheckable(reason)
	}
	defer device.Close()
	size, err := verify.Size(device)
	if err != nil {
		return verify.Uncheckable(err.Error())
	}
	region, err := verify.FreeRegion(device, size)
	if err != nil {
		return verify.Uncheckable(err.Error())
	}
	var seed [16]byte
	if _, err := v.p.random.Read(seed[:]); err != nil {
		return verify.Uncheckable(err.Error())
	}
	bar := v.p.progress()
	r := verify.Remnants{Rand: rand.New(rand.NewPCG(word(seed[:8]), word(seed[8:]))), Samples: v.f.samples,
		Progress: func(done, of int) { bar.show("looking at blocks: %d of %d", done, of) }}
	found, err := r.Sample(device, *region)
	bar.done()
	if err != nil {
		return verify.Uncheckable(errors.Join(err).Error())
	}
	return verify.JudgeRemnants(found, *region)
}
