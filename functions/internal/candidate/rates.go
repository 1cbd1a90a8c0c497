package candidate

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// BlockStorage is what block storage costs at a place: the place's own rate, else
// the dearest of all, which is assumed. ok is false if its currency has no exchange
// rate.
func (m *Market) BlockStorage(at catalog.Place) (tariff tco.StorageTariff, to tco.Conversion, assumed, ok bool) {
	rate, known := m.Snapshot.Storage(at)
	if !known {
		rate, known = m.Snapshot.DearestStorage()
		assumed = known
	}
	if !known {
		rate.Currency, rate.Price = m.Converter.Target(), decimal.Zero
	}
	to, ok = m.Converter.From(rate.Currency, rate.AsOf)
	return tco.StorageTariff{Price: rate.Price, Unit: rate.Unit}, to, assumed, ok
}

// Egress is what traffic out of a place costs under a scope: the dearest rate of
// all, which is assumed, where no source gives one or it can't be converted.
func (m *Market) Egress(from catalog.Place, scope catalog.Scope) (rate catalog.EgressRate, to tco.Conversion, assumed bool) {
	rate, known := m.Snapshot.Egress(from, scope)
	if known {
		if to, ok := m.Converter.From(rate.Currency, rate.AsOf); ok {
			return rate, to, false
		}
	}
	rate, known = m.Snapshot.DearestEgress(scope)
	if !known {
		rate.Currency = m.Converter.Target()
	}
	to, _ = m.Converter.From(rate.Currency, rate.AsOf)
	return rate, to, true
}
