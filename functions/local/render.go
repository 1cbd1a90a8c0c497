package main

import (
	"fmt"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// render is an answer for people: the best plan in full, then what else there is.
func render(r *schemas.RecommendResponse) string {
	var b strings.Builder
	b.WriteString(understood(r))
	if len(r.Plans) == 0 {
		b.WriteString(noPlan(r))
	} else {
		b.WriteString(bestPlan(&r.Plans[0], r.Currency))
		b.WriteString(otherPlans(r))
	}
	b.WriteString(assumed(r))
	b.WriteString(wrap("\n", "", fmt.Sprintf("Catalogue %s, computed at %s, plan set %s.", r.CatalogVersion, r.ComputedAt, r.PlanSetID)))
	return b.String()
}

// understood says what was read of a text.
func understood(r *schemas.RecommendResponse) string {
	text := ""
	if r.Interpreted != nil {
		text += wrap("Understood: ", "  ", display.Fields(r.Interpreted))
	}
	if len(r.NotUnderstood) > 0 {
		text += wrap("Not understood, and left out: ", "  ", strings.TrimSpace(display.Quoted(r.NotUnderstood)+" "+display.Meant(r.Suggestions)))
	}
	if text != "" {
		text += "\n"
	}
	return text
}

// bestPlan is the first plan in full.
func bestPlan(p *schemas.Plan, currency string) string {
	shown := display.BillOf(p, currency)
	var b strings.Builder
	fmt.Fprintf(&b, "Best plan: %s %s, %s hours expected, %s hours at the 95th percentile\n\n",
		shown.Total, currency, display.Short(p.Hours), display.Short(p.HoursP95))
	b.WriteString(stageTable(p, shown, currency))
	b.WriteString("\nCost in " + currency + "\n")
	b.WriteString(costTable(p, shown))
	b.WriteString(moves(p, currency) + "\n")
	if compared := display.Baseline(p, currency); compared != "" {
		b.WriteString(wrap("Baseline: ", "  ", compared))
	}
	b.WriteString(wrap("Why: ", "  ", p.Why))
	for _, flip := range p.Flips {
		b.WriteString(wrap("Flips: ", "  ", flip))
	}
	b.WriteString(software(p))
	if len(p.Warnings) > 0 {
		b.WriteString("\nWarnings\n")
	}
	for _, w := range p.Warnings {
		b.WriteString(wrap("  - ", "    ", w.Message+" ["+w.Code+"]"))
	}
	b.WriteString("\nPrices\n")
	b.WriteString(priceTable(p))
	return b.String()
}

// stageTable is where each stage runs.
func stageTable(p *schemas.Plan, shown display.Bill, currency string) string {
	columns := []column{{title: "stage"}, {title: "hardware", most: 40}, {title: "offer", most: 60},
		{title: "purchase"}, {title: "hours", right: true}, {title: currency, right: true}}
	var rows [][]string
	for i := range p.Stages {
		s := &p.Stages[i]
		rows = append(rows, []string{s.Name, display.Hardware(s), display.OfferName(&s.Offer), s.Offer.PurchaseModel,
			display.Short(s.Hours.Expected), shown.Stages[i]})
	}
	rows = append(rows, []string{"total", "", "", "", display.Short(p.Hours), shown.Total})
	return table(columns, rows)
}

// costTable is the cost lines of each stage.
func costTable(p *schemas.Plan, shown display.Bill) string {
	columns := []column{{title: "stage"}}
	for _, name := range shown.Lines {
		columns = append(columns, column{title: name, right: true})
	}
	columns = append(columns, column{title: "total", right: true})
	var rows [][]string
	for i := range p.Stages {
		row := append([]string{p.Stages[i].Name}, shown.Cells[i]...)
		rows = append(rows, append(row, shown.Stages[i]))
	}
	total := append([]string{"total"}, shown.Sums...)
	return table(columns, append(rows, append(total, shown.Total)))
}

// moves lists the data that moves between places.
func moves(p *schemas.Plan, currency string) string {
	if len(p.Moves) == 0 {
		return ""
	}
	columns := []column{{title: "GB moved", right: true}, {title: "from", most: 40}, {title: "to", most: 40},
		{title: "hours", right: true}, {title: currency, right: true}}
	var rows [][]string
	for _, m := range p.Moves {
		rows = append(rows, []string{display.Short(m.GB), m.From, m.To, display.Short(m.Hours), display.Rounded(m.Cost, currency)})
	}
	return "\nMoves, part of the network line\n" + table(columns, rows)
}

// software is what the main stage needs.
func software(p *schemas.Plan) string {
	notes := append([]string{}, p.Environment.Notes...)
	if p.Environment.CUDAMin != nil {
		notes = append([]string{"CUDA " + *p.Environment.CUDAMin + " or newer"}, notes...)
	}
	if len(notes) == 0 {
		return ""
	}
	return wrap("Software: ", "  ", strings.Join(notes, "; ")+".")
}

// priceTable is what the plan's prices rest on.
func priceTable(p *schemas.Plan) string {
	columns := []column{{title: "stage"}, {title: "price", right: true}, {title: "per"}, {title: "as of"}, {title: "days old", right: true}, {title: "source", most: 90}}
	var rows [][]string
	for i := range p.Stages {
		o := &p.Stages[i].Offer
		rows = append(rows, []string{p.Stages[i].Name, display.NativePrice(o), display.PricedPer(o),
			display.OrUnknown(o.AsOf), display.Days(o.AgeDays), o.Source})
	}
	return table(columns, rows)
}

// assumed lists what nobody stated.
func assumed(r *schemas.RecommendResponse) string {
	if len(r.Assumptions) == 0 {
		return ""
	}
	text := "\nAssumptions: state a value to replace one\n"
	for _, a := range r.Assumptions {
		text += wrap("  - ", "    ", a.Field+" = "+a.Value+": "+a.Why)
	}
	return text
}
