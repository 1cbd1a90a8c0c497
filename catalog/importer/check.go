package importer

import (
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// checked is what a provider's rows come to.
type checked struct {
	provider catalog.ProviderID
	source   string
	taken    []*candidate
	dearSpot []catalog.OfferID // spot offers that are none any more

	compared, moved int // offers with a price before of this feed; those whose price moved a lot
}

// The bounds of the checks of single prices. List prices of one SKU differ by less
// than a factor of two between regions, with few exceptions; a price per GPU read as
// one per instance, or cents as dollars, is off by more.
const (
	mostDrop       = 5 // a price below a fifth of the one before
	mostOff        = 3 // times, or a third of, the median of the SKU's regions
	fewestRegions  = 4
	movedALot      = 3 // halves: one and a half times, or less than two thirds
	movedALotParts = 2
)

// check tests each candidate and takes those that pass.
func (a *applier) check(all []*candidate) checked {
	lists := onDemandPrices(all)
	suspects := suspicious(all)
	var found checked
	for _, c := range all {
		before, had := a.draft.offers[c.ID]
		if had {
			a.countMove(&found, c, before)
		}
		switch n, bad := a.verdict(c, lists, suspects[c.ID]); {
		case !bad, !a.refuses(c, n):
			a.accept(&found, c)
		case n.reason == catalog.SpotNotCheaper:
			found.dearSpot = append(found.dearSpot, c.ID)
		}
	}
	return found
}

// accept takes a candidate, marked for what a reader should know.
func (a *applier) accept(found *checked, c *candidate) {
	if !c.Price.Known() {
		c.flag(flagPriceUnknown)
		a.notes(c, note{catalog.PriceMissing, fmt.Sprintf("the source gives the price %q: the offer is listed without one", c.stated)})
	}
	for _, n := range c.notes {
		a.notes(c, n)
	}
	found.taken = append(found.taken, c)
}

// verdict is what speaks against taking a candidate, if anything does.
func (a *applier) verdict(c *candidate, lists map[listed]*candidate, suspect note) (n note, bad bool) {
	before, had := a.draft.offers[c.ID]
	had = had && before.Price.Known()
	switch {
	case !c.Price.Known() && had:
		return note{catalog.PriceMissing, fmt.Sprintf("the source gives the price %q where it was %s on %s", c.stated, shown(before), before.AsOf)}, true
	case !c.Price.Known():
		return note{}, false
	case c.Market == catalog.Spot:
		list, ok := a.listPrice(c, lists)
		if ok && !a.below(&c.Offer, list, one()) {
			return note{catalog.SpotNotCheaper, fmt.Sprintf("spot at %s where on-demand is %s", shown(&c.Offer), shown(list))}, true
		}
	}
	if had && a.below(&c.Offer, before, decimal.NewFromInt(mostDrop)) {
		return note{catalog.PriceDrop, fmt.Sprintf("%s where it was %s on %s: a drop of more than 80%%", shown(&c.Offer), shown(before), before.AsOf)}, true
	}
	return suspect, suspect.reason != ""
}

// one is a factor that changes nothing.
func one() decimal.Decimal { return decimal.NewFromInt(1) }

// listed is what an on-demand and a spot offer of one thing share.
type listed struct {
	catalog.Place
	sku     catalog.SKU
	variant string
}

// onDemandPrices are the candidates with an on-demand price.
func onDemandPrices(all []*candidate) map[listed]*candidate {
	lists := make(map[listed]*candidate)
	for _, c := range all {
		if c.Market == catalog.OnDemand && c.Price.Known() {
			lists[listed{c.Place, c.SKU, c.Variant}] = c
		}
	}
	return lists
}

// listPrice is the on-demand offer that a spot offer is held against: one of the
// same import, else the catalogue's, if that stays. A variant that is sold as spot
// alone ("low-priority") is held against the SKU itself.
func (a *applier) listPrice(c *candidate, lists map[listed]*candidate) (*catalog.Offer, bool) {
	for _, variant := range []string{c.Variant, ""} {
		if list, ok := lists[listed{c.Place, c.SKU, variant}]; ok {
			return &list.Offer, true
		}
		o, ok := a.draft.offers[catalog.NewOfferID(c.Place, c.SKU, variant, catalog.OnDemand)]
		if ok && o.Price.Known() && (o.Source != c.Source || a.kept[o.ID] || a.batch.Partial) {
			return o, true
		}
	}
	return nil, false
}

// below reports whether a times the factor costs less than b. It is false if the
// two can't be compared.
func (a *applier) below(x, y *catalog.Offer, times decimal.Decimal) bool {
	p, q, ok := a.comparable(x, y)
	return ok && compareRates(catalog.Rate{Num: p.Num.Mul(times), Den: p.Den}, q) < 0
}

// compareRates compares rates of one currency. Most have the same denominator.
func compareRates(p, q catalog.Rate) int {
	if p.Den.Equal(q.Den) {
		return p.Num.Cmp(q.Num)
	}
	return p.Num.Mul(q.Den).Cmp(q.Num.Mul(p.Den))
}

// comparable are the hourly prices of two offers in one currency.
func (a *applier) comparable(x, y *catalog.Offer) (p, q catalog.Rate, ok bool) {
	p, okP := x.NodeRate()
	q, okQ := y.NodeRate()
	if !okP || !okQ {
		return p, q, false
	}
	if p.Currency == q.Currency {
		return p, q, true
	}
	fxP, okP := a.draft.base.FX(p.Currency, x.AsOf)
	fxQ, okQ := a.draft.base.FX(q.Currency, y.AsOf)
	p.Den, q.Den = p.Den.Mul(fxP.UnitsPerUSD), q.Den.Mul(fxQ.UnitsPerUSD)
	return p, q, okP && okQ
}

// countMove counts a price that this feed gave before, and whether it moved a lot.
// Spot prices do all the time.
func (a *applier) countMove(found *checked, c *candidate, before *catalog.Offer) {
	p, q, ok := a.comparable(&c.Offer, before)
	if !ok || c.Market == catalog.Spot || before.Source != c.Source {
		return
	}
	found.compared++
	now, was := p.Num.Mul(q.Den), q.Num.Mul(p.Den)
	more, parts := decimal.NewFromInt(movedALot), decimal.NewFromInt(movedALotParts)
	if now.Mul(parts).GreaterThan(was.Mul(more)) || was.Mul(parts).GreaterThan(now.Mul(more)) {
		found.moved++
	}
}

// suspicious are the candidates that contradict others of the same import.
func suspicious(all []*candidate) map[catalog.OfferID]note {
	suspects := make(map[catalog.OfferID]note)
	for _, group := range groups(all, sizesOf) {
		fallsWithGPUs(group, suspects)
	}
	for _, group := range groups(all, regionsOf) {
		offRegions(group, suspects)
	}
	return suspects
}

// groups are the priced candidates of a key; those whose key is "" are left out.
func groups(all []*candidate, key func(*candidate) string) map[string][]*candidate {
	found := make(map[string][]*candidate)
	for _, c := range all {
		if !c.Price.Known() || c.Service == catalog.Marketplace {
			continue
		}
		if k := key(c); k != "" {
			found[k] = append(found[k], c)
		}
	}
	return found
}

// rated is a candidate with its hourly price.
type rated struct {
	*candidate
	catalog.Rate
}

// rate are the candidates that have an hourly price, the cheapest first. They have
// one currency.
func rate(group []*candidate) []rated {
	var all []rated
	for _, c := range group {
		if r, ok := c.NodeRate(); ok {
			all = append(all, rated{c, r})
		}
	}
	slices.SortStableFunc(all, func(a, b rated) int { return compareRates(a.Rate, b.Rate) })
	return all
}
