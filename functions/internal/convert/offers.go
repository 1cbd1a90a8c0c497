package convert

import (
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// Offers writes a page of offers as of an instant.
func (c *Catalogue) Offers(l Listing, page catalog.Page, at time.Time) (schemas.OffersResponse, error) {
	out := schemas.OffersResponse{
		Offers:          make([]schemas.Offer, 0, len(page.Offers)),
		Total:           page.Total,
		Sort:            string(l.Query.Sort),
		GPUs:            append([]string{}, l.gpus...),
		RegionsSearched: page.PlacesSearched,
		RegionsHidden:   make([]schemas.HiddenRegions, 0, len(page.Hidden)),
		StaleProviders:  c.staleAmong(page.Offers, at),
		CatalogVersion:  string(c.snapshot.Version()),
		ComputedAt:      instant(at),
	}
	var dates oldest
	for _, o := range page.Offers {
		out.Offers = append(out.Offers, c.offer(o, at))
		dates.add(o.AsOf)
	}
	out.AsOf = dates.wire()
	for _, h := range page.Hidden {
		out.RegionsHidden = append(out.RegionsHidden, schemas.HiddenRegions{Why: string(h.Why), Regions: h.Places})
	}
	next := l.Skip + len(page.Offers)
	if len(page.Offers) == 0 || next >= page.Total {
		return out, nil
	}
	cursor, err := encodeCursor(c.snapshot.Version(), l.Query, next)
	out.NextCursor = &cursor
	return out, err
}

// staleAmong are the providers of offers whose newest price is stale or has no date.
func (c *Catalogue) staleAmong(offers []*catalog.Offer, at time.Time) []string {
	stale := []string{}
	for _, o := range offers {
		days, dated := c.listings[o.Provider].newest.AgeDays(at)
		if !dated || days > engine.OldPriceDays {
			stale = append(stale, string(o.Provider))
		}
	}
	slices.Sort(stale)
	return slices.Compact(stale)
}

// Offer writes one offer as of an instant.
func (c *Catalogue) Offer(o *catalog.Offer, at time.Time) schemas.OfferResponse {
	return schemas.OfferResponse{
		Offer:          c.offer(o, at),
		CatalogVersion: string(c.snapshot.Version()),
		AsOf:           known(o.AsOf.String()),
		ComputedAt:     instant(at),
	}
}

// Points are what the snapshot knows of an offer's prices: the earlier ones, and the
// one it has. It may know those of an offer that is listed no longer.
func (c *Catalogue) Points(id catalog.OfferID) []catalog.PricePoint {
	points := slices.Clone(c.snapshot.History(id))
	if o, listed := c.snapshot.Offer(id); listed && o.Price.Known() {
		points = append(points, catalog.PricePoint{Offer: id, AsOf: o.AsOf, Price: o.Price, Source: o.Source})
	}
	return points
}

// History writes the prices of an offer, oldest first; those of unknown date come
// before all others.
func (c *Catalogue) History(id catalog.OfferID, points []catalog.PricePoint, at time.Time) schemas.HistoryResponse {
	out := schemas.HistoryResponse{
		OfferID:        string(id),
		History:        make([]schemas.PricePoint, 0, len(points)),
		CatalogVersion: string(c.snapshot.Version()),
		ComputedAt:     instant(at),
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b catalog.PricePoint) int { return a.AsOf.Time().Compare(b.AsOf.Time()) })
	var dates oldest
	for _, p := range sorted {
		dates.add(p.AsOf)
		out.History = append(out.History, schemas.PricePoint{
			AsOf: known(p.AsOf.String()), Price: maybe(p.Price.Amount),
			Currency: string(p.Price.Currency), Basis: string(p.Price.Basis), Source: p.Source,
		})
	}
	out.AsOf = dates.wire()
	return out
}
