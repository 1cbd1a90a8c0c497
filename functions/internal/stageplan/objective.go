package stageplan

import (
	"fmt"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/tco"
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
func (o Objective) compare(a, b *Outline) int {
	switch o {
	case Time:
		if a.Seconds != b.Seconds {
			return sign(a.Seconds - b.Seconds)
		}
	case Balanced:
		if by := a.Units.CmpTimes(a.Seconds, b.Units, b.Seconds); by != 0 {
			return by
		}
	}
	return Compare(a, b)
}

// best is the first plan of a frontier by the objective; nil if there is none.
func (o Objective) best(front []Outline) *Outline {
	var best *Outline
	for i := range front {
		if best == nil || o.compare(&front[i], best) < 0 {
			best = &front[i]
		}
	}
	return best
}

// least is a number that the objective's value can't fall below, given what a
// plan takes at least. It is approximate only downwards.
func (o Objective) least(p point) float64 { return o.value(p.low, p.seconds) * (1 - roundOff) }

// most is a number that the value of a plan at the point can't exceed.
func (o Objective) most(p point) float64 { return o.value(p.high, p.seconds) * (1 + roundOff) }

// roundOff is more than the relative error of a product in float64.
const roundOff = 1e-9

// value is the objective's value on a scale of its own.
func (o Objective) value(cost tco.Nano, seconds int64) float64 {
	switch o {
	case Time:
		return float64(seconds)
	case Balanced:
		return float64(cost) * float64(seconds)
	default:
		return float64(cost)
	}
}
