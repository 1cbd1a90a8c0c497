package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Options are what a person can tell an import; the zero value is what a schedule
// wants.
type Options struct {
	// Accept names guards that do not refuse.
	Accept []Guard
	// Try reports what an import would do and does nothing.
	Try bool
	// Rebase publishes the baseline of this program, with all that feeds gave, even if
	// no feed brings anything new.
	Rebase bool
}

// applier applies a batch to a draft.
type applier struct {
	draft    *draft
	batch    *feed.Batch
	report   *Report
	options  Options
	today    catalog.Date
	released map[catalog.HeldID]bool
	kept     map[catalog.OfferID]bool // offers whose row is in quarantine: what was there stays
}

// apply brings a batch into the draft. Each provider that it is about is taken or
// refused on its own.
func (a *applier) apply() {
	a.report.Read, a.report.Skipped, a.report.AsOf = a.batch.Read, a.batch.Skipped, a.batch.AsOf
	for _, f := range a.batch.Faults {
		a.hold(catalog.Held{Row: f.Row, Column: f.Column, Reason: catalog.Unreadable, Detail: f.Error()})
	}
	a.applyRates()
	a.applyBands()
	if a.batch.Provider == "" {
		return
	}
	if refusal := a.checkBatch(); refusal != nil {
		a.report.Refused = append(a.report.Refused, *refusal)
		return
	}
	byProvider := a.normalise()
	for _, provider := range slices.Sorted(maps.Keys(byProvider)) {
		a.provider(provider, byProvider[provider])
	}
}

// normalise turns the rows into offers, by provider, each offer once, in the order of
// their ids. The batch's own provider is there even if it has none.
func (a *applier) normalise() map[catalog.ProviderID][]*candidate {
	n := newNormaliser(a.draft, a.batch)
	found := map[catalog.ProviderID][]*candidate{a.batch.Provider: nil}
	named := a.named()
	for start := 0; start < len(named); {
		var same []*candidate
		at := start
		for ; at < len(named) && named[at].id == named[start].id; at++ {
			c, ok := n.candidate(&a.batch.Rows[named[at].row], named[at].id)
			if ok {
				same = append(same, c)
				continue
			}
			a.refuses(c, note{catalog.HardwareUnknown, fmt.Sprintf("neither the source nor the catalogue says what hardware %q is", c.SKU)})
		}
		start = at
		if c, ok := a.settle(same); ok {
			found[c.Provider] = append(found[c.Provider], c)
		}
	}
	return found
}

// named is a row with the id of its offer.
type named struct {
	id  catalog.OfferID
	row int
}

// named are the rows by the ids of their offers, those of one as they stand.
func (a *applier) named() []named {
	all := make([]named, len(a.batch.Rows))
	for i := range all {
		r := &a.batch.Rows[i]
		all[i] = named{catalog.NewOfferID(r.Place, r.SKU, r.Variant, r.Market), i}
	}
	slices.SortStableFunc(all, func(x, y named) int { return cmp.Compare(x.id, y.id) })
	return all
}

// provider brings the offers of one provider into the draft, or refuses them.
func (a *applier) provider(id catalog.ProviderID, all []*candidate) {
	mark := len(a.report.Held)
	found := a.check(all)
	found.provider, found.source = id, sourcePrefix+a.batch.Source.Source
	if refusal := a.guard(&found); refusal != nil {
		a.report.Refused = append(a.report.Refused, *refusal)
		a.report.Held = append(a.report.Held[:mark], slices.DeleteFunc(a.report.Held[mark:], func(h catalog.Held) bool { return h.Noted })...)
		return
	}
	a.merge(&found)
}

// settle makes one candidate of several rows of an offer: the cheapest zone stands
// for its region, and the cheapest box of a marketplace for all like it. Otherwise
// rows that differ in price contradict each other, and none can be taken.
func (a *applier) settle(rows []*candidate) (*candidate, bool) {
	switch len(rows) {
	case 0:
		return nil, false
	case 1:
		return rows[0], true
	}
	best, differ := rows[0], false
	zones := map[string]*candidate{best.zone: best}
	for _, c := range rows[1:] {
		have, again := zones[c.zone]
		if again && !samePrice(have.Price, c.Price) && c.Service != catalog.Marketplace {
			if a.refuses(c, note{catalog.Conflict, fmt.Sprintf("row %d says %s, row %d says %s", have.row, shown(&have.Offer), c.row, shown(&c.Offer))}) {
				return c, false
			}
			return c, true
		}
		zones[c.zone] = c
		differ = differ || !samePrice(c.Price, best.Price)
		if cheaper(&c.Offer, &best.Offer) {
			best = c
		}
	}
	if differ && best.Service != catalog.Marketplace {
		best.flag(flagZone)
	}
	return best, true
}

// cheaper reports whether a is the cheaper of two prices of one offer; an unknown
// price is dearer than any.
func cheaper(a, b *catalog.Offer) bool {
	if !a.Price.Known() || !b.Price.Known() {
		return a.Price.Known() && !b.Price.Known()
	}
	return a.Price.Amount.Decimal.LessThan(b.Price.Amount.Decimal)
}
