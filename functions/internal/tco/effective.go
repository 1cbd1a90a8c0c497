package tco

import "github.com/shopspring/decimal"

// Work is what the instances of a bill do in a month.
type Work struct {
	Hours Quotient // instance-hours of work
	// Efficiency is the share of a healthy reference's work that an hour gives, above
	// 0 and at most 1.
	Efficiency decimal.Decimal
	// Slowdown is how many times as long the work takes because of where its data
	// lies: at least 1.
	Slowdown decimal.Decimal
	PFLOPS   decimal.Decimal // dense peak of one instance; 0 if unknown
}

// Effective is what work costs. An amount that is not valid can't be given.
type Effective struct {
	// PerHour is (instance + storage + network) / efficiency for one hour of an
	// instance at work, AllInPerHour the same of the whole bill. They compare boxes
	// of one GPU model.
	PerHour, AllInPerHour decimal.NullDecimal
	// PerPFLOPHour is PerHour of 10^15 dense FLOP/s, which compares models.
	PerPFLOPHour decimal.NullDecimal
	// AsPublished is (instance + storage + network) x efficiency per hour: what an
	// article prints. It makes a worse box look cheaper and ranks nothing.
	AsPublished decimal.NullDecimal
}

// EffectiveOf divides a bill by the work that it pays for. The work of several
// resources is added up; oneModel says that all have one GPU model.
func EffectiveOf(items []Item, work []Work, oneModel bool) Effective {
	shown, all := Sum(items, Instance, Storage, Network).Month, Sum(items).Month
	hours, effective, power, published := Exact(decimal.Zero), Exact(decimal.Zero), Exact(decimal.Zero), Exact(decimal.Zero)
	known := len(work) > 0
	for _, w := range work {
		given := w.Hours.Times(w.Efficiency).Over(w.Slowdown)
		hours, effective = hours.Plus(w.Hours), effective.Plus(given)
		published = published.Plus(w.Hours.Times(w.Efficiency))
		power = power.Plus(given.Times(w.PFLOPS))
		known = known && w.PFLOPS.IsPositive()
	}
	if hours.IsZero() || effective.IsZero() {
		return Effective{}
	}
	var out Effective
	if oneModel {
		out.PerHour = per(shown, effective)
		out.AllInPerHour = per(all, effective)
		mean := Quotient{Num: published.Num.Mul(hours.Den), Den: published.Den.Mul(hours.Num)}
		hourly := Quotient{Num: shown.Mul(hours.Den), Den: hours.Num}
		out.AsPublished = decimal.NewNullDecimal(hourly.Mul(mean).Round(Places))
	}
	if known {
		out.PerPFLOPHour = per(shown, power)
	}
	return out
}

// per is an amount over a quantity.
func per(amount decimal.Decimal, quantity Quotient) decimal.NullDecimal {
	return decimal.NewNullDecimal(Quotient{Num: amount.Mul(quantity.Den), Den: quantity.Num}.Round(Places))
}
