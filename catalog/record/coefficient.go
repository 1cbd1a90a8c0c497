package record

import (
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// Coefficient is a measured efficiency.
type Coefficient struct {
	GPU          string  `json:"gpu"`
	Provider     string  `json:"provider"`
	SKU          string  `json:"sku,omitempty"`
	Value        float64 `json:"value"`
	Low          float64 `json:"low"`
	High         float64 `json:"high"`
	Prior        float64 `json:"prior"`
	Measured     float64 `json:"measured"`
	MeasuredLow  float64 `json:"measured_low"`
	MeasuredHigh float64 `json:"measured_high"`
	Terms        []Term  `json:"terms,omitempty"`
	Availability float64 `json:"availability,omitempty"`
	Evidence     string  `json:"evidence"`
	Kinds        [3]int  `json:"kinds,omitempty"` // active, workload-reported, passive
	Reference    string  `json:"reference,omitempty"`
	Tenants      int     `json:"tenants"`
	Outliers     int     `json:"outliers,omitempty"`
	Boxes        int     `json:"boxes"`
	Reports      int     `json:"reports"`
	NewestAt     string  `json:"newest_at,omitempty"`
	HostMeasured float64 `json:"host_measured,omitempty"`
	HostBoxes    int     `json:"host_boxes,omitempty"`
	Frozen       bool    `json:"frozen,omitempty"`
	ReleasedAt   string  `json:"released_at,omitempty"`
	ComputedAt   string  `json:"computed_at"`
}

// Term is one part of a coefficient.
type Term struct {
	Resource string  `json:"name"`
	Ratio    float64 `json:"ratio"`
	Measured bool    `json:"measured,omitempty"`
}

// FromCoefficient is the stored form of a coefficient.
func FromCoefficient(c catalog.Coefficient) Coefficient {
	out := Coefficient{
		GPU: string(c.GPU), Provider: string(c.Provider), SKU: string(c.SKU),
		Value: c.Value, Low: c.Interval.Low, High: c.Interval.High, Prior: c.Prior,
		Measured: c.Measured, MeasuredLow: c.MeasuredInterval.Low, MeasuredHigh: c.MeasuredInterval.High,
		Availability: c.Availability, Evidence: string(c.Evidence), Reference: string(c.Reference),
		Kinds:   [3]int{c.Kinds.Active, c.Kinds.WorkloadReported, c.Kinds.Passive},
		Tenants: c.Tenants, Outliers: c.Outliers, Boxes: c.Boxes, Reports: c.Reports, NewestAt: Instant(c.NewestAt),
		HostMeasured: c.HostMeasured, HostBoxes: c.HostBoxes,
		Frozen: c.Frozen, ReleasedAt: Instant(c.ReleasedAt), ComputedAt: Instant(c.ComputedAt),
	}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, Term{string(t.Resource), t.Ratio, t.Measured})
	}
	return out
}

// Key identifies what the coefficient is about.
func (c Coefficient) Key() string { return fmt.Sprintf("%s#%s#%s", c.GPU, c.Provider, c.SKU) }

// Parse is the coefficient.
func (c Coefficient) Parse() (catalog.Coefficient, error) {
	at, err := parseInstant(c.ComputedAt)
	newest, errNewest := parseInstant(c.NewestAt)
	released, errReleased := parseInstant(c.ReleasedAt)
	if err := errors.Join(err, errNewest, errReleased); err != nil {
		return catalog.Coefficient{}, fmt.Errorf("coefficient %s: %w", c.Key(), err)
	}
	out := catalog.Coefficient{
		GPU: catalog.GPUID(c.GPU), Provider: catalog.ProviderID(c.Provider), SKU: catalog.SKU(c.SKU),
		Value: c.Value, Interval: catalog.Interval{Low: c.Low, High: c.High}, Prior: c.Prior,
		Measured: c.Measured, MeasuredInterval: catalog.Interval{Low: c.MeasuredLow, High: c.MeasuredHigh},
		Availability: c.Availability, Evidence: catalog.Evidence(c.Evidence), Reference: catalog.Reference(c.Reference),
		Kinds:   catalog.BoxCounts{Active: c.Kinds[0], WorkloadReported: c.Kinds[1], Passive: c.Kinds[2]},
		Tenants: c.Tenants, Outliers: c.Outliers, Boxes: c.Boxes, Reports: c.Reports, NewestAt: newest,
		HostMeasured: c.HostMeasured, HostBoxes: c.HostBoxes,
		Frozen: c.Frozen, ReleasedAt: released, ComputedAt: at,
	}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, catalog.Term{Resource: catalog.Resource(t.Resource), Ratio: t.Ratio, Measured: t.Measured})
	}
	return out, nil
}
