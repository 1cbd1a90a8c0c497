package tco

import (
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

// Sign is -1, 0 or 1.
func (u Units) Sign() int { return u.big().Sign() }

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
	num, den := new(big.Int).Set(q.Num.Coefficient()), new(big.Int).Set(q.Den.Coefficient())
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
	if common := new(big.Int).GCD(nil, nil, new(big.Int).Abs(num), den); common.Sign() > 0 {
		num.Quo(num, common)
		den.Quo(den, common)
	}
	if size := new(big.Int).Abs(num); size.IsUint64() && den.IsUint64() {
		return Ratio{n: size.Uint64(), d: den.Uint64(), small: true, neg: num.Sign() < 0}
	}
	return Ratio{num: num, den: den}
}

// smallRatio is NewRatio of quotients of few digits; ok is false if it has too many.
func smallRatio(q Quotient) (r Ratio, ok bool) {
	if q.Num.NumDigits() > fewDigits || q.Den.NumDigits() > fewDigits {
		return Ratio{}, false
	}
	num, den := q.Num.CoefficientInt64(), q.Den.CoefficientInt64()
	r = Ratio{n: uint64(max(num, -num)), d: uint64(max(den, -den)), small: true, neg: (num < 0) != (den < 0)}
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

// roundSmall is Round in 128 bits; ok is false if something does not fit.
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
