package catalog

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// merger yields the offers of several shelves in one order. It is a binary heap
// of the shelves' next offers.
type merger struct {
	snapshot *Snapshot
	sort     Sort
	heads    []head
}

// head is a shelf's next offer.
type head struct {
	on     *shelf
	order  []int32 // the shelf's, or by id where all come last
	at     int
	price  nanoUSD // of the next offer
	milli  uint64  // GPUs of a node in thousandths; 0 if unknown or none
	weight float64 // of the price, for ByEffectivePFLOP; 0 if there is no figure
}

// merge starts yielding the shelves' offers in an order of price.
func (s *Snapshot) merge(sort Sort, shelves []*shelf) *merger {
	m := &merger{snapshot: s, sort: cmp.Or(sort, ByGPUHour)}
	for _, on := range shelves {
		h := head{on: on, order: on.offers, weight: s.effectiveWeight(on, 0)}
		if on.gpus.Valid {
			h.milli = uint64(max(0, on.gpus.Decimal.Shift(3).IntPart()))
		}
		if m.last(&h, 0) {
			h.order = slices.Sorted(slices.Values(on.offers))
		}
		for _, h := range m.parted(h) {
			h.price = s.nano(&s.offers[h.order[0]])
			m.heads = append(m.heads, h)
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m
}

// parted is a head, or one for each efficiency that was measured of its offers where
// that decides their order. A slice gives what its neighbours leave it.
func (m *merger) parted(h head) []head {
	s := m.snapshot
	if m.sort != ByEffectivePFLOP || h.weight == 0 || !h.on.gpus.Decimal.IsInteger() || !s.measuredAnywhere(h.on.gpu) {
		return []head{h}
	}
	var heads []head
	index := make(map[*Coefficient]int) // nil is the prior
	for _, at := range h.order {
		o := &s.offers[at]
		c, _ := s.Coefficient(o.GPU, o.Provider, o.SKU)
		i, ok := index[c]
		if !ok {
			i = len(heads)
			index[c] = i
			one := h
			one.order = nil
			if c != nil {
				one.weight = s.effectiveWeight(h.on, c.Value)
			}
			heads = append(heads, one)
		}
		heads[i].order = append(heads[i].order, at)
	}
	return heads
}

// effectiveWeight is the factor from a node's price to the price of one effective
// PFLOP/s: 1 / (GPUs x peak x efficiency), that of the prior if 0 was measured. 0 if some
// figure is unknown.
func (s *Snapshot) effectiveWeight(on *shelf, measured float64) float64 {
	gpu, ok := s.gpus[on.gpu]
	prior, okPrior := s.priors[gpu.Class]
	if !ok || !okPrior || !on.gpus.Valid || !on.gpus.Decimal.IsPositive() {
		return 0
	}
	peak := cmp.Or(gpu.BF16TFLOPS, gpu.FP16TFLOPS, gpu.FP32TFLOPS) / 1000
	efficiency := cmp.Or(measured, prior.Value)
	if peak == 0 || efficiency == 0 {
		return 0
	}
	return 1 / (on.gpus.Decimal.InexactFloat64() * peak * efficiency)
}

// next yields the next offer; ok is false if there is none.
func (m *merger) next() (o *Offer, ok bool) {
	if len(m.heads) == 0 {
		return nil, false
	}
	first := &m.heads[0]
	o = &m.snapshot.offers[first.order[first.at]]
	if first.at++; first.at == len(first.order) {
		last := len(m.heads) - 1
		m.heads[0] = m.heads[last]
		m.heads = m.heads[:last]
	} else {
		first.price = m.snapshot.nano(&m.snapshot.offers[first.order[first.at]])
	}
	m.sink(0)
	return o, true
}

// sink restores the heap below a position.
func (m *merger) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heads); child++ {
			if m.compare(&m.heads[child], &m.heads[least]) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heads[i], m.heads[least] = m.heads[least], m.heads[i]
		i = least
	}
}

// compare orders two heads by the order asked for, then by id.
func (m *merger) compare(a, b *head) int {
	if by := m.byPrice(a, b); by != 0 {
		return by
	}
	x, y := &m.snapshot.offers[a.order[a.at]], &m.snapshot.offers[b.order[b.at]]
	return strings.Compare(string(x.ID), string(y.ID))
}

// byPrice orders two heads by price; what can't be compared comes last.
func (m *merger) byPrice(a, b *head) int {
	p, q := a.price, b.price
	if lastA, lastB := m.last(a, p), m.last(b, q); lastA || lastB {
		return compareBools(lastA, lastB)
	}
	switch m.sort {
	case ByEffectivePFLOP:
		return cmp.Compare(float64(p)*a.weight, float64(q)*b.weight)
	case ByInstanceHour:
		return m.settle(a, b, ratio{p, 1000}, ratio{q, 1000})
	default:
		return m.settle(a, b, ratio{p, a.milli}, ratio{q, b.milli})
	}
}

// last reports whether a head has nothing to compare in the order asked for.
func (m *merger) last(h *head, price nanoUSD) bool {
	switch m.sort {
	case ByEffectivePFLOP:
		return price == unpriced || h.weight == 0
	case ByInstanceHour:
		return price == unpriced
	default:
		return price == unpriced || h.milli == 0
	}
}

// ratio is a price in nanos, known to less than one, per thousandths of something.
type ratio struct {
	price nanoUSD
	per   uint64
}

// settle compares two ratios; where their roundings overlap it asks the exact prices.
func (m *merger) settle(a, b *head, x, y ratio) int {
	if below(x, y) {
		return -1
	}
	if below(y, x) {
		return 1
	}
	p, _ := m.snapshot.usdPerHour(&m.snapshot.offers[a.order[a.at]])
	q, _ := m.snapshot.usdPerHour(&m.snapshot.offers[b.order[b.at]])
	left := p.Num.Mul(q.Den).Mul(decimal.NewFromUint64(y.per))
	return left.Cmp(q.Num.Mul(p.Den).Mul(decimal.NewFromUint64(x.per)))
}

// below reports whether x is certainly less than y: (x.price + 1) / x.per <= y.price / y.per.
func below(x, y ratio) bool {
	hiX, loX := bits.Mul64(uint64(x.price)+1, y.per)
	hiY, loY := bits.Mul64(uint64(y.price), x.per)
	return hiX < hiY || hiX == hiY && loX <= loY
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// take yields limit offers after the first skip.
func (m *merger) take(skip, limit int) []*Offer {
	found := make([]*Offer, 0, min(limit, 1000))
	for len(found) < limit {
		o, ok := m.next()
		if !ok {
			break
		}
		if skip > 0 {
			skip--
			continue
		}
		found = append(found, o)
	}
	return found
}
