package window

import "time"

// Summary is one device over a whole report. The zero Summary is empty.
type Summary struct {
	Windows           Counts
	Steady            Sums
	Cold              Sums
	Seconds           float64 // in all windows, busy or not
	BusySeconds       float64 // in busy windows
	LostSeconds       float64
	UnobservedSeconds float64
	ThermalSuspects   int
}

// Counts are how many windows there were of each class.
type Counts struct {
	Steady, Cold, Unused, LowPower, Unavailable int
}

// Total is how many windows there were.
func (c Counts) Total() int { return c.Steady + c.Cold + c.Unused + c.LowPower + c.Unavailable }

// Add adds a window.
func (s *Summary) Add(w *Window) {
	s.Seconds += w.Sums.Seconds
	s.LostSeconds += w.LostSeconds
	s.UnobservedSeconds += w.UnobservedSeconds
	s.ThermalSuspects += w.Sums.ThermalSuspects
	if w.Class.Busy() {
		s.BusySeconds += w.Sums.BusySeconds
	}
	switch w.Class {
	case Steady:
		s.Windows.Steady++
		s.Steady.Merge(&w.Sums)
	case Cold:
		s.Windows.Cold++
		s.Cold.Merge(&w.Sums)
	case LowPower:
		s.Windows.LowPower++
	case Unavailable:
		s.Windows.Unavailable++
	default:
		s.Windows.Unused++
	}
}

// Sufficient reports whether the device worked long enough to count.
func (s *Summary) Sufficient(rules Rules) bool {
	steady := time.Duration(s.Windows.Steady) * rules.Window
	cold := time.Duration(s.Windows.Cold) * rules.Window
	return steady+cold >= rules.SufficientBusy && steady >= rules.SufficientSteady
}

// Used is the share of the time in which the device worked, and whether there was any
// time at all.
func (s *Summary) Used() (float64, bool) {
	if s.Seconds == 0 {
		return 0, false
	}
	return s.BusySeconds / s.Seconds, true
}

// Availability is the share of the time in which the device was there.
func (s *Summary) Availability() (float64, bool) {
	if s.Seconds == 0 {
		return 0, false
	}
	return 1 - s.LostSeconds/s.Seconds, true
}
