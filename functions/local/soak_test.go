package main

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// asked are the questions of the load test, each as often as the others.
var asked = []string{"cheapest 7B fine-tune", "qlora 70b under $200 in 24h, no spot", "8xH100 for a week", "lora 13b on aws, on demand",
	"serve llama-3-8b, 100000 requests", "fine-tune mistral-7b in the eu", "render 2400 frames at 90 seconds per frame on an RTX 4090", "最便宜的7B微调"}

// wantedPerSecond is how many plans a second one core is to answer.
const wantedPerSecond = 600

// TestTwiceTheLoad puts tierwise serve on one core under twice what it can answer, for as many
// seconds as LOAD_SECONDS says.
func TestTwiceTheLoad(t *testing.T) {
	seconds, _ := strconv.Atoi(os.Getenv("LOAD_SECONDS"))
	if seconds == 0 {
		t.Skip("set LOAD_SECONDS to how long to keep it up")
	}
	address, process := serveOnOneCore(t)
	attack := func(rate vegeta.Pacer, workers uint64, length time.Duration) *vegeta.Metrics {
		var targets []vegeta.Target
		for _, q := range asked {
			targets = append(targets, vegeta.Target{Method: http.MethodGet, URL: address + "/v1/recommend?q=" + url.QueryEscape(q)})
		}
		attacker := vegeta.NewAttacker(vegeta.Workers(workers), vegeta.MaxWorkers(4000), vegeta.Connections(1000), vegeta.MaxBody(0), vegeta.Timeout(10*time.Second))
		if rate == nil { // as fast as the workers get answers
			attacker = vegeta.NewAttacker(vegeta.Workers(workers), vegeta.MaxWorkers(workers), vegeta.MaxBody(0))
			rate = vegeta.ConstantPacer{}
		}
		var m vegeta.Metrics
		for result := range attacker.Attack(vegeta.NewStaticTargeter(targets...), rate, length, "") {
			m.Add(result)
		}
		m.Close()
		return &m
	}
	attack(nil, 8, 3*time.Second) // warms it up
	most := attack(nil, 8, 10*time.Second)
	perSecond := float64(most.StatusCodes["200"]) / most.Duration.Seconds()
	t.Logf("saturated: %.0f plans a second on one core (wanted: %d), p50 %s, p99 %s, statuses %v",
		perSecond, wantedPerSecond, most.Latencies.P50.Round(time.Millisecond), most.Latencies.P99.Round(time.Millisecond), most.StatusCodes)

	resident := watchMemory(t, process)
	twice := attack(vegeta.Rate{Freq: int(math.Ceil(2 * perSecond)), Per: time.Second}, 50, time.Duration(seconds)*time.Second)
	recovered := time.Now()
	answered := attack(vegeta.Rate{Freq: 1, Per: time.Second}, 1, time.Second)
	took := time.Since(recovered)
	samples := resident()
	early, late := largest(samples[:len(samples)/2]), largest(samples[len(samples)/2:])
	t.Logf("%d s at twice that: statuses %v, p99 of all %s; memory at most %.0f MB in the first half, %.0f MB in the second; an answer %s after it",
		seconds, twice.StatusCodes, twice.Latencies.P99.Round(time.Millisecond), early, late, answered.Latencies.Max.Round(time.Millisecond))
	for status := range twice.StatusCodes {
		if status != "200" && status != "429" && status != "503" {
			t.Errorf("got %d times status %s: %v", twice.StatusCodes[status], status, twice.Errors)
		}
	}
	if twice.StatusCodes["200"] == 0 || twice.StatusCodes["503"] == 0 {
		t.Errorf("got %v, want answers and refusals", twice.StatusCodes)
	}
	if late > 1.2*early {
		t.Errorf("memory grew from %.0f MB to %.0f MB", early, late)
	}
	if answered.StatusCodes["200"] != 1 || answered.Latencies.Max > time.Second || took > 3*time.Second {
		t.Errorf("after the load: %v in %s, want status 200 within a second", answered.StatusCodes, answered.Latencies.Max)
	}
}

// serveOnOneCore runs tierwise serve on the first core, and leaves the others to the test.
func serveOnOneCore(t *testing.T) (address string, process int) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "tierwise")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	address = freeAddress(t)
	_, port, _ := strings.Cut(address, ":")
	command := exec.CommandContext(t.Context(), "taskset", "-c", "0", program, "serve", "--data", t.TempDir())
	command.Env = append(os.Environ(), "GOMAXPROCS=1", "PORT="+port)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	address = "http://" + address
	for range 200 {
		if response, err := http.Get(address + "/healthz"); err == nil {
			_ = response.Body.Close()
			return address, command.Process.Pid // taskset became the program
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("tierwise serve does not answer")
	return "", 0
}

// watchMemory samples the memory of a process each second until the function that it
// returns is called, which returns the samples in MB.
func watchMemory(t *testing.T, process int) func() []float64 {
	done, samples := make(chan struct{}), make(chan []float64, 1)
	go func() {
		var all []float64
		for {
			select {
			case <-done:
				samples <- all
				return
			case <-time.After(time.Second):
			}
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
			_, rest, _ := strings.Cut(string(status), "VmRSS:")
			var kb float64
			if n, _ := fmt.Sscan(rest, &kb); n == 1 {
				all = append(all, kb/1024)
			}
		}
	}()
	return func() []float64 {
		close(done)
		all := <-samples
		if len(all) < 2 {
			t.Fatalf("got %d samples of memory", len(all))
		}
		return all
	}
}

// largest is the largest of some numbers.
func largest(all []float64) float64 {
	most := 0.0
	for _, x := range all {
		most = max(most, x)
	}
	return most
}
