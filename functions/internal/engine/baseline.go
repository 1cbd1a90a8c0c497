package engine

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// baseline prices the whole job on the plan's main node. It is nil if some stage
// can't run there, or the job is one stage and there is nothing to compare. Data comes in and results go out as in the plan; between the
// stages nothing moves.
func baseline(stages []workload.Stage, p stageplan.Problem, plan *stageplan.Plan) *Baseline {
	if len(stages) == 1 {
		return nil
	}
	box := plan.Choices[p.Main]
	choices := make([]candidate.Candidate, len(stages))
	for i := range stages {
		if i == p.Main {
			choices[i] = *box
			continue
		}
		c, _, ok := candidate.OnBox(p.Market, &stages[i], box)
		if !ok {
			return nil
		}
		choices[i] = c
	}
	p.Stages = nil
	for i := range choices {
		p.Stages = append(p.Stages, choices[i:i+1])
	}
	total, ok := stageplan.PriceOnly(p)
	if !ok {
		return nil
	}
	return &Baseline{
		Description: describeBaseline(len(stages), box),
		Total:       total,
		SavingsPct:  savings(total, plan.Total),
	}
}

// describeBaseline says what the baseline is, in words.
func describeBaseline(stages int, box *candidate.Candidate) string {
	return fmt.Sprintf("all %d stages on the main stage's node: %s", stages, describe(box))
}

// describe names a candidate's hardware and offer: "4 x A100-80GB-SXM, aws p4de.24xlarge".
func describe(c *candidate.Candidate) string {
	what := fmt.Sprintf("%s %s (%s)", c.Offer.Provider, c.Offer.SKU, c.Offer.Market)
	if c.GPUsPerNode > 0 {
		what = fmt.Sprintf("%d x %s, %s", c.GPUsPerNode*c.Nodes, c.Offer.GPU, what)
	}
	if c.Nodes > 1 {
		what += fmt.Sprintf(", %d nodes", c.Nodes)
	}
	return what
}

// savings is 100 x (baseline - total) / baseline to one decimal, half even.
func savings(baseline, total decimal.Decimal) decimal.Decimal {
	if !baseline.IsPositive() {
		return decimal.Zero
	}
	return tco.Quotient{Num: baseline.Sub(total).Mul(decimal.NewFromInt(100)), Den: baseline}.Round(1)
}
