package importer

import (
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// merge brings a provider's offers into the draft: newer ones replace older ones,
// what the feed no longer lists goes, and so do offers of other sources that it
// states more exactly.
func (a *applier) merge(found *checked) {
	_, gone := a.missing(found)
	a.report.Offers += len(found.taken)
	for i := range found.taken {
		a.take(&found.taken[i].Offer)
	}
	for _, id := range found.dearSpot {
		if o, ok := a.draft.offers[id]; ok && !a.batch.AsOf.Before(o.AsOf) {
			a.report.Gone++
			a.draft.remove(id, a.batch.AsOf)
		}
	}
	for _, id := range gone {
		before, there := a.draft.offers[id]
		if !there {
			continue
		}
		if o, ok := a.soldOut(before, found); ok {
			a.take(&o)
			continue
		}
		a.report.Gone++
		a.draft.remove(id, a.batch.AsOf)
	}
	if a.batch.Partial {
		return
	}
	for _, id := range a.superseded(found) {
		a.report.Superseded++
		a.draft.remove(id, a.batch.AsOf)
	}
}

// take sets an offer unless the catalogue knows a newer price of it, or the same
// already.
func (a *applier) take(o *catalog.Offer) {
	before, had := a.draft.offers[o.ID]
	if !had {
		a.report.New++
		a.draft.set(o)
		return
	}
	ofOther := before.Source != o.Source
	switch {
	case o.AsOf.Before(before.AsOf), ofOther && !before.AsOf.Before(o.AsOf) && !a.batch.Direct:
		a.report.Older++
		return
	case !samePrice(o.Price, before.Price):
		a.countPrice(o, before)
	case !sameFacts(o, before):
		a.report.Facts++
	case before.AsOf.Before(o.AsOf):
		a.report.Redated++
	case !ofOther:
		a.report.Same++
		return
	default:
		a.report.Redated++
	}
	a.draft.set(o)
}

// countPrice counts a price that changed.
func (a *applier) countPrice(o, before *catalog.Offer) {
	switch {
	case !o.Price.Known() || !before.Price.Known():
		a.report.Facts++
	case a.below(o, before, one()):
		a.report.Cheaper++
	default:
		a.report.Dearer++
	}
}

// soldOut is an offer in a region that a feed of one price for all regions lists no
// longer: it costs what it costs elsewhere, and there is none.
func (a *applier) soldOut(before *catalog.Offer, found *checked) (catalog.Offer, bool) {
	o := *before
	if !a.batch.OnePrice || o.Region == feed.Anywhere {
		return o, false
	}
	i := slices.IndexFunc(found.taken, func(c *candidate) bool {
		return c.SKU == o.SKU && c.Variant == o.Variant && c.Market == o.Market
	})
	if i < 0 {
		return o, false
	}
	o.Instance, o.Price, o.AsOf, o.Flags = found.taken[i].Instance, found.taken[i].Price, found.taken[i].AsOf, found.taken[i].Flags
	o.Availability = catalog.NoneAvailable
	return o, true
}

// product is what an offer of "somewhere at this provider" is about.
type product struct {
	market catalog.PurchaseModel
	family string
	memory float64
}

// productOf is the product of an offer; ok is false if its GPU is unknown.
func (a *applier) productOf(o *catalog.Offer) (p product, ok bool) {
	g, ok := a.draft.base.GPU(o.GPU)
	return product{o.Market, g.Family, g.MemoryGB}, ok
}

// superseded are older offers of other sources that stand for the provider at
// large: its own regions and instance types are known now for the same GPU and
// market. Where the provider itself says "anywhere", it says so of what it names.
func (a *applier) superseded(found *checked) []catalog.OfferID {
	products := make(map[product]bool)
	regions := make(map[catalog.RegionID]bool)
	for i := range found.taken {
		c := found.taken[i]
		if p, ok := a.productOf(&c.Offer); ok && c.Price.Known() {
			products[p] = true
		}
		regions[c.Region] = !a.batch.Direct || c.Region != feed.Anywhere
	}
	var ids []catalog.OfferID
	for id, o := range a.draft.offers {
		if o.Provider != found.provider || o.Source == found.source || o.Service == catalog.Serverless || regions[o.Region] {
			continue
		}
		p, ok := a.productOf(o)
		if ok && products[p] && a.atLarge(o.Place) && o.AsOf.Before(a.batch.AsOf) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// atLarge reports whether a place is no region of its provider's but a word for
// any of them: "global".
func (a *applier) atLarge(p catalog.Place) bool {
	r, ok := a.draft.base.Region(p)
	return ok && !r.Located() && r.Precision != catalog.LargeCountryCapital
}
