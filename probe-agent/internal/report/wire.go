package report

import (
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// NewStat puts a statistic on the wire; nil if it has seen nothing.
func NewStat(s window.Stat) *Stat {
	if s.N == 0 {
		return nil
	}
	return &Stat{s.N, s.Sum, s.SumSquares, s.Min, s.Max, s.Quantile(0.05), s.Quantile(0.5), s.Quantile(0.95)}
}

// newCounter puts a counter on the wire; nil if it was never read twice.
func newCounter(c window.Counter) *window.Counter {
	if !c.Known() {
		return nil
	}
	return &c
}

// newSums puts sums on the wire; nil if there are no windows in them.
func newSums(s *window.Sums) *Sums {
	if s.Windows == 0 {
		return nil
	}
	wire := &Sums{
		Windows: s.Windows, Samples: s.Samples, Seconds: s.Seconds, BusySeconds: s.BusySeconds,
		ClockSM: NewStat(s.ClockSM), Power: NewStat(s.Power), Temperature: NewStat(s.Temperature),
		MemoryTemperature: NewStat(s.MemoryTemperature), Utilization: NewStat(s.Utilization),
		PCIeGeneration: NewStat(s.PCIeGeneration), PCIeWidth: NewStat(s.PCIeWidth),
		SMUtilization: NewStat(s.SMUtilization), TensorActive: NewStat(s.TensorActive), DRAMBandwidth: NewStat(s.DRAMBandwidth),
		Reasons: sampler.ReasonNames(s.ReasonsSeen),
		Energy:  newCounter(s.Energy), PowerCap: newCounter(s.PowerCap), SyncBoost: newCounter(s.SyncBoost),
		SWThermal: newCounter(s.SWThermal), HWThermal: newCounter(s.HWThermal), PowerBrake: newCounter(s.PowerBrake),
		PCIeSent: newCounter(s.PCIeSent), PCIeReceived: newCounter(s.PCIeReceived),
		NVLinkSent: newCounter(s.NVLinkSent), NVLinkReceived: newCounter(s.NVLinkReceived),
	}
	if s.ClockHistogram != ([window.Bins]int{}) {
		wire.ClockHistogram = s.ClockHistogram[:]
	}
	return wire
}

// NewRules puts rules on the wire.
func NewRules(r window.Rules, interval time.Duration) Rules {
	return Rules{
		IntervalSeconds: interval.Seconds(), WindowSeconds: r.Window.Seconds(), BusyShare: r.BusyShare,
		BusyUtilization: r.UtilizationBusy, BusyPower: r.PowerBusy, BusySMUtilization: r.SMUtilization,
		ColdSeconds: r.Cold.Seconds(), SufficientBusySeconds: r.SufficientBusy.Seconds(), SufficientSteady: r.SufficientSteady.Seconds(),
	}
}

// rules are the rules as far as a draft needs them.
func (r Rules) rules() window.Rules {
	second := float64(time.Second)
	return window.Rules{
		Window:           time.Duration(r.WindowSeconds * second),
		SufficientBusy:   time.Duration(r.SufficientBusySeconds * second),
		SufficientSteady: time.Duration(r.SufficientSteady * second),
	}
}
