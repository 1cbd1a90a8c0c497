package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// openLicence reports whether facts under a licence may be taken whole.
func openLicence(licence string) bool {
	return strings.HasPrefix(licence, "Apache-2.0") || strings.HasPrefix(licence, "CC-BY") ||
		licence == "MIT" || strings.HasPrefix(licence, "MIT ")
}

// chosen applies the rules that look at more than one row, in this order: spot
// not below on-demand, single facts from closed sources, one row per id.
func chosen(offers []offer, r *report) []offer {
	before := len(offers)
	offers = dropDearSpot(offers)
	r.out["spot not below on-demand"] += before - len(offers)

	before = len(offers)
	offers = quoteClosed(offers)
	r.out["licence: source without a stated one, provider has others or is quoted once"] += before - len(offers)

	before = len(offers)
	offers = onePerID(offers)
	r.out["the same offer from a better source, or twice at different prices"] += before - len(offers)
	return offers
}

// rented is what a spot and an on-demand offer of the same thing share.
type rented struct {
	catalog.Place
	sku, variant string
}

// dropDearSpot leaves out spot offers that cost as much as on-demand or more.
func dropDearSpot(offers []offer) []offer {
	onDemand := make(map[rented]offer)
	for _, o := range offers {
		key := rented{o.Place, o.sku, o.variant}
		if have, ok := onDemand[key]; o.market == catalog.OnDemand && (!ok || better(o, have) < 0) {
			onDemand[key] = o
		}
	}
	return slices.DeleteFunc(offers, func(o offer) bool {
		list, ok := onDemand[rented{o.Place, o.sku, o.variant}]
		return ok && o.market == catalog.Spot && costsAtLeast(o, list)
	})
}

// costsAtLeast reports whether a costs as much per hour as b or more; false if
// the two can't be compared.
func costsAtLeast(a, b offer) bool {
	ra, okA := a.perHour()
	rb, okB := b.perHour()
	return okA && okB && ra.Currency == rb.Currency && ra.Num.Mul(rb.Den).GreaterThanOrEqual(rb.Num.Mul(ra.Den))
}

// perHour is the hourly price of the priced unit.
func (o *offer) perHour() (catalog.Rate, bool) {
	amount, err := decimal.NewFromString(o.amount)
	if err != nil {
		return catalog.Rate{}, false
	}
	gpus, err := decimal.NewFromString(o.gpus)
	return catalog.NewPrice(amount, o.basis, catalog.Currency(o.currency)).
		PerHour(decimal.NullDecimal{Decimal: gpus, Valid: err == nil})
}

// quotable is what one closed fact may be quoted for.
type quotable struct {
	provider catalog.ProviderID
	gpu      string
	market   catalog.PurchaseModel
}

// quoteClosed keeps all offers under an open licence, and of a provider that has
// none of those one per GPU and market: the newest, then the one of fewest GPUs,
// then the first by region and SKU.
func quoteClosed(offers []offer) []offer {
	open := make(map[catalog.ProviderID]bool)
	for _, o := range offers {
		open[o.Provider] = open[o.Provider] || openLicence(o.source.licence)
	}
	quoted := make(map[quotable]offer)
	for _, o := range offers {
		key := o.quotable()
		if have, ok := quoted[key]; !open[o.Provider] && (!ok || quotedFirst(o, have) < 0) {
			quoted[key] = o
		}
	}
	return slices.DeleteFunc(offers, func(o offer) bool {
		if open[o.Provider] {
			return !openLicence(o.source.licence)
		}
		first := quoted[o.quotable()]
		return first.row.line != o.row.line || first.row.file != o.row.file
	})
}

// quotable is what the offer would be quoted for.
func (o *offer) quotable() quotable { return quotable{o.Provider, o.gpu + o.gpuName, o.market} }

// quotedFirst orders the closed facts that could be quoted for one thing.
func quotedFirst(a, b offer) int {
	return cmp.Or(
		b.asOf.Time().Compare(a.asOf.Time()),
		fewerGPUs(a, b),
		strings.Compare(string(a.Region), string(b.Region)),
		strings.Compare(a.sku, b.sku),
		strings.Compare(a.amount, b.amount),
	)
}

// fewerGPUs orders by the number of GPUs; an unknown one comes last.
func fewerGPUs(a, b offer) int {
	na, errA := decimal.NewFromString(a.gpus)
	nb, errB := decimal.NewFromString(b.gpus)
	return cmp.Or(compareBool(errA != nil, errB != nil), na.Cmp(nb))
}

// onePerID keeps the best of several rows about one offer. Rows that are equally
// good and differ in price contradict each other: none of them is kept.
func onePerID(offers []offer) []offer {
	slices.SortStableFunc(offers, func(a, b offer) int {
		return cmp.Or(strings.Compare(string(a.id), string(b.id)), better(a, b))
	})
	var kept []offer
	for i := 0; i < len(offers); {
		end := i + 1
		for end < len(offers) && offers[end].id == offers[i].id {
			end++
		}
		if !contradicted(offers[i:end]) {
			kept = append(kept, offers[i])
		}
		i = end
	}
	return kept
}

// contradicted reports whether a row as good as the first has another price.
func contradicted(same []offer) bool {
	first := same[0]
	for _, o := range same[1:] {
		if better(first, o) == 0 && !(costsAtLeast(o, first) && costsAtLeast(first, o)) {
			return true
		}
	}
	return false
}

// better orders rows about one offer by how much they are to be trusted: open
// licence, then the newer date, then the quality that the source is given, then
// the source's name.
func better(a, b offer) int {
	return cmp.Or(
		compareBool(openLicence(b.source.licence), openLicence(a.source.licence)),
		b.asOf.Time().Compare(a.asOf.Time()),
		strings.Compare(a.row.get("source_quality"), b.row.get("source_quality")),
		strings.Compare(a.source.text, b.source.text),
	)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
