package aggregate

import (
	"cmp"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// checked is what a rate is about.
type checked struct {
	place
	sku   catalog.SKU
	check catalog.CheckID
}

// outcomes are the newest results of a check by tenant and box.
type outcomes map[catalog.TenantID]map[catalog.BoxID]bool

// results are outcomes by what they are about.
type results map[checked]outcomes

// note keeps the result of a check, for the box's SKU and for all of the provider's
// boxes with the GPU.
func (all results) note(r *catalog.Report, gpu catalog.GPUID, c catalog.Check) {
	skus := []catalog.SKU{""}
	if r.SKU != "" {
		skus = append(skus, r.SKU)
	}
	for _, sku := range skus {
		of := checked{place{gpu, r.Provider}, sku, c.ID}
		if all[of] == nil {
			all[of] = make(outcomes)
		}
		if all[of][r.Tenant] == nil {
			all[of][r.Tenant] = make(map[catalog.BoxID]bool)
		}
		all[of][r.Tenant][r.Box] = c.Status == catalog.CheckPass
	}
}

// checkRates are how boxes did in the checks that they report, in the order that
// reports came: a later result replaces an earlier one. What hosts say of their own
// boxes counts for nothing.
func checkRates(reports []*catalog.Report, now time.Time) []catalog.CheckRate {
	all := make(results)
	for _, r := range reports {
		if r.Host || r.Provider == "" {
			continue
		}
		told := slices.DeleteFunc(slices.Clone(r.Checks), func(c catalog.Check) bool { return !c.Status.Counts() })
		for _, gpu := range gpusOf(r) {
			for _, c := range told {
				all.note(r, gpu, c)
			}
		}
	}
	var rates []catalog.CheckRate
	for of, outcomes := range all {
		rate := rateOf(outcomes)
		rate.GPU, rate.Provider, rate.SKU, rate.Check, rate.ComputedAt = of.gpu, of.provider, of.sku, of.check, now
		if rate.Tenants >= MinTenants {
			rates = append(rates, rate)
		}
	}
	slices.SortFunc(rates, func(a, b catalog.CheckRate) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Check, b.Check))
	})
	return rates
}

// gpusOf are the kinds of GPUs of a report, each once.
func gpusOf(r *catalog.Report) []catalog.GPUID {
	var gpus []catalog.GPUID
	for _, x := range r.Readings {
		if x.GPU != "" && !slices.Contains(gpus, x.GPU) {
			gpus = append(gpus, x.GPU)
		}
	}
	return gpus
}

// rateOf counts boxes. A tenant counts with as many boxes as tenants typically have, at
// most: beyond, its boxes stand in for each other at the tenant's own rate.
func rateOf(results outcomes) catalog.CheckRate {
	var sizes []float64
	for _, boxes := range results {
		sizes = append(sizes, float64(len(boxes)))
	}
	slices.Sort(sizes)
	most := int(median(sizes) + 0.5)
	rate := catalog.CheckRate{Tenants: len(results)}
	for _, boxes := range results {
		passed := 0
		for _, ok := range boxes {
			if ok {
				passed++
			}
		}
		counted := min(len(boxes), most)
		rate.Boxes += counted
		rate.Passed += (passed*counted + len(boxes)/2) / len(boxes)
	}
	return rate
}
