package tco

import (
	"math"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Nano is an amount in 10^-9 US dollars. Nanos order and prune; what is shown or
// decided between near equals is always the exact decimal.
type Nano int64

// MaxNano is the largest amount that a bound can hold, about 9.2 billion dollars.
const MaxNano Nano = math.MaxInt64

// Bound encloses an exact amount: Low <= amount <= High.
type Bound struct{ Low, High Nano }

// Add encloses the sum; it saturates at MaxNano.
func (b Bound) Add(c Bound) Bound {
	return Bound{Low: addNano(b.Low, c.Low), High: addNano(b.High, c.High)}
}

// addNano adds non-negative amounts, saturating.
func addNano(a, b Nano) Nano {
	if a > MaxNano-b {
		return MaxNano
	}
	return a + b
}

// nanosOfOne is how many nanos make a dollar.
const nanosOfOne = 1e9

// BoundOf encloses a non-negative quotient of dollars.
func BoundOf(q Quotient) Bound {
	if r, ok := smallRatio(q); ok && r.d > 0 && !r.neg {
		if hi, lo := bits.Mul64(r.n, nanosOfOne); hi < r.d {
			if nanos, rest := bits.Div64(hi, lo, r.d); nanos < uint64(MaxNano-1) {
				return Bound{Low: Nano(nanos), High: Nano(nanos + min(rest, 1))}
			}
		}
	}
	nanos, rest := q.Num.Shift(9).QuoRem(q.Den, 0)
	if nanos.Cmp(decimal.NewFromInt(int64(MaxNano-1))) >= 0 {
		return Bound{Low: MaxNano, High: MaxNano}
	}
	low := Nano(nanos.IntPart())
	high := low
	if !rest.IsZero() {
		high++
	}
	return Bound{Low: low, High: high}
}

// scale encloses amount x numerator / denominator for a positive denominator.
func (b Bound) scale(numerator, denominator uint64) Bound {
	if hi, high := bits.Mul64(uint64(b.High), numerator); hi == 0 && high < uint64(MaxNano)-denominator { // as usual
		low := uint64(b.Low) * numerator
		return Bound{Low: Nano(divide(low, denominator)), High: Nano(divide(high+denominator-1, denominator))}
	}
	return Bound{Low: mulDiv(b.Low, numerator, denominator, 0), High: mulDiv(b.High, numerator, denominator, 1)}
}

// mulDiv is amount x numerator / denominator rounded down, or up if up is 1; it saturates.
func mulDiv(amount Nano, numerator, denominator, up uint64) Nano {
	hi, lo := bits.Mul64(uint64(amount), numerator)
	lo, carry := bits.Add64(lo, up*(denominator-1), 0)
	hi += carry
	switch {
	case hi == 0:
		return Nano(min(divide(lo, denominator), uint64(MaxNano)))
	case hi >= denominator:
		return MaxNano
	}
	quotient, _ := bits.Div64(hi, lo, denominator)
	return Nano(min(quotient, uint64(MaxNano)))
}

// divide divides by one of the usual denominators fast, as they are known.
func divide(numerator, denominator uint64) uint64 {
	switch denominator {
	case 1:
		return numerator
	case secondsPerHour:
		return numerator / secondsPerHour
	case secondsPerMonth:
		return numerator / secondsPerMonth
	default:
		return numerator / denominator
	}
}

// Rates are a tariff's prices as bounds in US dollars: per node-hour, and per GB
// of block storage and month.
type Rates struct{ NodeHour, GBMonth Bound }

// NodeBound encloses the price of a node-hour.
func (t *Tariff) NodeBound() Bound {
	return BoundOf(usd(Quotient{Num: t.Node.Num, Den: t.Node.Den}, t.Conversion))
}

// StorageBound encloses the price of a GB of block storage and month.
func (t *Tariff) StorageBound() Bound {
	return BoundOf(usd(Exact(InUnit(t.Storage.Price, t.Storage.Unit)), t.StorageConversion))
}

// usd converts an amount of a conversion's source currency into dollars.
func usd(q Quotient, c Conversion) Quotient {
	if c.From.UnitsPerUSD.IsZero() {
		return q
	}
	return q.Over(c.From.UnitsPerUSD)
}

// lineSlack is more than rounding six lines to Places decimals can add or take,
// in nanos, in any currency worth less than three dollars a unit.
const lineSlack = 1

// Enclose bounds what Tariff.Price makes of the usage, in dollars at the source
// currency's rate.
func (r Rates) Enclose(t *Tariff, u Usage) Bound {
	occupied := u.Occupied()
	return r.EncloseHeld(t.Billed(occupied)*u.Nodes, u.DiskGB*u.Nodes, occupied+u.Stopped)
}

// EncloseHeld is Enclose of node-seconds that are billed, and of as many GB of block storage
// that are held for so long.
func (r Rates) EncloseHeld(billed, gb, held int64) Bound {
	b := r.NodeHour.scale(uint64(billed), secondsPerHour)
	if r.GBMonth.High > 0 && gb > 0 {
		perMonth := r.GBMonth.scale(uint64(gb), 1)
		b = b.Add(perMonth.scale(uint64(held), secondsPerMonth))
	}
	return b.Widen()
}

// Share is a part of a price in units of 2^-32, rounded down, so that lower bounds are
// quickly found.
type Share uint64

// shareBits are the bits of a share beyond the point.
const shareBits = 32

// HourShare is the part of an hour that so many seconds are.
func HourShare(seconds int64) Share {
	n := uint64(seconds)
	return shareOf(n/secondsPerHour, n%secondsPerHour<<shareBits/secondsPerHour)
}

// MonthShare is the part of a month that so many seconds are.
func MonthShare(seconds int64) Share {
	n := uint64(seconds)
	return shareOf(n/secondsPerMonth, n%secondsPerMonth<<shareBits/secondsPerMonth)
}

// shareOf is so many wholes and a part of one; it saturates.
func shareOf(wholes, part uint64) Share {
	if wholes >= 1<<(63-shareBits) {
		return Share(MaxNano)
	}
	return Share(wholes<<shareBits | part)
}

// AtLeast is a lower bound on what the share costs at a price of at least so much.
func (s Share) AtLeast(price Nano) Nano {
	hi, lo := bits.Mul64(uint64(price), uint64(s))
	if hi>>(shareBits-1) > 0 {
		return MaxNano
	}
	return max(0, Nano(hi<<shareBits|lo>>shareBits)-lineSlack)
}

// AtMost is the highest price at which AtLeast is no more than most; negative if most is.
func (s Share) AtMost(most Nano) Nano {
	if most < 0 || most >= MaxNano-1-lineSlack {
		return most
	}
	beyond := uint64(most + 1 + lineSlack) // AtLeast stays below it, less the slack
	hi, lo := beyond>>(64-shareBits), beyond<<shareBits
	if hi >= uint64(s) {
		return MaxNano
	}
	price, rest := bits.Div64(hi, lo, uint64(s))
	if rest == 0 {
		price--
	}
	return Nano(min(price, uint64(MaxNano)))
}

// Widen leaves room for the rounding of one line.
func (b Bound) Widen() Bound {
	return Bound{Low: max(0, b.Low-lineSlack), High: addNano(b.High, lineSlack)}
}
