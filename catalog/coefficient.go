package catalog

import "time"

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

// Term is one part of a coefficient: what a resource delivers against a healthy
// reference of the same GPU, at most 1. Measured is false where the prior stands in.
type Term struct {
	Name     string // "compute", "memory", "link", "io"
	Ratio    float64
	Measured bool
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

	Terms    []Term
	Evidence Evidence
	Tenants  int
	Boxes    int
	Reports  int
	Frozen   bool // an estimate that jumped: it stays until someone looks

	ComputedAt time.Time // UTC
}
