package catalog

import "slices"

// Hidden counts the places that a filter hides.
type Hidden struct {
	Why    Barrier
	Places int
}

// Barrier is a filter that keeps a query from looking at a place.
type Barrier string

// The barriers, in the order in which they are tested. A country that no source
// gives is no country that was asked for.
const (
	OtherProvider  Barrier = "provider"
	OtherClass     Barrier = "provider_class"
	OtherRegion    Barrier = "region"
	OtherCountry   Barrier = "country"
	UnknownCountry Barrier = "country_unknown"
)

// placesSearched counts the places that the filters on places leave, and those
// that they hide.
func (s *Snapshot) placesSearched(q Query) (searched int, hidden []Hidden) {
	if !q.hasPlaces() {
		return len(s.places), nil
	}
	counts := make(map[Barrier]int)
	for _, p := range s.places {
		counts[s.barrier(q, p, s.countries[p])]++
	}
	for _, why := range []Barrier{OtherProvider, OtherClass, OtherRegion, OtherCountry, UnknownCountry} {
		if counts[why] > 0 {
			hidden = append(hidden, Hidden{why, counts[why]})
		}
	}
	return counts[""], hidden
}

// hasPlaces reports whether the query has a filter on places.
func (q *Query) hasPlaces() bool {
	return len(q.Providers)+len(q.Classes)+len(q.Regions)+len(q.Countries) > 0
}

// barrier is the first filter on places that a place fails; "" if it passes all.
func (s *Snapshot) barrier(q Query, p Place, country string) Barrier {
	switch {
	case !within(q.Providers, p.Provider):
		return OtherProvider
	case len(q.Classes) > 0 && !slices.Contains(q.Classes, s.providers[p.Provider].Class):
		return OtherClass
	case !within(q.Regions, p.Region):
		return OtherRegion
	case within(q.Countries, country):
		return ""
	case country == "":
		return UnknownCountry
	default:
		return OtherCountry
	}
}
