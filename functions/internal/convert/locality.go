package convert

import (
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/schemas"
)

// locality reads how near to the users instances must be; nil asks for nothing.
func (r *reader) locality(c schemas.Constraints) *candidate.Locality {
	most := r.positive(c.MaxRTTMs, "/constraints/max_rtt_ms")
	switch {
	case c.UsersRegion == "" && c.MaxRTTMs == nil:
		return nil
	case c.UsersRegion == "":
		r.fail("/constraints/users_region", "want where the users are, for max_rtt_ms to be measured from")
		return nil
	case c.MaxRTTMs == nil:
		r.fail("/constraints/max_rtt_ms", "want the longest round trip to users_region, such as \"50\"")
		return nil
	}
	users, ok := r.usersAt(c.UsersRegion)
	if !ok {
		places := r.snapshot.Places()
		r.unknown("/constraints/users_region", "or unlocated region", c.UsersRegion, r.regionNames(places))
		return nil
	}
	r.assume("constraints.users_region", strings.TrimSuffix(users.String()+", "+cityName(users.City), ", "), "where round trips are measured from")
	r.assume("round_trip", "1.5 x the great circle at 2/3 of the speed of light",
		"light in fibre, and cables that are longer than the shortest line; no round trip was measured")
	return &candidate.Locality{Users: users, MaxRTTMs: most.Decimal.InexactFloat64()}
}

// usersAt finds a located region by its place ("aws/us-east-1"), its own name or
// its city. Of several it is the first by place: regions of one name, or in one
// city, are near each other.
func (r *reader) usersAt(name string) (region catalog.Region, ok bool) {
	called := []func(catalog.Region) bool{
		func(x catalog.Region) bool { return strings.EqualFold(x.String(), name) },
		func(x catalog.Region) bool { return strings.EqualFold(string(x.Region), name) },
		func(x catalog.Region) bool { return inCity(x) && alike(cityName(x.City), name) },
	}
	for _, matches := range called {
		for _, p := range r.snapshot.Places() {
			if found, _ := r.snapshot.Region(p); found.Located() && matches(found) {
				return found, true
			}
		}
	}
	return catalog.Region{}, false
}
