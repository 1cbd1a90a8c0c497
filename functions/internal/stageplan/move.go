package stageplan

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
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
	before  [][]decimal.Decimal // per move: what may have left its source earlier
	loads   []load              // per move
	seconds []int64
	edges   [][]edge // per move and way out
	numbers map[catalog.ProviderID]uint16
	costs   map[fare]decimal.Decimal
}

// load is a move's volume and what may have left before it, for ladders.
type load struct {
	volume tco.Load
	before []tco.Load
	fits   bool
}

// edge encloses what a move out of a place costs, to the internet and to another
// region of the provider.
type edge struct {
	internet, region tco.Bound
	known            bool
}

// newCarrier prepares the moves of a problem.
func newCarrier(p *Problem) *carrier {
	c := &carrier{market: p.Market, volumes: p.VolumesGB, numbers: make(map[catalog.ProviderID]uint16), costs: make(map[fare]decimal.Decimal)}
	sums := []decimal.Decimal{decimal.Zero}
	for _, gb := range p.VolumesGB {
		c.before = append(c.before, sums)
		c.loads = append(c.loads, loadOf(gb, sums))
		c.seconds = append(c.seconds, transferSeconds(gb))
		c.edges = append(c.edges, make([]edge, len(p.Market.Ways())))
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
func transferSeconds(gb decimal.Decimal) int64 {
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
	if from == to || c.volumes[index].IsZero() {
		return tco.Bound{}, 0
	}
	return c.enclose(index, c.traffic(from, to)), c.seconds[index]
}

// between is bound for two choices at different sites.
func (c *carrier) between(index int, from, to *choice) (tco.Bound, int64) {
	region, internet, seconds := c.out(index, from)
	if from.ProviderNumber == to.ProviderNumber {
		return region, seconds
	}
	return internet, seconds
}

// edge encloses what the index-th move costs over a way out, and remembers it.
func (c *carrier) edge(index, way int) edge {
	e := &c.edges[index][way]
	if !e.known {
		out := &c.market.Ways()[way]
		e.internet = c.enclose(index, &out.Internet)
		e.region = c.enclose(index, &out.Region)
		e.known = true
	}
	return *e
}

// number identifies a provider in histories, from 1.
func (c *carrier) number(p catalog.ProviderID) uint16 {
	n, seen := c.numbers[p]
	if !seen {
		n = uint16(len(c.numbers) + 1)
		c.numbers[p] = n
	}
	return n
}

// arrival is the number of the provider that the data leaves for a choice of the
// first stage, 0 if nothing moves.
func (c *carrier) arrival(from *candidate.Site, first *choice) uint16 {
	if from == nil || *from == first.Site || c.volumes[0].IsZero() {
		return 0
	}
	return c.number(from.Place.Provider)
}

// spreads are, for every move, the most by which what left earlier can change the
// cost of it and of all moves after it, given the choices that it can leave. The
// last move's is part of its choices' bounds, which enclose every history.
func (c *carrier) spreads(stages [][]choice) []tco.Nano {
	spreads := make([]tco.Nano, len(c.volumes)+1)
	for i := len(c.volumes) - 1; i > 0; i-- {
		widest := tco.Nano(0)
		if !c.volumes[i].IsZero() {
			for j := range stages[i-1] {
				e := c.edge(i, stages[i-1][j].WayNumber)
				widest = max(widest, e.internet.High-e.internet.Low, e.region.High-e.region.Low)
			}
		}
		spreads[i] = tco.Bound{High: spreads[i+1]}.Add(tco.Bound{High: widest}).High
	}
	return spreads
}

// out is the index-th move out of a choice's place: within the provider, beyond
// it, and its time.
func (c *carrier) out(index int, from *choice) (region, internet tco.Bound, seconds int64) {
	return c.outOf(index, from.WayNumber)
}

// outOf is out by the number of the way.
func (c *carrier) outOf(index, way int) (region, internet tco.Bound, seconds int64) {
	if c.volumes[index].IsZero() {
		return tco.Bound{}, tco.Bound{}, 0
	}
	e := c.edge(index, way)
	return e.region, e.internet, c.seconds[index]
}

// dearestOut is the most that the move out of a stage's choice to the next stage
// can cost and take. The last stage's is part of the choice.
func (c *carrier) dearestOut(stage int, from *choice) (tco.Nano, int64) {
	if stage+1 == len(c.volumes)-1 {
		return 0, 0
	}
	region, internet, seconds := c.out(stage+1, from)
	return max(region.High, internet.High), seconds
}

// dearestInto is the most that the move into a stage from the one before can cost
// and take. The first stage's is part of its choices.
func (c *carrier) dearestInto(stage int, stages [][]choice) (tco.Nano, int64) {
	most, seconds := tco.Nano(0), int64(0)
	if stage == 0 {
		return most, seconds
	}
	for i := range stages[stage-1] {
		cost, time := c.dearestOut(stage-1, &stages[stage-1][i])
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

// exact prices all moves of a plan in order, summing what leaves each provider over
// the month.
func (c *carrier) exact(sites []*candidate.Site, each func(Move)) {
	var moved uint16 // which moves take data away
	for i := range c.volumes {
		from, to := sites[i], sites[i+1]
		m := Move{From: *from, To: *to, GB: c.volumes[i]}
		if *from != *to && !c.volumes[i].IsZero() {
			t := c.traffic(*from, *to)
			m.Seconds, m.Assumed = c.seconds[i], t.Assumed
			m.Cost = c.cost(i, t, moved&leaving(sites[:i], from.Place.Provider))
			moved |= 1 << i
		}
		each(m)
	}
}

// leaving are the moves that start with a provider.
func leaving(from []*candidate.Site, p catalog.ProviderID) (moves uint16) {
	for i := range from {
		if from[i].Place.Provider == p {
			moves |= 1 << i
		}
	}
	return moves
}

// fare is what the exact cost of a move depends on: over which way it goes, and which
// moves left the provider before.
type fare struct {
	move    int
	traffic *candidate.Traffic
	before  uint16
}

// cost is the exact cost of a move, remembered.
func (c *carrier) cost(move int, t *candidate.Traffic, before uint16) decimal.Decimal {
	key := fare{move, t, before}
	cost, known := c.costs[key]
	if !known {
		used := decimal.Zero
		for j := range move {
			if before&(1<<j) != 0 {
				used = used.Add(c.volumes[j])
			}
		}
		cost = t.Conversion.Convert(tco.Exact(tco.EgressAfter(t.Rate, used, c.volumes[move]))).Round(tco.Places)
		c.costs[key] = cost
	}
	return cost
}
