package main

import (
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// frontierShown is how many plans of the frontier are listed at most, and
// worthShowing how much of the time of the one before the next may take.
const frontierShown = 10

var worthShowing = decimal.RequireFromString("0.8")

// otherPlans are the alternatives and the frontier in short.
func otherPlans(r *schemas.RecommendResponse) string {
	text := ""
	if len(r.Plans) > 1 {
		text += "\nAlternatives\n" + planTable(r)
	}
	if len(r.Frontier) > 1 {
		text += "\nFaster for more\n" + frontierTable(r)
	}
	return text
}

// planTable is every plan but the first, by its main stage.
func planTable(r *schemas.RecommendResponse) string {
	columns := []column{{title: "plan", right: true}, {title: r.Currency, right: true}, {title: "hours", right: true},
		{title: "95%", right: true}, {title: "hardware", most: 40}, {title: "offer", most: 60}, {title: "purchase"}}
	var rows [][]string
	for i := 1; i < len(r.Plans); i++ {
		p := &r.Plans[i]
		s := mainStage(p)
		rows = append(rows, []string{strconv.Itoa(p.Rank), display.Rounded(p.Total, r.Currency), display.Short(p.Hours), display.Short(p.HoursP95),
			display.Hardware(s), display.OfferName(&s.Offer), s.Offer.PurchaseModel})
	}
	return table(columns, rows)
}

// mainStage is the stage that a plan is about.
func mainStage(p *schemas.Plan) *schemas.Stage {
	for i := range p.Stages {
		if p.Stages[i].Name == "train" {
			return &p.Stages[i]
		}
	}
	return &p.Stages[0]
}

// frontierTable is some of the plans that no other beats in both cost and time:
// the cheapest, then each that saves at least a fifth of the time, and the fastest.
func frontierTable(r *schemas.RecommendResponse) string {
	columns := []column{{title: r.Currency, right: true}, {title: "hours", right: true}, {title: ""}}
	var rows [][]string
	last := decimal.Zero
	for i, point := range r.Frontier {
		hours := display.Exact(point.Hours)
		if i > 0 && i < len(r.Frontier)-1 && hours.GreaterThan(last) {
			continue
		}
		last = hours.Mul(worthShowing)
		rank := ""
		if point.Plan != nil {
			rank = fmt.Sprintf("plan %d", *point.Plan)
		}
		rows = append(rows, []string{display.Rounded(point.Total, r.Currency), display.Short(point.Hours), rank})
	}
	if len(rows) > frontierShown {
		rows = append(rows[:frontierShown-1], rows[len(rows)-1])
	}
	text := table(columns, rows)
	if more := len(r.Frontier) - len(rows); more > 0 {
		text += fmt.Sprintf("  and %d between them (--json lists them all)\n", more)
	}
	return text
}

// noPlan says why nothing meets the constraints.
func noPlan(r *schemas.RecommendResponse) string {
	text := "No plan meets the constraints.\n"
	for _, n := range r.Nearest {
		text += wrap("Nearest: ", "  ", fmt.Sprintf("%s = %s gives a plan: %s.", n.Field, n.Value, n.Why))
	}
	columns := []column{{title: "stage"}, {title: "offers", right: true}, {title: "ruled out because"}, {title: "reason"}}
	var rows [][]string
	for _, rejection := range r.Rejected {
		rows = append(rows, []string{rejection.Stage, strconv.Itoa(rejection.Count), display.Reason(rejection.Reason), rejection.Reason})
	}
	return text + fmt.Sprintf("\n%d offers were considered, summed over the stages\n", r.Considered) + table(columns, rows)
}
