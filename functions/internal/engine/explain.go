package engine

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// explained adds to a plan what a reader needs to judge it.
func (e *Engine) explained(r Request, stages []workload.Stage, p stageplan.Problem, plan stageplan.Plan) Plan {
	out := Plan{Plan: plan, Main: p.Main, Baseline: baseline(r.Language, stages, p, &plan)}
	for i := range stages {
		out.Stages = append(out.Stages, stages[i].Name)
	}
	out.Spot = spotChoices(p.Market, stages, &plan)
	if r.DeadlineSeconds > 0 {
		steps := plan.Steps()
		out.HasDeadline = true
		out.RiskPct = spot.NewScenarios(r.Seed, len(steps)).RiskPct(steps, r.DeadlineSeconds-out.moveSeconds())
	}
	out.Warnings = e.warnings(r, &out)
	return out
}

// explainer says why plans stand where they do.
type explainer struct {
	wording.Language
	objective stageplan.Objective
	currency  catalog.Currency
	plans     []Plan
}

// why says in a sentence what speaks for the i-th plan, and the two facts that weigh
// most: for the first against the next of another kind, for the others against the
// first.
func (x explainer) why(i int) string {
	first := &x.plans[0]
	if i > 0 {
		against := x.Say("against the first plan %s", x.difference(&x.plans[i], first))
		return x.Say("%s: %s", x.plan(&x.plans[i]), x.Join(append([]string{against}, x.facts(&x.plans[i], first)...)))
	}
	text := x.Say("%s: %s", x.merit(), x.plan(first))
	if len(x.plans) == 1 {
		return x.Say("%s; %s", text, x.Say("no other kind of hardware was asked for or meets the constraints"))
	}
	next := &x.plans[1]
	rival := x.Say("the next kind is %s: %s", x.plan(next), x.difference(next, first))
	return x.Say("%s; %s", x.Say("%s; %s", text, rival), x.Join(x.facts(first, next)))
}

// merit names the objective as one.
func (x explainer) merit() string {
	switch x.objective {
	case stageplan.Time:
		return x.Say("least expected time")
	case stageplan.Balanced:
		return x.Say("least product of total and time")
	default:
		return x.Say("least total cost")
	}
}

// plan names the main stage's choice.
func (x explainer) plan(p *Plan) string { return describe(x.Language, p.Choices[p.Main]) }

// difference says how a plan differs from another in cost and time.
func (x explainer) difference(plan, from *Plan) string {
	cost := plan.Total.Sub(from.Total)
	seconds := plan.Seconds - from.Seconds
	return x.Say("%s in cost, %s hours", signed(x.money(cost), cost.Sign()),
		signed(hours(seconds).RoundBank(1).StringFixed(1), cmp.Compare(seconds, 0)))
}

// signed puts a plus before what is not negative.
func signed(text string, sign int) string {
	if sign < 0 {
		return text
	}
	return "+" + text
}

// fact is something that two plans differ in, and by how much.
type fact struct {
	weight decimal.Decimal
	text   string
}

// mostFacts is how many facts a reader is told.
const mostFacts = 2

// facts are the weightiest differences of a plan from another: in time if that is the
// objective, else in cost.
func (x explainer) facts(plan, other *Plan) []string {
	all := x.costs(plan, other)
	if x.objective == stageplan.Time {
		all = x.times(plan, other)
	}
	all = slices.DeleteFunc(all, func(f fact) bool { return f.weight.IsZero() })
	slices.SortStableFunc(all, func(a, b fact) int { return b.weight.Abs().Cmp(a.weight.Abs()) })
	var texts []string
	for _, f := range all[:min(len(all), mostFacts)] {
		texts = append(texts, f.text)
	}
	return texts
}

// costs are the differences in cost: of the main stage, of moves and of the rest.
func (x explainer) costs(a, b *Plan) []fact {
	stage := x.Say(string(a.Stages[a.Main]))
	own, others := a.mainCost(), b.mainCost()
	moves, otherMoves := a.moveCost(), b.moveCost()
	rest, otherRest := a.Total.Sub(own).Sub(moves), b.Total.Sub(others).Sub(otherMoves)
	mine, theirs := a.Choices[a.Main], b.Choices[b.Main]
	return []fact{
		{own.Sub(others), x.Say("the %s stage costs %s, there %s: %s an hour for %s hours, there %s for %s", stage,
			x.money(own), x.money(others), x.money(allNodes(mine)), billed(mine), x.money(allNodes(theirs)), billed(theirs))},
		{moves.Sub(otherMoves), x.Say("moving data costs %s, there %s", x.money(moves), x.money(otherMoves))},
		{rest.Sub(otherRest), x.Say("the other stages cost %s, there %s", x.money(rest), x.money(otherRest))},
	}
}

// times are the differences in expected time: of the main stage, of moves and of the rest.
func (x explainer) times(a, b *Plan) []fact {
	stage := x.Say(string(a.Stages[a.Main]))
	own, others := a.Choices[a.Main].Seconds, b.Choices[b.Main].Seconds
	moves, otherMoves := a.moveSeconds(), b.moveSeconds()
	rest, otherRest := a.Seconds-own-moves, b.Seconds-others-otherMoves
	of := func(message string, mine, theirs int64, args ...any) fact {
		args = append(args, shortHours(mine), shortHours(theirs))
		return fact{decimal.NewFromInt(mine - theirs), x.Say(message, args...)}
	}
	return []fact{
		of("the %s stage takes %s hours, there %s", own, others, stage),
		of("moving data takes %s hours, there %s", moves, otherMoves),
		of("the other stages take %s hours, there %s", rest, otherRest),
	}
}

// mainCost is the main stage without what moves cost.
func (p *Plan) mainCost() decimal.Decimal {
	lines := &p.Lines[p.Main]
	return lines.Total().Sub(lines.Network).Add(p.Choices[p.Main].Network)
}

// moveCost and moveSeconds are those of all moves.
func (p *Plan) moveCost() decimal.Decimal {
	sum := decimal.Zero
	for _, m := range p.Moves {
		sum = sum.Add(m.Cost)
	}
	return sum
}

func (p *Plan) moveSeconds() int64 {
	sum := int64(0)
	for _, m := range p.Moves {
		sum += m.Seconds
	}
	return sum
}

// allNodes is what all nodes of a candidate cost per hour.
func allNodes(c *candidate.Candidate) decimal.Decimal {
	return nodePrice(c).Times(decimal.NewFromInt(c.Usage.Nodes)).Round(6)
}

// billed is the hours that a candidate's nodes are billed for each.
func billed(c *candidate.Candidate) string { return shortHours(c.Tariff.Billed(c.Usage.Occupied())) }

// money is an amount with its currency.
func (x explainer) money(d decimal.Decimal) string { return cents(d) + " " + string(x.currency) }

// cents is an amount as texts show it.
func cents(d decimal.Decimal) string { return d.RoundBank(2).StringFixed(2) }

// shortHours is a time as texts show it.
func shortHours(seconds int64) string { return hours(seconds).RoundBank(1).StringFixed(1) }
