package tco

import (
	"cmp"
	"slices"
	"strconv"

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

// AppendFixed appends the amount with so many decimals, at most Places, rounded half to
// even.
func (u Units) AppendFixed(to []byte, places int) []byte {
	if u.large != nil {
		return append(to, u.Decimal().RoundBank(int32(places)).StringFixed(int32(places))...)
	}
	return AppendFixed(to, Fixed{u.small, Places}, places)
}

// AppendPlain appends what AppendPlain does of the amount as a decimal.
func (u Units) AppendPlain(to []byte) []byte {
	if u.IsZero() {
		return append(to, '0')
	}
	return u.AppendFixed(to, Places)
}

// Fixed is N x 10^-Places.
type Fixed struct {
	N      int64
	Places int
}

// AppendFixed appends a number with so many decimals, at most those that it has, rounded
// half to even.
func AppendFixed(to []byte, f Fixed, places int) []byte {
	unit := uint64(tens[f.Places-places])
	n, rest := size(f.N)/unit, size(f.N)%unit
	if 2*rest > unit || 2*rest == unit && n&1 == 1 {
		n++
	}
	if f.N < 0 && n > 0 {
		to = append(to, '-')
	}
	one := uint64(tens[places])
	to = strconv.AppendUint(to, n/one, 10)
	if places == 0 {
		return to
	}
	point := len(to)
	to = strconv.AppendUint(to, one+n%one, 10) // a 1 before all the decimals
	to[point] = '.'
	return to
}

// AppendPlain appends a decimal with all the digits that it has, trailing zeros included,
// and never with an exponent. Zero is "0".
func AppendPlain(to []byte, d decimal.Decimal) []byte {
	if d.IsZero() {
		return append(to, '0')
	}
	places := max(0, -int(d.Exponent()))
	if d.Exponent() > 0 || places > fewDigits || d.NumDigits() > fewDigits {
		return append(to, d.StringFixed(int32(places))...)
	}
	return AppendFixed(to, Fixed{d.CoefficientInt64(), places}, places)
}
