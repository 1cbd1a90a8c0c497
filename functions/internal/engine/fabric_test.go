package engine_test

import (
	"slices"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// TestFabricWarning: over several nodes a plan warns of the network exactly if no
// source gives it.
func TestFabricWarning(t *testing.T) {
	e := load(t)
	for name, row := range map[string]struct {
		provider catalog.ProviderID
		warns    bool
	}{"a source states it": {"aws", false}, "no source does": {"lambda", true}} {
		a := recommend(t, e, func(r *engine.Request) {
			r.Constraints = candidate.Constraints{Markets: candidate.SetOf(catalog.OnDemand), Providers: candidate.SetOf(row.provider)}
			r.Hardware = candidate.Pin{GPUs: candidate.SetOf[catalog.GPUID]("H100-80GB-SXM"), GPUCount: 32}
			r.Work.Method, r.Work.PreprocessCoreHours, r.Work.Evaluate = workload.Full, 0, workload.Evaluation{}
		})
		if len(a.Plans) == 0 {
			t.Fatalf("%s: no plan; rejected %v", name, a.Rejected)
		}
		for _, p := range a.Plans {
			warned := slices.ContainsFunc(p.Warnings, func(w engine.Warning) bool { return w.Code == engine.WarnOrdinaryFabric })
			if warned != row.warns {
				t.Errorf("%s: warnings are %v, want one of the network: %v", name, p.Warnings, row.warns)
			}
		}
	}
}
