package candidate

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Sibling is a candidate on the same instances under another purchase model. ok is
// false with the reason if they can't be had so; no reason means that no source gives
// such an offer.
func Sibling(m *Market, stage *workload.Stage, c *Candidate, market catalog.PurchaseModel) (other Candidate, reason Reason, ok bool) {
	q := m.under(c.Quote, market)
	if q == nil {
		return other, "", false
	}
	if q.Unpriced != "" {
		return other, q.Unpriced, false
	}
	f := finder{market: m, stage: stage, demand: Demand{Constraints: &Constraints{}}}
	return f.price(q, c.Sizing), "", true
}

// CostAtP95 is what a spot candidate costs if interruptions take their 95th percentile
// of time, its own traffic apart.
func CostAtP95(c *Candidate) decimal.Decimal {
	usage := c.Usage
	usage.Interruption = max(usage.Interruption, tco.WholeSeconds(c.Interruptions.P95))
	return c.Meter.Total(&c.Tariff, usage).Decimal()
}

// StepAt is a spot candidate's wall time if interruptions came at another hourly rate.
func StepAt(c *Candidate, ratePerHour float64) spot.Step {
	outcome := c.Job.Of(ratePerHour)
	expected := c.Seconds - c.Usage.Interruption + tco.WholeSeconds(outcome.Expected)
	return spot.Step{Expected: expected, P95: max(expected, expected+lateBy(c.Sizing, outcome))}
}

// AffordableSeconds is how long interruptions of a spot candidate may take for its
// nodes to cost no more than a budget: the time in which they cost that, less what else
// they are held for. Metering steps are left out.
func AffordableSeconds(c *Candidate, budget tco.Units) float64 {
	held, ok := c.Meter.Held(&c.Tariff, c.Usage, budget)
	if !ok {
		return 0
	}
	return float64(held - (c.Usage.Occupied() - c.Usage.Interruption))
}
