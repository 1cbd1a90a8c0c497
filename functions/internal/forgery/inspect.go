package forgery

import (
	"fmt"
	"math"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// Reason says in a word what a report can't be.
type Reason string

// The reasons.
const (
	BusyAboveWall      Reason = "busy_above_wall"
	ClockAboveMax      Reason = "clock_above_max"
	PowerAboveLimit    Reason = "power_above_limit"
	EnergyOffPower     Reason = "energy_off_power"
	FasterThanPossible Reason = "faster_than_possible"
	Statistics         Reason = "statistics_inconsistent"
	Hardware           Reason = "hardware_inconsistent"
	SameGPUTwice       Reason = "same_gpu_twice"
)

// Reasons are all reasons.
func Reasons() []Reason {
	return []Reason{BusyAboveWall, ClockAboveMax, PowerAboveLimit, EnergyOffPower, FasterThanPossible, Statistics, Hardware, SameGPUTwice}
}

// Finding is why a report can't be true, and where in it that shows.
type Finding struct {
	Reason  Reason
	Pointer string
	Message string
}

// Card is what the service knows of a GPU of a report.
type Card struct {
	Model    catalog.GPUModel // zero if it is unknown
	Contrary bool             // its name and its PCI device are of two families
}

// The tolerances.
const (
	wallTolerance   = 0.01 // of the time that passed
	clockTolerance  = 0.01 // of the highest clock
	powerTolerance  = 1.10 // times the limit
	energyTolerance = 0.05 // of the mean power
	energySeconds   = 60   // below, a counter that is read ten times a second is too coarse
	gemmTolerance   = 1.03 // times the best that anyone measured
	specTolerance   = 1.02 // times what the specification allows
	memoryTolerance = 0.15 // of what the card is sold with
)

// Inspect returns the first thing in a report that can't be true. cards are what is
// known of its GPUs, in their order. ok is true if nothing was found.
func Inspect(m *schemas.Measurement, cards []Card) (found Finding, ok bool) {
	seen := make(map[string]int)
	for i := range m.GPUs {
		g := &m.GPUs[i]
		if first, twice := seen[g.GPU]; twice && g.GPU != "" {
			return Finding{SameGPUTwice, at(i, "gpu"), fmt.Sprintf("the GPU is the one of /gpus/%d", first)}, false
		}
		seen[g.GPU] = i
		for _, check := range []func() *Finding{
			func() *Finding { return hardware(g, cards[i]) },
			func() *Finding { return times(g, wall(m), m.Rules.IntervalSeconds) },
			func() *Finding { return sums(g, "steady", g.Steady) },
			func() *Finding { return sums(g, "cold", g.Cold) },
		} {
			if f := check(); f != nil {
				f.Pointer = at(i, f.Pointer)
				return *f, false
			}
		}
	}
	if f := work(m, cards); f != nil {
		return *f, false
	}
	return Finding{}, true
}

// at is the pointer of a field of a GPU.
func at(gpu int, field string) string { return fmt.Sprintf("/gpus/%d/%s", gpu, field) }

// wall is how long the box measured: by its monotonic clock, which begins anew with
// each start of the agent, or by the other one, which may be set.
func wall(m *schemas.Measurement) float64 {
	from, errFrom := time.Parse(time.RFC3339, m.WallStart)
	until, errUntil := time.Parse(time.RFC3339, m.WallEnd)
	if errFrom != nil || errUntil != nil {
		return m.MonoEnd - m.MonoStart
	}
	return max(m.MonoEnd-m.MonoStart, until.Sub(from).Seconds()+1)
}

// times holds the seconds of a GPU against those that passed.
func times(g *schemas.MeasuredGPU, wall, interval float64) *Finding {
	most := wall*(1+wallTolerance) + 2*interval
	for _, s := range []struct {
		field   string
		seconds float64
	}{
		{"observed_seconds", g.ObservedSeconds}, {"busy_seconds", g.BusySeconds}, {"lost_seconds", g.LostSeconds},
		{"unobserved_seconds", g.UnobservedSeconds},
		{"steady/seconds", secondsOf(g.Steady) + secondsOf(g.Cold)},
	} {
		if s.seconds > most {
			return &Finding{BusyAboveWall, s.field, fmt.Sprintf("%.0f seconds of %.0f that passed", s.seconds, wall)}
		}
	}
	if g.BusySeconds > g.ObservedSeconds*(1+wallTolerance)+interval {
		return &Finding{BusyAboveWall, "busy_seconds", "the GPU was busy for longer than it was observed"}
	}
	return nil
}

func secondsOf(s *schemas.MeasuredSums) float64 {
	if s == nil {
		return 0
	}
	return s.Seconds
}

// hardware holds a card against what the catalogue says of its model.
func hardware(g *schemas.MeasuredGPU, c Card) *Finding {
	known := c.Model.ID != ""
	slice := g.MIG || g.Virtualization == "vgpu"
	switch {
	case c.Contrary:
		return &Finding{Hardware, "pci_device_id", "the PCI device is of another family than the name"}
	case known && g.ComputeCapability != "" && c.Model.ComputeCapability != "" && g.ComputeCapability != c.Model.ComputeCapability:
		return &Finding{Hardware, "compute_capability", fmt.Sprintf("%s has compute capability %s", c.Model.ID, c.Model.ComputeCapability)}
	case known && !slice && g.MemoryTotal > 0 && c.Model.MemoryGB > 0 &&
		math.Abs(g.MemoryTotal/1e9-c.Model.MemoryGB) > memoryTolerance*c.Model.MemoryGB:
		return &Finding{Hardware, "memory_total_bytes", fmt.Sprintf("%s has %g GB", c.Model.ID, c.Model.MemoryGB)}
	}
	return nil
}

// sums holds statistics against each other and against the card's limits.
func sums(g *schemas.MeasuredGPU, name string, s *schemas.MeasuredSums) *Finding {
	if s == nil {
		return nil
	}
	for _, x := range []struct {
		field string
		stat  *schemas.MeasuredStat
	}{
		{"clock_sm_mhz", s.ClockSM}, {"power_watts", s.Power}, {"temperature_celsius", s.Temperature},
		{"memory_temperature_celsius", s.MemoryTemperature}, {"utilization_percent", s.Utilization},
		{"sm_utilization_percent", s.SMUtilization}, {"tensor_active_percent", s.TensorActive}, {"dram_bandwidth_percent", s.DRAMBandwidth},
	} {
		if x.stat != nil && (!sane(x.stat) || x.stat.N > s.Samples) {
			return &Finding{Statistics, name + "/" + x.field, "the figures contradict each other"}
		}
	}
	if s.BusySeconds > s.Seconds*(1+wallTolerance) {
		return &Finding{BusyAboveWall, name + "/busy_seconds", "more busy seconds than seconds"}
	}
	return limits(g, name, s)
}

// limits holds statistics against what the card can do.
func limits(g *schemas.MeasuredGPU, name string, s *schemas.MeasuredSums) *Finding {
	switch {
	case s.ClockSM != nil && g.ClockSMMax > 0 && s.ClockSM.Max > g.ClockSMMax*(1+clockTolerance):
		return &Finding{ClockAboveMax, name + "/clock_sm_mhz/max", fmt.Sprintf("the driver says %g MHz at most", g.ClockSMMax)}
	case s.Power != nil && g.PowerLimit > 0 && s.Power.P95 > g.PowerLimit*powerTolerance:
		return &Finding{PowerAboveLimit, name + "/power_watts/p95", fmt.Sprintf("the limit is %g W", g.PowerLimit)}
	case s.Power != nil && s.Energy != nil && s.Energy.Seconds >= energySeconds &&
		math.Abs(s.Energy.Total/s.Energy.Seconds-s.Power.Mean()) > energyTolerance*s.Power.Mean():
		return &Finding{EnergyOffPower, name + "/energy_joules", fmt.Sprintf("%.0f W on average, by the counter of energy; %.0f W by the readings",
			s.Energy.Total/s.Energy.Seconds, s.Power.Mean())}
	case !histogramFits(s, g.ClockSMMax):
		return &Finding{Statistics, name + "/clock_histogram", "it does not go with clock_sm_mhz"}
	}
	return nil
}

// sane reports whether the figures of a statistic can be of one sample. Quantiles are
// rounded to whole units.
func sane(s *schemas.MeasuredStat) bool {
	const rounding = 1
	n, slack := float64(s.N), 1e-9*math.Max(1, math.Abs(s.Sum))
	ordered := s.Min <= s.P5+rounding && s.P5 <= s.P50 && s.P50 <= s.P95 && s.P95 <= s.Max+rounding && s.Min <= s.Max
	return ordered && s.Sum >= n*s.Min-slack && s.Sum <= n*s.Max+slack &&
		s.SumSquares >= s.Sum*s.Sum/n*(1-1e-9)-slack && s.SumSquares <= n*math.Max(s.Min*s.Min, s.Max*s.Max)*(1+1e-9)+slack
}

// histogramFits reports whether a histogram of clocks can be of the clocks whose
// statistics stand beside it. Its bins are twentieths of the highest clock; the last
// holds what is above as well.
func histogramFits(s *schemas.MeasuredSums, highest float64) bool {
	if s.ClockHistogram == nil || s.ClockSM == nil || highest <= 0 {
		return true
	}
	count, low, high := 0, 0.0, 0.0
	for i, n := range s.ClockHistogram {
		count += n
		low += float64(n) * float64(i) / float64(len(s.ClockHistogram)) * highest
		high += float64(n) * float64(i+1) / float64(len(s.ClockHistogram)) * highest
	}
	slack := clockTolerance * highest * float64(count)
	return count == s.ClockSM.N && s.ClockSM.Sum >= low-slack && s.ClockSM.Sum <= high+slack
}

// work holds what programs say of their speed against what the GPUs can do.
func work(m *schemas.Measurement, cards []Card) *Finding {
	if len(cards) == 0 || cards[0].Model.ID == "" {
		return nil
	}
	g := cards[0].Model
	for i := range m.Work {
		w := &m.Work[i]
		pointer := fmt.Sprintf("/throughput/%d/rate", i)
		if !sane(&w.Rate) {
			return &Finding{Statistics, pointer, "the figures contradict each other"}
		}
		if most := fastest(g, w, len(m.GPUs)); most > 0 && w.Rate.Mean() > most {
			return &Finding{FasterThanPossible, pointer, fmt.Sprintf("%s can do %.4g at most", g.ID, most)}
		}
	}
	return nil
}

// fastest is the highest rate that some GPUs can have, in the rate's unit; 0 if nobody
// can tell.
func fastest(g catalog.GPUModel, w *schemas.MeasuredWork, gpus int) float64 {
	peak := max(g.BF16TFLOPS, g.FP16TFLOPS, g.FP32TFLOPS)
	switch w.Unit {
	case "teraflops":
		if g.GEMMTFLOPS > 0 {
			return g.GEMMTFLOPS * gemmTolerance
		}
		return peak * specTolerance
	case "gigabytes_per_second":
		if gpus > 1 {
			return g.NVLinkGBs / 2 * specTolerance
		}
		return g.BandwidthGBs * specTolerance
	case "tokens_per_second":
		if perToken := TrainingTFLOP(w.Model); perToken > 0 {
			return max(peak, g.FP8TFLOPS) * float64(gpus) / perToken * specTolerance
		}
	}
	return 0
}

// TrainingTFLOP is the work of one token in training, in 10^12 operations: 6 N + 12 L d
// s (Chowdhery et al., "PaLM", appendix B), recomputation not counted; 0 if the model
// was not trained, or its size is unknown.
func TrainingTFLOP(m *schemas.MeasuredModel) float64 {
	if m == nil || m.Phase != "train" || m.ParamsB <= 0 {
		return 0
	}
	return (6*m.ParamsB*1e9 + 12*float64(m.Layers)*float64(m.Hidden)*float64(m.SeqLen)) / 1e12
}
