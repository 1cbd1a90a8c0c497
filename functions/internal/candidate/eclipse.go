package candidate

import (
	"cmp"
	"slices"
	"strings"
)

// Some sites are eclipsed: another of the same provider, with the same ways out, has an
// equal of each of their offers that is cheaper, or as cheap and before it in the order
// of ties. Whatever a plan has at the one it can have at the other, so as long as
// nothing but the price tells them apart no plan needs the first, unless moving less
// could cost more (Market.steadyGB). A provider's many regions at many prices then count
// no more than the few that are best at something.

// rivals is how many sites each site is held against: those that have its rarest offer
// next cheaper, and as many that have it cheapest.
const rivals = 32

// outshine sets what is own of the lanes: of two offers of a lane at one site the one that
// replaces the other serves every plan, wherever data lies.
func (m *Market) outshine() {
	first := make(map[int32]int32) // by site: the cheapest offer of the lane
	for i := range m.lanes {
		l := &m.lanes[i]
		clear(first)
		l.own = slices.Clip(slices.DeleteFunc(slices.Clone(l.offers), func(t Tag) bool {
			cheapest, seen := first[t.Site]
			if !seen {
				first[t.Site] = t.quote
			}
			return seen && replaces(&m.quotes[cheapest], &m.quotes[t.quote])
		}))
	}
}

// eclipse sets what is lean of the lanes.
func (m *Market) eclipse() {
	gone := make([]bool, len(m.bySite))
	for site, offers := range m.bySite {
		gone[site] = m.eclipsed(offers)
	}
	left := func(t Tag) bool { return gone[t.Site] }
	for i := range m.lanes {
		l := &m.lanes[i]
		l.lean = l.own
		if slices.ContainsFunc(l.own, left) {
			l.lean = slices.Clip(slices.DeleteFunc(slices.Clone(l.own), left))
		}
	}
}

// lane is the lane of an offer.
func (m *Market) lane(at int32) *lane { return &m.lanes[m.laneOf[at]] }

// eclipsed reports whether a site is eclipsed by one of its rivals.
func (m *Market) eclipsed(offers []int32) bool {
	rarest := offers[0]
	for _, at := range offers {
		if len(m.lane(at).offers) < len(m.lane(rarest).offers) {
			rarest = at
		}
	}
	peers := m.lane(rarest).offers
	before := peers[:slices.IndexFunc(peers, func(t Tag) bool { return t.quote == rarest })]
	near := before[max(0, len(before)-rivals):]
	far := before[:min(rivals, len(before)-len(near))]
	by := func(t Tag) bool { return m.rivals(t.quote, rarest) && m.eclipses(int(t.Site), offers) }
	return slices.ContainsFunc(near, by) || slices.ContainsFunc(far, by)
}

// rivals reports whether two offers of a lane are at different sites with the same ways
// out.
func (m *Market) rivals(a, b int32) bool {
	return m.quotes[a].WayNumber == m.quotes[b].WayNumber && m.quotes[a].SiteNumber != m.quotes[b].SiteNumber
}

// eclipses reports whether a site has an equal of every offer.
func (m *Market) eclipses(site int, offers []int32) bool {
	for _, at := range offers {
		if !slices.ContainsFunc(m.bySite[site], func(other int32) bool {
			return m.laneOf[other] == m.laneOf[at] && replaces(&m.quotes[other], &m.quotes[at])
		}) {
			return false
		}
	}
	return true
}

// replaces reports whether an offer of the same lane is as good as another in all that
// a candidate's cost and time depend on, and cheaper or before it.
func replaces(a, b *Quote) bool {
	if a.Unpriced != "" || b.Unpriced != "" {
		return b.Unpriced != "" && a.Unpriced == b.Unpriced
	}
	same := a.Tariff.IncrementSeconds == b.Tariff.IncrementSeconds && a.Tariff.MinimumSeconds == b.Tariff.MinimumSeconds &&
		a.Offer.DiskGB >= b.Offer.DiskGB && a.Rates.GBMonth == b.Rates.GBMonth &&
		a.Tariff.Storage.Price.Equal(b.Tariff.Storage.Price) && a.Tariff.Storage.Unit == b.Tariff.Storage.Unit &&
		a.interrupts == b.interrupts
	if !same {
		return false
	}
	if a.Rates.NodeHour.High < b.Rates.NodeHour.Low {
		return true
	}
	equal := a.Tariff.Node.Num.Equal(b.Tariff.Node.Num) && a.Tariff.Node.Den.Equal(b.Tariff.Node.Den) &&
		a.Tariff.Conversion.From.UnitsPerUSD.Equal(b.Tariff.Conversion.From.UnitsPerUSD)
	return equal && cmp.Or(
		strings.Compare(string(a.Offer.Region), string(b.Offer.Region)),
		strings.Compare(string(a.Offer.SKU), string(b.Offer.SKU)),
		strings.Compare(string(a.Offer.ID), string(b.Offer.ID))) < 0
}
