package web

import (
	"math"
	"strconv"
)

// A picture is an SVG element as wide as its place: what lies along it is placed by
// percentages, so that texts keep their size on every screen.

// scale places figures along a picture, in percent of its width or its height.
type scale struct {
	low, high float64 // of the figures
	from, to  float64 // where they are placed
	decades   bool    // by their logarithm
}

// decadesFrom is how many times the least figure the greatest must be for both to be
// told apart only by their logarithms.
const decadesFrom = 12

// scaleOf places figures from one end of the picture to the other. Unless zero counts
// as one of them, the scale begins near the least, and may be logarithmic.
func scaleOf(figures []float64, zero bool, from, to float64) scale {
	s := scale{low: math.Inf(1), high: math.Inf(-1), from: from, to: to}
	for _, f := range figures {
		s.low, s.high = min(s.low, f), max(s.high, f)
	}
	if len(figures) == 0 {
		s.low, s.high = 0, 1
	}
	switch {
	case zero:
		s.low, s.high = min(s.low, 0), max(s.high, 0)
	case s.low > 0 && s.high > s.low*decadesFrom:
		s.decades, s.low, s.high = true, s.low*0.9, s.high*1.1
	default:
		margin := (s.high - s.low) * 0.08
		s.low, s.high = max(0, s.low-margin), s.high+margin
	}
	if s.high <= s.low {
		s.high = s.low + max(1, math.Abs(s.low)*0.1)
	}
	return s
}

// at is where a figure is.
func (s scale) at(f float64) float64 {
	share := (f - s.low) / (s.high - s.low)
	if s.decades {
		share = math.Log(f/s.low) / math.Log(s.high/s.low)
	}
	return s.from + max(0, min(1, share))*(s.to-s.from)
}

// tick is a figure that is written beside a scale, and where.
type tick struct {
	At, Text string
	Anchor   string // which end of the text is there, along a horizontal scale
}

// How close the figures of two ticks may be, in percent, above or beside each other.
const (
	closestUp     = 8.0
	closestAcross = 13.0
)

// ticks are round figures along the scale, about so many.
func (s scale) ticks(about int) []tick {
	closest := closestUp
	if s.to > s.from {
		closest = closestAcross
	}
	var all []tick
	last := math.Inf(-1)
	for _, f := range s.round(about) {
		at, anchor := s.at(f), "middle"
		if math.Abs(at-last) < closest { // figures would run into each other
			continue
		}
		last = at
		switch {
		case math.Abs(at-s.from) < 4:
			anchor = "start"
		case math.Abs(at-s.to) < 4:
			anchor = "end"
		}
		all = append(all, tick{percent(at), strconv.FormatFloat(f, 'f', -1, 64), anchor})
	}
	return all
}

// round are round figures on the scale.
func (s scale) round(about int) []float64 {
	if s.decades {
		return s.roundDecades()
	}
	step := math.Pow(10, math.Floor(math.Log10((s.high-s.low)/float64(about))))
	for _, times := range []float64{1, 2, 5, 10} {
		if step*times*float64(about) >= s.high-s.low {
			step *= times
			break
		}
	}
	var all []float64
	for i := math.Ceil(s.low / step); i*step <= s.high*(1+1e-9); i++ {
		all = append(all, rounded(i*step))
	}
	return all
}

// roundDecades are one, two and five times the powers of ten on the scale.
func (s scale) roundDecades() []float64 {
	var all []float64
	for power := math.Floor(math.Log10(s.low)); power <= math.Log10(s.high); power++ {
		for _, times := range []float64{1, 2, 5} {
			if f := rounded(times * math.Pow(10, power)); f >= s.low && f <= s.high {
				all = append(all, f)
			}
		}
	}
	return all
}

// rounded is a figure without what adding up powers of ten leaves at its end.
func rounded(f float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
	if err != nil {
		return f
	}
	return short
}

// percent is a place in a picture.
func percent(at float64) string { return strconv.FormatFloat(at, 'f', 2, 64) + "%" }

// drawn is a decimal of an answer as pictures place it. What is no number is nothing.
func drawn(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
