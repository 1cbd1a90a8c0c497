package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

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
		text += wrap("Understood: ", "  ", flat(r.Interpreted))
	}
	if len(r.NotUnderstood) > 0 {
		text += wrap("Not understood, and left out: ", "  ", quotedList(r.NotUnderstood))
	}
	if text != "" {
		text += "\n"
	}
	return text
}

// bestPlan is the first plan in full.
func bestPlan(p *schemas.Plan, currency string) string {
	shown := billOf(p, currency)
	var b strings.Builder
	fmt.Fprintf(&b, "Best plan: %s %s, %s hours expected, %s hours at the 95th percentile\n\n",
		shown.text(shown.total()), currency, short(p.Hours), short(p.HoursP95))
	b.WriteString(stageTable(p, shown, currency))
	b.WriteString("\nCost in " + currency + "\n")
	b.WriteString(costTable(p, shown))
	b.WriteString(moves(p, currency) + "\n")
	b.WriteString(baseline(p, currency))
	b.WriteString(wrap("Why: ", "  ", p.Why))
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

// baseline compares a plan of several stages with the whole job in one place.
func baseline(p *schemas.Plan, currency string) string {
	switch {
	case len(p.Stages) == 1:
		return ""
	case p.Baseline == nil || p.SavingsPct == nil:
		return "Baseline: none; the whole job can't run on the main stage's node.\n"
	}
	verdict := "saves " + *p.SavingsPct + "%"
	if more, negative := strings.CutPrefix(*p.SavingsPct, "-"); negative {
		verdict = "costs " + more + "% more"
	}
	return wrap("Baseline: ", "  ", fmt.Sprintf("%s; %s %s. The plan %s.",
		p.Baseline.Description, rounded(p.Baseline.Total, currency), currency, verdict))
}

// stageTable is where each stage runs.
func stageTable(p *schemas.Plan, shown bill, currency string) string {
	columns := []column{{title: "stage"}, {title: "hardware", most: 40}, {title: "offer", most: 60},
		{title: "purchase"}, {title: "hours", right: true}, {title: currency, right: true}}
	var rows [][]string
	for i := range p.Stages {
		s := &p.Stages[i]
		rows = append(rows, []string{s.Name, hardware(s), offer(&s.Offer), s.Offer.PurchaseModel,
			short(s.Hours.Expected), shown.text(shown.stage(i))})
	}
	rows = append(rows, []string{"total", "", "", "", short(p.Hours), shown.text(shown.total())})
	return table(columns, rows)
}

// hardware is what a stage runs on.
func hardware(s *schemas.Stage) string {
	instances := ""
	if s.Instances > 1 {
		instances = " on " + strconv.Itoa(s.Instances)
	}
	if s.GPUs > 0 && s.Offer.GPU != nil {
		return fmt.Sprintf("%d x %s%s", s.GPUs, *s.Offer.GPU, instances)
	}
	if s.Offer.VCPU != nil {
		return fmt.Sprintf("%d x %s vCPU", s.Instances, s.Offer.VCPU)
	}
	return fmt.Sprintf("%d x CPU", s.Instances)
}

// offer names an offer: its place, as a request would write it, and its SKU.
func offer(o *schemas.Offer) string {
	where := o.Provider + "/" + o.Region
	if o.Country != nil && !strings.EqualFold(*o.Country, o.Region) {
		where += " (" + *o.Country + ")"
	}
	return where + ", " + o.SKU
}

// costTable is the cost lines of each stage. Lines that are nothing everywhere
// are left out.
func costTable(p *schemas.Plan, shown bill) string {
	columns := []column{{title: "stage"}}
	var kept []int
	for i, name := range lineNames() {
		if !shown.line(i).IsZero() || name == "instance" {
			kept = append(kept, i)
			columns = append(columns, column{title: name, right: true})
		}
	}
	columns = append(columns, column{title: "total", right: true})
	var rows [][]string
	for s := range p.Stages {
		row := []string{p.Stages[s].Name}
		for _, i := range kept {
			row = append(row, shown.text(shown.cells[s][i]))
		}
		rows = append(rows, append(row, shown.text(shown.stage(s))))
	}
	total := []string{"total"}
	for _, i := range kept {
		total = append(total, shown.text(shown.line(i)))
	}
	return table(columns, append(rows, append(total, shown.text(shown.total()))))
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
		rows = append(rows, []string{short(m.GB), m.From, m.To, short(m.Hours), rounded(m.Cost, currency)})
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
		per := strings.NewReplacer("per_", "", "gpu", "GPU", "_", "-").Replace(o.PriceBasis)
		rows = append(rows, []string{p.Stages[i].Name, orUnknown(o.NativePrice) + " " + o.NativeCurrency, per,
			orUnknown(o.AsOf), days(o.AgeDays), o.Source})
	}
	return table(columns, rows)
}

// days shows an age.
func days(age *int) string {
	if age == nil {
		return "unknown"
	}
	return strconv.Itoa(*age)
}

// orUnknown shows a text that may be unknown.
func orUnknown(text *string) string {
	if text == nil {
		return "unknown"
	}
	return *text
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

// short shows a decimal with two decimals.
func short(text string) string { return exact(text).RoundBank(2).StringFixed(2) }

// quotedList shows pieces of a text.
func quotedList(pieces []string) string {
	quoted := make([]string, len(pieces))
	for i, piece := range pieces {
		quoted[i] = strconv.Quote(piece)
	}
	return strings.Join(quoted, ", ")
}

// flat writes a request on one line: its fields by their dotted names. Nothing is "".
func flat(request *schemas.RecommendRequest) string {
	if request == nil {
		return ""
	}
	document, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	var fields []string
	in := json.NewDecoder(bytes.NewReader(document))
	flatten(in, "", &fields)
	return strings.Join(fields, ", ")
}

// flatten adds the fields of the value that comes next.
func flatten(in *json.Decoder, name string, fields *[]string) {
	token, err := in.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('{'):
		for in.More() {
			key, err := in.Token()
			if err != nil {
				return
			}
			flatten(in, strings.TrimPrefix(fmt.Sprintf("%s.%s", name, key), "."), fields)
		}
		_, _ = in.Token()
	case json.Delim('['):
		var items []string
		for in.More() {
			flatten(in, "", &items)
		}
		_, _ = in.Token()
		*fields = append(*fields, name+" "+strings.Join(items, "|"))
	default:
		*fields = append(*fields, strings.TrimSpace(fmt.Sprintf("%s %v", name, token)))
	}
}
