package candidate

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Admitted is what the constraints of a request leave of a market, whatever the
// stage. It may be shared by the stages of the request.
type Admitted struct {
	market      *Market
	constraints *Constraints
	lanes       []lane // parts of the market's lanes
	some        bool   // some lanes are left in part
	passed      []bool // by quote, if some
	refused     map[Reason]int
}

// Data is what moves for a request: how much in all, and the places that it comes from
// and goes to, nil if they are wherever the stages run.
type Data struct {
	GB       decimal.Decimal
	From, To *catalog.Place
}

// Admit applies constraints to a market as of an instant.
func (m *Market) Admit(c *Constraints, now time.Time, data Data) *Admitted {
	a := &Admitted{market: m, constraints: c, lanes: make([]lane, len(m.lanes)), refused: make(map[Reason]int), some: c.tellsPlaces()}
	if a.some {
		a.passed = make([]bool, len(m.quotes))
	}
	lean := !c.ceiling() && (!m.falls || data.GB.LessThanOrEqual(m.steadyGB))
	for i, l := range m.lanes {
		reason, ok := c.refuse(m.Snapshot, m.quotes[l[0]].Offer, now)
		switch {
		case a.some && (ok || !c.wholeLane(reason)):
			a.lanes[i] = a.among(l, now)
		case ok:
			a.lanes[i] = l
			if lean && !data.near(m.quotes[l[0]].Offer.Provider) {
				a.lanes[i] = m.lean[i]
			}
		default:
			a.refused[reason] += len(l)
		}
	}
	return a
}

// ceiling reports whether offers may be too dear by the hour, which are counted.
func (c *Constraints) ceiling() bool { return c.MaxInstanceHour.Valid || c.MaxGPUHour.Valid }

// near reports whether data lies or ends with a provider, and so nearer to some of its
// sites than to others.
func (d *Data) near(p catalog.ProviderID) bool {
	return d.From != nil && d.From.Provider == p || d.To != nil && d.To.Provider == p
}

// among are the offers of a lane that pass.
func (a *Admitted) among(l lane, now time.Time) lane {
	var passing lane
	for _, at := range l {
		if reason, ok := a.constraints.refuse(a.market.Snapshot, a.market.quotes[at].Offer, now); !ok {
			a.refused[reason]++
			continue
		}
		passing = append(passing, at)
		a.passed[at] = true
	}
	return passing
}

// tellsPlaces reports whether the constraints tell offers of one lane apart.
func (c *Constraints) tellsPlaces() bool {
	return len(c.Countries) > 0 || len(c.ExcludeCountries) > 0 || len(c.Regions) > 0 || c.Near != nil ||
		c.MaxAgeDays > 0 || c.MaxInterruptionPct.Valid
}

// wholeLane reports whether a reason that comes before those of places holds for a
// whole lane.
func (c *Constraints) wholeLane(r Reason) bool {
	return slices.Contains([]Reason{MarketExcluded, NoCommitment, ClassExcluded, ProviderExcluded}, r)
}

// whole is a lane with what no plan needs of it: all that passed.
func (a *Admitted) whole(number int) lane {
	if a.some {
		return a.lanes[number]
	}
	return a.market.lanes[number]
}

// holds reports whether an offer of a lane that is not empty passed.
func (a *Admitted) holds(at int32) bool { return !a.some || a.passed[at] }

// counts is a copy of how many offers were refused for each reason.
func (a *Admitted) counts() map[Reason]int { return maps.Clone(a.refused) }

// quote is a quote by its position.
func (a *Admitted) quote(at int32) *Quote { return &a.market.quotes[at] }
