package sampler

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestValueKeepsFailuresApart(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  float64
		state State
	}{
		{"0", 0, StateOK},
		{"-3", -3, StateOK},
		{`{"state":"gpu_lost"}`, 0, StateGPULost},
		{`{"state":"not_supported"}`, 0, StateNotSupported},
	} {
		var v Value[float64]
		if err := json.Unmarshal([]byte(test.text), &v); err != nil {
			t.Fatal(err)
		}
		got, ok := v.Get()
		if got != test.want || ok != (test.state == StateOK) || v.State() != test.state {
			t.Errorf("%s: got %v, %v, %v", test.text, got, ok, v.State())
		}
		if back, err := json.Marshal(v); err != nil || string(back) != test.text {
			t.Errorf("%s is written as %s (%v)", test.text, back, err)
		}
	}
	for _, text := range []string{`{"state":"ok"}`, `{"state":"fine"}`, `"3"`, `{}`} {
		var v Value[float64]
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func TestEveryCodeHasAState(t *testing.T) {
	for code := Code(0); code < 40; code++ {
		if (code.State() == StateOK) != (code == CodeSuccess) {
			t.Errorf("code %d is %s", code, code.State())
		}
		if Failed[int](code).OK() {
			t.Errorf("a failure with code %d is OK", code)
		}
	}
}

func TestQuantityNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, q := range Quantities() {
		parsed, err := ParseQuantity(q.String())
		if err != nil || parsed != q || seen[q.String()] {
			t.Errorf("%d is called %q, which is read as %v (%v)", q, q, parsed, err)
		}
		seen[q.String()] = true
	}
}

// hanging is a source whose device 0 hangs until it is let go.
type hanging struct {
	Source
	release chan struct{}
	calls   atomic.Int32
}

func (h *hanging) Read(device int, q Quantity) Value[float64] {
	if device == 0 {
		h.calls.Add(1)
		<-h.release
	}
	return Of(float64(device))
}

func TestGuardConcurrentCallsOneWaiterPerDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &hanging{release: make(chan struct{})}
		guard := NewGuard(source, time.Second)
		start := time.Now()
		if got := guard.Read(0, PowerUsage); got.State() != StateTimeout || time.Since(start) != time.Second {
			t.Errorf("got %v after %v, want a timeout after a second", got.State(), time.Since(start))
		}
		for range 300 { // five minutes of ticks
			if got := guard.Read(0, PowerUsage); got.State() != StateTimeout {
				t.Fatalf("got %v from a device that hangs", got.State())
			}
			if got, ok := guard.Read(1, PowerUsage).Get(); !ok || got != 1 {
				t.Fatalf("the other device gave %v, %v", got, ok)
			}
		}
		if time.Since(start) != time.Second || source.calls.Load() != 1 {
			t.Errorf("%v were lost in %d calls, want one second in one call", time.Since(start), source.calls.Load())
		}
		close(source.release)
		synctest.Wait()
		if got := guard.Read(0, PowerUsage); !got.OK() {
			t.Errorf("a device that came back gives %v", got.State())
		}
		guard.workers.stop()
	})
}

func TestReplayFollowsStepsAndRates(t *testing.T) {
	scenario := parse(t, `{"versions": {"driver": "1", "nvml": "1", "cuda": "1"}, "duration_seconds": 100, "devices": [
		{"values": {"power_milliwatts": 100, "energy_millijoules": 5}, "rates": {"energy_millijoules": 2}}, {"values": {}}],
		"steps": [{"at_seconds": 10, "devices": [0], "values": {"power_milliwatts": 200}, "rates": {"energy_millijoules": 3}},
			{"at_seconds": 20, "values": {"power_milliwatts": {"state": "gpu_lost"}}}],
		"open_failures": [{"until_seconds": 5, "code": 9}], "events": [{"at_seconds": 20, "device": 1, "xid": 79}]}`)
	now := time.Unix(0, 0)
	r := NewReplay(scenario, func() time.Time { return now })
	if got := r.Open(); got != CodeDriverNotLoaded {
		t.Errorf("opened too early: %v", got)
	}
	at := func(seconds int) { now = time.Unix(int64(seconds), 0) }
	at(5)
	if got := r.Open(); got != CodeSuccess {
		t.Errorf("not opened in time: %v", got)
	}
	at(8)
	wantValue(t, r.Read(0, PowerUsage), 100)
	wantValue(t, r.Read(0, Energy), 5+2*8)
	at(15)
	wantValue(t, r.Read(0, PowerUsage), 200)
	wantValue(t, r.Read(0, Energy), 5+2*10+3*5)
	if got := r.Read(1, PowerUsage).State(); got != StateNotSupported {
		t.Errorf("got %v of a quantity that is not mentioned", got)
	}
	if r.NextEvent(0).OK() {
		t.Error("an event came early")
	}
	at(20)
	if got := r.Read(1, PowerUsage).State(); got != StateGPULost {
		t.Errorf("got %v of a lost GPU", got)
	}
	if e, ok := r.NextEvent(0).Get(); !ok || e != (Event{Device: 1, XID: 79}) {
		t.Errorf("got event %v, %v", e, ok)
	}
}

func wantValue(t *testing.T, v Value[float64], want float64) {
	t.Helper()
	if got, ok := v.Get(); !ok || got != want {
		t.Errorf("got %v (%v), want %v", got, v.State(), want)
	}
}

func parse(t testing.TB, text string) *Scenario {
	t.Helper()
	scenario, err := ParseScenario(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return scenario
}

// implausible is a device that answers what drivers have answered.
const implausible = `{"versions": {"driver": "1", "nvml": "1", "cuda": "1"}, "duration_seconds": 10, "devices": [{"values": {
	"utilization_gpu_percent": 50, "power_milliwatts": 900000, "power_limit_default_milliwatts": 350000,
	"temperature_celsius": 644245923, "memory_total_bytes": 1000, "memory_used_bytes": 9223372036854775794,
	"temperature_margin_celsius": -3, "clock_sm_mhz": 1500, "energy_millijoules": 100}}],
	"steps": [{"at_seconds": 1, "values": {"energy_millijoules": 50}}, {"at_seconds": 2, "values": {"energy_millijoules": 60}}]}`

func TestImplausibleReadingsAreErrors(t *testing.T) {
	now := time.Unix(0, 0)
	replay := NewReplay(parse(t, implausible), func() time.Time { return now })
	replay.Open()
	inventory, code := Survey(replay)
	if code != CodeSuccess {
		t.Fatal(code)
	}
	for _, q := range []Quantity{PowerUsage, Temperature, MemoryUsed} {
		if got := inventory.Devices[0].Readings[q].State(); got != StateError {
			t.Errorf("%s is %v, want an error", q, got)
		}
	}
	poller := NewPoller(replay, inventory, func() bool { return false })
	var states []State
	for second := range 3 {
		now = time.Unix(int64(second), 0)
		states = append(states, poller.Poll(second, now.Sub(time.Unix(0, 0)))[0].Readings[Energy].State())
	}
	if diff := cmp.Diff([]State{StateOK, StateError, StateOK}, states); diff != "" {
		t.Errorf("a counter that goes back once (-want +got):\n%s", diff)
	}
}

// Case 13: a margin of -3 degrees is a measurement.
func TestCase13NegativeMargin(t *testing.T) {
	replay := NewReplay(parse(t, implausible), func() time.Time { return time.Unix(0, 0) })
	replay.Open()
	inventory, _ := Survey(replay)
	wantValue(t, inventory.Devices[0].Readings[TemperatureMargin], -3)
}

func TestRecordingReplaysTheSame(t *testing.T) {
	now := time.Unix(0, 0)
	clock := func() time.Time { return now }
	original := parse(t, `{"versions": {"driver": "1", "nvml": "1", "cuda": "1"}, "duration_seconds": 9, "devices": [{"name": "X", "uuid": "GPU-secret",
		"values": {"utilization_gpu_percent": 99, "clock_sm_mhz": 1500, "energy_millijoules": 7}, "rates": {"energy_millijoules": 250}}],
		"steps": [{"at_seconds": 3, "values": {"clock_sm_mhz": 1200}}, {"at_seconds": 6, "values": {"clock_sm_mhz": {"state": "timeout"}}}]}`)
	first, recorder := readAll(t, NewReplay(original, clock), &now)
	text, err := json.Marshal(recorder.Finish(9 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("secret")) {
		t.Errorf("the recording holds the UUID: %s", text)
	}
	now = time.Unix(0, 0)
	second, _ := readAll(t, NewReplay(parse(t, string(text)), clock), &now)
	for i := range first {
		if first[i].Readings != second[i].Readings {
			t.Errorf("tick %d differs", i)
		}
	}
}

func readAll(t *testing.T, source Source, now *time.Time) ([]Sample, *Recorder) {
	t.Helper()
	source.Open()
	inventory, code := Survey(source)
	if code != CodeSuccess {
		t.Fatal(code)
	}
	recorder := NewRecorder(inventory, func(string) string { return "GPU-renamed" })
	poller := NewPoller(source, inventory, func() bool { return false })
	var all []Sample
	for tick := range 9 {
		*now = time.Unix(int64(tick), 0)
		for _, s := range poller.Poll(tick, time.Duration(tick)*time.Second) {
			recorder.Add(&s)
			all = append(all, s)
		}
	}
	return all, recorder
}

func TestScenarioMistakes(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{"duration_seconds": -1}`, `{"duration_seconds": 1e300}`, `{"devices": [{"values": {"speed": 1}}]}`, `{"bogus": 1}`,
		`{"devices": [], "events": [{"device": 3}]}`, `{"devices": [], "paths": [{"a": 0, "b": 1}]}`,
		`{"steps": [{"at_seconds": 2}, {"at_seconds": 1}]}`, `{"devices": [], "steps": [{"at_seconds": 1, "devices": [0]}]}`,
	} {
		if _, err := ParseScenario(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func FuzzScenario(f *testing.F) {
	f.Add(implausible)
	f.Add(`{"versions": {}, "duration_seconds": 1, "devices": [{"values": {"power_milliwatts": {"state": "timeout"}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		scenario, err := ParseScenario(strings.NewReader(text))
		if err != nil {
			return
		}
		now := time.Unix(0, 0)
		replay := NewReplay(scenario, func() time.Time { return now })
		replay.Open()
		inventory, _ := Survey(replay)
		if len(inventory.Devices) == 0 {
			return
		}
		poller := NewPoller(replay, inventory, func() bool { return true })
		for tick := range 3 {
			now = now.Add(scenario.Duration() / 2)
			poller.Poll(tick, now.Sub(time.Unix(0, 0)))
			replay.NextEvent(0)
		}
	})
}
