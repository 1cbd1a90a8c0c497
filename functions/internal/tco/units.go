package tco

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Units is an amount counted in units of 10^-Places: what a line is rounded to. It
// adds up faster than decimals, as exactly. The zero value is nothing.
type Units struct {
	small int64
	large *big.Int // instead of small, if the amount does not fit
}

// Plus is the sum of two amounts.
func (u Units) Plus(v Units) Units {
	if u.large == nil && v.large == nil {
		sum := u.small + v.small
		if (u.small < 0) != (v.small < 0) || (sum < 0) == (u.small < 0) {
			return Units{small: sum}
		}
	}
	return unitsOf(new(big.Int).Add(u.big(), v.big()))
}

// Minus is the difference of two amounts.
func (u Units) Minus(v Units) Units {
	if v.large == nil && v.small != math.MinInt64 {
		return u.Plus(Units{small: -v.small})
	}
	return u.Plus(unitsOf(new(big.Int).Neg(v.big())))
}

// Sign is -1, 0 or 1.
func (u Units) Sign() int {
	if u.large != nil {
		return u.large.Sign()
	}
	return cmp.Compare(u.small, 0)
}

// Cmp is -1, 0 or 1 as the amount is less than, equal to or more than another.
func (u Units) Cmp(v Units) int {
	if u.large == nil && v.large == nil {
		return cmp.Compare(u.small, v.small)
	}
	return u.big().Cmp(v.big())
}

// CmpSize compares two amounts by their sizes, whatever their signs.
func (u Units) CmpSize(v Units) int {
	if u.large == nil && v.large == nil {
		return cmp.Compare(size(u.small), size(v.small))
	}
	return u.big().CmpAbs(v.big())
}

// size is a number without its sign.
func size(n int64) uint64 { return uint64(max(n, -n)) }

// Times is the amount so many times.
func (u Units) Times(n int64) Units {
	if u.large == nil {
		if over, product := bits.Mul64(size(u.small), size(n)); over == 0 && product <= mostUnits {
			if (u.small < 0) != (n < 0) {
				return Units{small: -int64(product)}
			}
			return Units{small: int64(product)}
		}
	}
	return unitsOf(new(big.Int).Mul(u.big(), big.NewInt(n)))
}

// CmpTimes compares the amount n times with another m times, both numbers not negative.
func (u Units) CmpTimes(n int64, v Units, m int64) int {
	if u.large == nil && v.large == nil && u.small >= 0 && v.small >= 0 && n >= 0 && m >= 0 {
		hi, lo := bits.Mul64(uint64(u.small), uint64(n))
		hi2, lo2 := bits.Mul64(uint64(v.small), uint64(m))
		return cmp.Or(cmp.Compare(hi, hi2), cmp.Compare(lo, lo2))
	}
	return u.Times(n).Cmp(v.Times(m))
}

// UnitsOf is an amount in units. One of more than Places decimals is rounded down, and
// exact is false: an amount in units is at most d if it is at most that.
func UnitsOf(d decimal.Decimal) (u Units, exact bool) {
	if n, exact, ok := floorAt(d, Places); ok {
		return Units{small: n}, exact
	}
	down := d.RoundFloor(Places)
	return unitsOf(down.Shift(Places).BigInt()), down.Equal(d)
}

// floorAt is d x 10^places rounded down, and whether that is exact; ok is false if it
// does not fit.
func floorAt(d decimal.Decimal, places int32) (n int64, exact, ok bool) {
	shift := int(d.Exponent()) + int(places)
	if d.NumDigits() > fewDigits || max(shift, -shift) > fewDigits {
		return 0, false, false
	}
	n, scale := d.CoefficientInt64(), tens[max(shift, -shift)]
	if shift <= 0 {
		return n/scale - below(n%scale), n%scale == 0, true
	}
	product := n * scale
	return product, true, product/scale == n
}

// below is 1 if a rest is negative: the quotient is then one less.
func below(rest int64) int64 {
	if rest < 0 {
		return 1
	}
	return 0
}

// tens are the powers of ten that an int64 holds.
var tens = [fewDigits + 1]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// IsZero reports whether the amount is nothing.
func (u Units) IsZero() bool { return u.large == nil && u.small == 0 }

// big is the number of units.
func (u Units) big() *big.Int {
	if u.large != nil {
		return u.large
	}
	return big.NewInt(u.small)
}

// unitsOf is a number of units.
func unitsOf(n *big.Int) Units {
	if n.IsInt64() {
		return Units{small: n.Int64()}
	}
	return Units{large: n}
}

// Decimal is the amount as a decimal of Places places.
func (u Units) Decimal() decimal.Decimal {
	if u.large != nil {
		return decimal.NewFromBigInt(u.large, -Places)
	}
	return decimal.New(u.small, -Places)
}

// Ratio is a quotient in lowest terms, ready to be multiplied and rounded many times.
type Ratio struct {
	n, d       uint64 // the size of the numerator, and the denominator, if both fit
	small, neg bool
	num, den   *big.Int // if they do not
}

// fewDigits is how many decimal digits surely fit into an int64.
const fewDigits = 18

// NewRatio reduces a quotient.
func NewRatio(q Quotient) Ratio {
	if r, ok := smallRatio(q); ok {
		return r
	}
	num, den := q.Num.Coefficient(), q.Den.Coefficient()
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(q.Num.Exponent()-q.Den.Exponent()))), nil)
	if q.Num.Exponent() >= q.Den.Exponent() {
		num.Mul(num, scale)
	} else {
		den.Mul(den, scale)
	}
	if den.Sign() < 0 {
		num.Neg(num)
		den.Neg(den)
	}
	return Ratio{num: num, den: den}.lowest()
}

// lowest is a ratio of large terms in lowest terms.
func (r Ratio) lowest() Ratio {
	num, den := r.num, r.den
	whole := new(big.Int).Abs(num)
	if common := new(big.Int).GCD(nil, nil, whole, den); common.Sign() > 0 {
		num, den = new(big.Int).Quo(num, common), new(big.Int).Quo(den, common)
		whole.Abs(num)
	}
	if whole.IsUint64() && den.IsUint64() {
		return Ratio{n: whole.Uint64(), d: den.Uint64(), small: true, neg: num.Sign() < 0}
	}
	return Ratio{num: num, den: den}
}

// smallRatio is NewRatio of quotients of few digits; ok is false if it has too many.
func smallRatio(q Quotient) (r Ratio, ok bool) {
	if q.Num.NumDigits() > fewDigits || q.Den.NumDigits() > fewDigits {
		return Ratio{}, false
	}
	num, den := q.Num.CoefficientInt64(), q.Den.CoefficientInt64()
	r = Ratio{n: size(num), d: size(den), small: true, neg: (num < 0) != (den < 0)}
	r.reduce()
	shift := q.Num.Exponent() - q.Den.Exponent()
	for ; shift != 0; shift -= shift / abs(shift) {
		into, other := &r.n, &r.d
		if shift < 0 {
			into, other = &r.d, &r.n
		}
		ten := uint64(10)
		for _, prime := range []uint64{2, 5} {
			if *other%prime == 0 && *other > 0 {
				*other /= prime
				ten /= prime
			}
		}
		over, product := bits.Mul64(*into, ten)
		if over != 0 {
			return Ratio{}, false
		}
		*into = product
	}
	if r.n == 0 {
		r.d, r.neg = 1, false
	}
	return r, true
}

// Times is the product of two ratios.
func (r Ratio) Times(o Ratio) Ratio {
	if r.small && o.small {
		a, b := Ratio{n: r.n, d: o.d}, Ratio{n: o.n, d: r.d}
		a.reduce()
		b.reduce()
		overN, n := bits.Mul64(a.n, b.n)
		overD, d := bits.Mul64(a.d, b.d)
		if overN == 0 && overD == 0 {
			return Ratio{n: n, d: d, small: true, neg: (r.neg != o.neg) && n != 0}
		}
	}
	num, den := r.bigs()
	by, over := o.bigs()
	return Ratio{num: new(big.Int).Mul(num, by), den: new(big.Int).Mul(den, over)}
}

// reduce divides both terms by what they have in common.
func (r *Ratio) reduce() {
	a, b := r.n, r.d
	for b != 0 {
		a, b = b, a%b
	}
	if a > 1 {
		r.n, r.d = r.n/a, r.d/a
	}
}

// bigs are the terms of any size.
func (r Ratio) bigs() (num, den *big.Int) {
	if !r.small {
		return r.num, r.den
	}
	num = new(big.Int).SetUint64(r.n)
	if r.neg {
		num.Neg(num)
	}
	return num, new(big.Int).SetUint64(r.d)
}

// abs is the size of a number.
func abs(n int32) int32 { return max(n, -n) }

// InUnits is the ratio times 10^Places: a factor that turns costs into Units.
func (q Quotient) InUnits() Ratio { return NewRatio(Quotient{Num: q.Num.Shift(Places), Den: q.Den}) }

// Round is cost x factor rounded once to Units, half to even: what Quotient.Round
// makes of the product. The factor is one of InUnits.
func Round(cost, factor Ratio) Units {
	if cost.small && factor.small {
		if u, ok := roundSmall(cost, factor); ok {
			return u
		}
	}
	num, den := cost.bigs()
	by, over := factor.bigs()
	num, den = new(big.Int).Mul(num, by), new(big.Int).Mul(den, over)
	quotient, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	twice := rest.Abs(rest).Lsh(rest, 1)
	if c := twice.Cmp(den); c > 0 || c == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(int64(num.Sign())))
	}
	return unitsOf(quotient)
}

// roundSmall is Round in 128 bits; ok is false if something does not fit. Both are small.
func roundSmall(cost, factor Ratio) (u Units, ok bool) {
	over, den := bits.Mul64(cost.d, factor.d)
	hi, lo := bits.Mul64(cost.n, factor.n)
	if over != 0 || hi >= den || den > 1<<62 {
		return Units{}, false
	}
	quotient, rest := bits.Div64(hi, lo, den)
	if 2*rest > den || 2*rest == den && quotient&1 == 1 {
		quotient++
	}
	if quotient > 1<<62 {
		return Units{}, false
	}
	if cost.neg != factor.neg {
		return Units{small: -int64(quotient)}, true
	}
	return Units{small: int64(quotient)}, true
}
