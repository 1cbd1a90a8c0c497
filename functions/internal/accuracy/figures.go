package accuracy

import (
	"cmp"
	"math"
	"slices"
)

// errorsOf are the figures of a set of training rows.
func errorsOf(scores []Score) Errors {
	sources := bySource(scores)
	medians := make([]float64, len(sources))
	for i := range sources {
		medians[i] = sources[i].MdALE
	}
	all := absolute(scores)
	slices.Sort(all)
	e := Errors{
		Rows: len(scores), Sources: len(sources),
		MacroMdALE: Figure(median(medians)), MeanOfSourceMedians: Figure(mean(medians)),
		WholeRunsMdALE: Figure(median(absolute(only(scores, func(s *Score) bool { return s.Whole })))),
		Within1_5:      within(all, 1.5), Within2: within(all, 2),
		P90Factor: Figure(math.NaN()), BiasFactor: Figure(math.Exp(median(signed(scores)))),
	}
	if n := len(all); n > 0 {
		e.P90Factor = Figure(math.Exp(all[min(n-1, n*9/10)]))
	}
	return e
}

// bySource are the figures of each source, in order of its name.
func bySource(scores []Score) []SourceFigures {
	groups := make(map[string][]Score)
	for i := range scores {
		groups[scores[i].Source] = append(groups[scores[i].Source], scores[i])
	}
	var all []SourceFigures
	for source, of := range groups {
		f := SourceFigures{Source: source, Rows: len(of), MdALE: median(absolute(of)), Bias: math.Exp(median(signed(of)))}
		for i := range of {
			if of[i].covered() {
				f.Covered++
			}
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b SourceFigures) int { return cmp.Compare(a.Source, b.Source) })
	return all
}

// coverageOf is the share of rows in their own interval.
func coverageOf(scores []Score) Figure {
	return share(len(only(scores, (*Score).covered)), len(scores))
}

// only are the scores that pass.
func only(scores []Score, pass func(*Score) bool) []Score {
	var found []Score
	for i := range scores {
		if pass(&scores[i]) {
			found = append(found, scores[i])
		}
	}
	return found
}

// signed are the errors.
func signed(scores []Score) []float64 {
	all := make([]float64, len(scores))
	for i := range scores {
		all[i] = scores[i].LogError()
	}
	return all
}

// absolute are the errors without their sign.
func absolute(scores []Score) []float64 {
	all := signed(scores)
	for i := range all {
		all[i] = math.Abs(all[i])
	}
	return all
}

// within is the share of sorted errors within a factor, itself included.
func within(sorted []float64, factor float64) Figure {
	n, _ := slices.BinarySearch(sorted, math.Log(factor)+1e-9)
	return share(n, len(sorted))
}

// share is part of a whole; no number if there is no whole.
func share(part, whole int) Figure { return Figure(float64(part) / float64(whole)) }

// median is the middle value, or the mean of the two; no number if there is none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// mean is the average; no number if there is none.
func mean(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}
