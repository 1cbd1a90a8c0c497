package candidate

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Admitted is what the constraints of a request leave of a market, whatever the
// stage. It may be shared by the stages of the request, whose surveys are made one after
// the other.
type Admitted struct {
	market      *Market
	room        *Room
	constraints *Constraints
	verdicts    []verdict // by source
	parts       [][]Tag   // of lanes, if the constraints tell the offers of one apart
	stocks      [works][]stock
	refused     tally
}

// verdict is what the constraints say of a source: why it is refused as a whole, if
// not ok, and whether its offers at eclipsed sites are left out.
type verdict struct {
	reason   Reason
	ok, lean bool
	// If the constraints tell offers apart: why one of its terms is refused, and whether
	// whoever rents it out is compliant.
	terms     Reason
	compliant bool
}

// stock is what is admitted of a rig.
type stock struct {
	rig    *rig
	offers int     // those at eclipsed sites included
	lanes  []shelf // with any offer, in the order of their cheapest
}

// shelf is what is admitted of a lane and of any use.
type shelf struct {
	hour           tco.Nano // what a node of its cheapest costs at least
	lane, provider int32
}

// Data is what moves for a request: how much in all, and the places that it comes from
// and goes to, nil if they are wherever the stages run.
type Data struct {
	GB       decimal.Decimal
	From, To *catalog.Place
}

// Admit applies constraints to a market as of an instant. What it makes lies in a room.
func (m *Market) Admit(c *Constraints, now time.Time, data Data, room *Room) *Admitted {
	a := &Admitted{market: m, room: room, constraints: c, verdicts: make([]verdict, len(m.sources))}
	some := c.tellsPlaces()
	lean := !some && !c.ceiling() && m.Steady(data.GB)
	for i := range m.sources {
		s, v := &m.sources[i], &a.verdicts[i]
		v.reason, v.ok = c.refuse(m.Snapshot, &s.provider, s.sample, now)
		v.ok = v.ok || some && !wholeSource(v.reason)
		v.lean = lean && !data.near(s.provider.ID)
		if !v.ok {
			a.refused.add(v.reason, s.offers)
		}
	}
	if some {
		a.divide(now)
	}
	a.leaveUnpriced()
	return a
}

// ceiling reports whether offers may be too dear by the hour, which are counted.
func (c *Constraints) ceiling() bool { return c.MaxInstanceHour.Valid || c.MaxGPUHour.Valid }

// near reports whether data lies or ends with a provider, and so nearer to some of its
// sites than to others.
func (d *Data) near(p catalog.ProviderID) bool {
	return d.From != nil && d.From.Provider == p || d.To != nil && d.To.Provider == p
}

// tellsPlaces reports whether the constraints tell offers of one lane apart.
func (c *Constraints) tellsPlaces() bool {
	return len(c.Countries) > 0 || len(c.ExcludeCountries) > 0 || len(c.Regions) > 0 || c.Near != nil || c.tellsOffers()
}

// tellsOffers reports whether they tell offers of one lane apart wherever those are.
func (c *Constraints) tellsOffers() bool { return c.MaxAgeDays > 0 || c.MaxInterruptionPct.Valid }

// wholeSource reports whether a reason that comes before those of places holds for a
// whole source.
func wholeSource(r Reason) bool {
	return slices.Contains([]Reason{MarketExcluded, NoCommitment, ClassExcluded, ProviderExcluded}, r)
}

// placed is what the constraints say of a site.
type placed struct {
	reason  Reason // why offers that do not stray may not use it, wherever users are
	far     bool   // it is too far from the users
	whole   Reason // the one of the two that comes first, if any
	refused int    // offers, for that
}

// divide keeps of every lane the offers that pass.
func (a *Admitted) divide(now time.Time) {
	m, c := a.market, a.constraints
	a.parts = make([][]Tag, len(m.lanes))
	places := make([]placed, len(m.bySite))
	for site, offers := range m.bySite {
		o, at := m.quotes[offers[0]].Offer, &places[site]
		at.reason, _ = c.refusePlace(o)
		at.far = !c.nearEnough(m.Snapshot, o)
		if at.whole = at.reason; at.whole == "" && at.far {
			at.whole = TooFar
		}
	}
	for i := range m.sources {
		s, v := &m.sources[i], &a.verdicts[i]
		v.compliant = c.compliant(&s.provider)
		v.terms, _ = c.refuseTerms(s.sample, now, v.compliant)
	}
	var passing []Tag
	for i := range m.lanes {
		if l := &m.lanes[i]; a.verdicts[l.source].ok {
			passing = a.pass(passing[:0], l, places, now)
			a.parts[i] = a.room.tags.Clone(passing)
		}
	}
	for i := range places {
		if at := &places[i]; at.refused > 0 {
			a.refused.add(at.whole, at.refused)
		}
	}
}

// pass adds the offers of a lane that pass to a list, and counts the others. Of most, the
// site tells.
func (a *Admitted) pass(passing []Tag, l *lane, places []placed, now time.Time) []Tag {
	alike := a.verdicts[l.source].terms == "" && !a.constraints.tellsOffers()
	for i := range l.offers {
		t := &l.offers[i]
		at := &places[t.Site]
		if alike && !t.strays {
			if at.whole != "" {
				at.refused++
				continue
			}
		} else if reason := a.refuses(t, l, at, now); reason != "" {
			a.refused.add(reason, 1)
			continue
		}
		passing = append(passing, *t)
	}
	return passing
}

// refuses is why an offer of a lane is refused; "" if it is not.
func (a *Admitted) refuses(t *Tag, l *lane, at *placed, now time.Time) Reason {
	c, v := a.constraints, &a.verdicts[l.source]
	reason, terms := at.reason, v.terms
	if t.strays {
		reason, _ = c.refusePlace(a.quote(t.quote).Offer)
	}
	if reason == "" && c.tellsOffers() {
		terms, _ = c.refuseTerms(a.quote(t.quote).Offer, now, v.compliant)
	}
	if reason == "" {
		reason = terms
	}
	if reason == "" && at.far {
		reason = TooFar
	}
	return reason
}

// stocked is what is admitted of every rig, listed when a stage first asks for it.
func (a *Admitted) stocked(w work) []stock {
	if a.stocks[w] == nil {
		a.take(w)
	}
	return a.stocks[w]
}

// take lists what is admitted of every rig.
func (a *Admitted) take(w work) {
	rigs, every := a.market.rigs[w], len(a.market.lanes)
	free := a.room.shelves.Empty(every)[:every]
	a.stocks[w] = a.room.stocks.Empty(len(rigs))
	for i := range rigs {
		s := stock{rig: &rigs[i]}
		s.lanes, s.offers = a.list(free, s.rig.lanes)
		if s.offers == 0 {
			continue
		}
		if w == onGPUs && s.rig.node.card == nil {
			s.lanes = nil // counted only
		}
		if a.parts != nil {
			slices.SortStableFunc(s.lanes, func(x, y shelf) int { return cmp.Compare(x.hour, y.hour) })
		}
		free = free[len(s.lanes):]
		a.stocks[w] = append(a.stocks[w], s)
	}
}

// list is what is admitted of lanes, put into free room, and how many offers that is.
func (a *Admitted) list(free []shelf, lanes []entry) (list []shelf, offers int) {
	n, list, verdicts := 0, free[:len(lanes):len(lanes)], a.verdicts
	for i := range lanes {
		l := &lanes[i]
		if !verdicts[l.source].ok {
			continue
		}
		hour, some := l.hour, int(l.offers)
		if a.parts != nil {
			if some = len(a.parts[l.number]); some == 0 {
				continue
			}
			hour = a.parts[l.number][0].hour()
		}
		list[n] = shelf{hour, l.number, l.provider}
		n, offers = n+1, offers+some
	}
	return list[:n:n], offers
}

// leaveUnpriced counts what has no price.
func (a *Admitted) leaveUnpriced() {
	for _, n := range a.market.unpriced {
		if offers := len(a.whole(n)); offers > 0 {
			a.refused.add(a.market.lanes[n].unpriced, offers)
		}
	}
}

// whole is what is admitted of a lane, with what no plan needs of it.
func (a *Admitted) whole(number int32) []Tag {
	l := &a.market.lanes[number]
	switch {
	case !a.verdicts[l.source].ok:
		return nil
	case a.parts != nil:
		return a.parts[number]
	default:
		return l.offers
	}
}

// offers is what is admitted of a lane and of any use.
func (a *Admitted) offers(number int32) []Tag {
	switch l := &a.market.lanes[number]; {
	case a.verdicts[l.source].lean:
		return l.lean
	case a.verdicts[l.source].ok && a.parts == nil && !a.constraints.ceiling():
		return l.own
	default:
		return a.whole(number)
	}
}

// quote is a quote by its position.
func (a *Admitted) quote(at int32) *Quote { return &a.market.quotes[at] }
