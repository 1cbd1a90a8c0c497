package main

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// tcoText is what options cost, for people.
func tcoText(r *schemas.TCOResponse) string {
	text := fmt.Sprintf("Cost in %s; a month is %s hours\n", r.Currency, r.HoursPerMonth) + optionTable(r)
	for i := range r.Options {
		o := &r.Options[i]
		text += fmt.Sprintf("\n%s: a month\n", o.Name) + lineTable(o, r.Currency)
		for j := range o.Resources {
			c := &o.Resources[j]
			text += fmt.Sprintf("\n%s as it can be bought: %d x %s\n", c.Name, c.Instances, display.OfferName(&c.Offer))
			text += purchaseTable(c, r.Currency)
		}
	}
	if len(r.Warnings) > 0 {
		text += "\nWarnings\n"
	}
	for _, w := range r.Warnings {
		text += wrap("  - ", "    ", w.Message+" ["+w.Code+"]")
	}
	text += assumed(&schemas.RecommendResponse{Assumptions: r.Assumptions})
	return text + wrap("\n", "", fmt.Sprintf("Catalogue %s, computed at %s; oldest price of %s.", r.CatalogVersion, r.ComputedAt, display.OrUnknown(r.AsOf)))
}

// optionTable sets the options side by side.
func optionTable(r *schemas.TCOResponse) string {
	columns := []column{{title: "option", most: 40}, {title: "an hour", right: true}, {title: "a month", right: true}, {title: "a year", right: true},
		{title: "3 years", right: true}, {title: "effective hour", right: true}, {title: "PFLOP-hour", right: true}}
	var rows [][]string
	for i := range r.Options {
		o := &r.Options[i]
		rows = append(rows, []string{o.Name, fourDecimals(&o.Total.PerHour), display.Rounded(o.Total.PerMonth, r.Currency),
			display.Rounded(o.Total.PerYear, r.Currency), display.Rounded(o.Total.Per3Years, r.Currency),
			fourDecimals(o.CostPerEffectiveHour), fourDecimals(o.CostPerEffectivePFLOPHour)})
	}
	return table(columns, rows)
}

// fourDecimals shows an hourly amount; "-" if there is none.
func fourDecimals(text *string) string {
	if text == nil {
		return "-"
	}
	return display.Exact(*text).RoundBank(4).StringFixed(4)
}

// lineTable is the lines of an option, rounded so that they add up.
func lineTable(o *schemas.CostedOption, currency string) string {
	columns := []column{{title: "line"}, {title: "of", most: 40}, {title: "quantity", right: true}, {title: "unit"},
		{title: "unit price", right: true}, {title: currency, right: true}}
	amounts := make([]decimal.Decimal, len(o.Lines))
	for i := range o.Lines {
		amounts[i] = display.Exact(o.Lines[i].Amounts.PerMonth)
	}
	shown := display.Shown(amounts, currency)
	var rows [][]string
	for i, l := range o.Lines {
		price := l.UnitPrice
		if l.Assumed {
			price = "~" + price
		}
		rows = append(rows, []string{l.Line, l.Of, display.Short(l.Quantity), l.Unit, price, shown[i]})
	}
	rows = append(rows, []string{"total", "", "", "", "", display.Rounded(o.Total.PerMonth, currency)})
	return table(columns, rows)
}

// purchaseTable is a resource under every purchase model.
func purchaseTable(c *schemas.CostedResource, currency string) string {
	columns := []column{{title: "purchase"}, {title: "an hour", right: true}, {title: "a month", right: true}, {title: "a year", right: true}, {title: "note", most: 60}}
	var rows [][]string
	for i := range c.PurchaseModels {
		p := &c.PurchaseModels[i]
		row := []string{p.PurchaseModel, fourDecimals(p.PricePerInstanceHour), "-", "-", purchaseNote(p)}
		if p.Amounts != nil {
			row[2], row[3] = display.Rounded(p.Amounts.PerMonth, currency), display.Rounded(p.Amounts.PerYear, currency)
		}
		rows = append(rows, row)
	}
	return table(columns, rows)
}

// purchaseNote says when a purchase model pays.
func purchaseNote(p *schemas.Purchase) string {
	switch {
	case p.Reason != nil:
		return display.PurchaseReason(*p.Reason)
	case p.BreakEven != nil && p.BreakEven.UtilizationPct == nil:
		return "never cheaper than on demand"
	case p.BreakEven != nil:
		return fmt.Sprintf("pays from %s%% of the hours: %s a month", display.Short(*p.BreakEven.UtilizationPct), display.Short(*p.BreakEven.HoursPerMonth))
	case p.BreakEvenLostWorkPct["on_demand"] != nil:
		return fmt.Sprintf("pays up to %s%% of work lost", display.Short(*p.BreakEvenLostWorkPct["on_demand"]))
	default:
		return ""
	}
}
