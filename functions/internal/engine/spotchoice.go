package engine

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
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

// spotChoices compare every stage of the i-th plan. Plans share stages: what one that is
// before it compares is not compared again.
func (x *explainer) spotChoices(i int) []SpotChoice {
	choices := make([]SpotChoice, len(x.stages))
	for stage, c := range x.plans[i].Choices {
		if earlier := x.sharing(i, stage); earlier < i {
			choices[stage] = x.plans[earlier].Spot[stage]
			continue
		}
		choices[stage] = spotChoice(x.problem.Market, &x.stages[stage], c)
	}
	return choices
}

// sharing is the first plan whose stage runs on the same nodes at the same cost as the i-th
// plan's: that itself if there is none before it.
func (x *explainer) sharing(i, stage int) int {
	c := x.plans[i].Choices[stage]
	for earlier := range i {
		a := x.plans[earlier].Choices[stage]
		if a == c || a.Quote == c.Quote && a.Nodes == c.Nodes && a.Apart().Cmp(c.Apart()) == 0 {
			return earlier
		}
	}
	return i
}

// spotChoice compares one stage. Instances under a commitment have
// nothing to compare.
func spotChoice(m *candidate.Market, stage *workload.Stage, c *candidate.Candidate) SpotChoice {
	switch c.Offer.Market {
	case catalog.Spot:
		return onSpot(m, stage, c)
	case catalog.OnDemand:
		return onDemand(m, stage, c)
	default:
		return SpotChoice{Reason: SpotCommitted}
	}
}

// onSpot is the comparison of a stage that runs on spot.
func onSpot(m *candidate.Market, stage *workload.Stage, c *candidate.Candidate) SpotChoice {
	out := SpotChoice{Reason: SpotChosen, Spot: valid(c.Apart()), SpotP95: decimal.NewNullDecimal(candidate.CostAtP95(c)), Interval: c.Interruptions.Interval}
	other, _, ok := candidate.Sibling(m, stage, c, catalog.OnDemand)
	if ok {
		cost := other.Apart()
		out.OnDemand = valid(cost)
		out.BreakEven, _ = c.Job.BreakEven(candidate.AffordableSeconds(c, cost))
	}
	return out
}

// onDemand is the comparison of a stage that runs on demand.
func onDemand(m *candidate.Market, stage *workload.Stage, c *candidate.Candidate) SpotChoice {
	cost := c.Apart()
	out := SpotChoice{Reason: SpotNoData, OnDemand: valid(cost)}
	other, reason, ok := candidate.Sibling(m, stage, c, catalog.Spot)
	switch {
	case ok:
		spot := other.Apart()
		out.Spot, out.Reason, out.Interval = valid(spot), SpotElsewhere, other.Interruptions.Interval
		if spot.Cmp(cost) >= 0 {
			out.Reason = SpotNotCheaper
		}
		out.BreakEven, _ = other.Job.BreakEven(candidate.AffordableSeconds(&other, cost))
	case reason != "":
		out.Reason = SpotPriceUnknown
	}
	return out
}

// valid is an amount that is known.
func valid(u tco.Units) decimal.NullDecimal { return decimal.NewNullDecimal(u.Decimal()) }

// declined says that spot was no choice for a stage, where a source gives its price.
func (a about) declined(s *SpotChoice, currency catalog.Currency) []Warning {
	if s.Reason != SpotNotCheaper {
		return nil
	}
	return []Warning{{WarnSpotNotCheaper, a.say("%s: spot is no choice here (%s): on-demand is taken",
		a.in.Say("it costs %s against %s in expectation", money(units(s.Spot.Decimal), currency), money(units(s.OnDemand.Decimal), currency)))}}
}
