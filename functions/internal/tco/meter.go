package tco

import (
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Meter holds a tariff's prices in Units, so that usages are priced fast: mostly without
// a decimal before the amount. It goes with the tariff that it was made of. The zero
// value is slow, not wrong.
type Meter struct {
	node pace // a second of a node
	disk pace // a second of a GB
}

// Meter prepares the tariff's prices. It is made once per offer.
func (t *Tariff) Meter() Meter { return t.MeterWith(t.StorageMeter()) }

// MeterWith is the meter with the storage price of another one, which must be the same.
func (t *Tariff) MeterWith(storage Meter) Meter {
	node := NewRatio(Quotient{Num: t.Node.Num, Den: t.Node.Den}).Times(hourlyUnits)
	return Meter{node: paceOf(node.Times(t.Conversion.ratio())), disk: storage.disk}
}

// StorageMeter prepares the price of block storage alone.
func (t *Tariff) StorageMeter() Meter {
	if t.Storage.Price.IsZero() {
		return Meter{disk: paceOf(Ratio{d: 1, small: true})}
	}
	disk := NewRatio(Exact(t.Storage.Price)).Times(monthlyUnits)
	if t.Storage.Unit == catalog.GiB {
		disk = disk.Times(gibOfGB)
	}
	return Meter{disk: paceOf(disk.Times(t.StorageConversion.ratio()))}
}

// Ratios that prices are multiplied by: an hour's and a month's amount to Units of a
// second, and volumes in GB to GiB, 10^9 / 2^30.
var (
	hourlyUnits  = Ratio{n: 25_000_000, d: 9, small: true}
	monthlyUnits = Ratio{n: 2_500_000, d: 657, small: true}
	gibOfGB      = Ratio{n: 1_953_125, d: 1 << 21, small: true}
)

// ratio is what the conversion multiplies by.
func (c Conversion) ratio() Ratio {
	if c.Identity() {
		return Ratio{n: 1, d: 1, small: true}
	}
	return NewRatio(Quotient{Num: c.To.UnitsPerUSD, Den: c.From.UnitsPerUSD})
}

// Lines is what the usage costs.
func (m *Meter) Lines(t *Tariff, u Usage) Lines {
	occupied := u.Occupied()
	return Lines{
		Instance:     m.time(t, u.Useful, u.Nodes),
		Idle:         m.time(t, t.Billed(occupied)-occupied, u.Nodes),
		Storage:      m.storage(t, &u, occupied+u.Stopped),
		Interruption: m.time(t, u.Interruption, u.Nodes),
		Setup:        m.time(t, u.Setup, u.Nodes),
		Verification: m.time(t, u.Verification, u.Nodes),
	}
}

// time is the price of nodes held for so many seconds.
func (m *Meter) time(t *Tariff, seconds, nodes int64) decimal.Decimal {
	switch {
	case seconds == 0:
		return decimal.Zero
	case seconds > 0 && nodes >= 0 && m.node.den > 0:
		if units, ok := m.node.add(0, uint64(nodes), uint64(seconds)); ok {
			return decimal.New(int64(units), -Places)
		}
	}
	return t.time(seconds, nodes)
}

// storage is the price of the nodes' volumes for so many seconds.
func (m *Meter) storage(t *Tariff, u *Usage, seconds int64) decimal.Decimal {
	if t.Storage.Price.IsZero() || u.DiskGB == 0 {
		return decimal.Zero
	}
	if u.DiskGB > 0 && u.Nodes >= 0 && seconds >= 0 && m.disk.den > 0 {
		over, volume := bits.Mul64(uint64(u.DiskGB), uint64(u.Nodes))
		if units, ok := m.disk.add(0, volume, uint64(seconds)); ok && over == 0 {
			return decimal.New(int64(units), -Places)
		}
	}
	return t.storage(u, seconds)
}

// Total is Lines added up: each line is rounded once.
func (m *Meter) Total(t *Tariff, u Usage) Units {
	if total, ok := m.total(t, &u); ok {
		return total
	}
	total, _ := UnitsOf(m.Lines(t, u).Total()) // lines have no more decimals
	return total
}

// total is Total in 128 bits; ok is false if something does not fit.
func (m *Meter) total(t *Tariff, u *Usage) (total Units, ok bool) {
	occupied := u.Occupied()
	held := occupied + u.Stopped
	if u.Nodes|u.Useful|u.Interruption|u.Setup|u.Verification|u.DiskGB|u.Stopped|held < 0 {
		return Units{}, false
	}
	idle := t.Billed(occupied) - occupied
	sum, ok := uint64(0), m.node.den > 0 && m.disk.den > 0 && idle >= 0
	for _, seconds := range [...]int64{u.Useful, idle, u.Interruption, u.Setup, u.Verification} {
		if seconds > 0 && ok {
			sum, ok = m.node.add(sum, uint64(u.Nodes), uint64(seconds))
		}
	}
	if gb := uint64(u.DiskGB); gb > 0 && ok && (m.disk.whole|m.disk.rest) > 0 {
		over, volume := bits.Mul64(gb, uint64(u.Nodes))
		if over != 0 {
			return Units{}, false
		}
		sum, ok = m.disk.add(sum, volume, uint64(held))
	}
	return Units{small: int64(sum)}, ok
}

// Held is for how many seconds, rounded half to even, all nodes of a usage and their disks
// can be held for an amount, metering steps apart; ok is false if they cost nothing.
func (m *Meter) Held(t *Tariff, u Usage, amount Units) (seconds int64, ok bool) {
	if held, ok := m.held(&u, amount); ok {
		return held, true
	}
	second := t.Second(u)
	if second.IsZero() {
		return 0, false
	}
	return Quotient{Num: amount.Decimal().Mul(second.Den), Den: second.Num}.Round(0).IntPart(), true
}

// held is Held in few digits; ok is false if something does not fit.
func (m *Meter) held(u *Usage, amount Units) (seconds int64, ok bool) {
	if amount.large != nil || amount.small < 0 || u.Nodes|u.DiskGB < 0 || m.node.den == 0 || m.disk.den == 0 {
		return 0, false
	}
	over, volume := bits.Mul64(uint64(u.DiskGB), uint64(u.Nodes))
	node, nodeFits := m.node.times(uint64(u.Nodes), m.disk.den)
	disk, diskFits := m.disk.times(volume, m.node.den)
	second, carry := bits.Add64(node, disk, 0) // in parts of both denominators
	beyond, parts := bits.Mul64(m.node.den, m.disk.den)
	hi, lo := bits.Mul64(uint64(amount.small), parts)
	if !nodeFits || !diskFits || over|beyond|carry != 0 || second > mostUnits || hi >= second {
		return 0, false
	}
	held, rest := bits.Div64(hi, lo, second)
	if 2*rest > second || 2*rest == second && held&1 == 1 {
		held++
	}
	return int64(held), held <= mostUnits
}

// times is what so many cost, times a factor, in parts of its denominator.
func (p *pace) times(n, factor uint64) (parts uint64, ok bool) {
	beyond, one := bits.Mul64(p.whole, p.den)
	one, carry := bits.Add64(one, p.rest, 0)
	over, all := bits.Mul64(one, n)
	above, parts := bits.Mul64(all, factor)
	return parts, beyond|carry|over|above == 0
}

// pace is how many Units one of something costs: whole + rest/den, with rest below
// den. A den of 0 says that it does not fit.
type pace struct{ whole, rest, den uint64 }

// most of a sum, and of a denominator, so that neither overflows.
const mostUnits = 1 << 62

// paceOf splits a ratio.
func paceOf(r Ratio) pace {
	if !r.small {
		r = r.lowest()
	}
	if r.small {
		if r.neg || r.d == 0 || r.d > mostUnits {
			return pace{}
		}
		return pace{whole: r.n / r.d, rest: r.n % r.d, den: r.d}
	}
	if r.num.Sign() < 0 || !r.den.IsUint64() || r.den.Uint64() > mostUnits {
		return pace{}
	}
	whole, rest := new(big.Int).QuoRem(r.num, r.den, new(big.Int))
	if !whole.IsUint64() {
		return pace{}
	}
	return pace{whole: whole.Uint64(), rest: rest.Uint64(), den: r.den.Uint64()}
}

// add adds what a x b of it cost, rounded once to Units, half to even; ok is false if
// something does not fit.
func (p *pace) add(sum, a, b uint64) (total uint64, ok bool) {
	over, n := bits.Mul64(a, b)
	beyond, units := bits.Mul64(n, p.whole)
	hi, lo := bits.Mul64(n, p.rest)
	part, rest := bits.Div64(hi, lo, p.den) // rest is below den, and so hi is
	if over|beyond != 0 || units > mostUnits || part > mostUnits {
		return 0, false
	}
	units += part
	if 2*rest > p.den || 2*rest == p.den && units&1 == 1 {
		units++
	}
	if units > mostUnits {
		return 0, false
	}
	total = sum + units
	return total, total <= mostUnits
}
