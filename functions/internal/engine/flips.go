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
func flips(r Request, plans []Plan) []string {
	if len(plans) < 2 {
		return nil
	}
	return append(priceFlips(r, plans), limitFlips(r, plans)...)
}

// limitFlips are the deadline under which the first plan falls out though another of
// them does not, and the budget of a plan that is not the cheapest.
func limitFlips(r Request, plans []Plan) []string {
	first, say := &plans[0], r.Language.Say
	var texts []string
	for i := range plans {
		if p := &plans[i]; r.Objective == stageplan.Cost && p.P95 < first.P95 {
			texts = append(texts, say("with a deadline under %s hours this plan is too late, and %s, at %s %s, is the cheapest of those shown that is not",
				hours(first.P95), describe(r.Language, p.Choices[p.Main]), cents(p.Total), r.Currency))
			break
		}
		if p := &plans[i]; r.Objective != stageplan.Cost && p.Total.LessThan(first.Total) {
			texts = append(texts, say("with a budget under %s %s this plan is too dear, and %s, in %s hours, is the fastest of those shown that is not",
				first.Total, r.Currency, describe(r.Language, p.Choices[p.Main]), hours(p.Seconds)))
			break
		}
	}
	return texts
}

// priceFlips are about the cheapest plan: what it would have to cost, or to do, for
// the next one to win.
func priceFlips(r Request, plans []Plan) []string {
	if r.Objective != stageplan.Cost {
		return nil
	}
	c := plans[0].Choices[plans[0].Main]
	gap := plans[1].Total.Sub(plans[0].Total)
	rival := describe(r.Language, plans[1].Choices[plans[1].Main])
	texts := []string{r.Language.Say("above %s %s per node and hour (now %s), %s costs less",
		flipPrice(c, gap), r.Currency, nodePrice(c).Round(6), rival)}
	if eta, ok := flipEfficiency(c, gap); ok {
		texts = append(texts, r.Language.Say("at an efficiency of %s or less (now %.3f), %s costs less", eta, c.Efficiency.Value, rival))
	}
	return texts
}

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
func flipEfficiency(c *candidate.Candidate, gap decimal.Decimal) (eta decimal.Decimal, ok bool) {
	if c.Efficiency.Source == "none" || c.Slots > 0 {
		return decimal.Zero, false
	}
	limit := c.Lines().Total().Add(gap)
	now := int(c.Efficiency.Value * 1000)
	const least = 50
	steps := sort.Search(now-least, func(i int) bool {
		return candidate.AtEfficiency(c, float64(now-i)/1000).Total().GreaterThan(limit)
	})
	return decimal.New(int64(now-steps), -3), steps < now-least
}
