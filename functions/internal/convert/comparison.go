package convert

import (
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/market"
	"github.com/tierwise/tierwise/schemas"
)

// MarketFacts is the market of a snapshot by class of providers.
type MarketFacts struct {
	Classes   []market.Facts
	Discounts []market.Discounts
}

// Compare writes the part of the market that a valid query asks for, as of an
// instant. The error is a *schemas.ValidationError.
func (c *Catalogue) Compare(facts MarketFacts, wire schemas.ProvidersQuery, at time.Time) (schemas.ProvidersResponse, error) {
	r := &reader{snapshot: c.snapshot}
	if len(wire.Provider) > 0 {
		r.fail("/provider", "want it only without compare: a class is compared as a whole")
	}
	gpus, markets, classes := r.namedGPUs(wire.GPU), words[catalog.PurchaseModel](wire.PurchaseModel), words[catalog.ProviderClass](wire.ProviderClass)
	if err := r.refused(); err != nil {
		return schemas.ProvidersResponse{}, err
	}
	out := schemas.Comparison{Currency: string(catalog.USD), GPUs: []schemas.ComparedGPU{}, Discounts: []schemas.Discount{}}
	shown := make(map[stall]bool)
	for _, f := range facts.Classes {
		compared := comparedGPU(f, classes)
		if !asked(gpus, f.GPU) || !asked(markets, f.Market) || len(compared.Classes) == 0 {
			continue
		}
		shown[stall{f.GPU, f.Market}] = true
		out.GPUs = append(out.GPUs, compared)
	}
	for _, d := range facts.Discounts {
		if asked(markets, d.Market) && asked(classes, d.Class) {
			out.Discounts = append(out.Discounts, schemas.Discount{
				ProviderClass: string(d.Class), PurchaseModel: string(d.Market), Pairs: d.Pairs,
				Median: amount(d.Median), P10: amount(d.P10), P90: amount(d.P90),
			})
		}
	}
	return schemas.ProvidersResponse{
		Comparison:     &out,
		CatalogVersion: string(c.snapshot.Version()),
		AsOf:           c.oldestOf(shown),
		ComputedAt:     instant(at),
	}, nil
}

// asked reports whether a filter lets a value pass; an empty one lets all.
func asked[T comparable](filter []T, value T) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

// comparedGPU writes the classes that are asked for side by side.
func comparedGPU(f market.Facts, classes []catalog.ProviderClass) schemas.ComparedGPU {
	out := schemas.ComparedGPU{GPU: string(f.GPU), PurchaseModel: string(f.Market), Classes: []schemas.ComparedClass{}}
	for _, class := range f.Classes {
		if !asked(classes, class.Class) {
			continue
		}
		out.Classes = append(out.Classes, schemas.ComparedClass{
			ProviderClass: string(class.Class), Providers: class.Providers, Offers: class.Offers,
			MedianPricePerGPUHour: amount(class.Median), LowestPricePerGPUHour: amount(class.Lowest),
			ToHyperscaler: maybe(class.ToHyperscaler),
		})
	}
	return out
}

// stall is a GPU under a purchase model.
type stall struct {
	gpu    catalog.GPUID
	market catalog.PurchaseModel
}

// oldestOf is the date of the oldest price that the figures of some stalls rest on.
func (c *Catalogue) oldestOf(shown map[stall]bool) *string {
	var dates oldest
	for i := range c.snapshot.Offers() {
		o := &c.snapshot.Offers()[i]
		if _, whole := o.WholeGPUs(); whole && o.Price.Known() && shown[stall{o.GPU, o.Market}] {
			dates.add(o.AsOf)
		}
	}
	return dates.wire()
}
