package window

import (
	"maps"
	"math"
	"slices"
)

// Stat is what is kept of one quantity. The zero Stat has seen nothing.
type Stat struct {
	N          int     `json:"n"`
	Sum        float64 `json:"sum"`
	SumSquares float64 `json:"sumsq"`
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`
	// Counts are the values seen, rounded to whole units, and how often: clocks come
	// in steps of 15 MHz and temperatures in degrees, so there are few.
	Counts map[int]int `json:"counts"`
}

// Add counts one value.
func (s *Stat) Add(v float64) {
	if s.N == 0 {
		*s = Stat{Min: v, Max: v, Counts: make(map[int]int)}
	}
	s.N++
	s.Sum += v
	s.SumSquares += v * v
	s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	s.Counts[int(math.Round(v))]++
}

// Merge adds what another Stat has seen.
func (s *Stat) Merge(other Stat) {
	if other.N == 0 {
		return
	}
	if s.N == 0 {
		*s = other
		s.Counts = maps.Clone(other.Counts)
		return
	}
	s.N += other.N
	s.Sum += other.Sum
	s.SumSquares += other.SumSquares
	s.Min, s.Max = min(s.Min, other.Min), max(s.Max, other.Max)
	for v, n := range other.Counts {
		s.Counts[v] += n
	}
}

// Mean is the mean; 0 if nothing was seen.
func (s *Stat) Mean() float64 {
	if s.N == 0 {
		return 0
	}
	return s.Sum / float64(s.N)
}

// Quantile is the smallest value that at least a share q of all values don't exceed,
// in whole units; 0 if nothing was seen.
func (s *Stat) Quantile(q float64) float64 {
	rank := max(1, int(math.Ceil(q*float64(s.N))))
	for _, v := range slices.Sorted(maps.Keys(s.Counts)) {
		if rank -= s.Counts[v]; rank <= 0 {
			return float64(v)
		}
	}
	return 0
}

// Counter is how much a counter grew, and over how many seconds it was watched. The
// zero Counter was never read.
type Counter struct {
	Total   float64 `json:"total"`
	Seconds float64 `json:"seconds"`
}

// Merge adds what another Counter has seen.
func (c *Counter) Merge(other Counter) {
	c.Total += other.Total
	c.Seconds += other.Seconds
}

// Known reports whether the counter was ever read twice.
func (c Counter) Known() bool { return c.Seconds > 0 }
