package record

import (
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
	Evidence     string  `json:"evidence"`
	Tenants      int     `json:"tenants"`
	Boxes        int     `json:"boxes"`
	Reports      int     `json:"reports"`
	Frozen       bool    `json:"frozen,omitempty"`
	ComputedAt   string  `json:"computed_at"`
}

// Term is one part of a coefficient.
type Term struct {
	Name     string  `json:"name"`
	Ratio    float64 `json:"ratio"`
	Measured bool    `json:"measured,omitempty"`
}

// FromCoefficient is the stored form of a coefficient.
func FromCoefficient(c catalog.Coefficient) Coefficient {
	out := Coefficient{
		GPU: string(c.GPU), Provider: string(c.Provider), SKU: string(c.SKU),
		Value: c.Value, Low: c.Interval.Low, High: c.Interval.High, Prior: c.Prior,
		Measured: c.Measured, MeasuredLow: c.MeasuredInterval.Low, MeasuredHigh: c.MeasuredInterval.High,
		Evidence: string(c.Evidence), Tenants: c.Tenants, Boxes: c.Boxes, Reports: c.Reports, Frozen: c.Frozen,
		ComputedAt: Instant(c.ComputedAt),
	}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, Term(t))
	}
	return out
}

// Key identifies what the coefficient is about.
func (c Coefficient) Key() string { return fmt.Sprintf("%s#%s#%s", c.GPU, c.Provider, c.SKU) }

// Parse is the coefficient.
func (c Coefficient) Parse() (catalog.Coefficient, error) {
	at, err := parseInstant(c.ComputedAt)
	if err != nil {
		return catalog.Coefficient{}, fmt.Errorf("coefficient %s: %w", c.Key(), err)
	}
	out := catalog.Coefficient{
		GPU: catalog.GPUID(c.GPU), Provider: catalog.ProviderID(c.Provider), SKU: catalog.SKU(c.SKU),
		Value: c.Value, Interval: catalog.Interval{Low: c.Low, High: c.High}, Prior: c.Prior,
		Measured: c.Measured, MeasuredInterval: catalog.Interval{Low: c.MeasuredLow, High: c.MeasuredHigh},
		Evidence: catalog.Evidence(c.Evidence), Tenants: c.Tenants, Boxes: c.Boxes, Reports: c.Reports, Frozen: c.Frozen,
		ComputedAt: at,
	}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, catalog.Term(t))
	}
	return out, nil
}
