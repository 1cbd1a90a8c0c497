package aggregate

import (
	"cmp"
	"slices"

	"github.com/tierwise/tierwise/catalog"
)

// figure is the coefficient of one box.
type figure struct {
	ballot       *ballot
	eta          float64
	terms        []catalog.Term
	availability float64
	evidence     catalog.Evidence
}

// figureOf divides what a box measured by references and combines it. ok is false if
// nothing of it can be compared.
func figureOf(b *ballot, ref reference, prior catalog.Prior) (f figure, ok bool) {
	ratios := map[catalog.Resource]float64{}
	f = figure{ballot: b, availability: b.availability(), evidence: catalog.Passive}
	ratio := func(q quantity, reference float64) (float64, bool) {
		return min(1, q.value()/reference), q.weight > 0 && reference > 0
	}
	compute, active := ratio(b.gemm, ref.gemm)
	reported, workload := ratio(b.training, ref.training)
	clock, passive := ratio(b.clock, ref.clock)
	switch {
	case active:
		ratios[catalog.Compute], f.evidence = compute, catalog.Active
	case workload:
		// What a program achieves is compute, memory and link together.
		ratios[catalog.Compute], ratios[catalog.Memory], ratios[catalog.Link] = reported, reported, reported
		f.evidence = catalog.WorkloadReported
	case passive:
		ratios[catalog.Compute] = clock
	}
	for resource, measured := range map[catalog.Resource]quantity{catalog.Memory: b.copied, catalog.Link: b.bus} {
		reference := map[catalog.Resource]float64{catalog.Memory: ref.copied, catalog.Link: ref.bus}[resource]
		if r, ok := ratio(measured, reference); ok {
			ratios[resource], f.evidence = r, catalog.Active
		}
	}
	if len(ratios) == 0 {
		return f, false
	}
	for _, resource := range catalog.Resources() {
		r, measured := ratios[resource]
		if !measured { // never 1: nobody knows
			r = prior.Value
		}
		f.terms = append(f.terms, catalog.Term{Resource: resource, Ratio: r, Measured: measured})
	}
	f.eta = f.availability * catalog.TrainingShares().Speed(f.terms)
	return f, true
}

// vote is a tenant's figure, the median of its boxes.
type vote struct {
	tenant  catalog.TenantID
	eta     float64
	figures []figure
}

// votesOf are the votes of boxes, those of hosts apart. The order is that of the
// tenants' names.
func votesOf(of map[catalog.BoxID]*ballot, ref reference, prior catalog.Prior) (votes []vote, hosts []figure) {
	byTenant := make(map[catalog.TenantID][]figure)
	for _, b := range of {
		f, ok := figureOf(b, ref, prior)
		switch {
		case !ok:
		case b.host:
			hosts = append(hosts, f)
		default:
			byTenant[b.tenant] = append(byTenant[b.tenant], f)
		}
	}
	for tenant, figures := range byTenant {
		votes = append(votes, vote{tenant, medianOf(figures, func(f figure) float64 { return f.eta }), figures})
	}
	slices.SortFunc(votes, func(a, b vote) int { return cmp.Compare(a.tenant, b.tenant) })
	return votes, hosts
}
