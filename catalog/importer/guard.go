package importer

import (
	"fmt"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// fewestToJudge is how many offers of a provider there must be before their share
// says anything.
const fewestToJudge = 10

// checkBatch refuses a batch for what it is as a whole.
func (a *applier) checkBatch() *Refusal {
	switch tomorrow := a.today.Time().AddDate(0, 0, 1); {
	case !a.knows(a.batch.Provider):
		return &Refusal{a.batch.Provider, UnknownName, fmt.Sprintf("the catalogue has no provider %q", a.batch.Provider)}
	case a.batch.AsOf.Time().After(tomorrow):
		return &Refusal{a.batch.Provider, Undated, fmt.Sprintf("the prices are of %s, which is still to come", a.batch.AsOf)}
	case len(a.batch.Faults)*2 > a.batch.Read && !a.accepts(Garbled):
		return &Refusal{a.batch.Provider, Garbled, fmt.Sprintf("%d of %d rows can't be read, the first: %s", len(a.batch.Faults), a.batch.Read, a.batch.Faults[0].Error())}
	}
	return nil
}

// knows reports whether the catalogue has a provider.
func (a *applier) knows(id catalog.ProviderID) bool {
	_, ok := a.draft.base.Provider(id)
	return ok
}

// accepts reports whether a person overrules a guard.
func (a *applier) accepts(g Guard) bool { return slices.Contains(a.options.Accept, g) }

// guard refuses a provider's prices for what they are together.
func (a *applier) guard(found *checked) *Refusal {
	if !a.knows(found.provider) {
		return &Refusal{found.provider, UnknownName, fmt.Sprintf("the catalogue has no provider %q", found.provider)}
	}
	if len(found.taken) == 0 && !a.accepts(TooFew) {
		return &Refusal{found.provider, TooFew, fmt.Sprintf("none of %d rows can be taken, %d are held", a.batch.Read, len(a.report.Held))}
	}
	if found.compared >= fewestToJudge && found.moved*2 > found.compared && !a.accepts(Moved) {
		return &Refusal{found.provider, Moved, fmt.Sprintf("%d of %d prices moved by more than half: another unit or currency?", found.moved, found.compared)}
	}
	if a.accepts(Vanished) {
		return nil
	}
	before, gone := a.missing(found)
	if before < fewestToJudge || len(gone)*2 <= before {
		return nil
	}
	if changing(a.batch) && len(gone) < before {
		return nil
	}
	return &Refusal{found.provider, Vanished, fmt.Sprintf("%d of %d offers are gone", len(gone), before)}
}

// changing reports whether a source lists what is free at the moment: most of that
// may be other boxes a day later.
func changing(b *feed.Batch) bool { return b.OnePrice || marketplace(b) }

// marketplace reports whether a source lists boxes that are let once each.
func marketplace(b *feed.Batch) bool {
	return len(b.Rows) > 0 && b.Rows[0].Service == catalog.Marketplace
}

// missing are the offers that this feed gave before and lacks now, and how many it
// gave. An offer whose row is in quarantine is not missing, nor is a newer one. While
// rows can't be read nobody knows whose they are, so none is missing; but what is let
// box by box never stays for long, so more boxes than there are such rows are.
func (a *applier) missing(found *checked) (before int, gone []catalog.OfferID) {
	if a.batch.Partial || len(a.batch.Faults) > 0 && !marketplace(a.batch) {
		return 0, nil
	}
	there := make(map[catalog.OfferID]bool, len(found.taken))
	for i := range found.taken {
		there[found.taken[i].ID] = true
	}
	for id, o := range a.draft.offers {
		if o.Provider != found.provider || o.Source != found.source {
			continue
		}
		before++
		if !there[id] && !a.kept[id] && !a.batch.AsOf.Before(o.AsOf) {
			gone = append(gone, id)
		}
	}
	if len(gone) <= len(a.batch.Faults) {
		return before, nil
	}
	slices.Sort(gone)
	return before, gone
}
