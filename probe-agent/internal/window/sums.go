package window

// Bins is how many bins the histogram of the clock has: each is a twentieth of the
// highest SM clock that the driver names.
const Bins = 20

// Sums are the statistics of one device over one or more windows of a kind.
type Sums struct {
	Windows     int     `json:"windows"`
	Samples     int     `json:"samples"`
	Seconds     float64 `json:"seconds"`
	BusySeconds float64 `json:"busy_seconds"`

	ClockSM           Stat `json:"clock_sm_mhz,omitzero"` // of busy samples
	Power             Stat `json:"power_watts,omitzero"`
	Temperature       Stat `json:"temperature_celsius,omitzero"`
	MemoryTemperature Stat `json:"memory_temperature_celsius,omitzero"`
	Utilization       Stat `json:"utilization_percent,omitzero"`
	PCIeGeneration    Stat `json:"pcie_generation,omitzero"` // of busy samples: an idle link falls to 1
	PCIeWidth         Stat `json:"pcie_width,omitzero"`      // of busy samples
	SMUtilization     Stat `json:"sm_utilization_percent,omitzero"`
	TensorActive      Stat `json:"tensor_active_percent,omitzero"`
	DRAMBandwidth     Stat `json:"dram_bandwidth_percent,omitzero"`

	ClockHistogram [Bins]int `json:"clock_histogram"` // of busy samples; all zero if a clock is unknown

	Energy          Counter `json:"energy_joules,omitzero"`
	PowerCap        Counter `json:"throttle_sw_power_cap_seconds,omitzero"` // normal at full load on many cards
	SyncBoost       Counter `json:"throttle_sync_boost_seconds,omitzero"`
	SWThermal       Counter `json:"throttle_sw_thermal_seconds,omitzero"`
	HWThermal       Counter `json:"throttle_hw_thermal_seconds,omitzero"`
	PowerBrake      Counter `json:"throttle_hw_power_brake_seconds,omitzero"`
	PCIeSent        Counter `json:"pcie_sent_bytes,omitzero"`
	PCIeReceived    Counter `json:"pcie_received_bytes,omitzero"`
	NVLinkSent      Counter `json:"nvlink_sent_bytes,omitzero"`
	NVLinkReceived  Counter `json:"nvlink_received_bytes,omitzero"`
	ReasonsSeen     uint64  `json:"clock_event_reasons"` // every bit that was set in a busy sample
	ThermalSuspects int     `json:"thermal_suspects"`    // windows in which the memory must have been what was hot
}

// Merge adds other sums.
func (s *Sums) Merge(other *Sums) {
	s.Windows += other.Windows
	s.Samples += other.Samples
	s.Seconds += other.Seconds
	s.BusySeconds += other.BusySeconds
	theirs := other.stats()
	for i, mine := range s.stats() {
		mine.Merge(*theirs[i])
	}
	counted := other.counters()
	for i, mine := range s.counters() {
		mine.Merge(*counted[i])
	}
	for i, n := range other.ClockHistogram {
		s.ClockHistogram[i] += n
	}
	s.ReasonsSeen |= other.ReasonsSeen
	s.ThermalSuspects += other.ThermalSuspects
}

func (s *Sums) stats() []*Stat {
	return []*Stat{&s.ClockSM, &s.Power, &s.Temperature, &s.MemoryTemperature, &s.Utilization, &s.PCIeGeneration, &s.PCIeWidth,
		&s.SMUtilization, &s.TensorActive, &s.DRAMBandwidth}
}

func (s *Sums) counters() []*Counter {
	return []*Counter{&s.Energy, &s.PowerCap, &s.SyncBoost, &s.SWThermal, &s.HWThermal, &s.PowerBrake, &s.PCIeSent, &s.PCIeReceived,
		&s.NVLinkSent, &s.NVLinkReceived}
}

// Throttled is the share of the time in which heat or the power supply held the clock
// down, and whether any of those counters was read. The power cap is not in it.
func (s *Sums) Throttled() (float64, bool) {
	var total, seconds float64
	for _, c := range []Counter{s.SWThermal, s.HWThermal, s.PowerBrake} {
		total += c.Total
		seconds = max(seconds, c.Seconds)
	}
	if seconds == 0 {
		return 0, false
	}
	return min(1, total/seconds), true
}
