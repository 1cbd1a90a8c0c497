package engine

import (
	"sort"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// flips say what would make another plan win over the first. Of the cheapest plan
// it is the price of the main stage's node and the efficiency of its GPU at which it
// and the next cost the same, and the deadline that it just meets; of the others the
// budget.
func (x *explainer) flips() []string {
	if len(x.plans) < 2 {
		return nil
	}
	return append(x.priceFlips(), x.limitFlips()...)
}

// limitFlips are the deadline under which the first plan falls out though another of
// them does not, and the budget of a plan that is not the cheapest.
func (x *explainer) limitFlips() []string {
	first, r := &x.plans[0], x.request
	for i := range x.plans {
		if p := &x.plans[i]; r.Objective == stageplan.Cost && p.P95 < first.P95 {
			return []string{x.Say("with a deadline under %s hours this plan is too late, and %s, at %s %s, is the cheapest of those shown that is not",
				hours(first.P95), x.standings[i].name, cents(p.Units), r.Currency)}
		}
		if p := &x.plans[i]; r.Objective != stageplan.Cost && p.Units.Cmp(first.Units) < 0 {
			return []string{x.Say("with a budget under %s %s this plan is too dear, and %s, in %s hours, is the fastest of those shown that is not",
				first.Total, r.Currency, x.standings[i].name, hours(p.Seconds))}
		}
	}
	return nil
}

// priceFlips are about the cheapest plan: what it would have to cost, or to do, for
// the next one to win.
func (x *explainer) priceFlips() []string {
	if x.request.Objective != stageplan.Cost {
		return nil
	}
	c, rival := x.standings[0].choice, x.standings[1].name
	gap := x.plans[1].Units.Minus(x.plans[0].Units)
	texts := []string{x.Say("above %s %s per node and hour (now %s), %s costs less",
		flipPrice(c, gap.Decimal()), x.request.Currency, nodePrice(c).Round(6), rival)}
	if eta, ok := flipEfficiency(c, gap); ok {
		texts = append(texts, x.Say("at an efficiency of %s or less (now %.3f), %s costs less", eta, c.Efficiency.Value, rival))
	}
	return texts
}

// cents is an amount as texts show it.
func cents(u tco.Units) string { return string(u.AppendFixed(nil, 2)) }

// nodePrice is what one node of a candidate costs per hour in the answer's currency.
func nodePrice(c *candidate.Candidate) tco.Quotient {
	return c.Tariff.Conversion.Convert(tco.Quotient{Num: c.Tariff.Node.Num, Den: c.Tariff.Node.Den})
}

// flipPrice is the node price at which the candidate costs gap more: the price
// plus gap over the billed node-hours, to 6 decimals, half even.
func flipPrice(c *candidate.Candidate, gap decimal.Decimal) decimal.Decimal {
	seconds := decimal.NewFromInt(c.Tariff.Billed(c.Usage.Occupied())).Mul(decimal.NewFromInt(c.Usage.Nodes))
	price := nodePrice(c)
	rise := gap.Mul(decimal.NewFromInt(3600)).Mul(price.Den)
	return tco.Quotient{Num: price.Num.Mul(seconds).Add(rise), Den: price.Den.Mul(seconds)}.Round(6)
}

// flipEfficiency is the largest coefficient, in thousandths, at which the
// candidate costs gap more than now. ok is false if the hours do not scale with one,
// or none above 0.05 does it.
func flipEfficiency(c *candidate.Candidate, gap tco.Units) (eta decimal.Decimal, ok bool) {
	if c.Efficiency.Source == "none" || c.Slots > 0 {
		return decimal.Zero, false
	}
	limit := c.Total().Plus(gap)
	now := int(c.Efficiency.Value * 1000)
	const least = 50
	steps := sort.Search(now-least, func(i int) bool {
		return candidate.AtEfficiency(c, float64(now-i)/1000).Cmp(limit) > 0
	})
	return decimal.New(int64(now-steps), -3), steps < now-least
}
