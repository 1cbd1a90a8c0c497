package importer

import (
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// month is a currency's month.
type month struct {
	currency catalog.Currency
	of       catalog.Date
}

// applyRates brings rates of exchange into the draft, each in place of an earlier
// one of its month. A rate that is far off the currency's latest is refused.
func (a *applier) applyRates() {
	if len(a.batch.Rates) == 0 {
		return
	}
	at := make(map[month]int)
	rates := slices.Clone(a.draft.parts.FX)
	for i, r := range rates {
		at[month{r.Currency, r.Month}] = i
	}
	for _, r := range a.batch.Rates {
		latest, known := a.draft.base.FX(r.Currency, r.Month)
		if known && a.farOff(r, latest) {
			a.report.Refused = append(a.report.Refused, Refusal{Guard: Moved, Detail: fmt.Sprintf("%s %s a dollar in %s where it was %s in %s", r.UnitsPerUSD, r.Currency, r.Month, latest.UnitsPerUSD, latest.Month)})
			continue
		}
		a.report.Offers++
		i, had := at[month{r.Currency, r.Month}]
		switch {
		case !had:
			rates = append(rates, r)
		case rates[i].UnitsPerUSD.Equal(r.UnitsPerUSD) && rates[i].Source == r.Source:
			a.report.Same++
			continue
		default:
			rates[i] = r
		}
		a.report.Facts++
		a.draft.facts = append(a.draft.facts, fmt.Sprintf("%s %s %s %q", r.Currency, r.Month, r.UnitsPerUSD, r.Source))
	}
	a.draft.parts.FX = rates
}

// farOff reports whether a rate is off another by more than half.
func (a *applier) farOff(r, from catalog.FXRate) bool {
	two, three := decimal.NewFromInt(movedALotParts), decimal.NewFromInt(movedALot)
	return !a.accepts(Moved) &&
		(r.UnitsPerUSD.Mul(two).GreaterThan(from.UnitsPerUSD.Mul(three)) || from.UnitsPerUSD.Mul(two).GreaterThan(r.UnitsPerUSD.Mul(three)))
}

// bandAt is what an interruption band is about.
type bandAt struct {
	catalog.Place
	sku catalog.SKU
}

// applyBands brings interruption bands into the draft, each in place of an older
// one, and joins them to the spot offers that they are about.
func (a *applier) applyBands() {
	if len(a.batch.Bands) == 0 {
		return
	}
	bands := slices.Clone(a.draft.parts.Bands)
	at := make(map[bandAt]int, len(bands))
	for i, b := range bands {
		at[bandAt{b.Place, b.SKU}] = i
	}
	for _, b := range a.batch.Bands {
		i, had := at[bandAt{b.Place, b.SKU}]
		switch {
		case !had:
			at[bandAt{b.Place, b.SKU}] = len(bands)
			bands = append(bands, b)
		case sameBand(bands[i].Band, b.Band), bands[i].Band != nil && b.Band.AsOf.Before(bands[i].Band.AsOf):
			a.report.Same++
			continue
		default:
			bands[i].Band = b.Band
		}
		a.report.Facts++
		a.draft.facts = append(a.draft.facts, fmt.Sprintf("%s %q %s %s %s %q", b.Place, b.SKU, b.Band.Low.Decimal, b.Band.High.Decimal, b.Band.AsOf, b.Band.Source))
		a.joinBand(b)
	}
	a.report.Offers += len(a.batch.Bands)
	a.draft.parts.Bands = bands
}

// joinBand joins a band to the spot offer that it is about. It is no change of the
// offer's price or date.
func (a *applier) joinBand(b catalog.SKUBand) {
	a.draft.bands[bandAt{b.Place, b.SKU}] = b.Band
	id := catalog.NewOfferID(b.Place, b.SKU, "", catalog.Spot)
	if o, ok := a.draft.offers[id]; ok {
		joined := *o
		joined.Interruption = b.Band
		a.draft.offers[id] = &joined
	}
}
