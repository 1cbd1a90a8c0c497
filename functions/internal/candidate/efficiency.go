package candidate

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Efficiency is the coefficient eta of a box: useful work per paid hour against
// a healthy reference of the same GPU. It enters once, in the hours.
type Efficiency struct {
	Value, Low, High float64
	Source           string // "measured" or "prior"; "none" where no coefficient applies
	Tier             string // evidence tier, "P" for a prior
	// Measured is what it rests on; nil if nothing was measured. Unshrunk is what was
	// measured of this kind of work, before it was drawn towards the prior.
	Measured *catalog.Coefficient
	Unshrunk float64
}

// unscaled is the efficiency of work that no coefficient applies to: CPU work
// and rented time.
func unscaled() Efficiency { return Efficiency{Value: 1, Low: 1, High: 1, Source: "none"} }

// efficiencyOf is the prior of a GPU's class. Without one the coefficient is the
// lowest prior of all: an unknown never wins.
func efficiencyOf(s *catalog.Snapshot, g catalog.GPUModel) Efficiency {
	prior, ok := s.Prior(g.Class)
	if !ok {
		prior, _ = s.Prior(catalog.Consumer)
	}
	if prior.Value <= 0 {
		return Efficiency{Value: 1, Low: 1, High: 1, Source: "none"}
	}
	return Efficiency{Value: prior.Value, Low: prior.Low, High: prior.High, Source: "prior", Tier: "P"}
}

// Span is a duration in seconds: an 80% interval around the expected value, and
// the 95th percentile.
type Span struct{ Low, Expected, High, P95 float64 }

// quantile95 is how far the 95th percentile lies beyond the upper end of an 80%
// interval of a lognormal duration: 1.6449 / 1.2816 standard deviations.
const quantile95 = 1.6449 / 1.2816

// spanOf divides an estimate by the efficiency. The two uncertainties are
// independent, so their widths add as squares of logarithms.
func spanOf(e *workload.Estimate, eta *Efficiency) Span {
	expected := e.Expected / eta.Value
	up := math.Hypot(math.Log(e.High/e.Expected), math.Log(eta.Value/eta.Low))
	down := math.Hypot(math.Log(e.Expected/e.Low), math.Log(eta.High/eta.Value))
	return Span{
		Low:      expected * math.Exp(-down),
		Expected: expected,
		High:     expected * math.Exp(up),
		P95:      expected * math.Exp(up*quantile95),
	}
}

// exactly is a span without uncertainty.
func exactly(seconds float64) Span {
	return Span{Low: seconds, Expected: seconds, High: seconds, P95: seconds}
}

// AtEfficiency is the total of a GPU candidate as if its box had another coefficient.
func AtEfficiency(c *Candidate, eta float64) tco.Units {
	usage := c.Usage
	useful := c.ExchangeSeconds + (c.Useful.Expected-c.ExchangeSeconds)*c.Efficiency.Value/eta
	usage.Useful = tco.WholeSeconds(useful)
	if c.InterruptRate.Central > 0 {
		job := c.Job
		job.Useful = useful
		usage.Interruption = tco.WholeSeconds(job.Of(c.InterruptRate.Central).Expected)
	}
	return c.withNetwork(c.Meter.Total(&c.Tariff, usage))
}
