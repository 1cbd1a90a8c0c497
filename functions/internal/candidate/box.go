package candidate

import (
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// assumedVCPUsPerGPU stands in for the vCPUs of a GPU node that does not state
// them, when a whole job is priced on it: the smallest ratio that is common among
// the sourced GPU offers.
const assumedVCPUsPerGPU = 8

// OnBox is a stage on the very offer and number of nodes of another stage's
// candidate: what "everything on the training node" is made of. ok is false with
// the reason if the stage can't run there.
func OnBox(m *Market, stage *workload.Stage, box *Candidate) (c Candidate, reason Reason, ok bool) {
	f := finder{market: m, stage: stage, demand: Demand{Constraints: &Constraints{}}}
	n := m.nodeOf(box.Quote)
	config, reason, ok := f.configure(&n)
	if !ok && reason == NoCPU {
		config.vcpus, ok = float64(assumedVCPUsPerGPU*max(box.GPUsPerNode, 1)), true
	}
	if !ok {
		return Candidate{}, reason, false
	}
	config.nodes = box.Nodes
	sizing := new(Sizing)
	if reason := f.estimate(sizing, config); reason != "" {
		return Candidate{}, reason, false
	}
	return f.price(box.Quote, sizing), "", true
}
