package stack_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/catalog/dynamo/dynamotest"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/cost"
)

var keep = flag.Bool("keep", false, "write what was measured to functions/internal/cost/measured.json")

// question is what starts are measured with.
const question = "GET /v1/recommend?q=cheapest+7B+fine-tune"

// warmRequests follow the first one of each start, one upon another, so that a quota is
// used up; apartRequests follow those, with a pause before each: instances are at work a
// tenth of the time (package cost), and what a quota leaves by then is theirs.
const (
	warmRequests  = 20
	apartRequests = 10
	pause         = 100 * time.Millisecond
)

// memory stands before the table and answers what was asked before from memory, so that
// the time of moto, which is a test's server, is not measured.
func memory(t *testing.T) string {
	t.Helper()
	type answer struct {
		status int
		header http.Header
		body   []byte
	}
	var mu sync.Mutex
	heard := make(map[string]answer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		key := r.Header.Get("X-Amz-Target") + string(body)
		mu.Lock()
		known, ok := heard[key]
		mu.Unlock()
		if !ok {
			asked, err := http.NewRequestWithContext(r.Context(), r.Method, api.Connection.Endpoint+r.URL.Path, bytes.NewReader(body))
			if err == nil {
				asked.Header = r.Header.Clone()
				var response *http.Response
				if response, err = http.DefaultClient.Do(asked); err == nil {
					defer response.Body.Close()
					known.status, known.header = response.StatusCode, response.Header
					known.body, err = io.ReadAll(response.Body)
				}
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			mu.Lock()
			heard[key] = known
			mu.Unlock()
		}
		for name := range known.header {
			w.Header().Set(name, known.header.Get(name))
		}
		w.WriteHeader(known.status)
		_, _ = w.Write(known.body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// timing is what one start took, in milliseconds.
type timing struct {
	init, first float64
	warm, apart []float64
	peakMB      float64
	logBytes    int
}

// measure starts a function and asks it.
func measure(t *testing.T, bootstrap, number, table, endpoint string) timing {
	t.Helper()
	l := start(t, bootstrap, table, endpoint)
	var answer events.APIGatewayV2HTTPResponse
	for i := range 1 + warmRequests + apartRequests {
		if i > warmRequests {
			time.Sleep(pause)
		}
		if l.invoke(t, event(t, question, "", ""), &answer); answer.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", answer.StatusCode, answer.Body)
		}
	}
	var x timing
	log := l.String()
	x.init = figures(t, log, "INIT REPORT(durationMs: ", ")")[0]
	took := figures(t, log, "\tDuration: ", " ms")
	x.first, x.warm, x.apart = took[0]-x.init, took[1:1+warmRequests], took[1+warmRequests:]
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "{") {
			x.logBytes = len(line)
		}
	}
	x.peakMB = peak(t, number)
	l.stop()
	return x
}

// figures are all figures of a name in the emulator's log.
func figures(t *testing.T, log, name, end string) []float64 {
	t.Helper()
	var all []float64
	for _, rest := range strings.Split(log, name)[1:] {
		text, _, _ := strings.Cut(rest, end)
		ms, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s%q is no figure", name, text)
		}
		all = append(all, ms)
	}
	if len(all) == 0 {
		t.Fatalf("no %q in %s", name, log)
	}
	return all
}

// peak is the most memory that a process had, in MB.
func peak(t *testing.T, number string) float64 {
	t.Helper()
	pid, err := os.ReadFile(number)
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "status"))
	if err != nil {
		t.Fatal(err)
	}
	var kb float64
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}

// series are the timings of several starts.
type series []timing

// at is a quantile of what of takes of each start.
func (s series) at(q float64, of func(timing) float64) float64 {
	var all []float64
	for _, x := range s {
		all = append(all, of(x))
	}
	return quantile(all, q)
}

// all are requests of all starts.
func (s series) all(of func(timing) []float64) []float64 {
	var all []float64
	for _, x := range s {
		all = append(all, of(x)...)
	}
	return all
}

// quantile is the nearest-rank quantile.
func quantile(all []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

func initMS(x timing) float64  { return x.init }
func firstMS(x timing) float64 { return x.first }
func bothMS(x timing) float64  { return x.init + x.first }

func warmMS(x timing) []float64  { return x.warm }
func apartMS(x timing) []float64 { return x.apart }

// row is a line of the table of starts.
func (s series) row(name string) string {
	return fmt.Sprintf("%-30s %7.0f %7.0f %7.0f %7.0f %7.0f %7.0f %7.1f %7.1f %7.1f %7.1f %6.0f\n", name, s.at(0.5, initMS), s.at(0.95, initMS), s.at(0.5, firstMS), s.at(0.95, firstMS),
		s.at(0.5, bothMS), s.at(0.95, bothMS), quantile(s.all(warmMS), 0.5), quantile(s.all(warmMS), 0.99),
		quantile(s.all(apartMS), 0.5), quantile(s.all(apartMS), 0.99), s.at(1, func(x timing) float64 { return x.peakMB }))
}

// measured is the series as costs are made of.
func (s series) measured(memoryMB, units int) cost.Measured {
	sum := 0.0
	for _, ms := range s.all(apartMS) {
		sum += math.Ceil(ms)
	}
	mean := sum / float64(len(s.all(apartMS)))
	return cost.Measured{MemoryMB: memoryMB, WarmMS: tenths(mean), LateMS: tenths(quantile(s.all(apartMS), 0.99)), BusyMS: tenths(quantile(s.all(warmMS), 0.5)),
		StartMS: tenths(s.at(0.5, bothMS)), ReadUnits: units, LogBytes: s[0].logBytes}
}

// tenths is a figure with one decimal.
func tenths(x float64) decimal.Decimal {
	return decimal.RequireFromString(strconv.FormatFloat(x, 'f', 1, 64))
}

// chosenMB is the memory size of recommend in the template.
const chosenMB = 1024

// collected is GOGC as the template has it.
const collected = 400

// TestColdStarts measures starts of recommend under the emulator, as many as COLD_STARTS
// says: freely, with parts left out, and under the quota of each memory size.
func TestColdStarts(t *testing.T) {
	starts, _ := strconv.Atoi(os.Getenv("COLD_STARTS"))
	if starts == 0 {
		t.Skip("set COLD_STARTS to the number of starts")
	}
	table, units := publishedSeed(t)
	endpoint, bootstrap := memory(t), build(t, "recommend")
	run := func(q *quota, table, endpoint string) (s series) {
		program, number := under(t, q, bootstrap)
		for range starts {
			s = append(s, measure(t, program, number, table, endpoint))
		}
		return s
	}
	text := fmt.Sprintf("\n%-30s %15s %15s %15s %15s %15s %6s\n%-30s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %6s\n", fmt.Sprintf("%d starts of recommend, ms", starts),
		"init", "first", "init + first", "warm", "warm, apart", "peak", "", "p50", "p95", "p50", "p95", "p50", "p95", "p50", "p99", "p50", "p99", "MB")
	usual, all := strconv.Itoa(collected), strconv.Itoa(runtime.NumCPU())
	as := func(garbage, processors string, q *quota) series {
		t.Setenv("GOGC", garbage)
		t.Setenv("GOMAXPROCS", processors)
		return run(q, table, endpoint)
	}
	as(usual, "1", nil) // fills the memory before the table
	t.Setenv("GOMEMLIMIT", "400MiB")
	text += as(usual, "1", nil).row("free")
	text += run(nil, "", endpoint).row("free, no table: its own seed")
	text += as("off", "1", nil).row("free, no garbage collected")
	text += as("100", "1", nil).row("free, collected by default")
	text += as(usual, all, nil).row("free, all processors")
	found := cost.Figures{On: time.Now().UTC().Format("2006-01-02"), Function: "recommend"}
	for _, mb := range []int{256, 512, 1024, wholeCPU} {
		q := newQuota(t, mb)
		if q == nil {
			text += fmt.Sprintf("%d MB: this machine permits no quota of processor time\n", mb)
			continue
		}
		t.Setenv("GOMEMLIMIT", strconv.Itoa(mb*78/100)+"MiB")
		s := as(usual, "1", q)
		text += s.row(fmt.Sprintf("%d MB, %.2f vCPU", mb, float64(mb)/wholeCPU))
		if mb == chosenMB {
			text += as("100", "1", q).row("the same, collected by default")
			text += as(usual, all, q).row("the same, all processors")
		}
		found.Processor = fmt.Sprintf("%s, share of a vCPU by %s", processor(), q.how)
		found.Sizes = append(found.Sizes, s.measured(mb, units))
	}
	t.Log(text + parts(t, bootstrap, starts) + sizes(t))
	if *keep && len(found.Sizes) > 0 {
		document, err := json.MarshalIndent(found, "", "  ")
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "functions", "internal", "cost", "measured.json"), append(document, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// publishedSeed is a table with the whole embedded catalogue, and how many units a start
// reads of it.
func publishedSeed(t *testing.T) (table string, units int) {
	t.Helper()
	table = dynamotest.Table()
	store := dynamo.New(dynamo.Config{Client: api.Connection.Client(), Table: table, Now: time.Now, Random: rand.Reader})
	baseline, err := seed.Load()
	if err == nil {
		err = store.CreateTable(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := store.Publish(t.Context(), "", baseline)
	if err != nil {
		t.Fatal(err)
	}
	const unit = 4096 // bytes of a consistent read
	return table, 1 + (p.Bytes+unit-1)/unit
}

// processor is this machine's.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(text), "model name\t: ")
	name, _, _ := strings.Cut(rest, "\n")
	return fmt.Sprintf("%s, %s", name, runtime.GOARCH)
}

// sizes are the sizes of every function as it is deployed, on arm64.
func sizes(t *testing.T) string {
	text := fmt.Sprintf("\n%-14s %10s %7s\n", "on arm64, MB", "bootstrap", "zip")
	for _, f := range functions(t) {
		content, err := os.ReadFile(buildFor(t, f, "arm64"))
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		archive := zip.NewWriter(&packed)
		archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 6) })
		w, err := archive.Create("bootstrap")
		if err == nil {
			_, err = w.Write(content)
		}
		if err == nil {
			err = archive.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%-14s %10.1f %7.1f\n", f, float64(len(content))/1e6, float64(packed.Len())/1e6)
	}
	return text
}
