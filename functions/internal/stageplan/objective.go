package stageplan

import (
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
)

// Objective is what a plan is best at.
type Objective string

// The objectives: least total; least expected time; least product of the two.
const (
	Cost     Objective = "cost"
	Time     Objective = "time"
	Balanced Objective = "balanced"
)

// ParseObjective reads an objective by its name.
func ParseObjective(text string) (Objective, error) {
	o := Objective(text)
	if slices.Contains([]Objective{Cost, Time, Balanced}, o) {
		return o, nil
	}
	return "", fmt.Errorf("parse objective %q: want cost, time or balanced", text)
}

// compare orders plans by the objective, ties by total, time and choices.
func (o Objective) compare(a, b *Plan) int {
	switch o {
	case Time:
		if a.Seconds != b.Seconds {
			return sign(a.Seconds - b.Seconds)
		}
	case Balanced:
		if by := product(a).Cmp(product(b)); by != 0 {
			return by
		}
	}
	return Compare(a, b)
}

// product is total x seconds, exactly.
func product(p *Plan) decimal.Decimal { return p.Total.Mul(decimal.NewFromInt(p.Seconds)) }

// best is the first plan of a frontier by the objective; nil if there is none.
func (o Objective) best(front []Plan) *Plan {
	var best *Plan
	for i := range front {
		if best == nil || o.compare(&front[i], best) < 0 {
			best = &front[i]
		}
	}
	return best
}

// least is a number that the objective's value can't fall below, given what a
// plan takes at least; it orders groups of candidates and may be approximate only
// downwards.
func (o Objective) least(p point) float64 {
	const slack = 1 - 1e-9 // float64 rounding
	switch o {
	case Time:
		return float64(p.seconds)
	case Balanced:
		return float64(p.low) * float64(p.seconds) * slack
	default:
		return float64(p.low) * slack
	}
}
