package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// coefficientInputs are the filters of what was measured; their names are the API's.
func coefficientInputs() []input {
	return []input{
		{Name: "gpu", As: asList, Label: "GPU", Hint: "Such as A100; what nobody measured is listed too", List: "gpus"},
		{Name: "provider", As: asList, Label: "Provider", Hint: "Its id or name", List: "providers"},
		{Name: "sku", As: asList, Label: "Type of instance", Hint: "As the provider calls it"},
	}
}

// tiers are the grades of evidence, the strongest first.
func tiers() []choice {
	return []choice{{"A", "benchmark"}, {"B", "reported throughput"}, {"C", "passive"}, {"P", "prior"}}
}

// measured is the page of what was measured.
type measured struct {
	Form     form
	Response *schemas.CoefficientsResponse
	Rows     []coefficient
	More     int // rows that are left out, none of them measured
	Priors   []prior
	Failed   []failedCheck
	Tiers    []choice
}

// coefficient is what was measured of a GPU at a provider, in texts and in its picture.
type coefficient struct {
	*schemas.Coefficient
	Value, Low, High, Prior string
	Instances               string // the type; "" for all of the provider's
	Evidence, Age           string
	Offers                  string // where such offers are listed
	LowerBound, Assumed     bool
	picture
}

// picture is an interval from nothing to the reference, with its value and the prior.
type picture struct{ X, Width, Dot, Mark string }

// prior is what stands in for a class of GPUs where nothing was measured.
type prior struct{ Class, Value, Low, High, Source string }

// failedCheck is a check that some boxes failed.
type failedCheck struct {
	GPU, Provider, Instances, Check string
	Failed, Boxes, Tenants          int
}

// coefficients is the page of what was measured.
func (x *Site) coefficients(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(parametersOf(coefficientInputs())...); err != nil {
		return apigw.Response{}, err
	}
	shown := measured{Form: v.form(coefficientInputs(), "", v.request.Query), Tiers: tiers()}
	var response schemas.CoefficientsResponse
	err := v.get(ctx, endpoint.CoefficientsPath, v.coefficientsQuery(&shown.Form), &response)
	p, status := v.page(v.say("Measured coefficients"), nil), http.StatusOK
	if shown.Form.blameParameters(err, v.say) {
		status = http.StatusBadRequest
	} else if err != nil {
		return apigw.Response{}, err
	}
	shown.fill(&response, p)
	p.Content = shown
	return x.render(status, "coefficients", p)
}

// coefficientsQuery is the API's query for the filters; what is empty is left out.
func (v *visit) coefficientsQuery(f *form) url.Values {
	query := v.instant()
	for _, in := range coefficientInputs() {
		if names := listed(f.Fields[in.Name].Value); len(names) > 0 {
			query[in.Name] = names
		}
	}
	return query
}

// mostAssumed is how many rows are shown of what nobody measured.
const mostAssumed = 25

// fill puts an answer in texts and pictures, what was measured first.
func (m *measured) fill(r *schemas.CoefficientsResponse, p view) {
	m.Response = r
	var assumed []coefficient
	for i := range r.Coefficients {
		if row := coefficientOf(&r.Coefficients[i], p); row.Assumed {
			assumed = append(assumed, row)
		} else {
			m.Rows = append(m.Rows, row)
		}
	}
	shown := min(len(assumed), mostAssumed)
	m.Rows, m.More = append(m.Rows, assumed[:shown]...), len(assumed)-shown
	for _, of := range r.Priors {
		m.Priors = append(m.Priors, prior{of.Class, display.Short(of.Value), display.Short(of.Interval[0]), display.Short(of.Interval[1]), of.Source})
	}
	for _, c := range r.Checks {
		if c.Passed < c.Boxes {
			m.Failed = append(m.Failed, failedCheck{c.GPU, c.Provider, textOf(c.SKU), c.Check, c.Boxes - c.Passed, c.Boxes, c.Tenants})
		}
	}
}

// coefficientOf puts a coefficient in texts and in its picture.
func coefficientOf(c *schemas.Coefficient, p view) coefficient {
	shown := coefficient{
		Coefficient: c, Value: display.Short(c.Value), Low: display.Short(c.Interval[0]), High: display.Short(c.Interval[1]), Prior: display.Short(c.Prior),
		Instances: textOf(c.SKU), Evidence: labelOf(tiers(), c.Tier), Offers: p.Link("offers", "gpu", c.GPU, "provider", c.Provider),
		LowerBound: c.Reference != nil && *c.Reference == "spec", Assumed: c.Source == "prior",
	}
	if c.AgeDays != nil {
		shown.Age = strconv.Itoa(*c.AgeDays)
	}
	along := scale{low: 0, high: 1.1, from: 0, to: 100}
	low, high := along.at(drawn(c.Interval[0])), along.at(drawn(c.Interval[1]))
	shown.picture = picture{percent(low), percent(max(0.5, min(100, high)-low)), percent(along.at(drawn(c.Value))), percent(along.at(drawn(c.Prior)))}
	return shown
}

// textOf is a text, or "" if there is none.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
