package engine

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// explainer says what a reader needs to judge plans.
type explainer struct {
	wording.Language
	request   *Request
	stages    []workload.Stage
	problem   *stageplan.Problem
	drawn     *spot.Scenarios // nil without a deadline, or without plans
	plans     []Plan
	standings []standing
	told      [][][]Warning // of plans that were gone through, by stage
}

// explain puts into an answer what a search found, with what a reader needs to judge it.
func (x *explainer) explain(e *Engine, result stageplan.Result, answer *Answer) {
	plans := result.Plans()
	x.plans, x.standings = make([]Plan, len(plans)), make([]standing, len(plans))
	x.told = make([][][]Warning, len(plans))
	if x.request.DeadlineSeconds > 0 {
		x.drawn = result.Scenarios()
	}
	names := namesOf(x.stages)
	for i := range plans {
		x.plans[i] = Plan{Plan: plans[i], Main: x.problem.Main, Stages: names}
		x.standings[i] = x.standingOf(&x.plans[i])
		x.explained(e, i)
	}
	e.compare(*x.request, x.problem.Market, x.plans)
	for i := range x.plans {
		x.plans[i].Why = x.why(i)
	}
	if len(x.plans) > 0 {
		x.plans[0].Flips = x.flips()
	}
	if result.Partial && len(x.plans) > 0 {
		x.plans[0].Warnings = append(x.plans[0].Warnings, Warning{WarnPartial,
			x.Say("the deadline was tested on part of the plans that come near it: a cheaper one may be missed")})
	}
	answer.Plans = x.plans
	answer.Frontier = points(&result)
	answer.AsOf = oldest(plans)
	answer.Assumptions = assumptions(x.request, x.plans)
	if result.Partial && len(x.plans) == 0 {
		answer.Assumptions = append(answer.Assumptions, Assumption{"deadline_tested", x.Say("in part"),
			x.Say("the deadline was tested on part of the plans that come near it: one that meets it may be missed")})
	}
}

// standing is how texts name a plan and what they compare of it.
type standing struct {
	plan              *Plan
	choice            *candidate.Candidate // of the main stage
	name              string               // of that
	main, moves, rest tco.Units            // the total: the main stage without moves, all moves, the other stages
	moveSeconds       int64
	hourly            string // see explainer.hourly
}

// standingOf splits a plan's total.
func (x *explainer) standingOf(p *Plan) standing {
	s := standing{plan: p, choice: p.Choices[p.Main], moveSeconds: p.moveSeconds()}
	s.name = describe(x.Language, s.choice)
	s.main = s.choice.Total()
	for i := range p.Moves {
		s.moves = s.moves.Plus(units(p.Moves[i].Cost))
	}
	s.rest = p.Units.Minus(s.main).Minus(s.moves)
	return s
}

// units is an amount that is a line or a sum of lines: it has no more decimals.
func units(d decimal.Decimal) tco.Units {
	u, _ := tco.UnitsOf(d)
	return u
}

// namesOf are the names of stages.
func namesOf(stages []workload.Stage) []workload.StageName {
	names := make([]workload.StageName, len(stages))
	for i := range stages {
		names[i] = stages[i].Name
	}
	return names
}

// explained adds to the i-th plan what its reader needs to judge it by itself.
func (x *explainer) explained(e *Engine, i int) {
	p, s := &x.plans[i], &x.standings[i]
	p.Baseline = x.baseline(s)
	p.Spot = x.spotChoices(i)
	if x.drawn != nil {
		p.HasDeadline = true
		p.RiskPct = x.drawn.RiskPct(p.Steps(), x.request.DeadlineSeconds-s.moveSeconds)
	}
	p.Warnings = x.warnings(e, i)
}

// why says in a sentence what speaks for the i-th plan, and the two facts that weigh
// most: for the first against the next of another kind, for the others against the
// first.
func (x *explainer) why(i int) string {
	first := &x.standings[0]
	if i > 0 {
		against := x.Say("against the first plan %s", x.difference(&x.standings[i], first))
		return x.Say("%s: %s", x.standings[i].name, x.Join(append([]string{against}, x.facts(&x.standings[i], first)...)))
	}
	text := x.Say("%s: %s", x.merit(), first.name)
	if len(x.plans) == 1 {
		return x.Say("%s; %s", text, x.Say("no other kind of hardware was asked for or meets the constraints"))
	}
	next := &x.standings[1]
	rival := x.Say("the next kind is %s: %s", next.name, x.difference(next, first))
	return x.Say("%s; %s", x.Say("%s; %s", text, rival), x.Join(x.facts(first, next)))
}

// merit names the objective as one.
func (x *explainer) merit() string {
	switch x.request.Objective {
	case stageplan.Time:
		return x.Say("least expected time")
	case stageplan.Balanced:
		return x.Say("least product of total and time")
	default:
		return x.Say("least total cost")
	}
}

// difference says how a plan differs from another in cost and time.
func (x *explainer) difference(a, from *standing) string {
	cost := a.plan.Units.Minus(from.plan.Units)
	seconds := a.plan.Seconds - from.plan.Seconds
	return x.Say("%s in cost, %s hours", signed(x.money(cost), cost.Sign()), signed(shortHours(seconds), cmp.Compare(seconds, 0)))
}

// signed puts a plus before what is not negative.
func signed(text string, sign int) string {
	if sign < 0 {
		return text
	}
	return "+" + text
}

// fact is something that two plans differ in, and by how much: in cost or in time.
type fact struct {
	cost    tco.Units
	seconds int64
	text    func() string
}

// weight orders facts: the one of the larger difference comes first.
func weight(a, b fact) int {
	return cmp.Or(b.cost.CmpSize(a.cost), cmp.Compare(max(b.seconds, -b.seconds), max(a.seconds, -a.seconds)))
}

// mostFacts is how many facts a reader is told.
const mostFacts = 2

// facts are the weightiest differences of a plan from another: in time if that is the
// objective, else in cost.
func (x *explainer) facts(a, b *standing) []string {
	all := x.costs(a, b)
	if x.request.Objective == stageplan.Time {
		all = x.times(a, b)
	}
	slices.SortStableFunc(all[:], weight)
	texts := make([]string, 0, mostFacts)
	for _, f := range all[:mostFacts] {
		if !f.cost.IsZero() || f.seconds != 0 {
			texts = append(texts, f.text())
		}
	}
	return texts
}

// costs are the differences in cost: of the main stage, of moves and of the rest.
func (x *explainer) costs(a, b *standing) [3]fact {
	return [3]fact{
		{cost: a.main.Minus(b.main), text: func() string {
			return x.Say("the %s stage costs %s, there %s: %s an hour for %s hours, there %s for %s", x.mainStage(a),
				x.money(a.main), x.money(b.main), x.hourly(a), billed(a.choice), x.hourly(b), billed(b.choice))
		}},
		{cost: a.moves.Minus(b.moves), text: func() string {
			return x.Say("moving data costs %s, there %s", x.money(a.moves), x.money(b.moves))
		}},
		{cost: a.rest.Minus(b.rest), text: func() string {
			return x.Say("the other stages cost %s, there %s", x.money(a.rest), x.money(b.rest))
		}},
	}
}

// times are the differences in expected time: of the main stage, of moves and of the rest.
func (x *explainer) times(a, b *standing) [3]fact {
	rest := func(s *standing) int64 { return s.plan.Seconds - s.choice.Seconds - s.moveSeconds }
	return [3]fact{
		{seconds: a.choice.Seconds - b.choice.Seconds, text: func() string {
			return x.Say("the %s stage takes %s hours, there %s", x.mainStage(a), shortHours(a.choice.Seconds), shortHours(b.choice.Seconds))
		}},
		{seconds: a.moveSeconds - b.moveSeconds, text: func() string {
			return x.Say("moving data takes %s hours, there %s", shortHours(a.moveSeconds), shortHours(b.moveSeconds))
		}},
		{seconds: rest(a) - rest(b), text: func() string {
			return x.Say("the other stages take %s hours, there %s", shortHours(rest(a)), shortHours(rest(b)))
		}},
	}
}

// mainStage is the name of a plan's main stage.
func (x *explainer) mainStage(s *standing) string { return x.Say(string(s.plan.Stages[s.plan.Main])) }

// moveSeconds is the time of all moves.
func (p *Plan) moveSeconds() int64 {
	sum := int64(0)
	for i := range p.Moves {
		sum += p.Moves[i].Seconds
	}
	return sum
}

// hourly is what all nodes of a plan's main stage cost per hour. It is worked out once.
func (x *explainer) hourly(s *standing) string {
	if s.hourly == "" {
		s.hourly = x.money(units(nodePrice(s.choice).Times(decimal.NewFromInt(s.choice.Usage.Nodes)).Round(6)))
	}
	return s.hourly
}

// billed is the hours that a candidate's nodes are billed for each.
func billed(c *candidate.Candidate) string { return shortHours(c.Tariff.Billed(c.Usage.Occupied())) }

// money is an amount with its currency.
func (x *explainer) money(u tco.Units) string { return money(u, x.request.Currency) }

// money is an amount with its currency, as texts show it.
func money(u tco.Units, currency catalog.Currency) string {
	var room [textRoom]byte
	text := append(u.AppendFixed(room[:0], 2), ' ')
	return string(append(text, currency...))
}

// textRoom is more than most figures take in a text.
const textRoom = 32

// shortHours is a time as texts show it.
func shortHours(seconds int64) string {
	var room [textRoom]byte
	return string(tco.AppendFixed(room[:0], hoursUp(seconds), 1))
}
