package convert

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/forgery"
	"github.com/tierwise/tierwise/schemas"
)

// Received is what is known of a report besides its content.
type Received struct {
	ID          catalog.ReportID
	Box         catalog.Box
	At          time.Time
	ClockOffset time.Duration // the server's clock less the box's
	Payload     []byte
}

// Report reads a measurement. cards are what is known of its GPUs, in their order;
// provider and SKU are left to the caller.
func Report(m *schemas.Measurement, cards []forgery.Card, r Received) catalog.Report {
	out := catalog.Report{
		ID: r.ID, Box: r.Box.Machine, Tenant: r.Box.Tenant, Kind: catalog.ReportKind(m.Kind),
		Host: r.Box.Host || m.Reporter == "provider", Sequence: m.Seq,
		ReceivedAt: r.At, ClockOffset: r.ClockOffset, Boot: m.BootID, Driver: m.System.Driver,
		Typed:   catalog.Typed{Provider: m.Provider, Region: m.Region, SKU: m.SKU},
		Payload: r.Payload,
	}
	out.From, out.Until = interval(m, r)
	for i := range m.GPUs {
		g := &m.GPUs[i]
		reading := readingOf(&out, g, cards[i].Model.ID)
		addGPU(reading, g)
	}
	for i := range out.Readings {
		addWork(&out.Readings[i], m, i == 0)
	}
	for _, c := range m.Checks {
		out.Checks = append(out.Checks, catalog.Check{ID: catalog.CheckID(c.ID), Status: catalog.CheckStatus(c.Status)})
	}
	return out
}

// interval is when a report was measured, by the server's clock: the end by the box's
// clock, put right, and not after the report came; the length by the box's monotonic
// clock.
func interval(m *schemas.Measurement, r Received) (from, until time.Time) {
	until = r.At
	if end, err := time.Parse(time.RFC3339, m.WallEnd); err == nil {
		if end = end.Add(r.ClockOffset); end.Before(until) {
			until = end.UTC()
		}
	}
	length := time.Duration(max(m.MonoEnd-m.MonoStart, 0) * float64(time.Second))
	return until.Add(-length), until
}

// readingOf is the reading of a kind of GPUs, a new one if the report has none yet.
func readingOf(r *catalog.Report, g *schemas.MeasuredGPU, id catalog.GPUID) *catalog.Reading {
	for i := range r.Readings {
		if x := &r.Readings[i]; x.GPU == id && x.Name == g.Model && x.PCIDevice == g.PCIDeviceID {
			return x
		}
	}
	r.Readings = append(r.Readings, catalog.Reading{
		GPU: id, Name: g.Model, PCIDevice: g.PCIDeviceID, MemoryBytes: g.MemoryTotal, Evidence: catalog.Passive,
	})
	return &r.Readings[len(r.Readings)-1]
}

// How long a GPU must have worked for its report to count, and how much of that must
// not be cold. Windows miss the time before their first sample: hence the tolerance.
const (
	sufficientSeconds = 15 * 60 * 0.98
	steadySeconds     = 10 * 60 * 0.98
)

// addGPU adds one GPU to the reading of its kind.
func addGPU(x *catalog.Reading, g *schemas.MeasuredGPU) {
	device := catalog.Device{Hash: catalog.GPUHash(g.GPU)}
	if g.ECC != nil && g.ECC.Corrected != nil && g.ECC.Uncorrected != nil {
		device.Errors, device.Counted = *g.ECC.Corrected+*g.ECC.Uncorrected, true
	}
	x.Devices = append(x.Devices, device)
	x.Partitioned = x.Partitioned || g.MIG
	x.ObservedSeconds += g.ObservedSeconds
	x.LostSeconds += g.LostSeconds
	x.ClockMax = max(x.ClockMax, g.ClockSMMax)
	if g.Steady == nil {
		return
	}
	s, cold := g.Steady, 0.0
	if g.Cold != nil {
		cold = g.Cold.Seconds
	}
	if s.Seconds < steadySeconds || s.Seconds+cold < sufficientSeconds {
		return
	}
	x.Sufficient = true
	x.BusySeconds += s.BusySeconds
	if s.ClockSM != nil {
		x.Clock.Add(catalog.Mean{N: s.ClockSM.N, Sum: s.ClockSM.Sum})
	}
	for _, held := range []*schemas.MeasuredCounter{s.SWThermal, s.HWThermal, s.PowerBrake} {
		if held != nil {
			x.HeldSeconds += held.Total
		}
	}
	if p, ok := printOf(s); ok {
		x.Prints = append(x.Prints, p)
	}
}

// When a histogram of the clock tells boxes apart: it has so many samples, and two that
// are drawn from the same shares are equal so rarely. The few hundred thousand reports of
// a window are 1e11 pairs.
const (
	printSamples = 300
	rarely       = 1e-12
)

// printOf is a digest of how a clock was distributed; with its sums and those of the
// power where the histogram alone may be another box's by chance. ok is false if that
// tells nothing either: nothing moved.
func printOf(s *schemas.MeasuredSums) (digest uint64, ok bool) {
	hash := fnv.New64a()
	count := 0
	for _, n := range s.ClockHistogram {
		count += n
		_, _ = hash.Write(binary.AppendVarint(nil, int64(n)))
	}
	if chanceOf(s.ClockHistogram) > rarely {
		ok = s.ClockSM != nil && s.Power != nil && s.ClockSM.Min < s.ClockSM.Max && s.Power.Min < s.Power.Max
		if !ok {
			return 0, false
		}
		for _, x := range []float64{s.ClockSM.Sum, s.ClockSM.SumSquares, s.Power.Sum, s.Power.SumSquares} {
			_, _ = hash.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return hash.Sum64(), count >= printSamples
}

// chanceOf is how likely another draw from the shares of a histogram is the same: the
// normal approximation of two multinomial draws, (4 pi n)^(-(k-1)/2) over the root of the
// product of the k shares. Samples that depend on each other are the same more rarely.
func chanceOf(histogram []int) float64 {
	n, bins, logShares := 0.0, 0.0, 0.0
	for _, count := range histogram {
		n += float64(count)
	}
	for _, count := range histogram {
		if count > 0 {
			bins++
			logShares += math.Log(float64(count) / n)
		}
	}
	return min(math.Exp(-(bins-1)/2*math.Log(4*math.Pi*max(n, 1))-logShares/2), 1)
}

// addWork adds what programs said of their speed; a rate is of the whole box, whose
// first kind of GPUs it is taken to be of.
func addWork(x *catalog.Reading, m *schemas.Measurement, first bool) {
	if !first {
		return
	}
	for i := range m.Work {
		w := &m.Work[i]
		rate := catalog.Mean{N: w.Rate.N, Sum: w.Rate.Sum}
		perToken := forgery.TrainingTFLOP(w.Model)
		switch {
		case w.Source == "benchmark" && w.Unit == "teraflops":
			x.GEMM.Add(rate)
		case w.Source == "benchmark" && w.Unit == "gigabytes_per_second" && len(m.GPUs) > 1:
			x.Bus.Add(rate)
		case w.Source == "benchmark" && w.Unit == "gigabytes_per_second":
			x.Copy.Add(rate)
		case w.Unit == "tokens_per_second" && perToken > 0 && len(x.Devices) == len(m.GPUs):
			x.Training.Add(catalog.Mean{N: rate.N, Sum: rate.Sum * perToken / float64(len(m.GPUs))})
		default:
			continue
		}
		if w.Source == "benchmark" {
			x.Sufficient, x.Evidence = true, catalog.Active
		} else if x.Evidence == catalog.Passive {
			x.Evidence = catalog.WorkloadReported
		}
	}
}
