package engine

import (
	"fmt"

	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// explained adds to a plan what a reader needs to judge it.
func (e *Engine) explained(r Request, stages []workload.Stage, p stageplan.Problem, plan stageplan.Plan) Plan {
	out := Plan{Plan: plan, Main: p.Main, Baseline: baseline(stages, p, &plan)}
	for i := range stages {
		out.Stages = append(out.Stages, stages[i].Name)
	}
	out.Warnings = e.warnings(r, &out)
	return out
}

// why says in a sentence what speaks for the i-th plan: for the first against the
// next of another kind, for the others against the first.
func why(o stageplan.Objective, plans []Plan, i int) string {
	first := &plans[0]
	if i > 0 {
		return fmt.Sprintf("%s: against the first plan %s", describePlan(&plans[i].Plan, plans[i].Main), difference(&plans[i], first))
	}
	text := bestAt(o) + ": " + describePlan(&first.Plan, first.Main)
	if len(plans) == 1 {
		return text + "; no other kind of hardware was asked for or meets the constraints"
	}
	next := &plans[1]
	return fmt.Sprintf("%s; the next kind is %s: %s", text, describePlan(&next.Plan, next.Main), difference(next, first))
}

// bestAt names an objective as a merit.
func bestAt(o stageplan.Objective) string {
	switch o {
	case stageplan.Time:
		return "least expected time"
	case stageplan.Balanced:
		return "least product of total and time"
	default:
		return "least total cost"
	}
}

// difference says how a plan differs from another in cost and time.
func difference(plan, from *Plan) string {
	cost := plan.Total.Sub(from.Total)
	seconds := plan.Seconds - from.Seconds
	return signed(cost.RoundBank(2).StringFixed(2), cost.Sign()) + " in cost, " +
		signed(hours(seconds).RoundBank(1).StringFixed(1), int(sign(seconds))) + " hours"
}

// signed puts a plus before what is not negative.
func signed(text string, sign int) string {
	if sign < 0 {
		return text
	}
	return "+" + text
}

// sign is -1, 0 or 1.
func sign(n int64) int64 { return max(-1, min(1, n)) }
