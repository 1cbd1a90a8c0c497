package candidate

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// Locality asks for instances near the users.
type Locality struct {
	Users    catalog.Region // where the users are; located
	MaxRTTMs float64        // round trip, milliseconds
}

// Constants of the round-trip estimate. Light in fibre runs at 2/3 of its speed
// in vacuum; routes are longer than great circles by about half (an assumption
// that answers list).
const (
	earthRadiusKm  = 6371.0
	fibreKmPerMs   = 299.792458 * 2 / 3
	routeOverCrow  = 1.5
	degreesInRadii = math.Pi / 180
)

// RTTMs is the assumed round trip between two located regions in milliseconds:
// the great circle at 2/3 c, times 1.5, there and back.
func RTTMs(a, b catalog.Region) float64 {
	return 2 * routeOverCrow * greatCircleKm(a, b) / fibreKmPerMs
}

// greatCircleKm is the distance on a sphere by the haversine formula (R. W.
// Sinnott, "Virtues of the Haversine", 1984).
func greatCircleKm(a, b catalog.Region) float64 {
	latA, latB := a.Latitude*degreesInRadii, b.Latitude*degreesInRadii
	dLat, dLon := latB-latA, (b.Longitude-a.Longitude)*degreesInRadii
	h := math.Pow(math.Sin(dLat/2), 2) + math.Cos(latA)*math.Cos(latB)*math.Pow(math.Sin(dLon/2), 2)
	return 2 * earthRadiusKm * math.Asin(math.Min(1, math.Sqrt(h)))
}

// nearEnough tests an offer's place against the locality. A place that nobody
// locates well enough is unknown.
func (c *Constraints) nearEnough(s *catalog.Snapshot, o *catalog.Offer) bool {
	if c.Near == nil {
		return true
	}
	region, ok := s.Region(o.Place)
	if !ok || !region.Located() {
		return c.allows(UnknownLatency)
	}
	return RTTMs(c.Near.Users, region) <= c.Near.MaxRTTMs
}
