package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// planned is an answer as its page shows it.
type planned struct {
	Response      *schemas.RecommendResponse
	Understood    []fact
	Meant         []choice // questions that may have been meant, by what differs
	Plans         []plan   // none if nothing meets the constraints
	Rejected      []rejection
	Nearest       []relaxation
	Frontier      *scatter
	Oldest        string // date of a price; "" if unknown
	Form          form
	Share, JSON   string // addresses of the page and of the API's answer
	Today, Weekly string // of the page with the current catalogue, and of a forecast
}

// plan is a plan, in texts that add up.
type plan struct {
	*schemas.Plan
	Currency        string
	Main            stage
	Bill            display.Bill
	Hours, HoursP95 string
	Saves, CostsPct string // against the baseline: one is "", or both
	BaselineTotal   string
	Stages          []stage
	Timeline        timeline
	Segments        []segment
	OldestDays      string // of its prices; "" if a date is unknown
	Open            bool
}

// stage is what the tables say of a stage.
type stage struct {
	Name, Hardware, Offer, OfferID, Provider, Purchase string
	Hours, Cost                                        string
	Cells                                              []string // the lines of its cost
	Price, Per, AsOf, Days, Source, Link               string
	Memory, MemoryHas                                  string
}

// rejection is why offers were ruled out for a stage.
type rejection struct {
	Stage, Why string
	Count      int
}

// plans is the page that answers a question or the form.
func (x *Site) plans(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(append(parametersOf(planInputs()), "q", "kind", keptParameter)...); err != nil {
		return apigw.Response{}, err
	}
	asked := v.asked()
	if asked.Get("kind") == "" {
		return x.answered(ctx, v)
	}
	kind := asked.Get("kind")
	if !slices.ContainsFunc(kinds(), func(c choice) bool { return c.Value == kind }) {
		return apigw.Response{}, apigw.InvalidParameter("kind", "want one of "+list(kinds())+"; got "+schemas.Quoted(kind))
	}
	document, err := planRequest(kind, asked, v.lang)
	if err != nil {
		return apigw.Response{}, err
	}
	filledIn := v.planForm(kind, asked)
	var response schemas.RecommendResponse
	err = v.post(ctx, endpoint.RecommendPath, document, &response)
	if filledIn.blame(err, v.say) {
		return x.render(http.StatusBadRequest, "home", v.page(v.say("Check the form"), x.homeOf(ctx, v, filledIn)))
	}
	if err != nil {
		return apigw.Response{}, err
	}
	return x.shown(v, &response, posed{document, filledIn})
}

// answered is the page that answers a question in words.
func (x *Site) answered(ctx context.Context, v *visit) (apigw.Response, error) {
	query := v.instant()
	if q, asked := v.request.Query["q"]; asked {
		query["q"] = q
	}
	var response schemas.RecommendResponse
	if err := v.get(ctx, endpoint.RecommendPath, query, &response); err != nil {
		return apigw.Response{}, err
	}
	read := response
	if read.Interpreted != nil && language(orDefault(read.Interpreted.Language, string(english))) != v.lang {
		again := *read.Interpreted
		again.Language = string(v.lang)
		if err := v.post(ctx, endpoint.RecommendPath, again, &response); err != nil {
			return apigw.Response{}, err
		}
		response.Interpreted, response.NotUnderstood, response.Suggestions = read.Interpreted, read.NotUnderstood, read.Suggestions
	}
	document, err := asDocument(response.Interpreted)
	if err != nil {
		return apigw.Response{}, err
	}
	values, err := formValues(document)
	if err != nil {
		return apigw.Response{}, err
	}
	return x.shown(v, &response, posed{document, v.planForm(values.Get("kind"), values)})
}

// posed is a request that was answered, and the form that makes it.
type posed struct {
	request map[string]any
	form    form
}

// orDefault is a text, or another one if it is empty.
func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// shown is the page of an answer.
func (x *Site) shown(v *visit, r *schemas.RecommendResponse, to posed) (apigw.Response, error) {
	shown := planned{Response: r, Form: to.form, Frontier: scatterOf(r)}
	for i := range r.Plans {
		shown.Plans = append(shown.Plans, planOf(&r.Plans[i], r.Currency))
	}
	if len(shown.Plans) > 0 {
		shown.Plans[0].Open = true
	}
	for _, x := range r.Rejected {
		shown.Rejected = append(shown.Rejected, rejection{Stage: x.Stage, Why: display.Reason(x.Reason), Count: x.Count})
	}
	slices.SortStableFunc(shown.Rejected, func(a, b rejection) int { return b.Count - a.Count })
	if r.AsOf != nil {
		shown.Oldest = *r.AsOf
	}
	var err error
	if shown.Understood, err = understood(r.Interpreted); err != nil {
		return apigw.Response{}, err
	}
	subject := printable(v.request.Query.Get("q"))
	if subject == "" {
		subject = v.say(labelOf(kinds(), to.form.Kind))
	}
	title := v.say("No plan for %s", subject)
	if len(shown.Plans) > 0 {
		title = v.say("%s %s for %s", shown.Plans[0].Bill.Total, r.Currency, subject)
	}
	p := v.page(title, nil)
	for _, n := range r.Nearest {
		link, err := relaxed(to.request, n, p)
		if err != nil {
			return apigw.Response{}, err
		}
		shown.Nearest = append(shown.Nearest, relaxation{Nearest: n, Link: link})
	}
	shown.Meant = p.meant("q", r.Suggestions)
	shown.Share = p.Here(instantParameter, r.ComputedAt, versionParameter, r.CatalogVersion, langParameter, string(v.lang))
	shown.Today = p.Here(instantParameter, "", versionParameter, "")
	if q := v.request.Query.Get("q"); q != "" {
		shown.JSON = p.Root + "v1/recommend?" + encoded(url.Values{"q": {printable(q)}, instantParameter: {r.ComputedAt}})
		shown.Weekly = p.Link("forecast", "job", printable(q))
	}
	p.Content = shown
	return x.render(http.StatusOK, "plans", p)
}

// planOf puts a plan in texts.
func planOf(p *schemas.Plan, currency string) plan {
	shown := plan{
		Plan: p, Currency: currency, Bill: display.BillOf(p, currency), Hours: display.Short(p.Hours), HoursP95: display.Short(p.HoursP95),
		Timeline: timelineOf(p),
	}
	shown.Segments = segmentsOf(&shown.Bill)
	if p.Baseline != nil && p.SavingsPct != nil {
		shown.BaselineTotal = display.Rounded(p.Baseline.Total, currency)
		if more, dearer := strings.CutPrefix(*p.SavingsPct, "-"); dearer {
			shown.CostsPct = more
		} else {
			shown.Saves = *p.SavingsPct
		}
	}
	oldest, dated := 0, true
	for i := range p.Stages {
		s := stageOf(&p.Stages[i], &shown.Bill, i)
		shown.Stages = append(shown.Stages, s)
		if age := p.Stages[i].Offer.AgeDays; age != nil {
			oldest = max(oldest, *age)
		} else {
			dated = false
		}
		if i == 0 || p.Stages[i].Name == "train" {
			shown.Main = s
		}
	}
	if dated {
		shown.OldestDays = display.Days(&oldest)
	}
	return shown
}

// stageOf puts a stage in texts.
func stageOf(s *schemas.Stage, b *display.Bill, i int) stage {
	o := &s.Offer
	shown := stage{
		Name: s.Name, Hardware: display.Hardware(s), Offer: display.OfferName(o), OfferID: o.ID, Provider: o.Provider, Purchase: labelOf(purchaseModels(), o.PurchaseModel),
		Hours: display.Short(s.Hours.Expected), Cost: b.Stages[i], Cells: b.Cells[i],
		Price: display.NativePrice(o), Per: display.PricedPer(o), AsOf: display.OrUnknown(o.AsOf), Days: display.Days(o.AgeDays), Source: o.Source,
	}
	if s.Memory != nil {
		shown.Memory, shown.MemoryHas = display.Short(s.Memory.RequiredGB), display.Short(s.Memory.PerGPUGB)
	}
	return shown
}

// understood are the fields of a request as people call them.
func understood(r *schemas.RecommendRequest) ([]fact, error) {
	if r == nil {
		return nil, nil
	}
	fields, err := flat(r)
	if err != nil {
		return nil, err
	}
	delete(fields, "/language")
	var facts []fact
	if kind, ok := fields["/workload/kind"]; ok {
		facts = append(facts, fact{"Kind of work", labelOf(kinds(), kind)})
		delete(fields, "/workload/kind")
	}
	for _, in := range planInputs() {
		text, ok := fields[in.Pointer]
		if in.As == asModel {
			text, ok = valuesOf([]input{in}, "finetune", fields).Get(in.Name), fields[in.Pointer+"/name"]+fields[in.Pointer+"/params_b"] != ""
			delete(fields, in.Pointer+"/name")
			delete(fields, in.Pointer+"/params_b")
		}
		if !ok {
			continue
		}
		delete(fields, in.Pointer)
		if in.As == asFlag && text == "true" {
			text = "yes"
		}
		facts = append(facts, fact{in.Label, labelOf(in.Choices, text)})
	}
	for _, pointer := range slices.Sorted(maps.Keys(fields)) {
		facts = append(facts, fact{dotted(pointer), fields[pointer]})
	}
	return facts, nil
}

// labelOf is how a choice is called; a list of choices, each; another value, as it is.
func labelOf(choices []choice, value string) string {
	for _, c := range choices {
		if c.Value == value {
			return c.Label
		}
	}
	return value
}

// list is the values of choices on one line.
func list(choices []choice) string {
	var values []string
	for _, c := range choices {
		values = append(values, c.Value)
	}
	return strings.Join(values, ", ")
}

// parametersOf are the query parameters of inputs.
func parametersOf(inputs []input) []string {
	var all []string
	for _, in := range inputs {
		all = append(all, in.Name)
	}
	return all
}

// known fails if the query has a parameter that neither this page nor every page takes.
func (v *visit) known(parameters ...string) error {
	plain := apigw.Request{Query: make(url.Values)}
	for name := range v.request.Query {
		plain.Query.Set(name, "")
	}
	_, err := plain.Parameters(append(parameters, langParameter, versionParameter, instantParameter)...)
	return err
}

// form is a form over this catalogue, with the values given.
func (v *visit) form(inputs []input, kind string, values url.Values) form {
	f := formOf(inputs, kind, values)
	f.Names = v.suggestions()
	return f
}

// suggestions are the names that fields suggest.
func (v *visit) suggestions() map[string][]string {
	all := make(map[string][]string)
	for _, m := range v.snapshot.Models() {
		all["models"] = append(all["models"], m.Name)
	}
	for _, id := range v.snapshot.GPUIDs() {
		all["gpus"] = append(all["gpus"], string(id))
	}
	for _, id := range v.snapshot.ProviderIDs() {
		all["providers"] = append(all["providers"], string(id))
	}
	return all
}

// failure is a failure as its page shows it.
type failure struct {
	schemas.ProblemDocument
	Problems   []told
	Understood []fact
	Meant      []choice // links to what may have been asked instead
	Today      string   // the same page with the current catalogue, if that may help
}

// told is what is wrong, and what may have been meant.
type told struct {
	Message string
	Near    []string
}

// failed is the page that says why there is no answer.
func (x *Site) failed(r *apigw.Request, problem schemas.ProblemDocument) apigw.Response {
	shown := failure{ProblemDocument: problem, Problems: []told{{Message: problem.Detail}}}
	if len(problem.Errors) > 0 {
		shown.Problems = nil
	}
	for _, p := range problem.Errors {
		shown.Problems = append(shown.Problems, told{display.Problem(p), p.Near})
	}
	var err error
	shown.Understood, err = understood(problem.Interpreted)
	v := viewOf(r)
	if problem.Status == http.StatusNotFound && r.Query.Get(versionParameter) != "" {
		shown.Today = v.Here(instantParameter, "", versionParameter, "")
	}
	shown.Meant = v.meant(questionIn(r), problem.Suggestions)
	v.Title, v.Content = say(x.words[v.Lang], problem.Title)+" - Tierwise", shown
	answer, written := x.render(problem.Status, "failed", v)
	if errors.Join(err, written) != nil { // a page of plain texts is always written
		return apigw.Response{Status: problem.Status, Body: problem.Title, Header: map[string]string{"content-type": "text/plain; charset=utf-8"}}
	}
	return answer
}
