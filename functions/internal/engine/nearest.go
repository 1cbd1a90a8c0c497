package engine

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/stageplan"
)

// nearest finds, where budget or deadline leave no plan, the smallest value of
// one of them that does while the other holds. The deadline is tried first.
func nearest(p stageplan.Problem, r stageplan.Result) *Nearest {
	if len(r.Plans) > 0 {
		return nil
	}
	if p.DeadlineSeconds > 0 {
		if seconds, ok := stageplan.LeastP95(p); ok {
			return &Nearest{
				Field: "constraints.deadline_hours",
				Value: hours(seconds),
				Why:   "the least 95th percentile of any plan within the other constraints",
			}
		}
	}
	if p.Budget.Valid {
		if total, ok := leastBudget(p); ok {
			return &Nearest{
				Field: "constraints.budget",
				Value: total,
				Why:   "the least total of any plan within the other constraints",
			}
		}
	}
	return nil
}

// leastBudget is the smallest total of any plan within the deadline.
func leastBudget(p stageplan.Problem) (total decimal.Decimal, ok bool) {
	p.Budget = decimal.NullDecimal{}
	p.Alternatives = 1
	p.Objective = stageplan.Cost
	result := stageplan.Solve(p)
	if len(result.Plans) == 0 {
		return decimal.Zero, false
	}
	return result.Plans[0].Total, true
}

// hours turns seconds into hours, rounded up to 10^-4.
func hours(seconds int64) decimal.Decimal {
	quotient, rest := decimal.NewFromInt(seconds).QuoRem(decimal.NewFromInt(3600), 4)
	if rest.IsPositive() {
		quotient = quotient.Add(decimal.New(1, -4))
	}
	return quotient
}
