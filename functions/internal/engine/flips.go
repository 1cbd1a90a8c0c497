package engine

import (
	"fmt"
	"sort"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// flips say what would make the next plan win over the first: the price of the
// main stage's node, and the efficiency of its GPU, at which the two cost the
// same. They apply to the cheapest plan only.
func flips(r Request, plans []Plan) []string {
	if len(plans) < 2 || r.Objective != stageplan.Cost {
		return nil
	}
	c := plans[0].Choices[plans[0].Main]
	gap := plans[1].Total.Sub(plans[0].Total)
	rival := describePlan(&plans[1].Plan, plans[1].Main)
	texts := []string{fmt.Sprintf("above %s %s per node and hour (now %s), %s costs less",
		flipPrice(c, gap), r.Currency, nodePrice(c).Round(6), rival)}
	if eta, ok := flipEfficiency(c, gap); ok {
		texts = append(texts, fmt.Sprintf("at an efficiency of %s or less (now %.3f), %s costs less", eta, c.Efficiency.Value, rival))
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
// candidate costs gap more than now. ok is false if work does not scale with one,
// or none above 0.05 does it.
func flipEfficiency(c *candidate.Candidate, gap decimal.Decimal) (eta decimal.Decimal, ok bool) {
	if c.Efficiency.Source == "none" {
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
