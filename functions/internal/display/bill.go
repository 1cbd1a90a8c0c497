// Package display is how an answer of the API is put to people, on a terminal and
// on a page alike: amounts rounded so that they add up, and what things are called.
package display

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/schemas"
)

// Exact reads a decimal of an answer, which the API's schema holds to be one.
func Exact(text string) decimal.Decimal {
	d, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.Zero
	}
	return d
}

// minorDigits is how many decimals a currency's minor unit has (ISO 4217).
func minorDigits(currency string) int32 {
	switch currency {
	case "JPY", "KRW":
		return 0
	default:
		return 2
	}
}

// Rounded shows a single amount in a currency's minor unit.
func Rounded(amount, currency string) string {
	places := minorDigits(currency)
	return Exact(amount).RoundBank(places).StringFixed(places)
}

// Short shows a decimal with two decimals.
func Short(text string) string { return Exact(text).RoundBank(2).StringFixed(2) }

// Bill is a plan's cost as it is shown: the lines of every stage rounded together,
// so that rows, columns and the total add up. Lines that are nothing everywhere are
// left out; the first is always there.
type Bill struct {
	Lines  []string   // their names
	Cells  [][]string // by stage and line
	Stages []string   // the total of each stage
	Sums   []string   // the total of each line
	Total  string
}

// lineNames are the cost lines in the order in which they are shown.
func lineNames() []string {
	return []string{"instance", "idle", "storage", "network", "interruption", "setup", "verification", "discount"}
}

// linesOf are the cost lines of a stage in the order of lineNames.
func linesOf(c schemas.Cost) []decimal.Decimal {
	var lines []decimal.Decimal
	for _, text := range []string{c.Instance, c.Idle, c.Storage, c.Network, c.Interruption, c.Setup, c.Verification, c.Discount} {
		lines = append(lines, Exact(text))
	}
	return lines
}

// BillOf rounds the cost of a plan.
func BillOf(p *schemas.Plan, currency string) Bill {
	var leaves []decimal.Decimal
	for _, stage := range p.Stages {
		leaves = append(leaves, linesOf(stage.Cost)...)
	}
	places, n := minorDigits(currency), len(lineNames())
	leaves = tco.Shown(leaves, places)
	b := Bill{Cells: make([][]string, len(p.Stages)), Total: sumOf(leaves, 0, 1).StringFixed(places)}
	for stage := range p.Stages {
		b.Stages = append(b.Stages, sumOf(leaves[stage*n:(stage+1)*n], 0, 1).StringFixed(places))
	}
	for line, name := range lineNames() {
		sum := sumOf(leaves, line, n)
		if sum.IsZero() && line > 0 {
			continue
		}
		b.Lines, b.Sums = append(b.Lines, name), append(b.Sums, sum.StringFixed(places))
		for stage := range p.Stages {
			b.Cells[stage] = append(b.Cells[stage], leaves[stage*n+line].StringFixed(places))
		}
	}
	return b
}

// sumOf adds up every step-th amount from the first-th on.
func sumOf(amounts []decimal.Decimal, first, step int) decimal.Decimal {
	sum := decimal.Zero
	for i := first; i < len(amounts); i += step {
		sum = sum.Add(amounts[i])
	}
	return sum
}
