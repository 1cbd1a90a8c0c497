package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// nanoUSD is an hourly price in 10^-9 dollars, rounded down: it orders offers,
// and whoever compares two that are equal settles them exactly.
type nanoUSD int64

// unpriced orders offers without a comparable price after all others.
const unpriced nanoUSD = math.MaxInt64

// usdPerHour is the exact hourly price of an offer's rentable node in dollars. ok
// is false if the price is unknown or its currency has no rate at its date.
func (s *Snapshot) usdPerHour(o *Offer) (rate Rate, ok bool) {
	rate, ok = o.NodeRate()
	if !ok {
		return Rate{}, false
	}
	fx, ok := s.FX(rate.Currency, o.AsOf)
	if !ok {
		return Rate{}, false
	}
	if rate.Currency != USD {
		rate = Rate{Num: rate.Num, Den: rate.Den.Mul(fx.UnitsPerUSD), Currency: USD}
	}
	return rate, true
}

// nano is an offer's price in nanos; unpriced if it has none or too large a one.
func (s *Snapshot) nano(o *Offer) nanoUSD {
	if nanos, ok := plainNano(o); ok {
		return nanos
	}
	rate, ok := s.usdPerHour(o)
	if !ok {
		return unpriced
	}
	nanos, _ := rate.Num.Shift(9).QuoRem(rate.Den, 0)
	if nanos.GreaterThanOrEqual(decimal.NewFromInt(int64(unpriced))) {
		return unpriced
	}
	return nanoUSD(nanos.IntPart())
}

// plainNano is nano in machine arithmetic for what most prices are: dollars of at
// most 9 decimals, below 9 million, for an instance, a month or whole GPUs.
func plainNano(o *Offer) (nanos nanoUSD, ok bool) {
	amount := o.Price.Amount.Decimal
	shift := 9 + amount.Exponent()
	if !o.Price.Known() || o.Price.Currency != USD || shift < 0 || shift > 9 || amount.NumDigits()+int(shift) > 15 {
		return 0, false
	}
	nanos = nanoUSD(amount.CoefficientInt64())
	for range shift {
		nanos *= 10
	}
	switch {
	case o.Price.Basis == PerInstanceHour && o.MinGPUs == 0:
		return nanos, true
	case o.Price.Basis == PerInstanceMonth && o.MinGPUs == 0:
		return nanos / HoursPerMonth, true
	case o.Price.Basis == PerGPUHour:
		n, whole := o.WholeGPUs()
		return nanos * nanoUSD(n), whole && n <= 100
	}
	return 0, false
}

// shelf is the offers of one GPU, number of GPUs per node and market, by price.
// On one shelf price per node and price per GPU give the same order.
type shelf struct {
	gpu    GPUID
	market PurchaseModel
	gpus   decimal.NullDecimal // of a rentable node; not valid if unknown
	offers []int32             // positions in Snapshot.offers, by price, then id
}

// shelfKey is what offers of one shelf share. GPUs is text: equal decimals may
// differ as values.
type shelfKey struct {
	gpu    GPUID
	market PurchaseModel
	gpus   string
}

// stand is an instance's shelf under one market.
type stand struct {
	*Instance
	market PurchaseModel
}

// newShelves sorts all offers into shelves, ordered by GPU, market and number.
func (s *Snapshot) newShelves() []shelf {
	priced := make([]nanoUSD, len(s.offers))
	stands := make(map[stand]int)
	index := make(map[shelfKey]int)
	var shelves []shelf
	for i := range s.offers {
		o := &s.offers[i]
		priced[i] = s.nano(o)
		at, seen := stands[stand{o.Instance, o.Market}]
		if !seen {
			at = shelfOf(o, index, &shelves)
			stands[stand{o.Instance, o.Market}] = at
		}
		shelves[at].offers = append(shelves[at].offers, int32(i))
	}
	for i := range shelves {
		s.order(&shelves[i], priced)
		shelves[i].offers = slices.Clip(shelves[i].offers)
	}
	slices.SortFunc(shelves, compareShelves)
	return shelves
}

// shelfOf is the position of an offer's shelf, a new one if there is none.
func shelfOf(o *Offer, index map[shelfKey]int, shelves *[]shelf) int {
	key := shelfKey{gpu: o.GPU, market: o.Market}
	gpus := o.NodeGPUs()
	if gpus.Valid {
		key.gpus = gpus.Decimal.String()
	}
	at, seen := index[key]
	if !seen {
		at = len(*shelves)
		index[key] = at
		*shelves = append(*shelves, shelf{gpu: o.GPU, market: o.Market, gpus: gpus})
	}
	return at
}

// order sorts a shelf by exact price; offers are ordered by id already, and the
// sort keeps that order among equals.
func (s *Snapshot) order(on *shelf, priced []nanoUSD) {
	slices.SortStableFunc(on.offers, func(a, b int32) int {
		if by := cmp.Compare(priced[a], priced[b]); by != 0 || priced[a] == unpriced {
			return by
		}
		return s.compareExactly(a, b)
	})
}

// compareExactly orders two priced offers whose nanos are equal.
func (s *Snapshot) compareExactly(a, b int32) int {
	if x, y := s.offers[a].Price, s.offers[b].Price; x.Basis == y.Basis && x.Currency == USD && y.Currency == USD {
		return x.Amount.Decimal.Cmp(y.Amount.Decimal)
	}
	p, _ := s.usdPerHour(&s.offers[a])
	q, _ := s.usdPerHour(&s.offers[b])
	if p.Den.Equal(q.Den) {
		return p.Num.Cmp(q.Num)
	}
	return p.Num.Mul(q.Den).Cmp(q.Num.Mul(p.Den))
}

// compareShelves orders shelves by GPU, market and number of GPUs.
func compareShelves(a, b shelf) int {
	return cmp.Or(
		strings.Compare(string(a.gpu), string(b.gpu)),
		strings.Compare(string(a.market), string(b.market)),
		compareCounts(a.gpus, b.gpus),
	)
}

// compareCounts orders numbers of GPUs, the unknown first.
func compareCounts(a, b decimal.NullDecimal) int {
	switch {
	case a.Valid && b.Valid:
		return a.Decimal.Cmp(b.Decimal)
	case a.Valid:
		return 1
	case b.Valid:
		return -1
	}
	return 0
}
