package candidate

import "github.com/tierwise/tierwise/functions/internal/tco"

// At is a cheap offer of a run at the site of another offer, and what it takes at least;
// nil if there is none that takes less than most.
func (s *Survey) At(r *Run, home *Tag, most tco.Nano) (offer *Tag, least Least) {
	least = Least{most, r.Seconds}
	if r.cheapest >= most {
		return nil, least
	}
	lanes := s.lanes(r)
	for i := range lanes {
		on := &lanes[i]
		if r.plain.AtLeast(on.hour) >= least.Cost {
			break
		}
		if on.provider != home.Provider {
			continue
		}
		t := atSite(s.offers(on.lane), home.Site)
		if t == nil {
			continue
		}
		if l := s.atLeast(t, s.terms(r, &s.f.market.lanes[on.lane])); l.Cost < least.Cost {
			offer, least = t, l
		}
	}
	return offer, least
}

// atSite is the first of some offers at a site; nil if there is none.
func atSite(offers []Tag, site int32) *Tag {
	for i := range offers {
		if offers[i].Site == site {
			return &offers[i]
		}
	}
	return nil
}
