package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// What a forecast is of.
const (
	ofOffer = "offer" // instances, so many hours a day
	ofJob   = "job"   // a job that is run again and again
)

// forecastInputs are the fields of the form of a forecast.
func forecastInputs() []input {
	what := within("what", []input{
		{Name: "job", Pointer: "/workloads/0/recommend", Label: "The job, in words", Hint: "Such as cheapest 7B fine-tune", Kinds: ofJob},
		{Name: "runs_per_month", Pointer: "/workloads/0/runs_per_month", Label: "Runs per month", Hint: "1 unless you say more", Kinds: ofJob},
		{Name: "offer_id", Pointer: "/workloads/0/resources/0/offer_id", Label: "Offer", Hint: "Its id; or describe it", Kinds: ofOffer},
		{Name: "gpu", Pointer: "/workloads/0/resources/0/offer/gpu", Label: "GPU", Hint: "The cheapest instance with it is taken", Kinds: ofOffer, List: "gpus"},
		{Name: "gpu_count", Pointer: "/workloads/0/resources/0/offer/gpu_count", As: asWhole, Label: "GPUs per instance", Kinds: ofOffer},
		{Name: "purchase_model", Pointer: "/workloads/0/resources/0/offer/purchase_model", As: asOne, Label: "Bought as", Choices: purchaseModels()[:4], Kinds: ofOffer},
		{Name: "country", Pointer: "/workloads/0/resources/0/offer/country", Label: "Country", Hint: "Such as EU or US", Kinds: ofOffer},
		{Name: "instances", Pointer: "/workloads/0/resources/0/instances", As: asWhole, Label: "Instances", Kinds: ofOffer},
		{Name: "hours_per_day", Pointer: "/workloads/0/resources/0/hours_per_day", Label: "Hours per day", Hint: "Always on unless you say less", Kinds: ofOffer},
		{Name: "weekdays", Pointer: "/workloads/0/weekdays", As: asSeveral, Label: "On these days", Choices: weekdays(), Kinds: ofOffer},
	}...)
	when := within("when", []input{
		{Name: "growth_pct_per_month", Pointer: "/workloads/0/growth_pct_per_month", Label: "Growth per month, in %"},
		{Name: "start", Pointer: "/start", Label: "First month", Hint: "Such as 2027-01"},
		{Name: "months", Pointer: "/months", As: asWhole, Label: "Months"},
		{Name: "price_trend", Pointer: "/price_trend", As: asOne, Label: "Prices", Usual: true, Choices: []choice{{"flat", "Stay as they are"}, {"history", "Move as they did so far"}}},
		{Name: "budget_per_month", Pointer: "/budget_per_month", Label: "Budget per month"},
		{Name: "currency", Pointer: "/currency", As: asOne, Label: "Currency", Usual: true, Choices: currencies()},
		{Name: "time_zone", Pointer: "/time_zone", Label: "Time zone", Hint: "Such as Europe/Berlin"},
	}...)
	return slices.Concat(what, when)
}

// weekdays are the days of the week.
func weekdays() []choice {
	return []choice{{"mon", "Mon"}, {"tue", "Tue"}, {"wed", "Wed"}, {"thu", "Thu"}, {"fri", "Fri"}, {"sat", "Sat"}, {"sun", "Sun"}}
}

// foreseen is the page of forecasts.
type foreseen struct {
	Form      form
	Response  *schemas.ForecastResponse // nil while nothing is asked for
	Months    []month
	Lines     []fact
	Total     amounts
	Up        []tick
	BudgetY   string
	Downloads []choice
	Share     string
}

// amounts are an expectation and its percentiles in texts.
type amounts struct{ Expected, P10, P50, P90 string }

// month is a month of a forecast, in texts and in its picture.
type month struct {
	Name                           string
	Spend, Cumulative              amounts
	X, Width, Middle               string
	BarY, BarHeight                string
	BandX, BandWidth, BandY, BandH string
	Shown, Over                    bool // its name is in the picture; it exceeds the budget
}

// forecast is the page of forecasts, and its downloads.
func (x *Site) forecast(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(append(parametersOf(forecastInputs()), "of", "format")...); err != nil {
		return apigw.Response{}, err
	}
	asked := v.asked()
	kind := orDefault(asked.Get("of"), ofOffer)
	if asked.Get("job") != "" && asked.Get("of") == "" {
		kind = ofJob
	}
	if kind != ofOffer && kind != ofJob {
		return apigw.Response{}, apigw.InvalidParameter("of", "want offer or job; got "+schemas.Quoted(kind))
	}
	shown := foreseen{Form: v.form(forecastInputs(), kind, asked)}
	p := v.page(v.say("What will it cost in the months ahead?"), nil)
	if len(asked) == 0 {
		p.Content = shown
		return x.render(http.StatusOK, "forecast", p)
	}
	document, err := v.forecastDocument(ctx, kind, asked)
	var response schemas.ForecastResponse
	if err == nil {
		if format := asked.Get("format"); format != "" {
			return v.download(ctx, format, document)
		}
		err = v.post(ctx, endpoint.ForecastPath, document, &response)
	}
	if shown.Form.blame(err, v.say) {
		p.Content = shown
		return x.render(http.StatusBadRequest, "forecast", p)
	}
	if err != nil {
		return apigw.Response{}, err
	}
	shown.Share = p.Here(instantParameter, response.ComputedAt, versionParameter, response.CatalogVersion)
	for _, d := range []choice{{"csv", "CSV"}, {"xlsx", "Excel"}, {"focus", "FOCUS 1.2"}, {"json", "JSON"}} {
		shown.Downloads = append(shown.Downloads, choice{p.Here("format", d.Value, instantParameter, response.ComputedAt, versionParameter, response.CatalogVersion), d.Label})
	}
	shown.fill(&response)
	p.Content = shown
	return x.render(http.StatusOK, "forecast", p)
}

// forecastDocument is the request for a forecast. A job in words is read by the API.
func (v *visit) forecastDocument(ctx context.Context, kind string, asked url.Values) (map[string]any, error) {
	workload := map[string]any{}
	document := map[string]any{"workloads": []any{workload}, "language": string(v.lang)}
	documentOf(forecastInputs(), kind, asked, document)
	if kind != ofJob {
		return document, nil
	}
	job := asked.Get("job")
	if job == "" {
		return nil, schemas.Invalid("/workloads/0/recommend", "required: want a job in words")
	}
	query := v.instant()
	query.Set("q", job)
	var plans schemas.RecommendResponse
	if err := v.get(ctx, endpoint.RecommendPath, query, &plans); err != nil {
		return nil, err
	}
	workload["recommend"] = plans.Interpreted
	return document, nil
}

// download answers a forecast as a file.
func (v *visit) download(ctx context.Context, format string, document map[string]any) (apigw.Response, error) {
	body, err := json.Marshal(document)
	if err != nil {
		return apigw.Response{}, fmt.Errorf("download forecast: %w", err)
	}
	query := v.instant()
	query.Set("format", format)
	return v.ask(ctx, &apigw.Request{Method: http.MethodPost, Path: endpoint.ForecastPath, Query: query, Body: body})
}

// mostNames is how many months are named along the picture.
const mostNames = 5

// fill puts a forecast in texts and in a picture.
func (f *foreseen) fill(r *schemas.ForecastResponse) {
	f.Response = r
	f.Total = amountsOf(r.Total, r.Currency)
	for _, l := range r.Lines {
		f.Lines = append(f.Lines, fact{l.Line, display.Grouped(display.Rounded(l.Spend.Expected, r.Currency))})
	}
	var figures []float64
	for _, m := range r.Months {
		figures = append(figures, drawn(m.Spend.P90), drawn(m.Spend.Expected))
	}
	budget := 0.0
	if r.Budget != nil && r.Budget.PerMonth != nil {
		budget = drawn(*r.Budget.PerMonth)
		figures = append(figures, budget)
	}
	up, each := scaleOf(figures, true, 86, 9), 88/float64(len(r.Months))
	f.Up = up.ticks(5)
	if budget > 0 {
		f.BudgetY = percent(up.at(budget))
	}
	every := (len(r.Months) + mostNames - 1) / mostNames
	for i, m := range r.Months {
		left, spend := 11+float64(i)*each, drawn(m.Spend.Expected)
		high, low := up.at(drawn(m.Spend.P90)), up.at(drawn(m.Spend.P10))
		f.Months = append(f.Months, month{
			Name:  m.Month,
			Spend: amountsOf(m.Spend, r.Currency), Cumulative: amountsOf(m.Cumulative, r.Currency),
			X: percent(left + each*0.16), Width: percent(each * 0.68), Middle: percent(left + each/2),
			BarY: percent(up.at(spend)), BarHeight: percent(up.at(0) - up.at(spend)),
			BandY: percent(high), BandH: percent(max(0.4, low-high)), BandX: percent(left + each*0.38), BandWidth: percent(each * 0.24),
			Shown: i%every == 0, Over: budget > 0 && spend > budget,
		})
	}
}

// amountsOf are amounts in texts.
func amountsOf(a schemas.AmountRange, currency string) amounts {
	show := func(text string) string { return display.Grouped(display.Rounded(text, currency)) }
	return amounts{show(a.Expected), show(a.P10), show(a.P50), show(a.P90)}
}
