package engine

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// SpotReason says why a stage runs on spot instances, or on others.
type SpotReason string

// The reasons. A stage on spot has SpotChosen.
const (
	SpotChosen       SpotReason = "chosen"
	SpotNotCheaper   SpotReason = "spot_not_cheaper" // in expectation, interruptions included
	SpotNoData       SpotReason = "no_data"          // no source gives a spot price of it
	SpotPriceUnknown SpotReason = "price_unknown"
	// SpotElsewhere: it would be cheaper, but a constraint, the objective or the place of
	// the other stages speaks against it.
	SpotElsewhere SpotReason = "not_taken"
	SpotCommitted SpotReason = "committed" // the instances are under a commitment
)

// SpotChoice compares a stage on spot with the same instances on demand. The totals are
// expected, without network, and not valid where there is no such offer.
type SpotChoice struct {
	Reason         SpotReason
	Spot, OnDemand decimal.NullDecimal
	SpotP95        decimal.NullDecimal // of a stage on spot, with interruptions at their 95th percentile
	Interval       float64             // seconds between checkpoints; 0 if none are written
	BreakEven      float64             // interruptions per hour and instance at which both cost the same; 0 if they never do
}

// spotChoices compare every stage of a plan.
func spotChoices(m *candidate.Market, stages []workload.Stage, plan *stageplan.Plan) []SpotChoice {
	choices := make([]SpotChoice, len(stages))
	for i, c := range plan.Choices {
		choices[i] = spotChoice(m, &stages[i], c, stageCost(&plan.Lines[i]).Decimal())
	}
	return choices
}

// spotChoice compares one stage, which costs so much. Instances under a commitment have
// nothing to compare.
func spotChoice(m *candidate.Market, stage *workload.Stage, c *candidate.Candidate, cost decimal.Decimal) SpotChoice {
	switch c.Offer.Market {
	case catalog.Spot:
		return onSpot(m, stage, c, cost)
	case catalog.OnDemand:
		return onDemand(m, stage, c, cost)
	default:
		return SpotChoice{Reason: SpotCommitted}
	}
}

// onSpot is the comparison of a stage that runs on spot.
func onSpot(m *candidate.Market, stage *workload.Stage, c *candidate.Candidate, cost decimal.Decimal) SpotChoice {
	out := SpotChoice{Reason: SpotChosen, Spot: decimal.NewNullDecimal(cost), SpotP95: decimal.NewNullDecimal(candidate.CostAtP95(c)), Interval: c.Interruptions.Interval}
	other, _, ok := candidate.Sibling(m, stage, c, catalog.OnDemand)
	if ok {
		out.OnDemand = valid(&other)
		out.BreakEven, _ = c.Job.BreakEven(candidate.AffordableSeconds(c, out.OnDemand.Decimal))
	}
	return out
}

// onDemand is the comparison of a stage that runs on demand.
func onDemand(m *candidate.Market, stage *workload.Stage, c *candidate.Candidate, cost decimal.Decimal) SpotChoice {
	out := SpotChoice{Reason: SpotNoData, OnDemand: decimal.NewNullDecimal(cost)}
	other, reason, ok := candidate.Sibling(m, stage, c, catalog.Spot)
	switch {
	case ok:
		out.Spot, out.Reason, out.Interval = valid(&other), SpotElsewhere, other.Interruptions.Interval
		if out.Spot.Decimal.GreaterThanOrEqual(out.OnDemand.Decimal) {
			out.Reason = SpotNotCheaper
		}
		out.BreakEven, _ = other.Job.BreakEven(candidate.AffordableSeconds(&other, cost))
	case reason != "":
		out.Reason = SpotPriceUnknown
	}
	return out
}

// valid is what a candidate costs.
func valid(c *candidate.Candidate) decimal.NullDecimal {
	lines := c.Lines()
	return decimal.NewNullDecimal(stageCost(&lines).Decimal())
}

// declined says that spot was no choice for a stage, where a source gives its price.
func (a about) declined(s *SpotChoice, currency catalog.Currency) []Warning {
	if s.Reason != SpotNotCheaper {
		return nil
	}
	return []Warning{{WarnSpotNotCheaper, a.say("%s: spot is no choice here (%s): on-demand is taken",
		a.in.Say("it costs %s against %s in expectation", money(units(s.Spot.Decimal), currency), money(units(s.OnDemand.Decimal), currency)))}}
}
