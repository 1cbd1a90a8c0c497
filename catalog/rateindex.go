package catalog

import (
	"slices"

	"github.com/shopspring/decimal"
)

// rateIndex answers what traffic, storage and currencies cost.
type rateIndex struct {
	egress     map[Scope]map[Place]EgressRate
	storage    map[Place]StorageRate
	fx         map[Currency][]FXRate // by month, ascending
	allEgress  []EgressRate
	allStorage []StorageRate
}

// newRateIndex indexes the rates of the parts.
func newRateIndex(parts Parts) rateIndex {
	x := rateIndex{
		egress:     map[Scope]map[Place]EgressRate{ToInternet: {}, ToOtherRegion: {}},
		storage:    make(map[Place]StorageRate),
		fx:         make(map[Currency][]FXRate),
		allEgress:  parts.Egress,
		allStorage: parts.Storage,
	}
	for _, r := range parts.Egress {
		x.egress[r.Scope][r.Place] = r
	}
	for _, r := range parts.Storage {
		x.storage[r.Place] = r
	}
	for _, r := range parts.FX {
		x.fx[r.Currency] = append(x.fx[r.Currency], r)
	}
	for _, rates := range x.fx {
		slices.SortFunc(rates, func(a, b FXRate) int { return a.Month.Time().Compare(b.Month.Time()) })
	}
	return x
}

// Egress is what moving data out of a place costs under a scope: the region's
// own rate, else the provider's. ok is false if no source gives one.
func (s *Snapshot) Egress(from Place, scope Scope) (rate EgressRate, ok bool) {
	if rate, ok = s.rates.egress[scope][from]; ok {
		return rate, true
	}
	rate, ok = s.rates.egress[scope][Place{Provider: from.Provider}]
	return rate, ok
}

// EgressRates are all sourced transfer rates.
func (s *Snapshot) EgressRates() []EgressRate { return s.rates.allEgress }

// Storage is what block storage costs at a place: the region's own rate, else
// the provider's. ok is false if no source gives one.
func (s *Snapshot) Storage(at Place) (rate StorageRate, ok bool) {
	if rate, ok = s.rates.storage[at]; ok {
		return rate, true
	}
	rate, ok = s.rates.storage[Place{Provider: at.Provider}]
	return rate, ok
}

// StorageRates are all sourced block storage rates.
func (s *Snapshot) StorageRates() []StorageRate { return s.rates.allStorage }

// FX is the monthly rate of a currency for a price of the given date: the latest
// month not after it, or the newest of all if the date is unknown. A dollar is a
// dollar. ok is false if there is no such month.
func (s *Snapshot) FX(currency Currency, asOf Date) (rate FXRate, ok bool) {
	if currency == USD {
		return FXRate{Currency: USD, UnitsPerUSD: decimal.NewFromInt(1)}, true
	}
	rates := s.rates.fx[currency]
	for _, r := range slices.Backward(rates) {
		if !asOf.Known() || !asOf.Before(r.Month) {
			return r, true
		}
	}
	return FXRate{}, false
}
