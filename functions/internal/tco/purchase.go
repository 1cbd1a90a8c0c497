package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// BreakEven says when one purchase model costs what another does.
type BreakEven struct {
	// UtilizationPct is the share of all hours, in percent to four decimals, from
	// which a commitment is no dearer than paying by the hour; not valid if it never is.
	UtilizationPct decimal.NullDecimal
	HoursPerMonth  decimal.NullDecimal // the same in hours of a month, and of the whole term
	HoursPerTerm   decimal.NullDecimal
}

// Commitment is when a commitment of so many months at one hourly price breaks even
// with paying another by the hour.
func Commitment(committed, hourly Quotient, months int) BreakEven {
	if hourly.IsZero() || committed.Cmp(hourly) > 0 {
		return BreakEven{}
	}
	share := Quotient{Num: committed.Num.Mul(hourly.Den), Den: committed.Den.Mul(hourly.Num)}
	rounded := func(times int64, places int32) decimal.NullDecimal {
		return decimal.NewNullDecimal(share.Times(decimal.NewFromInt(times)).Round(places))
	}
	return BreakEven{
		UtilizationPct: rounded(hundred, percentPlaces),
		HoursPerMonth:  rounded(catalog.HoursPerMonth, percentPlaces),
		HoursPerTerm:   rounded(catalog.HoursPerMonth*int64(months), percentPlaces),
	}
}

// LostWorkPct is the share of work lost to interruptions, in percent to four
// decimals, at which an hour of work on spot costs what it does at another price;
// not valid if spot is the dearer one anyway.
func LostWorkPct(spot, other Quotient) decimal.NullDecimal {
	if other.IsZero() || spot.Cmp(other) >= 0 {
		return decimal.NullDecimal{}
	}
	saved := other.Minus(spot)
	share := Quotient{Num: saved.Num.Mul(other.Den), Den: saved.Den.Mul(other.Num)}
	return decimal.NewNullDecimal(share.Times(decimal.NewFromInt(hundred)).Round(percentPlaces))
}

// hundred makes percentages, and percentPlaces is how many decimals they have.
const (
	hundred       = 100
	percentPlaces = 4
)
