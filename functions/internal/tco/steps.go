package tco

import (
	"math"
	"math/bits"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Steps are the tiers of a transfer's rate in whole bytes, free allowance first, so
// that volumes of many months are split fast. They split as PartsAfter does.
type Steps struct {
	ends  []int64 // where each ends, in bytes of a month; the last has no end
	Tiers []Item  // a byte of each
}

// Bytes of the units of volume.
const (
	bytesPerGB  = 1_000_000_000
	bytesPerGiB = 1 << 30
)

// Steps prepares a transfer. ok is false if a tier ends within a byte.
func (t *Transfer) Steps() (s Steps, ok bool) {
	each := int64(bytesPerGB)
	if t.Rate.Unit == catalog.GiB {
		each = bytesPerGiB
	}
	ok = true
	add := func(end decimal.NullDecimal, price decimal.Decimal) {
		at := int64(math.MaxInt64)
		if end.Valid {
			bytes := end.Decimal.Mul(decimal.NewFromInt(each))
			ok = ok && bytes.IsInteger() && bytes.NumDigits() <= fewDigits
			at = bytes.IntPart()
		}
		item := t.item(Part{Volume: one, Price: price}, AverageMonth())
		item.Quantity = Quotient{Num: one, Den: decimal.NewFromInt(each)}
		s.ends, s.Tiers = append(s.ends, at), append(s.Tiers, item)
	}
	add(decimal.NewNullDecimal(t.Rate.FreePerMonth), decimal.Zero)
	for _, tier := range t.Rate.Tiers {
		end := tier.UpTo
		if end.Valid {
			end.Decimal = end.Decimal.Add(t.Rate.FreePerMonth)
		}
		add(end, tier.Price)
	}
	if s.ends[len(s.ends)-1] != math.MaxInt64 { // a rate without tiers charges nothing
		add(decimal.NullDecimal{}, decimal.Zero)
	}
	return s, ok
}

// Split calls take for each tier that some of so many bytes fall in, which leave after
// used ones.
func (s *Steps) Split(used, bytes int64, take func(tier int, bytes int64)) {
	end := used + bytes
	for i, at := range s.ends {
		if to := min(end, at); to > used {
			take(i, to-used)
			used = to
		}
	}
}

// KilobytesUp are so many gigabytes, not negative, rounded up to a thousand bytes as a
// Volume is.
func KilobytesUp(gb Quotient) decimal.Decimal {
	whole, rest := gb.Num.Shift(6).QuoRem(gb.Den, 0)
	if rest.IsPositive() {
		whole = whole.Add(one)
	}
	return whole.Shift(-6)
}

// Bytes are KilobytesUp in bytes. ok is false if they are too many to be added up, or
// too finely divided to be told fast.
func Bytes(gb Ratio) (bytes int64, ok bool) {
	hi, lo := bits.Mul64(gb.n, kilobytesPerGB)
	if !gb.small || hi >= gb.d {
		return 0, false
	}
	whole, rest := bits.Div64(hi, lo, gb.d)
	if rest > 0 {
		whole++
	}
	return int64(whole) * bytesPerKilobyte, whole < mostKilobytes
}

// Volumes that are counted in bytes: in kilobytes, and how many at most.
const (
	kilobytesPerGB   = 1_000_000
	bytesPerKilobyte = 1000
	mostKilobytes    = 10_000_000_000_000
)
