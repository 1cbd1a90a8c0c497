package convert

import (
	"cmp"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// What a coefficient, or a term of one, rests on.
const (
	fromMeasurement = "measured"
	fromPrior       = "prior"
)

// etaPlaces is how many decimals a coefficient is shown with.
const etaPlaces = 4

// wanted is a query of coefficients as the catalogue takes it; empty lists want all.
type wanted struct {
	gpus      []catalog.GPUID
	providers []catalog.ProviderID
	skus      []string
}

// Coefficients answers a valid query of coefficients as of an instant. refused are the
// reports that were refused by reason, nil where that is unknown. The error is a
// *schemas.ValidationError.
func (c *Catalogue) Coefficients(wire schemas.CoefficientsQuery, refused map[string]int64, at time.Time) (schemas.CoefficientsResponse, error) {
	r := &reader{snapshot: c.snapshot}
	want := wanted{gpus: r.namedGPUs(wire.GPU), providers: distinct(r.providers(wire.Provider, "/provider")), skus: wire.SKU}
	if err := r.refused(); err != nil {
		return schemas.CoefficientsResponse{}, err
	}
	out := schemas.CoefficientsResponse{
		Coefficients: []schemas.Coefficient{}, Checks: []schemas.CheckRate{}, Priors: []schemas.PriorOfClass{}, Shares: shares(), Refused: refused,
		CatalogVersion: string(c.snapshot.Version()), ComputedAt: instant(at),
	}
	for _, k := range c.snapshot.Coefficients() {
		if want.about(k.GPU, k.Provider, k.SKU) {
			out.Coefficients = append(out.Coefficients, measuredCoefficient(k, at))
		}
	}
	if len(want.gpus)+len(want.providers) > 0 {
		out.Coefficients = append(out.Coefficients, c.unmeasured(want)...)
	}
	slices.SortStableFunc(out.Coefficients, func(a, b schemas.Coefficient) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Provider, b.Provider))
	})
	for _, k := range c.snapshot.CheckRates() {
		if want.about(k.GPU, k.Provider, k.SKU) {
			out.Checks = append(out.Checks, schemas.CheckRate{GPU: string(k.GPU), Provider: string(k.Provider), SKU: known(string(k.SKU)),
				Check: string(k.Check), Boxes: k.Boxes, Passed: k.Passed, Tenants: k.Tenants})
		}
	}
	for _, class := range []catalog.GPUClass{catalog.Consumer, catalog.DataCentre, catalog.Workstation} {
		if p, ok := c.snapshot.Prior(class); ok {
			out.Priors = append(out.Priors, schemas.PriorOfClass{Class: string(p.Class), Value: fixed(p.Value, etaPlaces),
				Interval: etas(catalog.Interval{Low: p.Low, High: p.High}), Source: p.Source})
		}
	}
	return out, nil
}

// about reports whether a query wants a GPU at a provider, or a SKU of it.
func (w wanted) about(gpu catalog.GPUID, p catalog.ProviderID, sku catalog.SKU) bool {
	return (len(w.gpus) == 0 || slices.Contains(w.gpus, gpu)) &&
		(len(w.providers) == 0 || slices.Contains(w.providers, p)) &&
		(len(w.skus) == 0 || sku == "" || slices.Contains(w.skus, string(sku)))
}

// unmeasured are the GPUs at providers that the catalogue has offers of and nobody has
// measured, at their priors.
func (c *Catalogue) unmeasured(want wanted) []schemas.Coefficient {
	type pair struct {
		gpu      catalog.GPUID
		provider catalog.ProviderID
	}
	seen := make(map[pair]bool)
	var rows []schemas.Coefficient
	for i := range c.snapshot.Offers() {
		o := &c.snapshot.Offers()[i]
		p := pair{o.GPU, o.Provider}
		gpu, known := c.snapshot.GPU(o.GPU)
		if !known || seen[p] || !want.about(p.gpu, p.provider, "") {
			continue
		}
		seen[p] = true
		prior, ok := c.snapshot.Prior(gpu.Class)
		if _, measured := c.snapshot.Coefficient(p.gpu, p.provider, ""); measured || !ok {
			continue
		}
		rows = append(rows, schemas.Coefficient{
			GPU: string(p.gpu), Provider: string(p.provider), Source: fromPrior, Value: fixed(prior.Value, etaPlaces),
			Interval: etas(catalog.Interval{Low: prior.Low, High: prior.High}), Prior: fixed(prior.Value, etaPlaces),
			Tier: string(catalog.PriorOnly), Tiers: map[string]int{}, Terms: []schemas.CoefficientTerm{},
		})
	}
	return rows
}

// measuredCoefficient writes what was measured.
func measuredCoefficient(c catalog.Coefficient, at time.Time) schemas.Coefficient {
	measured, interval := fixed(c.Measured, etaPlaces), etas(c.MeasuredInterval)
	age, newest := max(0, int(at.Sub(c.NewestAt).Hours()/24)), instant(c.NewestAt.Truncate(time.Second))
	out := schemas.Coefficient{
		GPU: string(c.GPU), Provider: string(c.Provider), SKU: known(string(c.SKU)), Source: fromMeasurement,
		Value: fixed(c.Value, etaPlaces), Interval: etas(c.Interval), Prior: fixed(c.Prior, etaPlaces),
		Measured: &measured, MeasuredInterval: &interval, Tier: string(c.Evidence), Tiers: map[string]int{},
		Terms: []schemas.CoefficientTerm{}, Availability: known(fixed(c.Availability, etaPlaces)), Reference: known(string(c.Reference)),
		Tenants: c.Tenants, Outliers: c.Outliers, Boxes: c.Boxes, Reports: c.Reports, NewestAt: &newest, AgeDays: &age, Frozen: c.Frozen,
	}
	for _, e := range []catalog.Evidence{catalog.Active, catalog.WorkloadReported, catalog.Passive} {
		if n := *c.Kinds.Of(e); n > 0 {
			out.Tiers[string(e)] = n
		}
	}
	for _, t := range c.Terms {
		source := fromPrior
		if t.Measured {
			source = fromMeasurement
		}
		out.Terms = append(out.Terms, schemas.CoefficientTerm{Resource: string(t.Resource), Ratio: fixed(t.Ratio, etaPlaces), Source: source})
	}
	if c.HostBoxes > 0 {
		out.Host = &schemas.HostSeries{Measured: fixed(c.HostMeasured, etaPlaces), Boxes: c.HostBoxes}
	}
	return out
}

// etas writes an interval of coefficients.
func etas(i catalog.Interval) [2]string {
	return [2]string{fixed(i.Low, etaPlaces), fixed(i.High, etaPlaces)}
}

// shares writes how the time of kinds of workloads is divided.
func shares() map[string]map[string]string {
	out := make(map[string]map[string]string)
	for kind, s := range map[string]catalog.Shares{
		"training": catalog.TrainingShares(), "tuning": catalog.TuningShares(), "decoding": catalog.DecodingShares(), "rendering": catalog.RenderingShares(),
	} {
		out[kind] = make(map[string]string)
		for _, r := range catalog.Resources() {
			out[kind][string(r)] = fixed(s.Of(r), 2)
		}
	}
	return out
}
