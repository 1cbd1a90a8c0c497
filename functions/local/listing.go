package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// renderOffers is a page of offers for people.
func renderOffers(r *schemas.OffersResponse) string {
	text := ""
	if len(r.GPUs) > 1 {
		text += wrap("GPUs: ", "  ", strings.Join(r.GPUs, ", ")+".") + "\n"
	}
	switch {
	case r.Total == 0 && orNothing(r.Reason) == "no_data":
		text += "No offer of these GPUs and purchase models is known.\n"
	case r.Total == 0:
		text += "No offer meets all of it.\n"
	default:
		text += offerTable(r.Offers) + "\n"
		text += wrap("", "  ", fmt.Sprintf("%d of %d offers, ordered by %s; prices in USD, days are their age.", len(r.Offers), r.Total, orderText(r.Sort)))
	}
	text += wrap("", "  ", searched(r))
	if len(r.StaleProviders) > 0 {
		text += wrap("", "  ", "No price younger than 180 days from "+strings.Join(r.StaleProviders, ", ")+".")
	}
	if r.NextCursor != nil {
		text += "More: --cursor " + *r.NextCursor + "\n"
	}
	return text + wrap("", "", fmt.Sprintf("Catalogue %s, computed at %s.", r.CatalogVersion, r.ComputedAt))
}

// orderText is an order of offers in words.
func orderText(sort string) string {
	return strings.NewReplacer("gpu", "GPU", "pflop", "PFLOP/s", "as_of", "date", "_", " ").Replace(sort)
}

// offerTable lists offers.
func offerTable(offers []schemas.Offer) string {
	columns := []column{{title: "GPU-hour", right: true}, {title: "hour", right: true}, {title: "hardware"},
		{title: "place", most: 40}, {title: "in"}, {title: "SKU", most: 40}, {title: "purchase"}, {title: "days", right: true}}
	var rows [][]string
	for i := range offers {
		o := &offers[i]
		rows = append(rows, []string{hourly(o.PricePerGPUHour, o.GPU == nil), hourly(o.PricePerInstanceHour, false), rented(o),
			o.Provider + "/" + o.Region, orNothing(o.Country), o.SKU, o.PurchaseModel, age(o.AgeDays)})
	}
	return table(columns, rows)
}

// age shows the age of a price in days.
func age(days *int) string {
	if days == nil {
		return "?"
	}
	return strconv.Itoa(*days)
}

// hourlyDigits is how many decimals a price per hour is shown with.
const hourlyDigits = 4

// hourly shows a price per hour that may be unknown, or may not apply.
func hourly(price *string, none bool) string {
	switch {
	case none:
		return "-"
	case price == nil:
		return "unknown"
	default:
		return display.Exact(*price).RoundBank(hourlyDigits).StringFixed(hourlyDigits)
	}
}

// rented is what one instance of an offer has.
func rented(o *schemas.Offer) string {
	switch {
	case o.GPU == nil && o.VCPU == nil:
		return "CPU"
	case o.GPU == nil:
		return o.VCPU.String() + " vCPU"
	case o.GPUCount == nil:
		return "part of " + *o.GPU
	case display.Exact(o.GPUCount.String()).LessThan(decimal.NewFromInt(1)) && o.VRAMPerGPUGB != nil:
		return o.GPUCount.String() + " x " + *o.GPU + " (" + *o.VRAMPerGPUGB + " GB)"
	default:
		return o.GPUCount.String() + " x " + *o.GPU
	}
}

// orNothing shows a text that may be unknown as a dash.
func orNothing(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

// searched says which regions were looked at.
func searched(r *schemas.OffersResponse) string {
	text := counted(r.RegionsSearched, "region") + " searched"
	var hidden []string
	for _, h := range r.RegionsHidden {
		why := map[string]string{"country_unknown": "whose country no source gives", "provider": "of other providers",
			"provider_class": "of other classes of providers", "region": "of other names", "country": "in other countries"}[h.Why]
		hidden = append(hidden, strconv.Itoa(h.Regions)+" "+why)
	}
	if len(hidden) > 0 {
		text += "; left out " + strings.Join(hidden, ", ")
	}
	return text + "."
}

// counted is a number of things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// renderGPUs is kinds of GPUs for people.
func renderGPUs(r *schemas.GPUsResponse) string {
	columns := []column{{title: "GPU", most: 26}, {title: "tier", right: true}, {title: "GB", right: true}, {title: "TFLOPS", right: true},
		{title: "on demand", right: true}, {title: "spot", right: true}, {title: "1 year", right: true}, {title: "3 years", right: true},
		{title: "offers", right: true}, {title: "planned"}}
	var rows [][]string
	for i := range r.GPUs {
		g := &r.GPUs[i]
		tier, planned := "-", "no"
		if g.Tier != nil {
			tier = strconv.Itoa(*g.Tier)
		}
		if g.Sized {
			planned = "yes"
		}
		rows = append(rows, []string{g.ID, tier, orNothing(g.MemoryGB), orNothing(firstKnown(g.BF16TFLOPS, g.FP16TFLOPS, g.FP32TFLOPS)),
			lowest(g, "on_demand"), lowest(g, "spot"), lowest(g, "reserved_1y"), lowest(g, "reserved_3y"), strconv.Itoa(g.Offers), planned})
	}
	text := table(columns, rows) + "\n" + wrap("", "  ", "Lowest known price of one GPU and hour in USD; TFLOPS dense, BF16 or the best below it; - is unknown or "+
		"not offered; planned: enough is known of it for recommend.")
	if len(r.Unmapped) > 0 {
		var names []string
		for _, u := range r.Unmapped {
			names = append(names, fmt.Sprintf("%s (%d)", u.GPUName, u.Offers))
		}
		text += wrap("Offers of GPUs of unknown name: ", "  ", strings.Join(names, ", ")+".")
	}
	return text + wrap("", "", fmt.Sprintf("Catalogue %s, computed at %s.", r.CatalogVersion, r.ComputedAt))
}

// firstKnown is the first of several figures that is known; nil if none is.
func firstKnown(figures ...*string) *string {
	if i := slices.IndexFunc(figures, func(f *string) bool { return f != nil }); i >= 0 {
		return figures[i]
	}
	return nil
}

// lowest shows what a GPU rents for under a purchase model.
func lowest(g *schemas.GPU, model string) string {
	for _, m := range g.Markets {
		if m.PurchaseModel == model && m.LowestPricePerGPUHour != nil {
			return hourly(m.LowestPricePerGPUHour, false)
		}
	}
	return "-"
}
