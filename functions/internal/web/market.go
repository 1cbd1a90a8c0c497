package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// marketInputs are the filters of the market; their names are the API's.
func marketInputs() []input {
	return []input{
		{Name: "gpu", As: asList, Label: "GPU", Hint: "Such as A100, H100; empty for all", List: "gpus"},
		{Name: "purchase_model", As: asOne, Label: "Bought as", Usual: true, Choices: purchaseModels()},
	}
}

// marketed is the page of the market.
type marketed struct {
	Form      form
	Response  *schemas.ProvidersResponse
	Compared  []compared
	Discounts []discount
	GPUs      []gpu
	Purchase  string
}

// compared is what classes of providers ask for a GPU and hour.
type compared struct {
	GPU, Link string
	Classes   []class
}

// class is what a class of providers asks.
type class struct {
	Median, Lowest, Ratio string
	Offers, Providers     int
	Width                 string // of its bar
}

// discount is what a purchase model saves, in percent.
type discount struct {
	Class, Purchase  string
	Median, P10, P90 string
	Pairs            int
	X, Width, Dot    string
}

// gpu is a kind of GPU and what it rents for.
type gpu struct {
	*schemas.GPU
	OnDemand, Spot, Link string
}

// market is the page of the market.
func (x *Site) market(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(parametersOf(marketInputs())...); err != nil {
		return apigw.Response{}, err
	}
	given := v.asked()
	if given.Get("purchase_model") == "" {
		given.Set("purchase_model", "on_demand")
	}
	shown := marketed{Form: v.form(marketInputs(), "", given), Purchase: labelOf(purchaseModels(), given.Get("purchase_model"))}
	query := v.instant()
	query.Set("compare", "class")
	query.Set("purchase_model", given.Get("purchase_model"))
	if gpus := listed(given.Get("gpu")); len(gpus) > 0 {
		query["gpu"] = gpus
	}
	var response schemas.ProvidersResponse
	err := v.get(ctx, endpoint.ProvidersPath, query, &response)
	p := v.page(v.say("The market by class of providers"), nil)
	if shown.Form.blameParameters(err, v.say) {
		p.Content = shown
		return x.render(http.StatusBadRequest, "market", p)
	}
	if err != nil {
		return apigw.Response{}, err
	}
	shown.Response = &response
	shown.Compared = comparedOf(response.Comparison.GPUs, p)
	for _, d := range response.Comparison.Discounts {
		shown.Discounts = append(shown.Discounts, discountOf(d))
	}
	var gpus schemas.GPUsResponse
	about := v.instant()
	if gpus := query["gpu"]; len(gpus) > 0 {
		about["gpu"] = gpus
	}
	if err := v.get(ctx, endpoint.GPUsPath, about, &gpus); err != nil {
		return apigw.Response{}, err
	}
	for i := range gpus.GPUs {
		if gpus.GPUs[i].Offers > 0 {
			shown.GPUs = append(shown.GPUs, gpuOf(&gpus.GPUs[i], p))
		}
	}
	p.Content = shown
	return x.render(http.StatusOK, "market", p)
}

// comparedOf puts classes side by side, each in its column, with bars against the dearest.
func comparedOf(all []schemas.ComparedGPU, p view) []compared {
	var rows []compared
	for _, g := range all {
		most := 0.0
		for _, c := range g.Classes {
			most = max(most, drawn(c.MedianPricePerGPUHour))
		}
		r := compared{GPU: g.GPU, Link: p.to("offers", url.Values{"gpu": {g.GPU}, "purchase_model": {g.PurchaseModel}})}
		for _, name := range providerClasses() {
			r.Classes = append(r.Classes, classOf(g.Classes, name.Value, most))
		}
		rows = append(rows, r)
	}
	return rows
}

// classOf is one of the classes that are compared, with its bar against the dearest; the
// zero value if it is not among them.
func classOf(all []schemas.ComparedClass, name string, most float64) class {
	i := slices.IndexFunc(all, func(c schemas.ComparedClass) bool { return c.ProviderClass == name })
	if i < 0 {
		return class{}
	}
	c := all[i]
	shown := class{
		Median: display.Hourly(c.MedianPricePerGPUHour), Lowest: display.Hourly(c.LowestPricePerGPUHour),
		Offers: c.Offers, Providers: c.Providers, Width: percent(100 * drawn(c.MedianPricePerGPUHour) / max(most, 1e-9)),
	}
	if c.ToHyperscaler != nil && c.ProviderClass != "hyperscaler" {
		shown.Ratio = display.Short(*c.ToHyperscaler)
	}
	return shown
}

// discountOf puts a discount in texts and in a picture of the shares from -20 to 100 %.
func discountOf(d schemas.Discount) discount {
	along := scale{low: -20, high: 100, from: 0, to: 100}
	low, middle, high := 100*drawn(d.P10), 100*drawn(d.Median), 100*drawn(d.P90)
	return discount{
		Class: labelOf(providerClasses(), d.ProviderClass), Purchase: labelOf(purchaseModels(), d.PurchaseModel), Pairs: d.Pairs,
		Median: display.Percent(d.Median), P10: display.Percent(d.P10), P90: display.Percent(d.P90),
		X: percent(along.at(low)), Width: percent(max(0.5, along.at(high)-along.at(low))), Dot: percent(along.at(middle)),
	}
}

// gpuOf puts a GPU in texts.
func gpuOf(g *schemas.GPU, p view) gpu {
	shown := gpu{GPU: g, Link: p.Link("offers", "gpu", g.ID)}
	for _, m := range g.Markets {
		switch m.PurchaseModel {
		case "on_demand":
			shown.OnDemand = priceText(m.LowestPricePerGPUHour)
		case "spot":
			shown.Spot = priceText(m.LowestPricePerGPUHour)
		}
	}
	return shown
}
