package window

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"pgregory.net/rapid"
)

// limits are those of a card that draws 350 W.
func limits() sampler.Readings {
	var r sampler.Readings
	r[sampler.PowerLimitEnforced] = sampler.Of(350_000.0)
	r[sampler.ClockSMMax] = sampler.Of(2000.0)
	r[sampler.TemperatureSlowdown] = sampler.Of(90.0)
	return r
}

// reading is one second of a device.
type reading map[sampler.Quantity]float64

var (
	busy  = reading{sampler.UtilizationGPU: 99, sampler.PowerUsage: 300_000, sampler.ClockSM: 1500}
	spin  = reading{sampler.UtilizationGPU: 100, sampler.PowerUsage: 90_000, sampler.ClockSM: 1900}
	rests = reading{sampler.UtilizationGPU: 0, sampler.PowerUsage: 40_000, sampler.ClockSM: 210}
)

// with is a reading and more.
func (r reading) with(q sampler.Quantity, v float64) reading {
	changed := reading{q: v}
	for k, old := range r {
		if k != q {
			changed[k] = old
		}
	}
	return changed
}

// feed adds seconds to a collector and returns its windows.
func feed(c *Collector, rules Rules, at *time.Duration, seconds int, r reading) []Window {
	var windows []Window
	for range seconds {
		s := sampler.Sample{At: *at}
		for q, v := range r {
			s.Readings[q] = sampler.Of(v)
		}
		c.Add(&s)
		*at += time.Second
		if c.Elapsed() >= rules.Window {
			w, _ := c.Close()
			windows = append(windows, w)
		}
	}
	return windows
}

func classes(windows []Window) []Class {
	var all []Class
	for _, w := range windows {
		all = append(all, w.Class)
	}
	return all
}

func TestBusyRule(t *testing.T) {
	rules := DefaultRules()
	for _, test := range []struct {
		name string
		r    reading
		want Class
	}{
		{"full load", busy, Cold}, // the first window of an episode
		{"a kernel that spins", spin, LowPower},
		{"rest", rests, Unused},
		{"utilisation a little low", busy.with(sampler.UtilizationGPU, 89), Unused},
		{"power a little low", busy.with(sampler.PowerUsage, 174_999), LowPower},
		{"nothing at all is told, as under MIG", reading{sampler.ClockSM: 1500}, Unused},
	} {
		t.Run(test.name, func(t *testing.T) {
			var at time.Duration
			got := feed(NewCollector(0, rules, limits()), rules, &at, 61, test.r)
			if len(got) != 1 || got[0].Class != test.want {
				t.Errorf("got %v, want %v", classes(got), test.want)
			}
		})
	}
}

func TestGPMAloneMakesBusy(t *testing.T) {
	c := NewCollector(0, DefaultRules(), sampler.Readings{})
	for second := range 60 {
		s := sampler.Sample{At: time.Duration(second) * time.Second}
		if second%8 == 0 { // one device of eight per tick
			s.GPM = sampler.Of(sampler.GPM{SMUtilization: 0.7})
		}
		c.Add(&s)
	}
	if w, _ := c.Close(); w.Class != Cold {
		t.Errorf("got %s", w.Class)
	}
}

func TestColdPhaseIsApart(t *testing.T) {
	rules := DefaultRules()
	c, at := NewCollector(0, rules, limits()), time.Duration(0)
	got := classes(feed(c, rules, &at, 4*60+1, busy))
	got = append(got, classes(feed(c, rules, &at, 60, rests))...)
	got = append(got, classes(feed(c, rules, &at, 3*60, busy))...)
	want := []Class{Cold, Cold, Steady, Steady, Unused, Cold, Cold, Steady}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

func TestSufficientAfterFifteenBusyMinutes(t *testing.T) {
	rules := DefaultRules()
	c, at := NewCollector(0, rules, limits()), time.Duration(0)
	var s Summary
	for minute := 1; minute <= 15; minute++ {
		if s.Sufficient(rules) {
			t.Fatalf("enough before minute %d", minute)
		}
		for _, w := range feed(c, rules, &at, 60, busy) {
			s.Add(&w)
		}
	}
	for _, w := range feed(c, rules, &at, 1, busy) {
		s.Add(&w)
	}
	if !s.Sufficient(rules) || s.Windows.Steady != 13 || s.Windows.Cold != 2 {
		t.Errorf("after 15 minutes: %+v, enough: %v", s.Windows, s.Sufficient(rules))
	}
}

func TestCountersAreDifferences(t *testing.T) {
	rules := DefaultRules()
	c := NewCollector(0, rules, limits())
	for second := range 61 {
		s := sampler.Sample{At: time.Duration(second) * time.Second}
		s.Readings[sampler.Energy] = sampler.Of(5e6 + 300_000*float64(second))
		if second == 30 { // one reading is lost: its counts are found in the next but one
			s.Readings[sampler.Energy] = sampler.Failed[float64](sampler.CodeTimeout)
		}
		s.Readings[sampler.ThrottleSWThermal] = sampler.Of(1e9 + 2e8*float64(second))
		c.Add(&s)
	}
	w, _ := c.Close()
	if got := w.Sums.SWThermal; math.Abs(got.Total-12) > 1e-6 || got.Seconds != 60 {
		t.Errorf("got %+v, want 12 s of 60", got)
	}
	if got := w.Sums.Energy; math.Abs(got.Total/got.Seconds-300) > 1e-6 || got.Seconds != 58 {
		t.Errorf("got %+v, want 300 J a second over 58", got)
	}
	if w.Sums.PowerCap.Known() || w.Sums.MemoryTemperature.N != 0 {
		t.Error("what was never read is known")
	}
}

func TestGapIsNotTime(t *testing.T) {
	c := NewCollector(0, DefaultRules(), limits())
	for _, second := range []int{0, 1, 2, 3600, 3601} { // asleep for an hour
		s := sampler.Sample{At: time.Duration(second) * time.Second}
		s.Readings[sampler.UtilizationGPU] = sampler.Of(99.0)
		c.Add(&s)
	}
	if w, _ := c.Close(); w.Sums.Seconds != 3 {
		t.Errorf("got %v seconds, want 3", w.Sums.Seconds)
	}
}

// Case 19: the core is cool, and heat holds the clock down: it is the memory.
func TestCase19MemoryThermalSuspected(t *testing.T) {
	rules := DefaultRules()
	for _, test := range []struct {
		name   string
		core   float64
		memory float64 // 0 for a card that does not tell
		step   float64 // ns of SW-thermal a second
		want   int
	}{
		{"cool core, counter advances", 68, 0, 1e8, 1},
		{"cool core, counter stands", 68, 0, 0, 0},
		{"hot core", 90, 0, 1e8, 0},
		{"the card tells its memory's temperature", 68, 104, 1e8, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := NewCollector(0, rules, limits())
			for second := range 60 {
				r := busy.with(sampler.Temperature, test.core).with(sampler.ThrottleSWThermal, test.step*float64(second))
				if test.memory > 0 {
					r = r.with(sampler.MemoryTemperature, test.memory)
				}
				s := sampler.Sample{At: time.Duration(second) * time.Second}
				for q, v := range r {
					s.Readings[q] = sampler.Of(v)
				}
				c.Add(&s)
			}
			if w, _ := c.Close(); w.Sums.ThermalSuspects != test.want {
				t.Errorf("got %d suspicions, want %d", w.Sums.ThermalSuspects, test.want)
			}
		})
	}
}

func TestClockOnlyWhileBusy(t *testing.T) {
	rules := DefaultRules()
	c, at := NewCollector(0, rules, limits()), time.Duration(0)
	feed(c, rules, &at, 50, busy)
	feed(c, rules, &at, 10, rests)
	w, _ := c.Close()
	if w.Class != Cold || w.Sums.ClockSM.N != 50 || w.Sums.ClockSM.Mean() != 1500 {
		t.Errorf("got %s with %d clocks of mean %v", w.Class, w.Sums.ClockSM.N, w.Sums.ClockSM.Mean())
	}
	if w.Sums.ClockHistogram[15] != 50 {
		t.Errorf("got histogram %v, want 50 in the bin from 75%%", w.Sums.ClockHistogram)
	}
}

// The statistics of a whole are those of its parts, however it is cut and in whatever
// order the parts are added.
func TestMergeIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 3000), 1, 200).Draw(t, "values")
		parts := make([]Stat, rapid.IntRange(1, 5).Draw(t, "parts"))
		var whole Stat
		for _, v := range values {
			whole.Add(v)
			parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")].Add(v)
		}
		var merged Stat
		for _, i := range rapid.Permutation(indexes(len(parts))).Draw(t, "order") {
			merged.Merge(parts[i])
		}
		if merged.N != whole.N || merged.Min != whole.Min || merged.Max != whole.Max || math.Abs(merged.Sum-whole.Sum) > 1e-6*whole.Sum+1e-9 {
			t.Fatalf("got %+v, want %+v", merged, whole)
		}
		for _, q := range []float64{0.05, 0.5, 0.95} {
			if merged.Quantile(q) != whole.Quantile(q) {
				t.Fatalf("quantile %g is %v, want %v", q, merged.Quantile(q), whole.Quantile(q))
			}
		}
	})
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Busy time never exceeds time, and every second lies in one window.
func TestSecondsAddUp(t *testing.T) {
	rules := DefaultRules()
	rules.Window = 10 * time.Second
	rapid.Check(t, func(t *rapid.T) {
		c, at := NewCollector(0, rules, limits()), time.Duration(0)
		var s Summary
		total := 0
		for range rapid.IntRange(1, 8).Draw(t, "stretches") {
			n := rapid.IntRange(1, 40).Draw(t, "seconds")
			total += n
			for _, w := range feed(c, rules, &at, n, rapid.SampledFrom([]reading{busy, spin, rests}).Draw(t, "load")) {
				s.Add(&w)
			}
		}
		if w, ok := c.Close(); ok {
			s.Add(&w)
		}
		if s.Seconds != float64(total-1) || s.BusySeconds > s.Seconds {
			t.Fatalf("got %v s of which %v busy, want %d", s.Seconds, s.BusySeconds, total-1)
		}
	})
}
