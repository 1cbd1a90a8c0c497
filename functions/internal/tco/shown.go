package tco

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"
)

// Shown rounds amounts to a number of decimals so that what is shown adds up: the
// shown amounts sum to the exact sum rounded half to even. It is the method of the
// largest remainder: every amount is rounded down, and the units that are missing
// from the sum go to the amounts that lost most, the first of equals first. No
// amount is more than a unit off, and a zero stays zero.
func Shown(amounts []decimal.Decimal, places int32) []decimal.Decimal {
	unit := decimal.New(1, -places)
	shown := make([]decimal.Decimal, len(amounts))
	order := make([]int, len(amounts))
	total, sum := decimal.Zero, decimal.Zero
	for i, amount := range amounts {
		shown[i] = amount.RoundFloor(places)
		order[i] = i
		total, sum = total.Add(amount), sum.Add(shown[i])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		lostA, lostB := amounts[a].Sub(shown[a]), amounts[b].Sub(shown[b])
		return cmp.Or(lostB.Cmp(lostA), cmp.Compare(a, b))
	})
	missing := total.RoundBank(places).Sub(sum)
	for _, i := range order {
		if !missing.IsPositive() {
			break
		}
		shown[i] = shown[i].Add(unit)
		missing = missing.Sub(unit)
	}
	return shown
}
