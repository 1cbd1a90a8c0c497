package engine

import (
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/wording"
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
	WarnSpotNotCheaper      WarningCode = "SPOT_NOT_CHEAPER"
	WarnShared              WarningCode = "GPU_SHARED"
	WarnSlowest             WarningCode = "SLOWEST_OF_POOL"
	WarnPartial             WarningCode = "DEADLINE_PARTLY_TESTED"
)

// OldPriceDays is the age beyond which a price is called old, in days.
const OldPriceDays = 180

// about is what warnings of one stage begin with, and the language that they are in.
type about struct {
	in    wording.Language
	stage string
}

// aboutStage names a stage in a language.
func aboutStage(in wording.Language, stage workload.StageName) about {
	return about{in, in.Say(string(stage))}
}

// say is a message that begins with the stage.
func (a about) say(message string, args ...any) string {
	return a.in.Say(message, append([]any{a.stage}, args...)...)
}

// warnings are everything about a plan that its reader should know, stage by stage.
func (x *explainer) warnings(e *Engine, i int) []Warning {
	var all []Warning
	s, plan := &x.standings[i], &x.plans[i]
	x.told[i] = make([][]Warning, len(plan.Choices))
	for stage := range plan.Choices {
		told := &x.told[i][stage]
		if earlier := x.sharing(i, stage); earlier < i {
			*told = x.told[earlier][stage]
		} else {
			*told = x.ofStage(e, plan, stage)
		}
		all = append(all, *told...)
	}
	for i := range plan.Moves {
		if m := &plan.Moves[i]; m.Assumed {
			all = append(all, egressUnknown(x.Language, m.From.Place.Provider))
		}
	}
	for _, c := range plan.Choices {
		if c.NetworkAssumed {
			all = append(all, egressUnknown(x.Language, c.Offer.Provider))
		}
	}
	if x.drawn != nil && x.lateAtHighRate(s) > x.request.DeadlineSeconds {
		all = append(all, Warning{WarnDeadlineHighRate,
			x.Say("at the high end of the interruption rate the plan would miss the deadline")})
	}
	return all
}

// ofStage are the warnings about a stage of a plan.
func (x *explainer) ofStage(e *Engine, plan *Plan, stage int) []Warning {
	a, c := aboutStage(x.Language, plan.Stages[stage]), plan.Choices[stage]
	all := a.hardware(e, c, stage == plan.Main)
	all = append(all, a.price(c, x.request.ComputedAt)...)
	all = append(all, a.spot(c)...)
	all = append(all, a.declined(&plan.Spot[stage], x.request.Currency)...)
	all = append(all, a.shared(c)...)
	return append(all, a.utilisation(&c.Estimate)...)
}

// egressUnknown warns of a rate that stands in for one that no source gives.
func egressUnknown(in wording.Language, p catalog.ProviderID) Warning {
	return Warning{WarnEgressUnknown, in.Say("no source gives the egress price of %s; the dearest sourced rate was used", p)}
}

// hardware are the warnings that are about the GPU and its links.
func (a about) hardware(e *Engine, c *candidate.Candidate, main bool) []Warning {
	gpu, ok := e.snapshot.GPU(c.Offer.GPU)
	if !ok || !c.HasGPU {
		return nil
	}
	var all []Warning
	if main && gpu.ECC != catalog.Yes {
		all = append(all, Warning{WarnNoECC, a.say(
			"%s: %s has no ECC memory, or no source says so; a silent bit error can spoil a long run", gpu.Name)})
	}
	if gpu.SpecOf != "" {
		all = append(all, Warning{WarnFormUnknown, a.say(
			"%s: the source does not say which variant of %s it is; sized as %s", gpu.Family, gpu.SpecOf)})
	}
	if main && c.Nodes > 1 && c.Estimate.Ratio.Reference == "" && c.Slots == 0 {
		all = append(all, a.fabric(c)...)
	}
	return append(all, a.boxes(e, c)...)
}

// fabric are the warnings about the network between nodes that work together, unless it is
// what a source gives.
func (a about) fabric(c *candidate.Candidate) []Warning {
	text := ""
	switch sourced := c.SourcedFabricGBs; {
	case sourced > 0 && c.FabricGBs > 0 && c.FabricGBs != sourced:
		return []Warning{{WarnFabricDiffers, a.say(
			"%s: a source gives %g GB/s between the nodes; %g GB/s are taken, as the request states it", sourced, c.FabricGBs)}}
	case sourced > 0:
		return nil
	case c.FabricGBs > 0 && c.FabricAssumed:
		text = a.say("%s: no source gives the network between the %d nodes; it is taken as %g GB/s", c.Nodes, c.FabricGBs)
	case c.FabricGBs > 0:
		text = a.say("%s: no source gives the network between the %d nodes; it is taken as the request states it, %g GB/s", c.Nodes, c.FabricGBs)
	default:
		text = a.say("%s: no source gives the network between the %d nodes", c.Nodes)
	}
	return []Warning{{WarnOrdinaryFabric, text}}
}

// price are the warnings about how far the price can be trusted.
func (a about) price(c *candidate.Candidate, now time.Time) []Warning {
	var all []Warning
	days, known := c.Offer.AsOf.AgeDays(now)
	switch {
	case !known:
		all = append(all, Warning{WarnAgeUnknown, a.say("%s: the price's source gives no date")})
	case days > OldPriceDays:
		all = append(all, Warning{WarnOldPrice, a.say("%s: the price is %d days old (%s)", days, c.Offer.AsOf)})
	}
	if c.Offer.Service == catalog.Marketplace {
		all = append(all, Warning{WarnMarketplace, a.say(
			"%s: a marketplace price is the cheapest box seen; a booking may cost more")})
	}
	for _, f := range c.Offer.Flags {
		if f == "RESOLD" || f == "ROUNDED" || f == "VRAM_OFF_REFERENCE" || f == "CURRENCY_UNSTATED" {
			all = append(all, Warning{WarnFlag, a.say("%s: the offer is flagged %s", f)})
		}
	}
	return all
}

// spot are the warnings about interruptions.
func (a about) spot(c *candidate.Candidate) []Warning {
	if c.Offer.Market != catalog.Spot {
		return nil
	}
	all := []Warning{{WarnSpot, a.say(
		"%s: spot instances can be taken away; %.2g interruptions are expected (assumed rate)", Interruptions(c))}}
	if !c.InterruptRate.Known {
		all = append(all, Warning{WarnInterruptionUnknown, a.say(
			"%s: no source gives an interruption rate of this offer; the worst published band was used")})
	}
	return all
}

// Interruptions are those expected of all nodes together: of work in independent pieces the
// outcome is that of one node.
func Interruptions(c *candidate.Candidate) float64 {
	return c.Interruptions.Interruptions * float64(c.Nodes) / float64(max(c.Job.Instances, 1))
}

// lateAtHighRate is the plan's 95th percentile if interruptions come at the high
// end of their range; 0 if there are none to come.
func (x *explainer) lateAtHighRate(s *standing) int64 {
	steps, spots := s.plan.Steps(), false
	for i, c := range s.plan.Choices {
		if c.InterruptRate.High > 0 {
			steps[i], spots = candidate.StepAt(c, c.InterruptRate.High), true
		}
	}
	if !spots {
		return 0
	}
	return x.drawn.P95(steps) + s.moveSeconds
}
