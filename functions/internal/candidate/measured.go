package candidate

import "github.com/tierwise/tierwise/catalog"

// measured is the coefficient of a GPU for a kind of workload: what was measured of
// it, else the prior of its class.
func measured(s *catalog.Snapshot, g catalog.GPUModel, c *catalog.Coefficient, shares catalog.Shares) Efficiency {
	if c == nil {
		return efficiencyOf(s, g)
	}
	of := c.For(shares)
	return Efficiency{Value: of.Value, Low: of.Interval.Low, High: of.Interval.High, Source: "measured", Tier: string(c.Evidence), Measured: c, Unshrunk: of.Measured}
}

// coefficientOf is what was measured of the whole GPUs of an offer; nil if nothing was:
// a slice gives what its neighbours leave it.
func coefficientOf(s *catalog.Snapshot, o *catalog.Offer) *catalog.Coefficient {
	if _, whole := o.WholeGPUs(); !whole || !o.HasGPU() {
		return nil
	}
	c, ok := s.Coefficient(o.GPU, o.Provider, o.SKU)
	if !ok {
		return nil
	}
	return c
}
