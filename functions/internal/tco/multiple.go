package tco

import (
	"math"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Multiple is a factor without a unit and not negative, of growth or of a price,
// counted in 10^-FactorPlaces.
type Multiple int64

// Once is the factor of what stays as it is.
const Once Multiple = 1e12

// MultipleOf rounds a decimal half to even. ok is false if it is negative, or above
// nine million.
func MultipleOf(d decimal.Decimal) (m Multiple, ok bool) {
	units := d.RoundBank(FactorPlaces).Shift(FactorPlaces)
	if units.IsNegative() || units.NumDigits() > fewDigits {
		return 0, false
	}
	return Multiple(units.IntPart()), true
}

// Decimal is the factor as a decimal.
func (m Multiple) Decimal() decimal.Decimal { return decimal.New(int64(m), -FactorPlaces) }

// Times is the product of two factors, rounded half to even. ok is false if it is too
// large.
func (m Multiple) Times(n Multiple) (product Multiple, ok bool) {
	hi, lo := bits.Mul64(uint64(m), uint64(n))
	if hi >= uint64(Once) {
		return 0, false
	}
	quotient, rest := bits.Div64(hi, lo, uint64(Once))
	if twice := 2 * rest; twice > uint64(Once) || twice == uint64(Once) && quotient&1 == 1 {
		quotient++
	}
	return Multiple(quotient), quotient <= math.MaxInt64
}

// Powers are a factor to the powers 0 to n, each rounded from the one before. ok is
// false if one is too large.
func (m Multiple) Powers(n int) (all []Multiple, ok bool) {
	all, ok = []Multiple{Once}, true
	for i := 0; i < n && ok; i++ {
		var next Multiple
		next, ok = all[i].Times(m)
		all = append(all, next)
	}
	return all, ok
}

// Ratio is the factor as a ratio.
func (m Multiple) Ratio() Ratio {
	r := Ratio{n: uint64(m), d: uint64(Once), small: true}
	r.reduce()
	return r
}

// InUnits is the factor times 10^Places: it turns costs into Units.
func (m Multiple) InUnits() Ratio {
	r := Ratio{n: uint64(m), d: 100, small: true} // 10^(FactorPlaces-Places)
	r.reduce()
	return r
}
