package forecast

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// z90 is the 90th percentile of a standard normal variable.
const z90 = 1.2815515655446004

// Range is an exact expectation and the percentiles around it.
type Range struct{ Expected, P10, P50, P90 tco.Units }

// spread adds up how uncertain a sum of cells is. Two kinds of errors count, each of
// them one that all its cells share, so that their sizes add up: of each workload, how
// long it takes and how often it is interrupted; of each purchase model, how its
// prices move. Between them the kinds are independent, so that their squares add up.
type spread struct {
	work   []float64       // by workload, or of one alone
	market [models]float64 // by purchase model
}

// models is how many purchase models there are.
const models = 5

// newSpread has no cells.
func newSpread(workloads int) spread { return spread{work: make([]float64, workloads)} }

// deviation is the size of the errors that a cell brings.
type deviation struct {
	workload, model int
	work, price     float64
}

// add takes a cell into account.
func (s *spread) add(d deviation) {
	s.work[d.workload] += d.work
	s.market[d.model] += d.price
}

// addAlone takes a cell of the only workload into account.
func (s *spread) addAlone(d deviation) {
	d.workload = 0
	s.add(d)
}

// plus takes the cells of another sum into account.
func (s *spread) plus(other *spread) {
	for i, x := range other.work {
		s.work[i] += x
	}
	for i, x := range other.market {
		s.market[i] += x
	}
}

// around lays percentiles around an expectation: those of the lognormal variable of
// its mean and standard deviation.
func (s *spread) around(expected tco.Units) Range {
	variance := 0.0
	for _, x := range s.work {
		variance += x * x
	}
	for _, x := range s.market {
		variance += x * x
	}
	mean := expected.Float()
	if variance == 0 || mean <= 0 {
		return Range{expected, expected, expected, expected}
	}
	sigma := math.Sqrt(math.Log1p(variance / (mean * mean)))
	middle := math.Exp(-sigma * sigma / 2)
	return Range{
		Expected: expected, P10: expected.Scaled(middle * math.Exp(-z90*sigma)),
		P50: expected.Scaled(middle), P90: expected.Scaled(middle * math.Exp(z90*sigma)),
	}
}

// risk is how uncertain a part is: its price after a year, and its hours and
// interruptions, as relative standard deviations.
type risk struct{ volatility, workSigma float64 }

// onlyWork is the risk without that of the price.
func (r risk) onlyWork() risk { return risk{workSigma: r.workSigma} }

// years is how far ahead a month is, in years from the prices' month.
func (f *forecaster) years(m int) float64 { return float64(max(0, f.ahead(m))) / monthsInYear }

// deviationOf is the size of the errors of an amount of a part, so many years ahead.
func (p *Part) deviationOf(amount tco.Units, years float64) deviation {
	d := deviation{workload: p.Workload, model: p.modelNumber}
	if p.workSigma == 0 && p.volatility == 0 {
		return d
	}
	size := math.Abs(amount.Float())
	d.work, d.price = size*p.workSigma, size*p.volatility*math.Sqrt(years)
	return d
}

// stageSigma is the relative standard deviation of a stage's cost that comes of its
// hours and interruptions: half of the interval that holds 80% of them, on a
// logarithmic scale.
func stageSigma(job *engine.Planned, stage int) float64 {
	c, lines := job.Plan.Choices[stage], job.Plan.Lines[stage]
	useful := c.Useful
	hours := 0.0
	if useful.Low > 0 && useful.High > useful.Low {
		hours = math.Log(useful.High/useful.Low) / (2 * z90)
	}
	if c.Useful.Expected <= 0 || c.InterruptRate.Central <= 0 {
		return hours
	}
	lost := lines.Interruption.InexactFloat64() / max(lines.Total().InexactFloat64(), tiny)
	return math.Hypot(hours, lost*rateSigma(c.InterruptRate))
}

// resourceSigma is the same of a resource, whose hours are stated.
func resourceSigma(c *engine.Charged) float64 {
	if c.Rate.Central <= 0 || c.Asked.Lost.Valid {
		return 0
	}
	return c.Lost.InexactFloat64() * rateSigma(c.Rate)
}

// rateSigma is how uncertain an interruption rate is, on a logarithmic scale.
func rateSigma(r spot.Rate) float64 { return math.Log(r.High/r.Central) / z90 }

// tiny keeps a share of nothing finite.
const tiny = 1e-30
