package convert

import (
	"maps"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// contradictions refuses constraints of which no offer can meet both.
func (r *reader) contradictions(wire schemas.RecommendRequest, out *engine.Request) {
	c := &out.Constraints
	if c.NVLink && out.Hardware.Link == candidate.PCIe {
		r.fail("/hardware/interconnect", "constraints.nvlink asks for NVLink: leave one of the two out")
	}
	r.both("/constraints/exclude_providers", "provider", overlap(c.Providers, c.ExcludeProviders))
	r.countriesBoth(c)
	r.providersOfClasses(c)
	r.marketsOfTerm(wire, c)
	r.gpusBoth(c, &out.Hardware)
	r.gpusMeet(c)
}

// overlap is what two sets have in common, in order.
func overlap[T ~string](a, b candidate.Set[T]) []string {
	var common []string
	for x := range b {
		if a[x] {
			common = append(common, string(x))
		}
	}
	slices.Sort(common)
	return common
}

// both refuses what is allowed and denied.
func (r *reader) both(pointer, what string, names []string) {
	for _, name := range names {
		r.fail(pointer, "%s %s is both allowed and excluded: leave one of the two out", what, schemas.Quoted(name))
	}
}

// countriesBoth refuses lists of countries that leave none. A country out of an allowed
// group is a usual exception.
func (r *reader) countriesBoth(c *candidate.Constraints) {
	for country := range c.Countries {
		if !c.ExcludeCountries[country] {
			return
		}
	}
	r.both("/constraints/exclude_countries", "country", overlap(c.Countries, c.ExcludeCountries))
}

// providersOfClasses refuses providers none of which is of an allowed class.
func (r *reader) providersOfClasses(c *candidate.Constraints) {
	if len(c.Providers) == 0 || len(c.Classes) == 0 {
		return
	}
	for id := range c.Providers {
		if p, ok := r.snapshot.Provider(id); !ok || c.Classes[p.Class] {
			return
		}
	}
	r.fail("/constraints/providers", "no provider in the list is of an allowed class, %s", joined(slices.Sorted(maps.Keys(c.Classes))))
}

// marketsOfTerm refuses purchase models that all bind for longer than the tenant is
// ready to be bound.
func (r *reader) marketsOfTerm(wire schemas.RecommendRequest, c *candidate.Constraints) {
	if wire.Constraints == nil || len(wire.Constraints.PurchaseModels) == 0 {
		return
	}
	least := 0
	for m := range c.Markets {
		if m.TermMonths() <= c.CommitmentMonths {
			return
		}
		if least == 0 || m.TermMonths() < least {
			least = m.TermMonths()
		}
	}
	r.fail("/constraints/purchase_models", "they bind for %d months at least, and commitment_months is %d: raise that, or allow on_demand", least, c.CommitmentMonths)
}

// gpusBoth refuses a pinned GPU that is not among those allowed.
func (r *reader) gpusBoth(c *candidate.Constraints, pin *candidate.Pin) {
	if len(c.GPUs) == 0 || len(pin.GPUs) == 0 {
		return
	}
	for id := range pin.GPUs {
		if c.GPUs[id] {
			return
		}
	}
	r.fail("/hardware/gpu", "constraints.gpus does not allow it: want one of %s", joined(slices.Sorted(maps.Keys(c.GPUs))))
}

// gpusMeet refuses GPUs by name none of which has what else is asked of them.
func (r *reader) gpusMeet(c *candidate.Constraints) {
	if len(c.GPUs) == 0 {
		return
	}
	r.some(c, "/constraints/ecc", "ECC memory", func(g catalog.GPUModel) bool {
		return !c.ECC || g.ECC == catalog.Yes || g.ECC == catalog.Unknown && c.AllowUnknown[candidate.UnknownECC]
	})
	r.some(c, "/constraints/nvlink", "NVLink", func(g catalog.GPUModel) bool {
		return !c.NVLink || g.NVLink == catalog.Yes || g.NVLink == catalog.Unknown && c.AllowUnknown[candidate.UnknownInterconnect]
	})
	r.some(c, "/constraints/min_vram_gb", "so much memory", func(g catalog.GPUModel) bool { return g.MemoryGB >= c.MinVRAMGB })
}

// some refuses a property that none of the allowed GPUs has.
func (r *reader) some(c *candidate.Constraints, pointer, what string, has func(catalog.GPUModel) bool) {
	for id := range c.GPUs {
		if g, ok := r.snapshot.GPU(id); !ok || has(g) {
			return
		}
	}
	r.fail(pointer, "none of the GPUs in constraints.gpus, %s, has %s", joined(slices.Sorted(maps.Keys(c.GPUs))), what)
}
