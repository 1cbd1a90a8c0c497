package market

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// pair is what makes two prices comparable: all but the purchase model.
type pair struct {
	catalog.Place
	sku     catalog.SKU
	variant string
}

// DiscountsOf are the savings of every purchase model but on-demand, by class.
// Only GPU offers count.
func DiscountsOf(s *catalog.Snapshot) []Discounts {
	onDemand := make(map[pair]decimal.Decimal)
	all := prices(s)
	for _, p := range all {
		if p.offer.Market == catalog.OnDemand {
			onDemand[pairOf(p.offer)] = p.usd
		}
	}
	var found []Discounts
	for _, class := range classes() {
		for _, market := range catalog.PurchaseModels()[1:] {
			if shares := savings(all, onDemand, class, market); len(shares) > 0 {
				found = append(found, Discounts{
					Class: class, Market: market, Pairs: len(shares),
					Median: quantile(shares, 50), P10: quantile(shares, 10), P90: quantile(shares, 90),
				})
			}
		}
	}
	return found
}

// pairOf is what an offer is compared by.
func pairOf(o *catalog.Offer) pair { return pair{o.Place, o.SKU, o.Variant} }

// savings are the shares that a class's offers of one market save.
func savings(all []price, onDemand map[pair]decimal.Decimal, class catalog.ProviderClass, market catalog.PurchaseModel) []decimal.Decimal {
	var shares []decimal.Decimal
	for _, p := range all {
		full, ok := onDemand[pairOf(p.offer)]
		if !ok || p.class != class || p.offer.Market != market {
			continue
		}
		shares = append(shares, tco.Quotient{Num: full.Sub(p.usd), Den: full}.Round(4))
	}
	return slices.Clip(shares)
}
