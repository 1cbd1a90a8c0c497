package window

import (
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// Window is a stretch of one device's time, with its statistics.
type Window struct {
	Device int           `json:"device"`
	Start  time.Duration `json:"start"` // since the agent's start
	End    time.Duration `json:"end"`
	Class  Class         `json:"class"`
	Sums   Sums          `json:"sums"`
	// Of the window's seconds: the device was lost, or could not be read.
	LostSeconds       float64 `json:"lost_seconds"`
	UnobservedSeconds float64 `json:"unobserved_seconds"`
}

// maxGap is the longest time between two samples that is still counted; after a
// longer one the machine was asleep, or the agent was.
const maxGap = 10 * time.Second

// Collector cuts the samples of one device into windows. Make one with NewCollector;
// it belongs to one goroutine.
type Collector struct {
	rules   Rules
	limits  sampler.Readings
	last    sampler.Sample // the sample before, At < 0 if there is none
	episode time.Duration  // busy time of the current episode, up to this window

	current Window
	utilise int     // samples of the current window that are busy by utilisation
	busy    int     // samples that are busy by all rules
	missing int     // samples without utilisation
	smUtil  float64 // the last seen, below 0 if none
	thermal bool    // SW-thermal with a core below its slowdown temperature
}

// NewCollector collects by rules. Limits hold the device's power limit, its highest
// clock and its slowdown temperature.
func NewCollector(device int, rules Rules, limits sampler.Readings) *Collector {
	c := &Collector{rules: rules, limits: limits, smUtil: -1}
	c.last.At = -1
	c.current.Device = device
	return c
}

// SetLimits replaces the limits, which may change while the agent runs.
func (c *Collector) SetLimits(limits sampler.Readings) { c.limits = limits }

// Add counts a sample of the device. Samples come in order of time.
func (c *Collector) Add(s *sampler.Sample) {
	sums := &c.current.Sums
	if c.last.At < 0 {
		c.current.Start = s.At
		c.last = *s
	}
	gap := s.At - c.last.At
	if gap > maxGap {
		gap = 0
	}
	sums.Samples++
	sums.Seconds += gap.Seconds()
	c.addState(s, gap)
	if c.isBusy(s) {
		c.busy++
		sums.BusySeconds += gap.Seconds()
		c.addClock(s)
		addTo(&sums.PCIeGeneration, s, sampler.PCIeGeneration, 1)
		addTo(&sums.PCIeWidth, s, sampler.PCIeWidth, 1)
		reasons, _ := s.Readings.Get(sampler.EventReasons)
		sums.ReasonsSeen |= uint64(reasons)
		c.suspect(s, uint64(reasons))
	}
	c.addStats(s)
	if gap > 0 {
		c.addCounters(s, gap)
	}
	c.last = *s
	c.current.End = s.At
}

// addState counts the time in which nothing could be read.
func (c *Collector) addState(s *sampler.Sample, gap time.Duration) {
	switch _, ok := s.Readings.Get(sampler.UtilizationGPU); {
	case s.Lost():
		c.current.LostSeconds += gap.Seconds()
		c.missing++
	case !ok && s.Readings[sampler.UtilizationGPU].State() != sampler.StateNotSupported: // under MIG there is none
		c.current.UnobservedSeconds += gap.Seconds()
		c.missing++
	}
}

// isBusy applies the rules to one sample. Power keeps a spinning kernel from counting.
func (c *Collector) isBusy(s *sampler.Sample) bool {
	if gpm, ok := s.GPM.Get(); ok {
		c.smUtil = gpm.SMUtilization
	}
	if c.smUtil >= c.rules.SMUtilization {
		c.utilise++
		return true
	}
	utilization, ok := s.Readings.Get(sampler.UtilizationGPU)
	if !ok || utilization < c.rules.UtilizationBusy {
		return false
	}
	c.utilise++
	power, ok := s.Readings.Get(sampler.PowerUsage)
	limit, known := c.limits.Get(sampler.PowerLimitEnforced)
	return ok && known && power >= c.rules.PowerBusy*limit
}

// suspect notes that SW-thermal holds the clock down though the core is cool: then it
// is the memory that is hot, on cards that don't tell its temperature.
func (c *Collector) suspect(s *sampler.Sample, reasons uint64) {
	if s.Readings[sampler.MemoryTemperature].OK() {
		return
	}
	core, ok := s.Readings.Get(sampler.Temperature)
	slowdown, known := c.limits.Get(sampler.TemperatureSlowdown)
	if !ok || !known || core >= slowdown {
		return
	}
	now, hasNow := s.Readings.Get(sampler.ThrottleSWThermal)
	before, hasBefore := c.last.Readings.Get(sampler.ThrottleSWThermal)
	if reasons&sampler.ReasonSWThermal != 0 || hasNow && hasBefore && now > before {
		c.thermal = true
	}
}

func (c *Collector) addStats(s *sampler.Sample) {
	sums := &c.current.Sums
	addTo(&sums.Power, s, sampler.PowerUsage, 1000)
	addTo(&sums.Temperature, s, sampler.Temperature, 1)
	addTo(&sums.MemoryTemperature, s, sampler.MemoryTemperature, 1)
	addTo(&sums.Utilization, s, sampler.UtilizationGPU, 1)
	if gpm, ok := s.GPM.Get(); ok {
		sums.SMUtilization.Add(100 * gpm.SMUtilization)
		sums.TensorActive.Add(100 * gpm.TensorActive)
		sums.DRAMBandwidth.Add(100 * gpm.DRAMBandwidth)
	}
}

// addClock counts the clock of a busy sample: what it is at rest says nothing.
func (c *Collector) addClock(s *sampler.Sample) {
	sums := &c.current.Sums
	addTo(&sums.ClockSM, s, sampler.ClockSM, 1)
	clock, ok := s.Readings.Get(sampler.ClockSM)
	if highest, known := c.limits.Get(sampler.ClockSMMax); ok && known {
		sums.ClockHistogram[min(Bins-1, int(Bins*clock/highest))]++
	}
}

// addTo counts a quantity that was read, in units of its own divided by divisor.
func addTo(stat *Stat, s *sampler.Sample, q sampler.Quantity, divisor float64) {
	if v, ok := s.Readings.Get(q); ok {
		stat.Add(v / divisor)
	}
}

func (c *Collector) addCounters(s *sampler.Sample, gap time.Duration) {
	sums := &c.current.Sums
	for _, counter := range []struct {
		to      *Counter
		q       sampler.Quantity
		divisor float64
	}{
		{&sums.Energy, sampler.Energy, 1e3}, {&sums.PowerCap, sampler.ThrottlePowerCap, 1e9},
		{&sums.SyncBoost, sampler.ThrottleSyncBoost, 1e9}, {&sums.SWThermal, sampler.ThrottleSWThermal, 1e9},
		{&sums.HWThermal, sampler.ThrottleHWThermal, 1e9}, {&sums.PowerBrake, sampler.ThrottlePowerBrake, 1e9},
		{&sums.PCIeSent, sampler.PCIeBytesSent, 1}, {&sums.PCIeReceived, sampler.PCIeBytesReceived, 1},
		{&sums.NVLinkSent, sampler.NVLinkSent, 1.0 / 1024}, {&sums.NVLinkReceived, sampler.NVLinkReceived, 1.0 / 1024},
	} {
		now, ok := s.Readings.Get(counter.q)
		before, known := c.last.Readings.Get(counter.q)
		if ok && known && now >= before {
			counter.to.Merge(Counter{(now - before) / counter.divisor, gap.Seconds()})
		}
	}
}

// Elapsed is how long the current window has lasted.
func (c *Collector) Elapsed() time.Duration { return c.current.End - c.current.Start }

// Close ends the current window and begins the next. It returns false if the window
// has no samples.
func (c *Collector) Close() (Window, bool) {
	w := c.current
	c.current = Window{Device: w.Device, Start: w.End, End: w.End}
	if w.Sums.Samples == 0 {
		return w, false
	}
	w.Class = c.classify(&w)
	w.Sums.Windows = 1
	if c.thermal {
		w.Sums.ThermalSuspects = 1
	}
	if w.Class.Busy() {
		c.episode += w.End - w.Start
	} else {
		c.episode = 0
	}
	c.utilise, c.busy, c.missing, c.thermal = 0, 0, 0, false
	return w, true
}

func (c *Collector) classify(w *Window) Class {
	enough := c.rules.BusyShare * float64(w.Sums.Samples)
	switch {
	case float64(c.busy) >= enough && c.episode < c.rules.Cold:
		return Cold
	case float64(c.busy) >= enough:
		return Steady
	case c.missing > w.Sums.Samples/2:
		return Unavailable
	case float64(c.utilise) >= enough:
		return LowPower
	}
	return Unused
}
