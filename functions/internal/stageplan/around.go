package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// sites are where a stage's neighbour towards the main one can be. The zero value is
// that of the main stage itself.
type sites struct {
	hub  *hub
	list []company // by the problem's number of the site
}

// at is the company at a site; nil if there is none.
func (a *sites) at(s *searcher, number int32) *company {
	if n := int(s.places[number]); n > 0 && n <= len(a.list) && a.list[n-1].some {
		return &a.list[n-1]
	}
	return nil
}

// company is what the rest of a plan takes at least that has a stage's neighbour at
// some site: for plans of the frontier, and for alternatives.
type company struct {
	some  bool // there is any
	plans skyline
	parts skyline
	lost  lost // in no plan at the site
}

// lost is the fastest of what was found to be in no plan: nor is what takes as much. It takes
// some time, or else nothing was.
type lost least

// add notes that what takes so much at least is in no plan.
func (l *lost) add(p least) {
	if l.Seconds == 0 || p.Seconds < l.Seconds {
		*l = lost(p)
	}
}

// has reports whether what takes so much at least is known to be in no plan.
func (l *lost) has(p least) bool {
	return l.Seconds > 0 && p.Cost >= l.Cost && p.Seconds >= l.Seconds
}

// leads reports whether a candidate at the site that takes so much can be part of the
// frontier.
func (c *company) leads(g *gatherer, p point) bool {
	plans := c.plans.points
	if len(plans) == 0 {
		return false
	}
	most := g.s.bar.at(p.seconds+plans[len(plans)-1].Seconds) - p.low // whichever it is
	for i := range plans {
		with := &plans[i]
		if with.Cost > most {
			return false // the others are dearer
		}
		if with.Cost <= g.s.bar.at(p.seconds+with.Seconds)-p.low && g.s.feasible(p.plus(pointOf(*with))) {
			return true
		}
	}
	return false
}

// others reports whether it can be part of an alternative.
func (c *company) others(g *gatherer, p point) bool {
	parts := c.parts.points
	if len(parts) == 0 || !g.other(p.plus(floorOf(parts))) {
		return false
	}
	for i := range parts {
		if g.other(p.plus(pointOf(parts[i]))) {
			return true
		}
	}
	return false
}

// before are the sites around a stage before the main one: those of the stage after it.
func (g *gatherer) before(stage int) *sites {
	a := &sites{hub: g.hub(stage, stage+1)}
	rest := g.parts(a, stage, stage+1)
	for i := range g.choices[stage+1] {
		c := &g.choices[stage+1][i]
		a.list[c.site].plans.add(c.point.plus(rest).least(), pick{})
	}
	return a
}

// behind are the sites around a stage after the main one: those where the partial plans
// of a tableau end.
func (g *gatherer) behind(stage int, t *tableau) *sites {
	a := &sites{hub: g.hub(stage, stage-1)}
	g.parts(a, stage, stage-1)
	rest := g.floor(stage + 1)
	labels := t.labels[stage-1]
	for i := range labels {
		if l := &labels[i]; !l.gone {
			a.list[g.choices[stage-1][l.choice].site].plans.add(l.point.plus(rest).least(), pick{})
		}
	}
	return a
}

// usualPoints is how many points there are usually at a site.
const usualPoints = 8

// parts adds what the rest of an alternative takes with each choice of a neighbour, and
// returns what all takes that is neither the stage nor its neighbour.
func (g *gatherer) parts(a *sites, stage, neighbour int) (rest point) {
	a.list = g.s.room.companies.Take(int(g.s.sites))
	rest = g.floor(0, stage, neighbour)
	own := floorOf(g.fronts[stage].points)
	for i := range g.choices[neighbour] {
		c := &g.choices[neighbour][i]
		with := &a.list[c.site]
		if !with.some {
			with.some = true
			with.plans.points, with.parts.points = g.s.room.leasts.Empty(usualPoints), g.s.room.leasts.Empty(usualPoints)
		}
		if l := c.point.plus(rest).least(); g.other(pointOf(l).plus(own)) {
			with.parts.add(l, pick{})
		}
	}
	return rest
}

// hub is the candidates of a stage that are best where the data moves in between
// them and a neighbour. Nil is that of a stage without one.
type hub struct {
	s    *searcher
	best front // of a sample, as they are at the worst
	most bar   // of them: what others may cost, whose percentiles are no less than their times
	// move is the index of the move in between, out whether it leaves the stage.
	move int
	out  bool
	// near says by number which providers the neighbour's candidates have. By number of the
	// exit, tolls are what the move out of a candidate costs at least, and entries what the
	// move from the neighbour there to any other candidate costs at most; 0 for moves that
	// go the other way. A move takes time seconds.
	near           []bool
	tolls, entries []tco.Nano
	dearest        tco.Nano // of entries
	time           int64
	// within and across are what a move from the neighbour can cost a candidate less
	// than one that replaces it: within the provider, and from another.
	within, across tco.Nano
}

// hub finds the best of a stage.
func (g *gatherer) hub(stage, neighbour int) *hub {
	h := &hub{s: g.s, move: max(stage, neighbour), out: neighbour > stage, near: make([]bool, g.s.problem.Market.Providers())}
	for i := range g.choices[neighbour] {
		c := &g.choices[neighbour][i]
		h.near[c.provider] = true
		if !h.out {
			region, internet, _ := g.s.carrier.out(h.move, c)
			h.within, h.across = max(h.within, internet.High-region.Low), max(h.across, region.High-internet.Low)
		}
	}
	h.pass()
	margin, seconds := g.margin(stage, neighbour)
	sample := g.samples[stage]
	points := g.s.room.points.Take(len(sample))
	for i := range sample {
		c := &sample[i]
		cost, move := g.s.carrier.dearestOut(stage, int(c.way))
		if h.out {
			move = 0 // the other moves, too
		}
		points[i] = g.worst(c.point, c.p95-c.seconds).behind(sum(cost, margin), g.s.time(seconds+move), g.s.late(seconds+move))
	}
	soonest := int64(math.MaxInt64)
	for _, p := range points {
		soonest = min(soonest, max(p.seconds, p.p95))
	}
	h.most = newBar(soonest, tco.MaxNano, g.s.room.bar())
	for _, p := range points {
		h.most.lower(max(p.seconds, p.p95), p.high)
	}
	h.best = g.s.front(points)
	return h
}

// margin is what a replacement can cost and take more, its own way out apart: the
// move on the far side of the stage if it is the first one, and what the history of
// moves changes.
func (g *gatherer) margin(stage, neighbour int) (cost tco.Nano, seconds int64) {
	cost = g.s.spread(min(stage+2, len(g.surveys)+1))
	c := g.s.carrier
	if neighbour > stage && stage > 0 {
		dearest := tco.Nano(0)
		for way := range c.market.Ways() {
			region, internet, time := c.outOf(stage, way)
			dearest, seconds = max(dearest, region.High, internet.High), time
		}
		cost = sum(cost, dearest)
	}
	return cost, seconds
}

// worthAt is the most that a candidate of so many seconds may cost to be worth a move.
func (h *hub) worthAt(seconds int64) tco.Nano {
	if h == nil {
		return tco.MaxNano
	}
	return sum(h.most.at(seconds), h.saved(true))
}

// worth reports whether no other is certainly better than a candidate from or to
// which the data moves. worst is its point at the worst.
func (h *hub) worth(tag *candidate.Tag, worst point) bool {
	if h == nil {
		return true
	}
	if !h.out {
		return !h.best.beats(worst.cheaper(h.saved(h.near[tag.Provider])))
	}
	toll := h.tolls[tag.Exit]
	return !h.best.beats(worst.plus(point{low: toll, high: toll}))
}

// pass sets what moves cost.
func (h *hub) pass() {
	exits := h.s.problem.Market.Exits()
	h.tolls, h.entries = h.s.room.nanos.Take(len(exits)), h.s.room.nanos.Take(len(exits))
	for i, exit := range exits {
		region, internet, seconds := h.s.carrier.outOf(h.move, exit.Way)
		h.time = h.s.time(seconds)
		switch {
		case !h.out:
			h.entries[i] = max(region.High, internet.High)
			h.dearest = max(h.dearest, h.entries[i])
		case h.near[exit.Provider]:
			h.tolls[i] = min(internet.Low, region.Low)
		default:
			h.tolls[i] = internet.Low
		}
	}
}

// mayStayAt is the most that a candidate of so many seconds may cost to be worth it at the
// site of its neighbour: beyond that another is better, to which or from which the data
// moves.
func (h *hub) mayStayAt(seconds int64) tco.Nano {
	if h == nil {
		return -1
	}
	return sum(h.most.at(seconds-h.time), h.dearest)
}

// keeps reports whether no other that data moves to or from is certainly better than a
// candidate at the site of its neighbour. worst is its point at the worst.
func (h *hub) keeps(tag *candidate.Tag, worst point) bool {
	worst = worst.cheaper(h.entries[tag.Exit])
	worst.seconds -= h.time
	worst.p95 -= h.s.late(h.time)
	return !h.best.beats(worst)
}

// mayBeWorth reports whether a candidate that takes so much at least may be worth a move,
// given the most that one of its seconds may cost.
func (h *hub) mayBeWorth(tag *candidate.Tag, low, most tco.Nano) bool {
	return h == nil || low <= most && sum(low, h.tolls[tag.Exit]) <= most
}

// saved is what a move from the neighbour can cost less than one to a replacement,
// near it or not.
func (h *hub) saved(near bool) tco.Nano {
	if !h.out && near {
		return max(h.within, h.across)
	}
	return h.across
}
