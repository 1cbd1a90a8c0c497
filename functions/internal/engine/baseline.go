package engine

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// baseline prices the whole job on the plan's main node. It is nil if some stage
// can't run there, or the job is one stage and there is nothing to compare. Data comes in
// and results go out as in the plan; between the stages nothing moves.
func (x *explainer) baseline(s *standing) *Baseline {
	if len(x.stages) == 1 {
		return nil
	}
	choices := make([]candidate.Candidate, len(x.stages))
	for i := range x.stages {
		if i == s.plan.Main {
			choices[i] = *s.choice
			continue
		}
		c, _, ok := candidate.OnBox(x.problem.Market, &x.stages[i], s.choice)
		if !ok {
			return nil
		}
		choices[i] = c
	}
	total, ok := x.priced(choices)
	if !ok {
		return nil
	}
	return &Baseline{
		Description: x.Say("all %d stages on the main stage's node: %s", len(x.stages), s.name),
		Total:       total,
		SavingsPct:  savings(total, s.plan.Total),
	}
}

// priced is what choices at one place cost. ok is false if they can't be priced.
func (x *explainer) priced(choices []candidate.Candidate) (total decimal.Decimal, ok bool) {
	p := *x.problem
	if p.From != nil || p.To != nil {
		p.Stages = nil
		for i := range choices {
			p.Stages = append(p.Stages, choices[i:i+1])
		}
		return stageplan.PriceOnly(p)
	}
	var sum tco.Units // nothing moves
	for i := range choices {
		sum = sum.Plus(choices[i].Total())
	}
	return sum.Decimal(), true
}

// describe names a candidate's hardware and offer: "4 x A100-80GB-SXM, aws p4de.24xlarge".
func describe(in wording.Language, c *candidate.Candidate) string {
	what := in.Say("%s %s (%s)", c.Offer.Provider, c.Offer.SKU, in.Say(string(c.Offer.Market)))
	switch gpus := c.Offer.GPUs; {
	case c.HasGPU && gpus.Valid && !gpus.Decimal.IsInteger():
		what = in.Say("%d x %s of a %s, %s", c.Nodes, gpus.Decimal, c.Offer.GPU, what)
	case c.GPUsPerNode > 0:
		what = in.Say("%d x %s, %s", c.GPUsPerNode*c.Nodes, c.Offer.GPU, what)
	}
	if c.Nodes > 1 {
		what = in.Join([]string{what, in.Say("%d nodes", c.Nodes)})
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
