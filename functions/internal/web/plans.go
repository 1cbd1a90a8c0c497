package web

import (
	"context"
	"net/http"
	"strings"
	"unicode"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// home is the page that asks.
func (x *Site) home(s *catalog.Snapshot) apigw.Handler {
	return func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		if _, err := r.Parameters(); err != nil {
			return apigw.Response{}, err
		}
		body, err := x.render("home", view{Title: "Tierwise: the cheapest way to rent GPUs for a job", Content: endpoint.HealthOf(ctx, s)})
		return x.answer(http.StatusOK, body), err
	}
}

// planned is an answer as its page shows it.
type planned struct {
	Response      *schemas.RecommendResponse
	Stale         bool // the store could not be asked whether this is the current catalogue
	Understood    string
	NotUnderstood string
	Best          *plan // nil if nothing meets the constraints
	Rejected      []rejection
}

// plan is the best plan, in texts that add up.
type plan struct {
	*schemas.Plan
	Bill            display.Bill
	Hours, HoursP95 string
	Baseline        string // "" for a plan of one stage
	Stages          []stage
	Others          int // how many more plans there are
}

// stage is what the tables say of a stage.
type stage struct {
	Name, Hardware, Offer, Purchase, Hours, Cost string
	Cells                                        []string // the lines of its cost
	Price, Per, AsOf, Days, Source               string
}

// rejection is why offers were ruled out for a stage.
type rejection struct {
	Stage, Why string
	Count      int
}

// plans is the page that answers.
func (x *Site) plans(p Planner) apigw.Handler {
	return func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		response, err := p.Plans(r)
		if err != nil {
			return apigw.Response{}, err
		}
		shown := plannedOf(&response)
		_, shown.Stale = endpoint.Stale(ctx)
		title := "No plan for "
		if shown.Best != nil {
			title = shown.Best.Bill.Total + " " + response.Currency + " for "
		}
		body, err := x.render("plans", view{Title: title + question(r) + " - Tierwise", Question: question(r), Content: shown})
		return x.answer(http.StatusOK, body), err
	}
}

// question is the text that a request asks, as a page can hold it.
func question(r *apigw.Request) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, strings.ToValidUTF8(r.Query.Get("q"), " "))
}

// plannedOf puts an answer in texts.
func plannedOf(r *schemas.RecommendResponse) planned {
	shown := planned{Response: r, Understood: display.Fields(r.Interpreted), NotUnderstood: display.Quoted(r.NotUnderstood)}
	if len(r.Plans) > 0 {
		shown.Best = planOf(&r.Plans[0], r.Currency)
		shown.Best.Others = len(r.Plans) - 1
		return shown
	}
	for _, x := range r.Rejected {
		shown.Rejected = append(shown.Rejected, rejection{Stage: x.Stage, Why: display.Reason(x.Reason), Count: x.Count})
	}
	return shown
}

// planOf puts a plan in texts.
func planOf(p *schemas.Plan, currency string) *plan {
	shown := &plan{
		Plan: p, Bill: display.BillOf(p, currency), Hours: display.Short(p.Hours), HoursP95: display.Short(p.HoursP95),
		Baseline: display.Baseline(p, currency),
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		o := &s.Offer
		shown.Stages = append(shown.Stages, stage{
			Name: s.Name, Hardware: display.Hardware(s), Offer: display.OfferName(o), Purchase: strings.ReplaceAll(o.PurchaseModel, "_", " "),
			Hours: display.Short(s.Hours.Expected), Cost: shown.Bill.Stages[i], Cells: shown.Bill.Cells[i],
			Price: display.NativePrice(o), Per: display.PricedPer(o), AsOf: display.OrUnknown(o.AsOf), Days: display.Days(o.AgeDays), Source: o.Source,
		})
	}
	return shown
}

// failure is a failure as its page shows it.
type failure struct {
	schemas.ProblemDocument
	Problems                  []string
	Understood, NotUnderstood string
}

// failed is the page that says why there is no answer.
func (x *Site) failed(r *apigw.Request, problem schemas.ProblemDocument) apigw.Response {
	shown := failure{
		ProblemDocument: problem, Problems: []string{problem.Detail},
		Understood: display.Fields(problem.Interpreted), NotUnderstood: display.Quoted(problem.NotUnderstood),
	}
	if len(problem.Errors) > 0 {
		shown.Problems = nil
	}
	for _, p := range problem.Errors {
		shown.Problems = append(shown.Problems, display.Problem(p))
	}
	v := view{Title: problem.Title + " - Tierwise", Question: question(r), Content: shown}
	if r.Path == DocsPath {
		v.Root = docsRoot
	}
	body, err := x.render("failed", v)
	if err != nil { // a page of plain texts is always written
		body = nil
	}
	return x.answer(problem.Status, body)
}
