package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Ladder is an egress rate in integers: it encloses fast what Egress gives, and gives it
// exactly where a load is within the first tier.
type Ladder struct {
	free  span
	steps []step
	gib   bool
	first pace // a billionth of a GB in the first tier, in the currency that rates are converted into
}

// step is a tier: up to so much beyond the free volume, at a price per unit in dollars.
type step struct {
	upTo  span
	price Bound
}

// span encloses a volume in billionths of a unit.
type span struct{ low, high int64 }

// most is the largest volume that a span holds.
const most = 1 << 62

// NewLadder turns a rate into a ladder. ok is false if a figure is too large for one.
func NewLadder(rate catalog.EgressRate, to Conversion) (l Ladder, ok bool) {
	l.gib = rate.Unit == catalog.GiB
	if l.free, ok = spanOf(rate.FreePerMonth); !ok {
		return l, false
	}
	for _, tier := range rate.Tiers {
		s := step{upTo: span{most, most}, price: BoundOf(usd(Exact(tier.Price), to))}
		if tier.UpTo.Valid {
			if s.upTo, ok = spanOf(tier.UpTo.Decimal); !ok {
				return l, false
			}
		}
		l.steps = append(l.steps, s)
	}
	if len(rate.Tiers) > 0 {
		l.first = paceOf(l.billionth(rate.Tiers[0].Price, to))
	}
	return l, true
}

// spanOf encloses a volume. ok is false if it is too large.
func spanOf(volume decimal.Decimal) (s span, ok bool) {
	if low, exact, ok := floorAt(volume, 9); ok && low < most {
		s = span{low, low}
		if !exact {
			s.high++
		}
		return s, true
	}
	billionths := volume.Shift(9)
	if billionths.Cmp(decimal.NewFromInt(most)) >= 0 {
		return s, false
	}
	s.low = billionths.Floor().IntPart()
	s.high = s.low
	if !billionths.IsInteger() {
		s.high++
	}
	return s, true
}

// Load is a volume in GB as ladders take it.
type Load struct{ gb span }

// LoadOf makes a load. ok is false if the volume is too large for one.
func LoadOf(gb decimal.Decimal) (l Load, ok bool) {
	l.gb, ok = spanOf(gb)
	return l, ok
}

// Seconds is how long the load takes at so many gigabits per second, rounded up. ok is false
// if it is too large, or no multiple of a byte.
func (l Load) Seconds(gbits int64) (seconds int64, ok bool) {
	const bytes = 1e9 // of a GB
	if l.gb.low != l.gb.high || l.gb.low > most/8 {
		return 0, false
	}
	perSecond := gbits * bytes
	return (l.gb.low*8 + perSecond - 1) / perSecond, true
}

// After encloses EgressAfter in dollars: the price of a load that leaves after another,
// tier by tier what of it falls there.
func (l *Ladder) After(used, load Load) Bound {
	from := l.charged(used.gb)
	to := l.charged(span{used.gb.low + load.gb.low, used.gb.high + load.gb.high})
	var sum Bound
	tier := span{}
	for i := range l.steps {
		s := &l.steps[i]
		least := min(to.low, s.upTo.low) - max(from.high, tier.high)
		most := min(to.high, s.upTo.high) - max(from.low, tier.low)
		sum = sum.Add(Bound{
			Low:  mulDiv(s.price.Low, uint64(max(0, least)), 1e9, 0),
			High: mulDiv(s.price.High, uint64(max(0, most)), 1e9, 1),
		})
		if tier = s.upTo; tier.low >= to.high {
			break
		}
	}
	return sum
}

// billionthUnits turns a price into the Units of a billionth.
var billionthUnits = Ratio{n: 10, d: 1, small: true}

// billionth is what a billionth of a GB costs at a price per unit, in Units.
func (l *Ladder) billionth(price decimal.Decimal, to Conversion) Ratio {
	each := NewRatio(Exact(price)).Times(to.ratio()).Times(billionthUnits)
	if l.gib {
		return each.Times(gibOfGB)
	}
	return each
}

// Exactly is Egress of a load converted and rounded once, half to even, if nothing left before
// it. ok is false if it goes beyond the first tier, or if something does not fit: Egress has it
// then.
func (l *Ladder) Exactly(load Load) (cost Units, ok bool) {
	beyond := l.charged(load.gb)
	if load.gb.low != load.gb.high || len(l.steps) > 0 && beyond.high > l.steps[0].upTo.low {
		return Units{}, false
	}
	if beyond.high <= 0 || len(l.steps) == 0 {
		return Units{}, true
	}
	n := load.gb.low
	if l.free.high > 0 {
		n = beyond.low
		if l.gib || n != beyond.high {
			return Units{}, false // billionths of a GB do not tell how much is charged
		}
	}
	if l.first.den == 0 {
		return Units{}, false
	}
	units, ok := l.first.add(0, uint64(n), 1)
	return Units{small: int64(units)}, ok
}

// charged is what of a volume in GB lies beyond the free one, in the rate's unit.
func (l *Ladder) charged(gb span) span {
	volume := l.unit(gb)
	return span{volume.low - l.free.high, volume.high - l.free.low}
}

// unit is a volume in GB counted in the rate's unit: 1 GB is 10^9 / 2^30 GiB.
func (l *Ladder) unit(gb span) span {
	if !l.gib {
		return gb
	}
	return span{int64(mulDiv(Nano(gb.low), 1e9, 1<<30, 0)), int64(mulDiv(Nano(gb.high), 1e9, 1<<30, 1))}
}
