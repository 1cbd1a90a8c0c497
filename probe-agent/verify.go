package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
	"github.com/tierwise/tierwise/probe-agent/internal/verify"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	source                        sourceFlags
	claim, imageCUDA              string
	observe                       time.Duration
	benchmark                     string
	runs                          int
	metrics, expect               texts
	fault                         string
	cut, recover                  time.Duration
	faultProgress                 string
	bandwidth, budget, pricePerGB string
	remnants                      string
	samples                       int
	history                       string
	share                         bool

	parsedClaim   verify.Claim
	parsedMetrics map[string]*regexp.Regexp
	expectations  []verify.Expectation
	progressLine  *regexp.Regexp
	budgetBytes   int64
}

// texts is a flag that may be given several times.
type texts []string

func (t *texts) String() string { return strings.Join(*t, " ") }

// Set adds a value.
func (t *texts) Set(value string) error {
	*t = append(*t, value)
	return nil
}

func (f *verifyFlags) register(set *flag.FlagSet) {
	f.source.register(set)
	set.StringVar(&f.claim, "claim", "", "what was sold: `gpu=H100-SXM,count=8,nvlink=full,ecc=on,mem=80,net=10g,pcie=5,power=700`")
	set.StringVar(&f.imageCUDA, "image-cuda", "", "CUDA `version` of the image that you run: 12.8")
	set.DurationVar(&f.observe, "observe", 10*time.Second, "how `long` to watch the GPUs under your load, without --benchmark")
	set.StringVar(&f.benchmark, "benchmark", "", "run a `command` (nccl-tests, gpu-burn, MLPerf or your own) and judge its numbers")
	set.IntVar(&f.runs, "benchmark-runs", 1, "`times` to run it; of three or more, fastest and slowest are left out")
	set.Var(&f.metrics, "metric", "`NAME=EXPRESSION` of a number that the benchmark prints, in parentheses; may be repeated")
	set.Var(&f.expect, "expect", "`NAME>=NUMBER` or NAME<=NUMBER; may be repeated")
	set.StringVar(&f.fault, "fault", "", "run a `command` in a network of its own and cut its link")
	set.DurationVar(&f.cut, "cut", 30*time.Second, "how `long` the link is cut")
	set.DurationVar(&f.recover, "recover", 2*time.Minute, "how `long` the command may take to go on")
	set.StringVar(&f.faultProgress, "progress", "", "`expression` of a line in which the command says how far it is")
	set.StringVar(&f.bandwidth, "bandwidth", "", "download this `URL` for up to 10 minutes; the traffic may cost money")
	set.StringVar(&f.budget, "bandwidth-budget", "2GB", "the most `bytes` to download")
	set.StringVar(&f.pricePerGB, "price-per-gb", "", "`price` of a GB of traffic, to show what the download costs")
	set.StringVar(&f.remnants, "remnants", "", "look at unallocated blocks of a scratch `device`, image file or directory, read-only")
	set.IntVar(&f.samples, "remnant-samples", 2000, "`blocks` to look at")
	set.StringVar(&f.history, "history", "", "`file` of the GPUs met in earlier rentals; in the state directory if not given")
	set.BoolVar(&f.share, "share", false, "also keep the outcome as a report, to be uploaded")
}

// check reads what the flags hold.
func (f *verifyFlags) check() (err error) {
	if f.claim != "" {
		if f.parsedClaim, err = verify.ParseClaim(f.claim); err != nil {
			return &usageError{err.Error()}
		}
	}
	f.parsedMetrics = make(map[string]*regexp.Regexp)
	for _, text := range f.metrics {
		name, expression, err := verify.ParseMetric(text)
		if err != nil {
			return &usageError{err.Error()}
		}
		f.parsedMetrics[name] = expression
	}
	for _, text := range f.expect {
		e, err := verify.ParseExpectation(text)
		if err != nil {
			return &usageError{err.Error()}
		}
		f.expectations = append(f.expectations, e)
	}
	if f.faultProgress != "" {
		if f.progressLine, err = regexp.Compile(f.faultProgress); err != nil {
			return usagef("--progress: %v", err)
		}
	}
	if f.budgetBytes, err = parseBytes(f.budget); err != nil {
		return usagef("--bandwidth-budget: %v", err)
	}
	if f.runs < 1 || f.samples < 1 || f.observe <= 0 || f.cut <= 0 || f.recover <= 0 {
		return usagef("want numbers and times above 0")
	}
	return nil
}

// parseBytes reads 2GB, 500MB or a number of bytes.
func parseBytes(text string) (int64, error) {
	number, factor := strings.ToUpper(text), 1.0
	for suffix, f := range map[string]float64{"GB": 1e9, "MB": 1e6, "KB": 1e3} {
		if digits, ok := strings.CutSuffix(number, suffix); ok {
			number, factor = digits, f
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(v > 0 && v*factor < 1e15) {
		return 0, fmt.Errorf("%q: want a size such as 2GB", text)
	}
	return int64(v * factor), nil
}

// verification is what verify says.
type verification struct {
	Checks   []verify.Check `json:"checks"`
	ExitCode int            `json:"exit_code"`
}

// verify is the command verify.
func (p *program) verify(ctx context.Context, args []string) error {
	var f verifyFlags
	set, c := p.flags("verify")
	f.register(set)
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	m, err := p.open(&f.source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	v := &verifier{p: p, f: &f, c: c, machine: m}
	inventory, driverErr := m.survey()
	if driverErr == nil {
		v.gpus(ctx, inventory)
	} else {
		v.add(verify.Check{ID: "driver", Title: "NVIDIA driver and its library", Status: verify.Fail, Actual: driverErr.Error(),
			Remedy: remedy(driverErr)})
	}
	v.network(ctx)
	v.disk()
	err = errors.Join(v.remember(inventory), v.keepReport(inventory))
	code := checksOutcome(v.checks)
	if driverErr != nil {
		code = outcome(exitNoDriver)
	}
	shown := verification{v.checks, exitCode(code)}
	return errors.Join(code, err, p.print(c, shown, func(out io.Writer) { p.printChecks(out, v.checks) }))
}

// verifier collects checks.
type verifier struct {
	p       *program
	f       *verifyFlags
	c       *common
	machine *machine
	checks  []verify.Check
	metrics verify.Metrics
}

func (v *verifier) add(checks ...verify.Check) { v.checks = append(v.checks, checks...) }

// gpus makes the checks of the GPUs, and runs the benchmark while they are watched.
func (v *verifier) gpus(ctx context.Context, inventory *sampler.Inventory) {
	v.add(verify.Box(inventory, v.f.parsedClaim)...)
	v.add(verify.Topology(inventory, v.f.parsedClaim)...)
	v.add(verify.Health(inventory, v.f.parsedClaim, v.f.imageCUDA)...)
	watching, stop := context.WithCancel(ctx)
	windows := make(chan []window.Window, 1)
	go func() { windows <- v.watch(watching, inventory) }()
	benchmark := v.benchmark(ctx, inventory)
	if v.f.benchmark != "" {
		stop()
	}
	v.add(verify.Load(inventory, <-windows)...)
	stop()
	v.add(benchmark...)
	v.checks = verify.P2P(v.checks, v.metrics)
}

// watch reads the GPUs until the context or the time is over, as one window each.
func (v *verifier) watch(ctx context.Context, inventory *sampler.Inventory) []window.Window {
	poller := sampler.NewPoller(v.machine.guard, inventory, v.p.gpm())
	rules := window.DefaultRules()
	collectors := make([]*window.Collector, len(inventory.Devices))
	for i := range collectors {
		collectors[i] = window.NewCollector(i, rules, inventory.Devices[i].Readings)
	}
	bar, start := v.p.progress(), v.machine.clock.Now()
	for tick := 0; ; tick++ {
		at := v.machine.clock.Now().Sub(start)
		for i, s := range poller.Poll(tick, at) {
			collectors[i].Add(&s)
		}
		if v.f.benchmark == "" && at >= v.f.observe || v.machine.clock.Wait(ctx, time.Second) != nil {
			break
		}
		v.showWatching(bar, at)
	}
	bar.done()
	windows := make([]window.Window, len(collectors))
	for i, c := range collectors {
		windows[i], _ = c.Close()
	}
	return windows
}

// showWatching says what goes on meanwhile.
func (v *verifier) showWatching(bar *progress, at time.Duration) {
	switch {
	case v.f.benchmark != "":
		bar.show("the benchmark runs: %v", at.Round(time.Second))
	case v.machine.scenario == nil:
		bar.show("watching the GPUs: %v of %v", at.Round(time.Second), v.f.observe)
	}
}

// remember keeps how the GPUs did, and says which of them were met before.
func (v *verifier) remember(inventory *sampler.Inventory) error {
	path := v.f.history
	b, err := v.p.openBox(v.c.state)
	if err != nil || inventory == nil || len(inventory.Devices) == 0 || v.machine.scenario != nil && path == "" {
		return err
	}
	if path == "" {
		path = b.historyPath()
	}
	history, err := verify.ReadHistory(path)
	if err != nil {
		return err
	}
	rental := v.p.fingerprint(inventory) + v.p.header("", "").BootDay
	var failed []string
	for _, c := range v.checks {
		if c.Status == verify.Fail {
			failed = append(failed, c.ID)
		}
	}
	var gpus []string
	var now []verify.Past
	for i := range inventory.Devices {
		id := report.NewFacts(&inventory.Devices[i], &inventory.Devices[i].Readings).GPU
		gpus = append(gpus, id)
		now = append(now, verify.Past{GPU: id, Rental: rental, At: v.p.now().UTC(), Failed: failed})
	}
	v.add(verify.Known(gpus, rental, history))
	return verify.AppendHistory(path, now)
}

// keepReport keeps the outcome in the spool, without its texts, if the user wants it.
func (v *verifier) keepReport(inventory *sampler.Inventory) error {
	if !v.f.share || inventory == nil || len(inventory.Devices) == 0 {
		return nil
	}
	b, err := v.p.openBox(v.f.source.state(v.c.state))
	if err != nil {
		return err
	}
	writer, unfinished, err := b.spool.Writer(spool.DefaultLimits())
	if err != nil {
		return fmt.Errorf("keep the outcome: %w", err)
	}
	defer writer.Close()
	if left := report.Recovered(unfinished); left != nil {
		if err := seal(writer, left, b); err != nil {
			return err
		}
	}
	header := v.p.header("verify", v.machine.name())
	b.describe(&header)
	header.System = report.NewSystem(inventory.Versions, header.System.CPUs)
	header.Rules = report.NewRules(window.DefaultRules(), time.Second)
	header.Topology = report.NewTopology(inventory)
	for i := range inventory.Devices {
		d := &inventory.Devices[i]
		header.GPUs = append(header.GPUs, report.GPU{Facts: report.NewFacts(d, &d.Readings)})
	}
	draft, err := report.NewDraft(report.Record{Wall: v.p.now(), Header: &header})
	if err != nil {
		return err
	}
	draft.AddChecks(verify.Wire(v.checks))
	for _, work := range v.work() {
		draft.Apply(&report.Record{Wall: v.p.now(), Work: &work})
	}
	return seal(writer, draft, b)
}

// seal makes a report pending.
func seal(writer *spool.Writer, draft *report.Draft, b *box) error {
	draft.SetOffset(b.offset())
	payload, err := draft.Payload(uint64(writer.Seq()))
	if err != nil {
		return err
	}
	return writer.Seal(payload)
}
