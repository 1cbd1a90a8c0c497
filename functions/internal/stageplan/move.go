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

// tariff is what traffic out of a place costs.
type tariff struct {
	rate       catalog.EgressRate
	conversion tco.Conversion
	assumed    bool // the dearest rate stands in for an unknown one
}

// carrier prices the moves of one problem.
type carrier struct {
	market  *candidate.Market
	volumes []decimal.Decimal
	before  [][]decimal.Decimal // per edge: what may have left its source earlier
	seconds []int64
	bounds  map[edge]tco.Bound
	numbers map[catalog.ProviderID]uint16
}

// edge is a move as far as its price depends on it.
type edge struct {
	index int
	place catalog.Place
	scope catalog.Scope
}

// newCarrier prepares the moves of a problem.
func newCarrier(p *Problem) *carrier {
	c := &carrier{market: p.Market, volumes: p.VolumesGB, bounds: make(map[edge]tco.Bound), numbers: make(map[catalog.ProviderID]uint16)}
	sums := []decimal.Decimal{decimal.Zero}
	for _, gb := range p.VolumesGB {
		c.before = append(c.before, sums)
		c.seconds = append(c.seconds, transferSeconds(gb))
		next := sums
		for _, sum := range sums {
			next = append(next[:len(next):len(next)], sum.Add(gb))
		}
		sums = next
	}
	return c
}

// transferSeconds is how long a volume takes at TransferGbits, rounded up.
func transferSeconds(gb decimal.Decimal) int64 {
	return gb.Mul(decimal.NewFromInt(8)).Div(decimal.NewFromInt(TransferGbits)).Ceil().IntPart()
}

// tariff finds what traffic from one place to another costs. A rate in a
// currency that can't be converted counts as unknown.
func (c *carrier) tariff(from catalog.Place, scope catalog.Scope) tariff {
	rate, ok := c.market.Snapshot.Egress(from, scope)
	if ok {
		if conversion, ok := c.market.Converter.From(rate.Currency, rate.AsOf); ok {
			return tariff{rate: rate, conversion: conversion}
		}
	}
	rate, ok = c.market.Snapshot.DearestEgress(scope)
	if !ok {
		rate.Currency = c.market.Converter.Target()
	}
	conversion, _ := c.market.Converter.From(rate.Currency, rate.AsOf)
	return tariff{rate: rate, conversion: conversion, assumed: true}
}

// scopeOf says whether a move stays with one provider.
func scopeOf(from, to candidate.Site) catalog.Scope {
	if from.Place.Provider == to.Place.Provider {
		return catalog.ToOtherRegion
	}
	return catalog.ToInternet
}

// bound encloses the cost of the index-th move in dollars whatever left its
// source before, and gives its time.
func (c *carrier) bound(index int, from, to candidate.Site) (tco.Bound, int64) {
	if from == to || c.volumes[index].IsZero() {
		return tco.Bound{}, 0
	}
	return c.edge(edge{index, from.Place, scopeOf(from, to)}), c.seconds[index]
}

// edge encloses the cost of a move and remembers it.
func (c *carrier) edge(key edge) tco.Bound {
	b, seen := c.bounds[key]
	if !seen {
		b = c.enclose(key.index, c.tariff(key.place, key.scope))
		c.bounds[key] = b
	}
	return b
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

// spreads are, for every move, the most by which what left earlier can change the
// cost of it and of all moves after it, given the candidates that it can leave.
func (c *carrier) spreads(stages [][]*candidate.Candidate) []tco.Nano {
	spreads := make([]tco.Nano, len(c.volumes)+1)
	for i := len(c.volumes) - 1; i > 0; i-- {
		widest := tco.Nano(0)
		if !c.volumes[i].IsZero() {
			widest = c.widest(i, stages[i-1])
		}
		spreads[i] = tco.Bound{High: spreads[i+1]}.Add(tco.Bound{High: widest}).High
	}
	return spreads
}

// widest is the largest gap between the bounds of the index-th move from any of
// the candidates.
func (c *carrier) widest(index int, from []*candidate.Candidate) tco.Nano {
	widest := tco.Nano(0)
	for _, choice := range from {
		for _, scope := range []catalog.Scope{catalog.ToInternet, catalog.ToOtherRegion} {
			b := c.edge(edge{index, choice.Site.Place, scope})
			widest = max(widest, b.High-b.Low)
		}
	}
	return widest
}

// dearest is the most that the index-th move out of a place can cost and take.
func (c *carrier) dearest(index int, place catalog.Place) (tco.Nano, int64) {
	if c.volumes[index].IsZero() {
		return 0, 0
	}
	internet := c.edge(edge{index, place, catalog.ToInternet})
	region := c.edge(edge{index, place, catalog.ToOtherRegion})
	return max(internet.High, region.High), c.seconds[index]
}

// dearestInto is the most that the move into the index-th stage can cost and take.
func (c *carrier) dearestInto(index int, from *candidate.Site, stages [][]*candidate.Candidate) (tco.Nano, int64) {
	if index == 0 {
		if from == nil {
			return 0, 0
		}
		return c.dearest(0, from.Place)
	}
	most, seconds := tco.Nano(0), int64(0)
	for _, choice := range stages[index-1] {
		cost, time := c.dearest(index, choice.Site.Place)
		most, seconds = max(most, cost), time
	}
	return most, seconds
}

// enclose prices a volume after everything that may have left before.
func (c *carrier) enclose(index int, t tariff) tco.Bound {
	before := c.before[index]
	if all := before[len(before)-1].Add(c.volumes[index]); tco.Linear(t.rate, all) {
		before = before[:1] // what left earlier changes nothing
	}
	b := tco.Bound{Low: tco.MaxNano}
	for _, used := range before {
		amount := tco.EgressAfter(t.rate, used, c.volumes[index])
		one := tco.BoundOf(tco.Exact(amount).Over(t.conversion.From.UnitsPerUSD)).Widen()
		b.Low, b.High = min(b.Low, one.Low), max(b.High, one.High)
	}
	return b
}

// exact prices all moves of a plan in order, summing what leaves each provider
// over the month.
func (c *carrier) exact(sites []candidate.Site) []Move {
	used := make(map[catalog.ProviderID]decimal.Decimal)
	moves := make([]Move, len(c.volumes))
	for i := range moves {
		from, to := sites[i], sites[i+1]
		moves[i] = Move{From: from, To: to, GB: c.volumes[i]}
		if from == to || c.volumes[i].IsZero() {
			continue
		}
		t := c.tariff(from.Place, scopeOf(from, to))
		before := used[from.Place.Provider]
		used[from.Place.Provider] = before.Add(c.volumes[i])
		amount := tco.Exact(tco.EgressAfter(t.rate, before, c.volumes[i]))
		moves[i].Seconds = c.seconds[i]
		moves[i].Cost = t.conversion.Convert(amount).Round(tco.Places)
		moves[i].Assumed = t.assumed
	}
	return moves
}
