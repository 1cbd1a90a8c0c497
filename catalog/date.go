package catalog

import (
	"fmt"
	"time"
)

// Date is the day a fact was true, as far as its source says: a day, a month
// (Day 0), or unknown (the zero value).
type Date struct {
	Year  int16
	Month int8 // 1 to 12
	Day   int8 // 1 to 31, 0 if only the month is known
}

// ParseDate reads "2026-07-30", "2026-07" or "" (unknown).
func ParseDate(text string) (Date, error) {
	if text == "" {
		return Date{}, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return Date{int16(t.Year()), int8(t.Month()), int8(t.Day())}, nil
	}
	t, err := time.Parse(monthOnly, text)
	if err != nil {
		return Date{}, fmt.Errorf("parse date %q: want YYYY-MM-DD, YYYY-MM or nothing", text)
	}
	return Date{int16(t.Year()), int8(t.Month()), 0}, nil
}

// Known reports whether the source gives at least a month.
func (d Date) Known() bool { return d.Year != 0 }

// Time is the earliest instant the date can mean, in UTC: a month counts from
// its first day, so an age is never understated. It is the zero time if unknown.
func (d Date) Time() time.Time {
	if !d.Known() {
		return time.Time{}
	}
	return time.Date(int(d.Year), time.Month(d.Month), int(max(d.Day, 1)), 0, 0, 0, 0, time.UTC)
}

// AgeDays is the number of whole days from d to now, at least 0; ok is false if
// the date is unknown.
func (d Date) AgeDays(now time.Time) (days int, ok bool) {
	if !d.Known() {
		return 0, false
	}
	return max(0, int(now.Sub(d.Time()).Hours()/24)), true
}

// Before reports whether d is earlier than other; an unknown date is before
// every known one.
func (d Date) Before(other Date) bool { return d.order() < other.order() }

// order is a number that is larger for later dates.
func (d Date) order() int {
	if !d.Known() {
		return 0
	}
	return int(d.Year)<<16 | int(d.Month)<<8 | int(max(d.Day, 1))
}

// String is the text ParseDate reads.
func (d Date) String() string {
	switch {
	case !d.Known():
		return ""
	case d.Day == 0:
		return d.Time().Format(monthOnly)
	default:
		return d.Time().Format(time.DateOnly)
	}
}

// monthOnly is the form of a date whose day is not known.
const monthOnly = "2006-01"

// DateOf is the day of an instant in UTC.
func DateOf(t time.Time) Date {
	year, month, day := t.UTC().Date()
	return Date{Year: int16(year), Month: int8(month), Day: int8(day)}
}
