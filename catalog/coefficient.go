package catalog

import (
	"cmp"
	"slices"
	"time"
)

// Evidence says how a coefficient was found; the strongest kind in it counts.
type Evidence string

// The kinds of evidence: a benchmark that the agent ran, the workload's own
// throughput, counters alone, and no measurement at all.
const (
	Active           Evidence = "A"
	WorkloadReported Evidence = "B"
	Passive          Evidence = "C"
	PriorOnly        Evidence = "P"
)

// Interval is a range of a coefficient.
type Interval struct{ Low, High float64 }

// Resource is what a workload can wait for.
type Resource string

// The resources.
const (
	Compute Resource = "compute"
	Memory  Resource = "memory"
	Link    Resource = "link"
	IO      Resource = "io"
)

// Resources are all resources, in the order of their terms.
func Resources() []Resource { return []Resource{Compute, Memory, Link, IO} }

// Term is one part of a coefficient: what a resource delivers against a healthy
// reference of the same GPU, at most 1. Measured is false where the prior stands in.
type Term struct {
	Resource Resource
	Ratio    float64
	Measured bool
}

// Reference says what a measurement was divided by.
type Reference string

// The references: the specification, or what healthy boxes of the same GPU were seen
// to give.
const (
	SpecReference   Reference = "spec"
	LearntReference Reference = "learnt"
)

// BoxCounts counts boxes by their strongest evidence.
type BoxCounts struct{ Active, WorkloadReported, Passive int }

// Of is how many boxes there are of a kind.
func (c *BoxCounts) Of(e Evidence) *int {
	switch e {
	case Active:
		return &c.Active
	case WorkloadReported:
		return &c.WorkloadReported
	default:
		return &c.Passive
	}
}

// Strongest is the strongest evidence that there is, PriorOnly if there is none.
func (c BoxCounts) Strongest() Evidence {
	for _, e := range []Evidence{Active, WorkloadReported, Passive} {
		if *c.Of(e) > 0 {
			return e
		}
	}
	return PriorOnly
}

// Coefficient is useful work per paid hour against a healthy reference of the
// same GPU, aggregated over many tenants' boxes. It is physics, not money.
type Coefficient struct {
	GPU      GPUID
	Provider ProviderID
	SKU      SKU // "" for all of the provider's

	// Value ranks: the measurement, drawn towards the prior while few tenants
	// measured. Interval holds both.
	Value    float64
	Interval Interval
	Prior    float64

	// Measured is the median of the tenants' medians; it and its interval mean
	// something only if Tenants > 0.
	Measured         float64
	MeasuredInterval Interval

	Terms        []Term  // in the order of Resources
	Availability float64 // share of the time in which the GPUs were there
	Evidence     Evidence
	Kinds        BoxCounts
	Reference    Reference // of the term of computing
	Tenants      int
	Outliers     int // tenants that were left out for being far from the others
	Boxes        int
	Reports      int
	NewestAt     time.Time // when the newest report came, UTC

	// HostMeasured is the median of what the provider's own boxes sent, which is no
	// part of the rest; it means something only if HostBoxes > 0.
	HostMeasured float64
	HostBoxes    int

	Frozen     bool      // an estimate that jumped: it stays until someone looks
	ReleasedAt time.Time // when someone did; zero if nobody had to
	ComputedAt time.Time // UTC
}

// Shares are how a workload's time is divided between resources at the speed of the
// reference. They sum to 1.
type Shares struct{ Compute, Memory, Link, IO float64 }

// The shares of kinds of workloads (shared design, PROBE 2.5): defaults of ours.

// TrainingShares are those of training on several GPUs, and what coefficients are
// combined with until someone asks for another kind.
func TrainingShares() Shares { return Shares{Compute: 0.60, Memory: 0.15, Link: 0.20, IO: 0.05} }

// TuningShares are those of training on one GPU.
func TuningShares() Shares { return Shares{Compute: 0.70, Memory: 0.25, IO: 0.05} }

// DecodingShares are those of generating text.
func DecodingShares() Shares { return Shares{Compute: 0.20, Memory: 0.75, IO: 0.05} }

// RenderingShares are those of rendering, and of science in FP32.
func RenderingShares() Shares { return Shares{Compute: 0.85, Memory: 0.10, IO: 0.05} }

// Of is the share of a resource.
func (s Shares) Of(r Resource) float64 {
	return map[Resource]float64{Compute: s.Compute, Memory: s.Memory, Link: s.Link, IO: s.IO}[r]
}

// Speed is the speed of a workload against the reference: phases take time, so times
// are added, not factors multiplied (Amdahl's law): 1 / sum(share / ratio). A resource
// without a term counts as at the reference.
func (s Shares) Speed(terms []Term) float64 {
	time, covered := 0.0, 0.0
	for _, t := range terms {
		if t.Ratio > 0 {
			time += s.Of(t.Resource) / t.Ratio
			covered += s.Of(t.Resource)
		}
	}
	return 1 / (time + 1 - covered)
}

// For is the coefficient of another kind of workload than training on several GPUs:
// every figure is scaled as the speed by the terms is.
func (c Coefficient) For(s Shares) Coefficient {
	scale := s.Speed(c.Terms) / TrainingShares().Speed(c.Terms)
	for _, figure := range []*float64{&c.Value, &c.Interval.Low, &c.Interval.High, &c.Measured,
		&c.MeasuredInterval.Low, &c.MeasuredInterval.High} {
		*figure = min(*figure*scale, 1)
	}
	return c
}

// compareCoefficients orders coefficients by GPU, provider, then SKU.
func compareCoefficients(a, b Coefficient) int {
	return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.SKU, b.SKU))
}

// Coefficients are all measured coefficients, by GPU, provider and SKU.
func (s *Snapshot) Coefficients() []Coefficient { return s.facts.coefficients }

// Coefficient is what was measured of a GPU at a provider: of the SKU, else of all of
// the provider's. known is false if neither was. The caller must not change it.
func (s *Snapshot) Coefficient(gpu GPUID, p ProviderID, sku SKU) (c *Coefficient, known bool) {
	for _, of := range []SKU{sku, ""} {
		i, ok := slices.BinarySearchFunc(s.facts.coefficients, Coefficient{GPU: gpu, Provider: p, SKU: of}, compareCoefficients)
		if ok {
			return &s.facts.coefficients[i], true
		}
	}
	return nil, false
}

// measuredAnywhere reports whether there is a coefficient of a GPU at any provider.
func (s *Snapshot) measuredAnywhere(gpu GPUID) bool {
	all := s.facts.coefficients
	i, _ := slices.BinarySearchFunc(all, Coefficient{GPU: gpu}, compareCoefficients)
	return i < len(all) && all[i].GPU == gpu
}
