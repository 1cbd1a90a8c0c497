package stageplan

import (
	"math"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TransferGbits is the speed of moves between places, in gigabits per second:
// an assumption that answers list.
const TransferGbits = 1

// carrier prices the moves of one problem.
type carrier struct {
	market  *candidate.Market
	volumes []decimal.Decimal
	none    []bool              // per move: nothing moves
	before  [][]decimal.Decimal // per move: what may have left its source earlier
	loads   []load              // per move
	seconds []int64
	edges   [][]edge  // per move and way out, see spreads; nothing if nothing moves
	fares   [][]fares // per move, and if it is asked for per way out
	others  map[ticket]*fare
	room    *Room
}

// fares are those of a move over a way out if nothing left before.
type fares struct{ region, internet fare }

// load is a move's volume and what may have left before it, for ladders.
type load struct {
	volume tco.Load
	before []tco.Load
	fits   bool
}

// edge encloses what a move out of a place costs, to the internet and to another
// region of the provider.
type edge struct{ internet, region tco.Bound }

// newCarrier prepares the moves of a problem.
func newCarrier(p *Problem) *carrier {
	c := &carrier{market: p.Market, volumes: p.VolumesGB, fares: make([][]fares, len(p.VolumesGB)), others: make(map[ticket]*fare), room: p.Room}
	sums := []decimal.Decimal{decimal.Zero}
	for i, gb := range p.VolumesGB {
		none := gb.IsZero() || i == 0 && p.From == nil || i == p.stages() && p.To == nil
		c.none = append(c.none, none)
		c.before = append(c.before, sums)
		c.loads = append(c.loads, loadOf(gb, sums))
		seconds := int64(0)
		if !none {
			seconds = transferSeconds(gb, &c.loads[i])
		}
		c.seconds = append(c.seconds, seconds)
		if none {
			continue
		}
		next := sums
		for _, sum := range sums {
			next = append(next[:len(next):len(next)], sum.Add(gb))
		}
		sums = next
	}
	return c
}

// loadOf makes a load.
func loadOf(gb decimal.Decimal, before []decimal.Decimal) (l load) {
	l.volume, l.fits = tco.LoadOf(gb)
	for _, sum := range before {
		used, fits := tco.LoadOf(sum)
		l.before, l.fits = append(l.before, used), l.fits && fits
	}
	return l
}

// transferSeconds is how long a volume takes at TransferGbits, rounded up.
func transferSeconds(gb decimal.Decimal, l *load) int64 {
	if seconds, ok := l.volume.Seconds(TransferGbits); ok && l.fits {
		return seconds
	}
	return gb.Mul(decimal.NewFromInt(8)).Div(decimal.NewFromInt(TransferGbits)).Ceil().IntPart()
}

// traffic is what a volume from one site to another costs.
func (c *carrier) traffic(from, to candidate.Site) *candidate.Traffic {
	way := c.market.WayOut(from.Place)
	if from.Place.Provider == to.Place.Provider {
		return &way.Region
	}
	return &way.Internet
}

// bound encloses the cost of the index-th move in dollars whatever left its
// source before, and gives its time.
func (c *carrier) bound(index int, from, to candidate.Site) (tco.Bound, int64) {
	if from == to || c.none[index] {
		return tco.Bound{}, 0
	}
	return c.enclose(index, c.traffic(from, to)), c.seconds[index]
}

// between is bound for two choices at different sites.
func (c *carrier) between(index int, from, to *choice) (tco.Bound, int64) {
	region, internet, seconds := c.out(index, from)
	if from.provider == to.provider {
		return region, seconds
	}
	return internet, seconds
}

// arrival is the number of the provider that the data leaves for a choice of the
// first stage, counted from 1, 0 if nothing moves.
func (c *carrier) arrival(from *candidate.Site, first *candidate.Candidate) uint16 {
	if *from == first.Site || c.none[0] {
		return 0
	}
	if from.Place.Provider == first.Offer.Provider {
		return uint16(first.ProviderNumber + 1)
	}
	n, ok := c.market.ProviderNumber(from.Place.Provider)
	if !ok {
		return math.MaxUint16 // no choice can leave it again
	}
	return uint16(n + 1)
}

// spreads are, for every move, the most by which what left earlier can change the
// cost of it and of all moves after it, whichever place they leave. The edges are known then.
func (c *carrier) spreads() []tco.Nano {
	spreads := make([]tco.Nano, len(c.volumes)+1)
	c.edges = make([][]edge, len(c.volumes))
	for i := len(c.volumes) - 1; i >= 0; i-- {
		c.edges[i] = c.room.edges.Take(len(c.market.Ways()))
		widest := tco.Nano(0)
		if !c.none[i] {
			widest = c.setEdges(i)
		}
		spreads[i] = sum(spreads[i+1], widest)
	}
	return spreads
}

// setEdges encloses what the index-th move costs over every way out. It gives the widest.
func (c *carrier) setEdges(index int) (widest tco.Nano) {
	ways, edges := c.market.Ways(), c.edges[index]
	for i := range ways {
		e := &edges[i]
		e.internet, e.region = c.enclose(index, &ways[i].Internet), c.enclose(index, &ways[i].Region)
		widest = max(widest, e.internet.High-e.internet.Low, e.region.High-e.region.Low)
	}
	return widest
}

// out is the index-th move out of a choice's place: within the provider, beyond
// it, and its time.
func (c *carrier) out(index int, from *choice) (region, internet tco.Bound, seconds int64) {
	return c.outOf(index, int(from.way))
}

// outOf is out by the number of the way.
func (c *carrier) outOf(index, way int) (region, internet tco.Bound, seconds int64) {
	e := &c.edges[index][way]
	return e.region, e.internet, c.seconds[index]
}

// dearestOut is the most that the move out of a stage to the next can cost and take, over a
// way out. The last stage's is part of its choices.
func (c *carrier) dearestOut(stage, way int) (tco.Nano, int64) {
	if stage+1 == len(c.volumes)-1 {
		return 0, 0
	}
	region, internet, seconds := c.outOf(stage+1, way)
	return max(region.High, internet.High), seconds
}

// internetOut is the most that the same move can cost over the internet.
func (c *carrier) internetOut(stage, way int) tco.Nano {
	_, internet, _ := c.outOf(stage+1, way)
	return internet.High
}

// dearestInto is the most that the move into a stage from the one before can cost
// and take. The first stage's is part of its choices.
func (c *carrier) dearestInto(stage int, stages [][]choice) (tco.Nano, int64) {
	most, seconds := tco.Nano(0), int64(0)
	if stage == 0 {
		return most, seconds
	}
	for i := range stages[stage-1] {
		cost, time := c.dearestOut(stage-1, int(stages[stage-1][i].way))
		most, seconds = max(most, cost), time
	}
	return most, seconds
}

// enclose prices a volume after everything that may have left before.
func (c *carrier) enclose(index int, t *candidate.Traffic) tco.Bound {
	b := tco.Bound{Low: tco.MaxNano}
	if l := &c.loads[index]; l.fits && t.Fits {
		for _, used := range l.before {
			one := t.Ladder.After(used, l.volume).Widen()
			b.Low, b.High = min(b.Low, one.Low), max(b.High, one.High)
		}
		return b
	}
	before := c.before[index]
	if all := before[len(before)-1].Add(c.volumes[index]); tco.Linear(t.Rate, all) {
		before = before[:1] // what left earlier changes nothing
	}
	for _, used := range before {
		amount := tco.EgressAfter(t.Rate, used, c.volumes[index])
		one := tco.BoundOf(tco.Exact(amount).Over(t.Conversion.From.UnitsPerUSD)).Widen()
		b.Low, b.High = min(b.Low, one.Low), max(b.High, one.High)
	}
	return b
}

// leg is a move of a plan.
type leg struct {
	traffic *candidate.Traffic
	seconds int64
	fare    *fare
}

// fare is what a move costs exactly, in the market's currency.
type fare struct {
	units tco.Units
	known bool
}

// journey is the moves of a plan, gone through in order, since what leaves a provider is
// summed over the month.
type journey struct {
	route []stop // the ends of all moves
	moved uint16 // which moves took data away so far
}

// stays reports whether nothing moves in a move of a journey.
func (c *carrier) stays(j *journey, index int) bool {
	return c.none[index] || j.route[index].at(&j.route[index+1])
}

// leg is the next move of a journey.
func (c *carrier) leg(j *journey, index int) (l leg) {
	from := &j.route[index]
	l.seconds = c.seconds[index]
	l.traffic, l.fare = c.fare(index, from, &j.route[index+1], j.moved&departures(j.route[:index], from.provider))
	j.moved |= 1 << index
	return l
}

// departures are the moves that start with a provider.
func departures(from []stop, provider int32) (moves uint16) {
	for i := range from {
		if from[i].provider == provider {
			moves |= 1 << i
		}
	}
	return moves
}

// provider is the number of a site's provider; negative if the market does not have it.
func (c *carrier) provider(site *candidate.Site) int32 {
	if n, ok := c.market.ProviderNumber(site.Place.Provider); ok {
		return int32(n)
	}
	return -1
}

// ticket is what the exact cost of a move depends on that something left before: over which
// way it goes, and which moves left the provider before.
type ticket struct {
	move    int
	traffic *candidate.Traffic
	before  uint16
}

// fare is the exact cost of a move, remembered, and the traffic that it is.
func (c *carrier) fare(move int, from, to *stop, before uint16) (*candidate.Traffic, *fare) {
	t, f := c.usual(move, from, to)
	if f == nil || before != 0 {
		f = c.special(ticket{move, t, before})
	}
	if !f.known {
		f.units, f.known = c.exactly(move, t, before), true
	}
	return t, f
}

// exactly is what a move costs after those that left the provider before.
func (c *carrier) exactly(move int, t *candidate.Traffic, before uint16) tco.Units {
	if l := &c.loads[move]; before == 0 && l.fits && t.Fits {
		if units, ok := t.Ladder.Exactly(l.volume); ok {
			return units
		}
	}
	used := decimal.Zero
	for j := range move {
		if before&(1<<j) != 0 {
			used = used.Add(c.volumes[j])
		}
	}
	cost := t.Conversion.Convert(tco.Exact(tco.EgressAfter(t.Rate, used, c.volumes[move]))).Round(tco.Places)
	units, _ := tco.UnitsOf(cost) // it has no more decimals
	return units
}

// usual is the traffic from one stop to another, and room for what it costs if nothing left
// the provider before; nil if the market does not have the way.
func (c *carrier) usual(move int, from, to *stop) (*candidate.Traffic, *fare) {
	if from.way < 0 {
		return c.traffic(*from.site, *to.site), nil
	}
	if c.fares[move] == nil {
		c.fares[move] = c.room.fares.Take(len(c.market.Ways()))
	}
	way, f := &c.market.Ways()[from.way], &c.fares[move][from.way]
	if from.provider == to.provider {
		return &way.Region, &f.region
	}
	return &way.Internet, &f.internet
}

// special is room for what a move costs otherwise.
func (c *carrier) special(t ticket) *fare {
	f := c.others[t]
	if f == nil {
		f = new(fare)
		c.others[t] = f
	}
	return f
}
