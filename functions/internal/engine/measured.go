package engine

import (
	"fmt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// The kinds of warnings about what boxes measured.
const (
	WarnBoxesFailed      WarningCode = "BOXES_FAILED_CHECK"
	WarnEfficiencyFrozen WarningCode = "EFFICIENCY_FROZEN"
	WarnLowerBound       WarningCode = "EFFICIENCY_LOWER_BOUND"
)

// failedShare is the share of boxes from which a failed check is warned about.
const failedShare = 0.1

// coefficientOf is what was measured of an offer; nil if nothing was, or there is none.
func coefficientOf(q *candidate.Quote) *catalog.Coefficient {
	if q == nil {
		return nil
	}
	return q.Coefficient
}

// efficiency adds what the hours of a GPU were divided by, and why.
func (l *list) efficiency(gpu catalog.GPUID, e candidate.Efficiency) {
	switch m := e.Measured; {
	case e.Source == "prior":
		l.add(Assumption{"efficiency." + string(gpu), fmt.Sprintf("%.2f", e.Value),
			l.say("prior of the GPU's class; nothing was measured")})
	case m != nil:
		l.add(Assumption{fmt.Sprintf("efficiency.%s.%s", gpu, m.Provider), fmt.Sprintf("%.2f", e.Value),
			l.say("measured by %d tenants on %d boxes (evidence %s): %.2f for work of this kind, drawn towards the prior of %.2f",
				m.Tenants, m.Boxes, m.Evidence, e.Unshrunk, m.Prior)})
	}
}

// boxes are warnings about what was measured of an offer's boxes.
func (a about) boxes(e *Engine, c *candidate.Candidate) []Warning {
	var all []Warning
	if m := c.Efficiency.Measured; m != nil && m.Frozen {
		all = append(all, Warning{WarnEfficiencyFrozen, a.say(
			"%s: the measured efficiency of %s at %s has jumped; it stays as it was until someone has looked", m.GPU, m.Provider)})
	}
	if m := c.Efficiency.Measured; m != nil && m.Reference == catalog.SpecReference && m.Evidence == catalog.Passive {
		all = append(all, Warning{WarnLowerBound, a.say(
			"%s: the efficiency is measured against the specified clock, which healthy cards at their power limit do not reach: it is a lower bound")})
	}
	for _, r := range e.snapshot.ChecksOf(c.Offer.GPU, c.Offer.Provider, c.Offer.SKU) {
		what, ok := a.failing(r.Check)
		if !ok || float64(r.Failed()) < failedShare*float64(r.Boxes) || r.Failed() == 0 {
			continue
		}
		whose := a.in.Say("of this SKU")
		if r.SKU == "" {
			whose = a.in.Say("of this provider with this GPU")
		}
		all = append(all, Warning{WarnBoxesFailed, a.say("%s: %d of %d boxes %s %s, by reports of %d tenants", r.Failed(), r.Boxes, whose, what, r.Tenants)})
	}
	return all
}

// failing says what boxes have that fail a check. ok is false if that says nothing of
// the boxes, but of what was run on them.
func (a about) failing(check catalog.CheckID) (what string, ok bool) {
	switch say := a.in.Say; check {
	case "nvlink_topology":
		return say("had PCIe-only topology"), true
	case "power_limit_reduced":
		return say("had their power limit cut"), true
	case "throttling":
		return say("were held back under load"), true
	case "memory_temperature", "memory_thermal_suspected":
		return say("had memory that was too hot"), true
	case "ecc_mode":
		return say("had error correction switched off"), true
	case "ecc_errors":
		return say("had memory errors"), true
	case "pcie_link":
		return say("had a slow PCIe link"), true
	case "p2p_data":
		return say("changed data that was copied between GPUs"), true
	case "gpu_model", "gpu_count", "gpu_memory":
		return say("had other GPUs than were sold"), true
	case "virtualization":
		return say("had parts of GPUs"), true
	case "bandwidth_throttled", "network_speed":
		return say("had a slower network than was sold"), true
	case "data_remnants":
		return say("held data of earlier tenants"), true
	}
	return "", false
}
