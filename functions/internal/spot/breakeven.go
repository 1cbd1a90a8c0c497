package spot

import "math"

// BreakEven is the hourly interruption rate per instance at which interruptions are
// expected to take so many seconds. ok is false if there is none between once in a
// thousand years and once a minute.
func (j Job) BreakEven(seconds float64) (ratePerHour float64, ok bool) {
	low, high := 1e-7, 60.0
	exceeds := func(rate float64) bool { return !(j.expected(j.perSecond(rate)) <= seconds) }
	if exceeds(low) || !exceeds(high) {
		return 0, false
	}
	for range 60 {
		if middle := math.Sqrt(low * high); exceeds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low, true
}
