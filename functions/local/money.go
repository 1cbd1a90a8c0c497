package main

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/schemas"
)

// exact reads a decimal of an answer, which the API's schema holds to be one.
func exact(text string) decimal.Decimal {
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

// rounded shows a single amount in a currency's minor unit.
func rounded(amount, currency string) string {
	places := minorDigits(currency)
	return exact(amount).RoundBank(places).StringFixed(places)
}

// lineNames are the cost lines in the order in which they are shown.
func lineNames() []string {
	return []string{"instance", "idle", "storage", "network", "interruption", "setup", "verification", "discount"}
}

// linesOf are the cost lines of a stage in the order of lineNames.
func linesOf(c schemas.Cost) []decimal.Decimal {
	var lines []decimal.Decimal
	for _, text := range []string{c.Instance, c.Idle, c.Storage, c.Network, c.Interruption, c.Setup, c.Verification, c.Discount} {
		lines = append(lines, exact(text))
	}
	return lines
}

// bill is a plan's cost as it is shown: the lines of every stage rounded together,
// so that rows, columns and the total add up.
type bill struct {
	places int32
	cells  [][]decimal.Decimal // by stage and line
}

// billOf rounds the cost of a plan.
func billOf(p *schemas.Plan, currency string) bill {
	var leaves []decimal.Decimal
	for _, stage := range p.Stages {
		leaves = append(leaves, linesOf(stage.Cost)...)
	}
	b := bill{places: minorDigits(currency)}
	shown := tco.Shown(leaves, b.places)
	for n := len(lineNames()); len(shown) > 0; shown = shown[n:] {
		b.cells = append(b.cells, shown[:n])
	}
	return b
}

// stage is the shown total of a stage.
func (b bill) stage(i int) decimal.Decimal { return decimal.Sum(decimal.Zero, b.cells[i]...) }

// line is the shown total of a line over all stages.
func (b bill) line(i int) decimal.Decimal {
	sum := decimal.Zero
	for _, cells := range b.cells {
		sum = sum.Add(cells[i])
	}
	return sum
}

// total is the shown total.
func (b bill) total() decimal.Decimal {
	sum := decimal.Zero
	for i := range b.cells {
		sum = sum.Add(b.stage(i))
	}
	return sum
}

// text shows an amount that is rounded already.
func (b bill) text(amount decimal.Decimal) string { return amount.StringFixed(b.places) }
