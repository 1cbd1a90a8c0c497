package tco

import (
	"math"
	"math/big"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Places is how many decimals a cost line is rounded to.
const Places = 10

// secondsPerHour and secondsPerMonth convert hourly and monthly prices; a month
// is catalog.HoursPerMonth hours.
const (
	secondsPerHour  = 3600
	secondsPerMonth = catalog.HoursPerMonth * secondsPerHour
)

// one and the seconds of an hour and a month, as decimals.
var (
	one         = decimal.NewFromInt(1)
	hourSeconds = decimal.NewFromInt(secondsPerHour)
	monthLength = decimal.NewFromInt(secondsPerMonth)
)

// Quotient is an exact amount Num/Den that may have no finite expansion. Den is positive.
type Quotient struct{ Num, Den decimal.Decimal }

// Exact is a decimal as a quotient.
func Exact(d decimal.Decimal) Quotient { return Quotient{Num: d, Den: one} }

// Times multiplies by a decimal.
func (q Quotient) Times(d decimal.Decimal) Quotient {
	if q.Num.IsZero() || isOne(d) {
		return q
	}
	return Quotient{Num: q.Num.Mul(d), Den: q.Den}
}

// Over divides by a positive decimal.
func (q Quotient) Over(d decimal.Decimal) Quotient {
	switch {
	case q.Num.IsZero() || isOne(d):
		return q
	case isOne(q.Den):
		return Quotient{Num: q.Num, Den: d}
	}
	return Quotient{Num: q.Num, Den: q.Den.Mul(d)}
}

// isOne reports whether a decimal is 1, written so: it saves a product.
func isOne(d decimal.Decimal) bool {
	return d.Exponent() == 0 && d.NumDigits() == 1 && d.CoefficientInt64() == 1
}

// Mul is the product of two quotients.
func (q Quotient) Mul(p Quotient) Quotient {
	return Quotient{Num: q.Num.Mul(p.Num), Den: q.Den.Mul(p.Den)}
}

// Plus is the sum of two quotients.
func (q Quotient) Plus(p Quotient) Quotient {
	if q.Num.IsZero() {
		return p
	}
	return q.Minus(Quotient{Num: p.Num.Neg(), Den: p.Den})
}

// Minus is the difference of two quotients.
func (q Quotient) Minus(p Quotient) Quotient {
	if p.Num.IsZero() {
		return q
	}
	if q.Den.Equal(p.Den) {
		return Quotient{Num: q.Num.Sub(p.Num), Den: q.Den}
	}
	return Quotient{Num: q.Num.Mul(p.Den).Sub(p.Num.Mul(q.Den)), Den: q.Den.Mul(p.Den)}
}

// Cmp compares two quotients.
func (q Quotient) Cmp(p Quotient) int { return q.Num.Mul(p.Den).Cmp(p.Num.Mul(q.Den)) }

// IsZero reports whether the quotient is nothing; the zero value is.
func (q Quotient) IsZero() bool { return q.Num.IsZero() }

// Round is the quotient rounded once to the given number of decimals, half to
// even. It uses the remainder, since Div followed by RoundBank rounds twice.
func (q Quotient) Round(places int32) decimal.Decimal {
	if places >= 0 && places <= fewDigits {
		if r, ok := smallRatio(q); ok && r.d > 0 {
			if u, ok := roundSmall(r, Ratio{n: uint64(tens[places]), d: 1, small: true}); ok {
				return decimal.New(u.small, -places)
			}
		}
	}
	quotient, rest := q.Num.QuoRem(q.Den, places)
	twice := rest.Abs().Mul(decimal.NewFromInt(2))
	unit := decimal.New(1, -places)
	half := q.Den.Abs().Mul(unit)
	up := twice.Cmp(half) > 0
	if twice.Equal(half) {
		up = !quotient.Shift(places).Mod(decimal.NewFromInt(2)).IsZero()
	}
	if !up {
		return quotient
	}
	if q.Num.Sign()*q.Den.Sign() < 0 {
		unit = unit.Neg()
	}
	return quotient.Add(unit)
}

// WholeSeconds turns an estimated duration into billable time: whole seconds,
// rounded up. Negative and NaN durations are 0; what exceeds MaxSeconds is MaxSeconds.
func WholeSeconds(seconds float64) int64 {
	if !(seconds > 0) {
		return 0
	}
	if seconds >= MaxSeconds {
		return MaxSeconds
	}
	return int64(math.Ceil(seconds))
}

// MaxSeconds bounds every duration (31,700 years), so that sums stay in an int64.
const MaxSeconds = 1e12

// Volume turns an estimated volume in GB into a decimal, rounded up to whole
// kilobytes (10^-6 GB) so that a cost is never understated.
func Volume(gb float64) decimal.Decimal {
	if !(gb > 0) {
		return decimal.Zero
	}
	return decimal.NewFromFloat(gb).RoundCeil(6)
}

// FactorPlaces is how many decimals a dimensionless factor has.
const FactorPlaces = 12

// Factor turns an estimate without a unit (a share, an efficiency, a trend) into a
// decimal that money may be multiplied by, rounded half even to FactorPlaces. NaN
// and infinities are 0.
func Factor(x float64) decimal.Decimal {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return decimal.Zero
	}
	return decimal.NewFromFloat(x).RoundBank(FactorPlaces)
}

// Count is a number of things as a decimal.
func Count(n int) decimal.Decimal { return decimal.NewFromInt(int64(n)) }

// Float is the amount as a float, for how large it is beside others and
// for the cells of a workbook: never for arithmetic on money.
func (u Units) Float() float64 {
	if u.large != nil {
		x, _ := new(big.Float).SetInt(u.large).Float64()
		return x / unitsOfOne
	}
	return float64(u.small) / unitsOfOne // the nearest float, as both are exact
}

// unitsOfOne is how many of Units make 1.
const unitsOfOne = 1e10

// factorUnits is how many of its smallest units a factor of 1 has.
const factorUnits = 1e12

// Scaled is the amount times an estimated factor, not negative, of FactorPlaces
// decimals, rounded once.
func (u Units) Scaled(factor float64) Units {
	n := math.RoundToEven(factor * factorUnits)
	if !(n >= 0) || n >= math.MaxInt64 {
		n = 0
	}
	cost := Ratio{small: true, neg: u.small < 0, d: 1, n: size(u.small)}
	if u.large != nil || u.small == math.MinInt64 {
		cost = Ratio{num: u.big(), den: big.NewInt(1)}
	}
	return Round(cost, Ratio{n: uint64(n), d: factorUnits, small: true})
}
