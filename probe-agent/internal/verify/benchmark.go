package verify

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// Metrics are numbers that a benchmark has printed, by name.
type Metrics map[string]float64

// known are lines of well-known benchmarks.
var known = []struct {
	metric     string
	expression *regexp.Regexp
}{
	{"busbw_gb_s", regexp.MustCompile(`^#\s*Avg bus bandwidth\s*:\s*([0-9.]+)`)},                    // nccl-tests
	{"wrong_values", regexp.MustCompile(`^#\s*Out of bounds values\s*:\s*([0-9]+)`)},                // nccl-tests
	{"gflops", regexp.MustCompile(`\(([0-9.]+) Gflop/s\)`)},                                         // gpu-burn
	{"errors", regexp.MustCompile(`errors:\s*([0-9]+)`)},                                            // gpu-burn
	{"samples_per_second", regexp.MustCompile(`^Samples per second\s*:\s*([0-9.e+]+)`)},             // MLPerf
	{"tokens_per_second", regexp.MustCompile(`^Tokens per second\s*:\s*([0-9.e+]+)`)},               // MLPerf
	{"completed_per_second", regexp.MustCompile(`^Completed samples per second\s*:\s*([0-9.e+]+)`)}, // MLPerf
}

// invalid is what MLPerf and gpu-burn say of a run that does not count.
var invalid = regexp.MustCompile(`^Result is\s*:\s*INVALID|^\s*GPU \d+: FAULTY`)

// Output reads the lines of one run of a benchmark. Make one with NewOutput.
type Output struct {
	own     map[string]*regexp.Regexp
	metrics Metrics
	invalid bool
}

// NewOutput reads the metrics of well-known benchmarks, and those of the user's own
// expressions, whose first group is the number.
func NewOutput(own map[string]*regexp.Regexp) *Output {
	return &Output{own: own, metrics: make(Metrics)}
}

// Line reads a line. Of a metric that is printed again the last value counts, and of
// errors the most.
func (o *Output) Line(line string) {
	o.invalid = o.invalid || invalid.MatchString(line)
	for _, k := range known {
		o.take(k.metric, k.expression.FindStringSubmatch(line))
	}
	for name, expression := range o.own {
		o.take(name, expression.FindStringSubmatch(line))
	}
}

func (o *Output) take(name string, found []string) {
	if len(found) < 2 {
		return
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	if err != nil {
		return
	}
	if name == "errors" || name == "wrong_values" {
		v = max(v, o.metrics[name])
	}
	o.metrics[name] = v
}

// Metrics are what has been read.
func (o *Output) Metrics() Metrics { return o.metrics }

// Invalid reports whether the benchmark says itself that the run does not count.
func (o *Output) Invalid() bool { return o.invalid }

// ParseMetric reads NAME=EXPRESSION, an expression with one group.
func ParseMetric(text string) (string, *regexp.Regexp, error) {
	name, expression, ok := strings.Cut(text, "=")
	if !ok || !metricName.MatchString(name) {
		return "", nil, fmt.Errorf("metric %q: want NAME=EXPRESSION", text)
	}
	compiled, err := regexp.Compile(expression)
	if err != nil {
		return "", nil, fmt.Errorf("metric %s: %w", name, err)
	}
	if compiled.NumSubexp() < 1 {
		return "", nil, fmt.Errorf("metric %s: put the number in parentheses", name)
	}
	return name, compiled, nil
}

var metricName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Expectation is what a metric must be.
type Expectation struct {
	Metric  string
	AtMost  bool // else at least
	Bound   float64
	Because string // where the bound comes from
}

// ParseExpectation reads NAME>=NUMBER or NAME<=NUMBER.
func ParseExpectation(text string) (Expectation, error) {
	e := Expectation{Because: "as given"}
	name, bound, ok := strings.Cut(text, ">=")
	if !ok {
		name, bound, ok = strings.Cut(text, "<=")
		e.AtMost = true
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(bound), 64)
	if e.Metric = strings.TrimSpace(name); !ok || err != nil || !metricName.MatchString(e.Metric) || v != v {
		return Expectation{}, fmt.Errorf("expectation %q: want NAME>=NUMBER or NAME<=NUMBER", text)
	}
	e.Bound = v
	return e, nil
}

// Run is one run of a benchmark.
type Run struct {
	Metrics Metrics
	Invalid bool
	Err     error // how the command ended
}

// Benchmark judges the runs of a benchmark.
func Benchmark(runs []Run, expectations []Expectation) []Check {
	for i, run := range runs {
		if run.Err != nil || run.Invalid {
			c := Check{ID: "benchmark", Title: "Benchmark", Status: Fail, Actual: "no valid run",
				Evidence: fmt.Sprintf("run %d says itself that it does not count", i+1),
				Remedy:   "run the command by hand to see what is wrong"}
			if run.Err != nil {
				c.Evidence = fmt.Sprintf("run %d: %v", i+1, run.Err)
			}
			return []Check{c}
		}
	}
	metrics := Mean(runs)
	if len(metrics) == 0 {
		return []Check{{ID: "benchmark", Title: "Benchmark", Status: Inconclusive, Actual: "no number found",
			Evidence: "the command ended well, but printed nothing that is known here", Remedy: "say where the number is with --metric"}}
	}
	expectations = append(expectations, Expectation{"errors", true, 0, "a comparison of results"},
		Expectation{"wrong_values", true, 0, "a comparison of copied data"})
	var checks []Check
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		checks = append(checks, judgeMetric(name, metrics[name], expectations))
	}
	return append(checks, missing(metrics, expectations[:len(expectations)-2])...)
}

// judgeMetric holds a metric against everything that is expected of it; the first
// expectation that is broken is named.
func judgeMetric(name string, value float64, expectations []Expectation) Check {
	c := Check{ID: "benchmark_" + name, Title: "Benchmark: " + name, Status: Skip,
		Evidence: "nothing is expected of it: add --expect"}.withValue(value, "")
	for _, e := range expectations {
		if e.Metric != name || c.Status == Fail {
			continue
		}
		relation := map[bool]string{true: "at most", false: "at least"}[e.AtMost]
		c.Required, c.Evidence = fmt.Sprintf("%s %.4g", relation, e.Bound), e.Because
		c.Status = Pass
		if e.AtMost && value > e.Bound || !e.AtMost && value < e.Bound {
			c.Status, c.Remedy = Fail, "run it again on an idle box; if it stays, this is not what was sold"
		}
	}
	return c
}

// missing are the expectations of metrics that were not printed.
func missing(metrics Metrics, expectations []Expectation) []Check {
	var checks []Check
	for _, e := range expectations {
		if _, ok := metrics[e.Metric]; !ok {
			checks = append(checks, Check{ID: "benchmark_" + e.Metric, Title: "Benchmark: " + e.Metric, Status: Inconclusive,
				Actual: "not printed", Remedy: "say where the number is with --metric"})
		}
	}
	return checks
}

// Mean are the metrics' means over runs. Of three runs or more, the fastest and the slowest
// are left out first, as MLPerf does.
func Mean(runs []Run) Metrics {
	byName := make(map[string][]float64)
	for _, run := range runs {
		for name, v := range run.Metrics {
			byName[name] = append(byName[name], v)
		}
	}
	result := make(Metrics)
	for name, values := range byName {
		if slices.Sort(values); name == "errors" || name == "wrong_values" {
			result[name] = values[len(values)-1]
			continue
		}
		if len(values) >= 3 {
			values = values[1 : len(values)-1]
		}
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		result[name] = sum / float64(len(values))
	}
	return result
}

// linkGBs is what one NVLink carries one way, by its version.
var linkGBs = map[int]float64{1: 20, 2: 25, 3: 25, 4: 25, 5: 50}

// referenceShare is below which share of a reference NVIDIA's own diagnostics fail.
const referenceShare = 0.75

// AllReduce is what an all-reduce must reach over the NVLinks that were found; false
// where they don't join all GPUs.
func AllReduce(inventory *sampler.Inventory) (Expectation, bool) {
	if len(inventory.Devices) < 2 || nvlinkOf(inventory) != NVLinkFull {
		return Expectation{}, false
	}
	least := math.Inf(1)
	for i := range inventory.Devices {
		links, _ := inventory.Devices[i].Links.Get()
		sum := 0.0
		for _, link := range links {
			if link.Active {
				sum += linkGBs[link.Version]
			}
		}
		least = min(least, sum)
	}
	if least == 0 { // links of a version that is not known here
		return Expectation{}, false
	}
	return Expectation{"busbw_gb_s", false, referenceShare * least,
		fmt.Sprintf("%.0f%% of %.0f GB/s, one way over the NVLinks found", 100*referenceShare, least)}, true
}

// claimedGBs is what NVLink carries one way between two GPUs of a model, where all are
// joined.
var claimedGBs = map[string]float64{"v100": 150, "a100": 300, "a800": 200, "h100": 450, "h800": 200, "h200": 450, "h20": 450, "b200": 900, "gb200": 900}

// ClaimedAllReduce is what an all-reduce must reach over the NVLinks that are claimed;
// false if none are, or the model is not known to have them.
func ClaimedAllReduce(claim Claim) (Expectation, bool) {
	if claim.NVLink != NVLinkFull || claim.Count == 1 {
		return Expectation{}, false
	}
	for _, word := range words(claim.GPU) {
		if reference := claimedGBs[word]; reference > 0 {
			return Expectation{"busbw_gb_s", false, referenceShare * reference,
				fmt.Sprintf("%.0f%% of %.0f GB/s, one way over the NVLinks claimed", 100*referenceShare, reference)}, true
		}
	}
	return Expectation{}, false
}

// P2P settles the check of copies by a benchmark that compared data.
func P2P(checks []Check, metrics Metrics) []Check {
	wrong, ok := metrics["wrong_values"]
	if !ok {
		return checks
	}
	for i := range checks {
		if checks[i].ID == "p2p_data" && checks[i].Status == Inconclusive {
			checks[i].Status, checks[i].Remedy = Pass, ""
			checks[i].Evidence = fmt.Sprintf("%.0f of the copied values were wrong", wrong)
			if wrong > 0 {
				checks[i].Status, checks[i].Remedy = Fail, "ACS or an IOMMU breaks copies: ask the host, or set NCCL_P2P_DISABLE=1"
			}
		}
	}
	return checks
}

// RunCommand runs a command of the user's by sh -c. Its output goes to both writers.
func RunCommand(ctx context.Context, line string, shown, read io.Writer) error {
	if err := runGroup(exec.CommandContext(ctx, "sh", "-c", line), io.MultiWriter(shown, read)); err != nil {
		return fmt.Errorf("the command: %w", err)
	}
	return nil
}
