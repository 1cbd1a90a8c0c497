package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// renderMarket is the classes of providers side by side for people. GPUs that only
// one class offers are left out unless all are wanted.
func renderMarket(r *schemas.ProvidersResponse, all bool) string {
	classes := []string{"hyperscaler", "specialist", "community"}
	var rows [][]string
	for i := range r.Comparison.GPUs {
		g := &r.Comparison.GPUs[i]
		if len(g.Classes) > 1 || all {
			rows = append(rows, comparedRow(g, classes))
		}
	}
	text := ""
	if len(r.Comparison.GPUs) == 0 {
		text = "No whole GPU is known to be offered so.\n"
	}
	if len(rows) > 0 {
		text = "Median price of one GPU and hour in " + r.Comparison.Currency + ", over the providers of a class\n" + table(comparedColumns(classes), rows)
		text += wrap("", "  ", "n is the number of providers, each counted once with its own median; ratio is to the hyperscalers.")
	}
	if left := len(r.Comparison.GPUs) - len(rows); left > 0 {
		text += wrap("", "  ", fmt.Sprintf("%d GPUs and purchase models are left out, which only one class offers: name the GPU, or --json.", left))
	}
	text += discountTable(r.Comparison.Discounts)
	return text + wrap("\n", "", fmt.Sprintf("Catalogue %s, computed at %s.", r.CatalogVersion, r.ComputedAt))
}

// comparedColumns are the columns of comparedRow.
func comparedColumns(classes []string) []column {
	columns := []column{{title: "GPU", most: 26}, {title: "purchase"}}
	for _, class := range classes {
		columns = append(columns, column{title: class, right: true}, column{title: "n", right: true})
		if class != classes[0] {
			columns = append(columns, column{title: "ratio", right: true})
		}
	}
	return columns
}

// comparedRow is a GPU under a purchase model.
func comparedRow(g *schemas.ComparedGPU, classes []string) []string {
	row := []string{g.GPU, g.PurchaseModel}
	for i, class := range classes {
		median, n, ratio := "-", "", ""
		for _, c := range g.Classes {
			if c.ProviderClass != class {
				continue
			}
			median, n = hourly(&c.MedianPricePerGPUHour, false), strconv.Itoa(c.Providers)
			if c.ToHyperscaler != nil {
				ratio = display.Exact(*c.ToHyperscaler).RoundBank(2).StringFixed(2)
			}
		}
		row = append(row, median, n)
		if i > 0 {
			row = append(row, ratio)
		}
	}
	return row
}

// discountTable is what purchase models save.
func discountTable(discounts []schemas.Discount) string {
	if len(discounts) == 0 {
		return ""
	}
	columns := []column{{title: "class"}, {title: "purchase"}, {title: "median", right: true}, {title: "10th to 90th percentile", right: true}, {title: "pairs", right: true}}
	var rows [][]string
	for _, d := range discounts {
		rows = append(rows, []string{d.ProviderClass, d.PurchaseModel, percent(d.Median), percent(d.P10) + " to " + percent(d.P90), strconv.Itoa(d.Pairs)})
	}
	return "\nSaved against the on-demand price of the same SKU at the same place, all GPUs\n" + table(columns, rows)
}

// percent shows a share.
func percent(share string) string {
	return strings.TrimSuffix(display.Exact(share).Mul(decimal.NewFromInt(100)).RoundBank(0).String(), ".0") + "%"
}
