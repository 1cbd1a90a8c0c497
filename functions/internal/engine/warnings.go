package engine

import (
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// WarningCode names a kind of warning for programs.
type WarningCode string

// The kinds of warnings.
const (
	WarnNoECC               WarningCode = "NO_ECC"
	WarnECCDear             WarningCode = "ECC_OVER_A_FIFTH"
	WarnSpot                WarningCode = "SPOT_INTERRUPTION"
	WarnInterruptionUnknown WarningCode = "INTERRUPTION_UNKNOWN"
	WarnDeadlineHighRate    WarningCode = "DEADLINE_AT_HIGH_RATE"
	WarnOldPrice            WarningCode = "PRICE_OLD"
	WarnAgeUnknown          WarningCode = "PRICE_DATE_UNKNOWN"
	WarnMarketplace         WarningCode = "MARKETPLACE_MINIMUM"
	WarnFormUnknown         WarningCode = "GPU_FORM_UNKNOWN"
	WarnFlag                WarningCode = "OFFER_FLAG"
	WarnEgressUnknown       WarningCode = "EGRESS_UNKNOWN"
	WarnOrdinaryFabric      WarningCode = "FABRIC_UNKNOWN"
	WarnFabricDiffers       WarningCode = "FABRIC_DIFFERS"
	WarnDoesNotFit          WarningCode = "DOES_NOT_FIT"
	WarnMayNotFit           WarningCode = "MAY_NOT_FIT"
	WarnUnusual             WarningCode = "UNUSUAL_UTILISATION"
	WarnCrossCheck          WarningCode = "FAR_FROM_PAPER"
	WarnTooSlow             WarningCode = "TOO_SLOW"
)

// OldPriceDays is the age beyond which a price is called old, in days.
const OldPriceDays = 180

// warnings are everything about a plan that its reader should know, stage by stage.
func (e *Engine) warnings(r Request, plan *Plan) []Warning {
	var all []Warning
	for i, c := range plan.Choices {
		all = append(all, e.hardwareWarnings(plan.Stages[i], c, i == plan.Main)...)
		all = append(all, priceWarnings(plan.Stages[i], c, r.ComputedAt)...)
		all = append(all, spotWarnings(plan.Stages[i], c)...)
		all = append(all, utilisationWarnings(plan.Stages[i], &c.Estimate)...)
	}
	for _, m := range plan.Moves {
		if m.Assumed {
			all = append(all, Warning{WarnEgressUnknown,
				fmt.Sprintf("no source gives the egress price of %s; the dearest sourced rate was used", m.From.Place.Provider)})
		}
	}
	if r.DeadlineSeconds > 0 && lateAtHighRate(plan) > r.DeadlineSeconds {
		all = append(all, Warning{WarnDeadlineHighRate,
			"at the high end of the interruption rate the plan would miss the deadline"})
	}
	return all
}

// hardwareWarnings are about the GPU and its links.
func (e *Engine) hardwareWarnings(stage workload.StageName, c *candidate.Candidate, main bool) []Warning {
	gpu, ok := e.snapshot.GPU(c.Offer.GPU)
	if !ok || !c.HasGPU {
		return nil
	}
	var all []Warning
	if main && gpu.ECC != catalog.Yes {
		all = append(all, Warning{WarnNoECC, fmt.Sprintf(
			"%s: %s has no ECC memory, or no source says so; a silent bit error can spoil a long run", stage, gpu.Name)})
	}
	if gpu.SpecOf != "" {
		all = append(all, Warning{WarnFormUnknown, fmt.Sprintf(
			"%s: the source does not say which variant of %s it is; sized as %s", stage, gpu.Family, gpu.SpecOf)})
	}
	if main && c.Nodes > 1 && c.Estimate.Ratio.Reference == "" {
		all = append(all, fabricWarnings(stage, c)...)
	}
	return all
}

// fabricWarnings are about the network between nodes that work together, unless it is
// what a source gives.
func fabricWarnings(stage workload.StageName, c *candidate.Candidate) []Warning {
	taken := ""
	switch sourced := c.SourcedFabricGBs; {
	case sourced > 0 && c.FabricGBs > 0 && c.FabricGBs != sourced:
		return []Warning{{WarnFabricDiffers, fmt.Sprintf(
			"%s: a source gives %g GB/s between the nodes; %g GB/s are taken, as the request states it", stage, sourced, c.FabricGBs)}}
	case sourced > 0:
		return nil
	case c.FabricGBs > 0 && c.FabricAssumed:
		taken = fmt.Sprintf("; it is taken as %g GB/s", c.FabricGBs)
	case c.FabricGBs > 0:
		taken = fmt.Sprintf("; it is taken as the request states it, %g GB/s", c.FabricGBs)
	}
	return []Warning{{WarnOrdinaryFabric, fmt.Sprintf("%s: no source gives the network between the %d nodes%s", stage, c.Nodes, taken)}}
}

// priceWarnings are about how far the price can be trusted.
func priceWarnings(stage workload.StageName, c *candidate.Candidate, now time.Time) []Warning {
	var all []Warning
	days, known := c.Offer.AsOf.AgeDays(now)
	switch {
	case !known:
		all = append(all, Warning{WarnAgeUnknown, fmt.Sprintf("%s: the price's source gives no date", stage)})
	case days > OldPriceDays:
		all = append(all, Warning{WarnOldPrice, fmt.Sprintf("%s: the price is %d days old (%s)", stage, days, c.Offer.AsOf)})
	}
	if c.Offer.Service == catalog.Marketplace {
		all = append(all, Warning{WarnMarketplace, fmt.Sprintf(
			"%s: a marketplace price is the cheapest box seen; a booking may cost more", stage)})
	}
	for _, f := range c.Offer.Flags {
		if f == "RESOLD" || f == "ROUNDED" || f == "VRAM_OFF_REFERENCE" || f == "CURRENCY_UNSTATED" {
			all = append(all, Warning{WarnFlag, fmt.Sprintf("%s: the offer is flagged %s", stage, f)})
		}
	}
	return all
}

// spotWarnings are about interruptions.
func spotWarnings(stage workload.StageName, c *candidate.Candidate) []Warning {
	if c.Offer.Market != catalog.Spot {
		return nil
	}
	all := []Warning{{WarnSpot, fmt.Sprintf(
		"%s: spot instances can be taken away; %.2g interruptions are expected (assumed rate)", stage, interruptions(c))}}
	if !c.InterruptRate.Known {
		all = append(all, Warning{WarnInterruptionUnknown, fmt.Sprintf(
			"%s: no source gives an interruption rate of this offer; the worst published band was used", stage)})
	}
	return all
}

// interruptions are those of all nodes together: of work in independent pieces the
// outcome is that of one node.
func interruptions(c *candidate.Candidate) float64 {
	return c.Interruptions.Interruptions * float64(c.Nodes) / float64(max(c.Job.Instances, 1))
}

// lateAtHighRate is the plan's 95th percentile if interruptions come at the high
// end of their range.
func lateAtHighRate(plan *Plan) int64 {
	seconds := plan.P95
	for _, c := range plan.Choices {
		if c.InterruptRate.High > 0 {
			seconds += candidate.LateAt(c, c.InterruptRate.High) - c.P95
		}
	}
	return seconds
}

// describePlan names the main stage's choice.
func describePlan(p *stageplan.Plan, main int) string { return describe(p.Choices[main]) }
