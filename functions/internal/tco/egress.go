package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Egress is the exact price, in the rate's currency, of the first gb gigabytes
// that leave in a month: nothing up to the free allowance, then tier by tier. It
// is continuous and never falls as gb grows.
func Egress(rate catalog.EgressRate, gb decimal.Decimal) decimal.Decimal {
	volume := InUnit(gb, rate.Unit).Sub(rate.FreePerMonth)
	total, from := decimal.Zero, decimal.Zero
	for _, tier := range rate.Tiers {
		if volume.Cmp(from) <= 0 {
			break
		}
		upTo := volume
		if tier.UpTo.Valid {
			upTo = decimal.Min(volume, tier.UpTo.Decimal)
		}
		total = total.Add(upTo.Sub(from).Mul(tier.Price))
		from = upTo
	}
	return total
}

// EgressAfter is the price of gb gigabytes that leave after used gigabytes have
// left in the same month: the difference of two totals, so that the parts of a
// month add up to the month.
func EgressAfter(rate catalog.EgressRate, used, gb decimal.Decimal) decimal.Decimal {
	return Egress(rate, used.Add(gb)).Sub(Egress(rate, used))
}

// Linear reports whether Egress is proportional to the volume up to gb, so that
// it does not matter what left before: all of it is free, or nothing is and the
// first tier holds it all.
func Linear(rate catalog.EgressRate, gb decimal.Decimal) bool {
	volume := InUnit(gb, rate.Unit)
	if volume.LessThanOrEqual(rate.FreePerMonth) || len(rate.Tiers) == 0 {
		return true
	}
	first := rate.Tiers[0].UpTo
	return rate.FreePerMonth.IsZero() && (!first.Valid || volume.LessThanOrEqual(first.Decimal))
}
