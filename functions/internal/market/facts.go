package market

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Facts is the market of one GPU under one purchase model.
type Facts struct {
	GPU     catalog.GPUID
	Market  catalog.PurchaseModel
	Classes []ClassFacts // in the order hyperscaler, specialist, community; those with offers only
}

// ClassFacts is what one class of providers asks.
type ClassFacts struct {
	Class     catalog.ProviderClass
	Providers int // that the figures rest on
	Offers    int
	// Median is the median over providers of each provider's median price of one
	// GPU and hour in dollars, rounded half even to 10 decimals. A provider counts
	// once, however many offers it has.
	Median decimal.Decimal
	Lowest decimal.Decimal
	// ToHyperscaler is Median over the hyperscalers' median, to 4 decimals; not
	// valid if there is none.
	ToHyperscaler decimal.NullDecimal
}

// Discounts is what a purchase model saves against the on-demand price of the
// same SKU at the same place.
type Discounts struct {
	Class  catalog.ProviderClass
	Market catalog.PurchaseModel
	Pairs  int // SKUs at places that have both prices
	// Median, P10 and P90 are shares of the on-demand price: 0.7 is 70% off.
	Median, P10, P90 decimal.Decimal
}

// price is an offer's price of one whole GPU and hour in dollars.
type price struct {
	offer *catalog.Offer
	class catalog.ProviderClass
	usd   decimal.Decimal
}

// Classes are the facts of every GPU and purchase model, ordered by GPU and then
// by market. Fractions of GPUs, CPU-only offers and offers without a comparable
// price are left out.
func Classes(s *catalog.Snapshot) []Facts {
	type key struct {
		gpu    catalog.GPUID
		market catalog.PurchaseModel
	}
	grouped := make(map[key][]price)
	for _, p := range prices(s) {
		k := key{p.offer.GPU, p.offer.Market}
		grouped[k] = append(grouped[k], p)
	}
	facts := make([]Facts, 0, len(grouped))
	for k, group := range grouped {
		facts = append(facts, Facts{GPU: k.gpu, Market: k.market, Classes: byClass(group)})
	}
	slices.SortFunc(facts, func(a, b Facts) int {
		if by := strings.Compare(string(a.GPU), string(b.GPU)); by != 0 {
			return by
		}
		return slices.Index(catalog.PurchaseModels(), a.Market) - slices.Index(catalog.PurchaseModels(), b.Market)
	})
	return facts
}

// prices are all comparable prices of whole GPUs.
func prices(s *catalog.Snapshot) []price {
	var all []price
	converter, _ := tco.NewConverter(s, catalog.USD)
	for i := range s.Offers() {
		o := &s.Offers()[i]
		n, whole := o.WholeGPUs()
		rate, known := o.NodeRate()
		if !whole || !known || o.GPU == catalog.UnmappedGPU {
			continue
		}
		conversion, ok := converter.From(rate.Currency, o.AsOf)
		if !ok {
			continue
		}
		provider, _ := s.Provider(o.Provider)
		perGPU := conversion.Convert(tco.Quotient{Num: rate.Num, Den: rate.Den}).Over(tco.Count(n)).Round(tco.Places)
		all = append(all, price{o, provider.Class, perGPU})
	}
	return all
}

// classes is the order in which classes are shown.
func classes() []catalog.ProviderClass {
	return []catalog.ProviderClass{catalog.Hyperscaler, catalog.Specialist, catalog.Community}
}

// byClass sets the classes side by side.
func byClass(group []price) []ClassFacts {
	var facts []ClassFacts
	for _, class := range classes() {
		if f, ok := classFacts(class, group); ok {
			facts = append(facts, f)
		}
	}
	if len(facts) == 0 || facts[0].Class != catalog.Hyperscaler {
		return facts
	}
	base := facts[0].Median
	for i := range facts {
		facts[i].ToHyperscaler = decimal.NewNullDecimal(tco.Quotient{Num: facts[i].Median, Den: base}.Round(4))
	}
	return facts
}

// classFacts are the figures of one class; ok is false if it has no offers.
func classFacts(class catalog.ProviderClass, group []price) (f ClassFacts, ok bool) {
	f = ClassFacts{Class: class}
	perProvider := make(map[catalog.ProviderID][]decimal.Decimal)
	for _, p := range group {
		if p.class != class {
			continue
		}
		if f.Offers == 0 || p.usd.LessThan(f.Lowest) {
			f.Lowest = p.usd
		}
		f.Offers++
		perProvider[p.offer.Provider] = append(perProvider[p.offer.Provider], p.usd)
	}
	if f.Offers == 0 {
		return f, false
	}
	medians := make([]decimal.Decimal, 0, len(perProvider))
	for _, amounts := range perProvider {
		medians = append(medians, quantile(amounts, 50))
	}
	f.Providers, f.Median = len(medians), quantile(medians, 50)
	return f, true
}

// quantile is the pct-th percentile by linear interpolation between the two
// nearest ranks, exact and rounded half even to tco.Places.
func quantile(amounts []decimal.Decimal, pct int64) decimal.Decimal {
	slices.SortFunc(amounts, decimal.Decimal.Cmp)
	position := int64(len(amounts)-1) * pct
	low, rest := position/100, position%100
	if rest == 0 {
		return amounts[low]
	}
	step := amounts[low+1].Sub(amounts[low]).Mul(decimal.NewFromInt(rest))
	return tco.Exact(amounts[low].Mul(decimal.NewFromInt(100)).Add(step)).Over(decimal.NewFromInt(100)).Round(tco.Places)
}
