package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Parts are what the snapshot was made of, each slice in an order that depends
// on its content alone. They share the snapshot's memory: do not modify them.
func (s *Snapshot) Parts() Parts {
	parts := Parts{
		Version:    s.version,
		Offers:     s.offers,
		GPUAliases: s.names.aliases,
		Providers:  sorted(s.providers, func(a, b Provider) int { return cmp.Compare(a.ID, b.ID) }),
		Regions:    sorted(s.regions, func(a, b Region) int { return comparePlaces(a.Place, b.Place) }),
		Egress:     slices.Clone(s.rates.allEgress),
		Storage:    slices.Clone(s.rates.allStorage),
		Priors:     sorted(s.priors, func(a, b Prior) int { return cmp.Compare(a.Class, b.Class) }),
		Models:     s.models.sorted,
		History:    s.facts.history,
		Bands:      s.facts.bands,
		Fabrics:    s.facts.fabrics,

		Coefficients: s.facts.coefficients,
		Checks:       s.facts.checks,
	}
	for _, id := range s.gpuIDs {
		parts.GPUs = append(parts.GPUs, s.gpus[id])
	}
	for _, currency := range slices.Sorted(maps.Keys(s.rates.fx)) {
		parts.FX = append(parts.FX, s.rates.fx[currency]...)
	}
	slices.SortStableFunc(parts.Egress, func(a, b EgressRate) int {
		return cmp.Or(comparePlaces(a.Place, b.Place), cmp.Compare(a.Scope, b.Scope))
	})
	slices.SortStableFunc(parts.Storage, func(a, b StorageRate) int { return comparePlaces(a.Place, b.Place) })
	return parts
}

// sorted are the values of an index, ordered.
func sorted[K comparable, V any](index map[K]V, compare func(a, b V) int) []V {
	return slices.SortedFunc(maps.Values(index), compare)
}

// comparePlaces orders places by provider, then region.
func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(string(a.Provider), string(b.Provider)), strings.Compare(string(a.Region), string(b.Region)))
}
