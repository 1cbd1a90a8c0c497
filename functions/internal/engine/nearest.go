package engine

import (
	"slices"
	"sort"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// relaxer looks for the smallest relaxations of a request that has no plan.
type relaxer struct {
	engine *Engine
	market *candidate.Market
	stages []workload.Stage
}

// nearest are the relaxations of one constraint each that give a plan: limits of
// whole plans first, then limits of offers, then lists.
func (x relaxer) nearest(r Request) []Relaxation {
	var found []Relaxation
	found = append(found, x.deadline(r)...)
	found = append(found, x.budget(r)...)
	for _, k := range knobs() {
		if k.set(&r.Constraints) {
			found = append(found, x.turn(r, k)...)
		}
	}
	for _, l := range lists() {
		if l.set(&r) {
			found = append(found, x.widen(r, l)...)
		}
	}
	return found
}

// problem is the request's problem with the changed constraints.
func (x relaxer) problem(r Request) stageplan.Problem {
	return x.engine.problem(r, x.market, x.stages, &Answer{})
}

// deadline is the smallest deadline that a plan within the rest meets.
func (x relaxer) deadline(r Request) []Relaxation {
	if r.DeadlineSeconds == 0 {
		return nil
	}
	r.DeadlineSeconds = stageplan.Someday
	p := x.problem(r)
	defer x.engine.leave(&p)
	seconds, ok := stageplan.LeastP95(p)
	if !ok {
		return nil
	}
	return []Relaxation{{"constraints.deadline_hours", hours(seconds).String(),
		r.Language.Say("the least 95th percentile of any plan within the other constraints")}}
}

// budget is the smallest budget that a plan within the rest meets.
func (x relaxer) budget(r Request) []Relaxation {
	if !r.Budget.Valid {
		return nil
	}
	r.Budget = decimal.NullDecimal{}
	plan := x.cheapest(r)
	if plan == nil {
		return nil
	}
	return []Relaxation{{"constraints.budget", plan.Total.String(),
		r.Language.Say("the least total of any plan within the other constraints")}}
}

// cheapest is the cheapest plan for a request; nil if there is none.
func (x relaxer) cheapest(r Request) *stageplan.Plan {
	p := x.problem(r)
	p.Objective, p.Alternatives = stageplan.Cost, 1
	plans := x.engine.solve(&p)
	if len(plans) == 0 {
		return nil
	}
	return &plans[0]
}

// possible reports whether a request has a plan.
func (x relaxer) possible(r Request) bool {
	p := x.problem(r)
	defer x.engine.leave(&p)
	missing := p.Missing()
	if missing || r.DeadlineSeconds == 0 && !r.Budget.Valid {
		return !missing
	}
	p.Alternatives = 1
	return len(stageplan.Solve(p).Best) > 0
}

// turn finds the smallest turn of a knob that gives a plan: its values over the
// market are in order of relaxation, so the first that works is found by halving.
func (x relaxer) turn(r Request, k knob) []Relaxation {
	values := k.ladder(x.market, r.ComputedAt)
	with := func(i int) Request {
		relaxed := r
		k.apply(&relaxed.Constraints, values[i])
		return relaxed
	}
	i := sort.Search(len(values), func(i int) bool { return x.possible(with(i)) })
	if i == len(values) {
		return nil
	}
	return []Relaxation{{k.field, values[i].String(), r.Language.Say("the least relaxed value at which some plan meets the other constraints")}}
}

// widen drops a list and tells what the cheapest plan then has of it.
func (x relaxer) widen(r Request, l listed) []Relaxation {
	l.drop(&r)
	plan := x.cheapest(r)
	if plan == nil {
		return nil
	}
	var values []string
	for _, c := range plan.Choices {
		if v := l.value(r.Language, c); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return []Relaxation{{l.field, strings.Join(values, ", "),
		r.Language.Say("without this constraint the cheapest plan, at %s, has these", plan.Total.RoundUp(2).StringFixed(2)+" "+string(r.Currency))}}
}

// hours turns seconds into hours, rounded up to 10^-4.
func hours(seconds int64) decimal.Decimal {
	up := hoursUp(seconds)
	return decimal.New(up.N, int32(-up.Places))
}

// hoursUp is hours in whole numbers: a second is 25 / 9 of the smallest unit.
func hoursUp(seconds int64) tco.Fixed {
	rest := seconds % 9 * 25
	n := seconds/9*25 + rest/9
	if rest%9 > 0 {
		n++
	}
	return tco.Fixed{N: n, Places: 4}
}
