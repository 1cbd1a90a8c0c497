package catalog

import "slices"

// factIndex holds facts that offers are joined with only when someone asks. Each
// list is ordered by what it is looked up by.
type factIndex struct {
	history      []PricePoint
	bands        []SKUBand
	fabrics      []Fabric
	coefficients []Coefficient
	checks       []CheckRate
}

// newFactIndex orders the facts of the parts.
func newFactIndex(parts Parts) factIndex {
	return factIndex{
		history: ordered(parts.History, comparePoints),
		bands:   ordered(parts.Bands, compareBands),
		fabrics: ordered(parts.Fabrics, compareFabrics),

		coefficients: ordered(parts.Coefficients, compareCoefficients),
		checks:       ordered(parts.Checks, compareCheckRates),
	}
}

// ordered is a list in order: itself if it is, else a copy.
func ordered[T any](list []T, compare func(a, b T) int) []T {
	if slices.IsSortedFunc(list, compare) {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, compare)
	return list
}
