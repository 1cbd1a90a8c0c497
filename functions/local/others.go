package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

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
		rows = append(rows, []string{strconv.Itoa(p.Rank), rounded(p.Total, r.Currency), short(p.Hours), short(p.HoursP95),
			hardware(s), offer(&s.Offer), s.Offer.PurchaseModel})
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
		hours := exact(point.Hours)
		if i > 0 && i < len(r.Frontier)-1 && hours.GreaterThan(last) {
			continue
		}
		last = hours.Mul(worthShowing)
		rank := ""
		if point.Plan != nil {
			rank = fmt.Sprintf("plan %d", *point.Plan)
		}
		rows = append(rows, []string{rounded(point.Total, r.Currency), short(point.Hours), rank})
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
		rows = append(rows, []string{rejection.Stage, strconv.Itoa(rejection.Count), reason(rejection.Reason), rejection.Reason})
	}
	return text + fmt.Sprintf("\n%d offers were considered, summed over the stages\n", r.Considered) + table(columns, rows)
}

// reasonTexts are the reasons of rejection in words.
const reasonTexts = `price_unknown: no source gives its price
no_exchange_rate: its price is in a currency without an exchange rate
no_gpu: it has no GPU
vcpus_unknown: no source gives its number of vCPUs
gpu_not_sized: the specification of its GPU is incomplete
format_missing: its GPU has no tensor cores for the precision or the weights' format
fractional_gpu: it is only a part of a GPU
serverless: it is serverless, so nothing can be held for the job
does_not_fit: the work does not fit in its memory
may_not_fit: the work may not fit in its memory
hardware_differs: it is not the hardware asked for
provider_class: its provider is of another class
provider: its provider is not asked for, or excluded
country: it is in another country, or its country is unknown
region: it is in another region
compliance: its provider does not state the attestation
ecc: it has no ECC memory, or no source says so
nvlink: its GPUs are not joined by NVLink, or no source says so
purchase_model: it is bought another way (on demand, spot, reserved)
commitment: it binds for longer than the commitment
gpu: it has another GPU
min_vram: its GPUs have too little memory
interruption: it is interrupted too often, or no source says how often
age: its price is too old, or has no date
availability: it is not available
latency: it is too far from the users, or nobody says where it is
max_price: its price per hour is too high
beyond_limits: it would cost an absurd amount`

// reason is a reason of rejection in words; a code without words stays as it is.
func reason(code string) string {
	for line := range strings.Lines(reasonTexts) {
		if name, text, _ := strings.Cut(strings.TrimSpace(line), ": "); name == code {
			return text
		}
	}
	return code
}
