package tco

import (
	"math"

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

// Quotient is an exact amount Num/Den that may have no finite expansion. Den is positive.
type Quotient struct{ Num, Den decimal.Decimal }

// Exact is a decimal as a quotient.
func Exact(d decimal.Decimal) Quotient { return Quotient{Num: d, Den: decimal.NewFromInt(1)} }

// Times multiplies by a decimal.
func (q Quotient) Times(d decimal.Decimal) Quotient { return Quotient{Num: q.Num.Mul(d), Den: q.Den} }

// Over divides by a positive decimal.
func (q Quotient) Over(d decimal.Decimal) Quotient { return Quotient{Num: q.Num, Den: q.Den.Mul(d)} }

// Round is the quotient rounded once to the given number of decimals, half to
// even. It uses the remainder, since Div followed by RoundBank rounds twice.
func (q Quotient) Round(places int32) decimal.Decimal {
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

// Count is a number of things as a decimal.
func Count(n int) decimal.Decimal { return decimal.NewFromInt(int64(n)) }
