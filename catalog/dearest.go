package catalog

import "github.com/shopspring/decimal"

// dearest holds the rates that stand in for unknown ones, so that a cost that
// nobody states never makes an offer win.
type dearest struct {
	egress  map[Scope]EgressRate
	storage StorageRate
}

// gibPerGB is 10^9 / 2^30, exactly.
var gibPerGB = decimal.RequireFromString("0.931322574615478515625")

// newDearest finds the dearest first-tier price of every scope and the dearest
// block storage, compared in dollars per GB.
func (s *Snapshot) newDearest() dearest {
	d := dearest{egress: make(map[Scope]EgressRate)}
	top := make(map[Scope]decimal.Decimal)
	for _, r := range s.rates.allEgress {
		if len(r.Tiers) == 0 {
			continue
		}
		usd, ok := s.usdPerGB(r.Tiers[0].Price, r.Unit, FXRate{Currency: r.Currency, Month: r.AsOf})
		if best, found := top[r.Scope]; ok && (!found || usd.GreaterThan(best)) {
			top[r.Scope] = usd
			flat := r
			flat.Tiers = []EgressTier{{Price: r.Tiers[0].Price}}
			flat.FreePerMonth = decimal.Zero
			d.egress[r.Scope] = flat
		}
	}
	best := decimal.Zero
	for _, r := range s.rates.allStorage {
		usd, ok := s.usdPerGB(r.Price, r.Unit, FXRate{Currency: r.Currency, Month: r.AsOf})
		if ok && usd.GreaterThan(best) {
			best, d.storage = usd, r
		}
	}
	return d
}

// usdPerGB compares prices of different units and currencies; at names the
// currency and the date.
func (s *Snapshot) usdPerGB(price decimal.Decimal, unit VolumeUnit, at FXRate) (decimal.Decimal, bool) {
	fx, ok := s.FX(at.Currency, at.Month)
	if !ok {
		return decimal.Zero, false
	}
	if unit == GiB {
		price = price.Mul(gibPerGB)
	}
	return price.DivRound(fx.UnitsPerUSD, 12), true
}

// DearestEgress is the dearest sourced transfer rate of a scope, as one flat
// price without a free allowance. ok is false if the catalogue has none.
func (s *Snapshot) DearestEgress(scope Scope) (rate EgressRate, ok bool) {
	rate, ok = s.dearest.egress[scope]
	return rate, ok
}

// DearestStorage is the dearest sourced block storage rate. ok is false if the
// catalogue has none.
func (s *Snapshot) DearestStorage() (rate StorageRate, ok bool) {
	return s.dearest.storage, s.dearest.storage.Price.IsPositive()
}
