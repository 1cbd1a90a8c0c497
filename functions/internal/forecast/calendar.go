package forecast

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Period is the time from one midnight to another, in the forecast's zone.
type Period struct{ Begin, End time.Time }

// Seconds is how long the period is: a day on which clocks change has 23 or 25 hours.
func (p Period) Seconds() int64 { return max(0, int64(p.End.Sub(p.Begin)/time.Second)) }

// Months are so many calendar months from the first of one on.
func Months(first time.Time, n int) []Period {
	months := make([]Period, n)
	for i := range months {
		months[i] = Period{monthAfter(first, i), monthAfter(first, i+1)}
	}
	return months
}

// monthAfter is the first midnight of the n-th month after that of t.
func monthAfter(t time.Time, n int) time.Time {
	return time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, t.Location())
}

// monthsBetween is how many months later b's month is than a's; negative if earlier.
func monthsBetween(a, b time.Time) int {
	return (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
}

// Weekdays are days of the week, Sunday first. None means all.
type Weekdays [7]bool

// holds reports whether a day is one of them.
func (w Weekdays) holds(day time.Weekday) bool { return w == Weekdays{} || w[day] }

// shape is what the bill of a month depends on: equal shapes have equal bills.
type shape struct {
	seconds             int64
	days                int // that are among the weekdays
	allDays, ofTheMonth int
}

// shapeOf is the part of a calendar month in which something runs.
func shapeOf(month Period, from, until time.Time, days Weekdays) shape {
	active := month
	if from.After(active.Begin) {
		active.Begin = from
	}
	if !until.IsZero() && until.Before(active.End) {
		active.End = until
	}
	s := shape{seconds: active.Seconds()}
	for day := month.Begin; day.Before(month.End); day = nextDay(day) {
		s.ofTheMonth++
		if day.Before(active.Begin) || !day.Before(active.End) {
			continue
		}
		s.allDays++
		if days.holds(day.Weekday()) {
			s.days++
		}
	}
	return s
}

// nextDay is the midnight after a day's.
func nextDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location())
}

// month is the shape as a bill takes it.
func (s shape) month() tco.Month {
	return tco.Month{
		Seconds: s.seconds,
		Days:    tco.Exact(decimal.NewFromInt(int64(s.days))),
		Share:   tco.Quotient{Num: decimal.NewFromInt(int64(s.allDays)), Den: decimal.NewFromInt(int64(s.ofTheMonth))},
	}
}
