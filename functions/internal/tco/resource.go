package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Month is the time that a bill is for: in a TCO catalog.HoursPerMonth hours, in a
// forecast a calendar month or the part of it that something runs.
type Month struct {
	Seconds int64
	Days    Quotient // on which a resource with a daily schedule is on
	// Share is the part of a month that it is, for what is counted by the month.
	Share Quotient
}

// daySeconds is a day's seconds.
const daySeconds = 24 * secondsPerHour

// AverageMonth is the month of a TCO.
func AverageMonth() Month {
	return Month{
		Seconds: secondsPerMonth,
		Days:    Quotient{Num: monthLength, Den: decimal.NewFromInt(daySeconds)},
		Share:   Exact(decimal.NewFromInt(1)),
	}
}

// Schedule is when instances are on. The zero value is always.
type Schedule struct {
	StartSeconds int64               // how long after each start; 0 = without end
	Starts       decimal.NullDecimal // a month; not valid = one on each of the month's days
	// Overlap says that each start is a run with instances of its own, so that all of
	// them together may take longer than the month.
	Overlap bool
}

// starts is how often an instance is started in a month; 0 if it is always on.
func (s Schedule) starts(m Month) Quotient {
	if s.StartSeconds == 0 {
		return Exact(decimal.Zero)
	}
	starts := m.Days
	if s.Starts.Valid {
		starts = m.Share.Times(s.Starts.Decimal)
	}
	most := Quotient{Num: decimal.NewFromInt(m.Seconds), Den: decimal.NewFromInt(s.StartSeconds)}
	if !s.Overlap && starts.Cmp(most) > 0 { // thirty days do not fit into a February
		return most
	}
	return starts
}

// Resource is instances of an offer and how they are used.
type Resource struct {
	Name     string
	Tariff   Tariff       // its minimum is that of one start
	Assumed  bool         // the price of its block storage is unknown: the dearest stands in
	Own      catalog.Rate // the tenant's own price of an instance-hour; without a currency there is none
	OwnTo    Conversion   // of Own
	Schedule Schedule

	Instances int64
	// Committed instances are paid for every hour, on or off.
	Committed bool
	// SetupSeconds is paid at each start before the work begins.
	SetupSeconds int64
	// Utilization is the share of the time on that the work takes, Lost the share
	// of that which interruptions undo.
	Utilization, Lost decimal.Decimal

	DiskGB int64 // per instance
	// DiskStays says that the disks are kept, and paid for, while the instances are off.
	DiskStays bool
}

// times is where an instance's time of a month goes, in seconds.
type times struct{ useful, interruption, setup, idle, on, billed Quotient }

// times splits a month: billed = useful + interruption + setup + idle.
func (r *Resource) times(m Month) times {
	starts := r.Schedule.starts(m)
	whole := Exact(decimal.NewFromInt(m.Seconds))
	t := times{on: whole, billed: whole}
	if r.Schedule.StartSeconds > 0 {
		t.on = starts.Times(decimal.NewFromInt(r.Schedule.StartSeconds))
	}
	if r.Schedule.StartSeconds > 0 && !r.Committed {
		t.billed = starts.Times(decimal.NewFromInt(r.Tariff.Billed(r.Schedule.StartSeconds)))
	}
	t.setup = starts.Times(decimal.NewFromInt(min(r.SetupSeconds, r.Schedule.StartSeconds)))
	work := t.on.Minus(t.setup).Times(r.Utilization)
	t.interruption = work.Times(r.Lost)
	t.useful = work.Minus(t.interruption)
	t.idle = t.billed.Minus(t.setup).Minus(work)
	return t
}

// UsefulHours is the time of a month in which all instances together do work that
// counts, in instance-hours.
func (r *Resource) UsefulHours(m Month) Quotient { return r.hours(r.times(m).useful) }

// OnHours is the time of a month that is paid for all instances together at an hourly
// price, in instance-hours.
func (r *Resource) OnHours(m Month) Quotient { return r.hours(r.times(m).billed) }

// hours turns seconds of one instance into hours of all.
func (r *Resource) hours(seconds Quotient) Quotient {
	return seconds.Times(decimal.NewFromInt(r.Instances)).Over(hourSeconds)
}

// Items are what the resource costs in a month.
func (r *Resource) Items(m Month) []Item {
	t := r.times(m)
	items := make([]Item, 0, mostItems)
	for _, part := range []struct {
		line    Line
		seconds Quotient
	}{{Instance, t.useful}, {Idle, t.idle}, {Interruption, t.interruption}, {Setup, t.setup}} {
		if part.line == Instance || !part.seconds.IsZero() {
			items = append(items, r.timed(part.line, part.seconds))
		}
	}
	if r.Own.Currency != "" {
		items = append(items, r.discount(t.billed))
	}
	if r.DiskGB > 0 {
		items = append(items, r.disk(t, m))
	}
	return items
}

// mostItems is how many items a resource has at most.
const mostItems = 6

// timed is time of the instances at the list price.
func (r *Resource) timed(line Line, seconds Quotient) Item {
	return Item{
		Line: line, Of: r.Name, Quantity: r.hours(seconds), Unit: InstanceHours, Price: r.Tariff.Hour(),
		Instances: r.Instances, Native: r.Tariff.Node,
	}
}

// discount is what the tenant's own price saves against the list price.
func (r *Resource) discount(billed Quotient) Item {
	item := r.timed(Discount, billed)
	own := r.OwnTo.Convert(Quotient{Num: r.Own.Num, Den: r.Own.Den})
	item.Price, item.Native = own.Minus(item.Price), r.Own
	return item
}

// disk is the instances' block storage.
func (r *Resource) disk(t times, m Month) Item {
	held := t.on
	if r.DiskStays {
		held = Exact(decimal.NewFromInt(m.Seconds))
	}
	d := Disk{
		Name: r.Name, GB: decimal.NewFromInt(r.DiskGB * r.Instances), Tariff: r.Tariff.Storage,
		Conversion: r.Tariff.StorageConversion, Assumed: r.Assumed,
	}
	return d.item(held)
}

// Hour is the list price of an instance-hour in the answer's currency.
func (t Tariff) Hour() Quotient {
	return t.Conversion.Convert(Quotient{Num: t.Node.Num, Den: t.Node.Den})
}
