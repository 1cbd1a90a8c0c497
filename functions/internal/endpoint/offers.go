package endpoint

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/market"
	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/schemas"
)

// Where the catalogue itself is. The query parameter computed_at, an instant in RFC
// 3339, replays an answer.
const (
	OffersPath    = "/v1/offers"
	OfferPath     = "/v1/offers/{id}"
	HistoryPath   = "/v1/offers/{id}/history"
	GPUsPath      = "/v1/gpus"
	ProvidersPath = "/v1/providers"
)

// Catalogue answers questions about one snapshot of the catalogue. It never changes
// after NewCatalogue.
type Catalogue struct {
	snapshot *catalog.Snapshot
	wire     *convert.Catalogue
	facts    func() convert.MarketFacts // worked out when they are first asked for
	now      func() time.Time
}

// NewCatalogue makes the handlers. now is the clock that answers are dated with.
func NewCatalogue(s *catalog.Snapshot, now func() time.Time) *Catalogue {
	facts := sync.OnceValue(func() convert.MarketFacts {
		return convert.MarketFacts{Classes: market.Classes(s), Discounts: market.DiscountsOf(s)}
	})
	return &Catalogue{snapshot: s, wire: convert.NewCatalogue(s), facts: facts, now: now}
}

// Routes are the routes of offers, GPUs and providers.
func (h *Catalogue) Routes() []apigw.Route {
	return []apigw.Route{
		{Method: http.MethodGet, Path: OffersPath, Handler: h.offers},
		{Method: http.MethodGet, Path: OfferPath, Handler: h.offer},
		{Method: http.MethodGet, Path: HistoryPath, Handler: h.history},
		{Method: http.MethodGet, Path: GPUsPath, Handler: h.gpus},
		{Method: http.MethodGet, Path: ProvidersPath, Handler: h.providers},
	}
}

// offers answers a page of the offers that a query selects.
func (h *Catalogue) offers(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	var asked schemas.OffersQuery
	if err := r.DecodeQuery(schemas.OffersQuerySchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	at, err := instant(h.now, asked.ComputedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	listing, err := h.wire.OffersQuery(asked)
	if err != nil {
		return apigw.Response{}, r.Blame(err)
	}
	page := h.snapshot.Query(listing.Query, listing.Skip, listing.Limit)
	response, err := h.wire.Offers(listing, page, at)
	if err != nil {
		return apigw.Response{}, err
	}
	_, response.Stale = Stale(ctx)
	if page.Total == 0 {
		response.Reason = h.whyNone(listing.Query)
	}
	return apigw.JSON(response)
}

// whyNone says why a query finds nothing: whether anything is known of its GPUs and
// purchase models at all.
func (h *Catalogue) whyNone(q catalog.Query) *string {
	reason := "filtered"
	if h.snapshot.Query(catalog.Query{GPUs: q.GPUs, Markets: q.Markets}, 0, 1).Total == 0 {
		reason = "no_data"
	}
	return &reason
}

// offer answers one offer by its id.
func (h *Catalogue) offer(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	offer, at, err := h.named(r)
	if err != nil {
		return apigw.Response{}, err
	}
	response := h.wire.Offer(&offer, at)
	_, response.Stale = Stale(ctx)
	return apigw.JSON(response)
}

// history answers the prices that an offer is known to have had, be it listed still
// or not.
func (h *Catalogue) history(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	at, err := h.dated(r)
	if err != nil {
		return apigw.Response{}, err
	}
	id := catalog.OfferID(r.Values["id"])
	points := h.wire.Points(id)
	if _, listed := h.snapshot.Offer(id); !listed && len(points) == 0 {
		return apigw.Response{}, h.unknownOffer(r.Values["id"])
	}
	response := h.wire.History(id, points, at)
	_, response.Stale = Stale(ctx)
	return apigw.JSON(response)
}

// named is the offer that the path names, and the instant to answer for.
func (h *Catalogue) named(r *apigw.Request) (catalog.Offer, time.Time, error) {
	at, err := h.dated(r)
	if err != nil {
		return catalog.Offer{}, time.Time{}, err
	}
	offer, ok := h.snapshot.Offer(catalog.OfferID(r.Values["id"]))
	if !ok {
		return catalog.Offer{}, time.Time{}, h.unknownOffer(r.Values["id"])
	}
	return offer, at, nil
}

// dated is the instant to answer for, which is all that such a request may carry.
func (h *Catalogue) dated(r *apigw.Request) (time.Time, error) {
	parameters, err := r.Parameters("computed_at")
	if err != nil {
		return time.Time{}, err
	}
	return instantIn(parameters, h.now)
}

// longestID is the longest id that near matches are looked for.
const longestID = 200

// unknownOffer is the error of an id that no offer has. Near it are offers of the
// same provider and region.
func (h *Catalogue) unknownOffer(id string) error {
	missing := apigw.NotFoundError{What: "no offer has the id " + schemas.Quoted(id)}
	parts := strings.SplitN(strings.ToLower(id), ".", 3)
	if len(parts) < 3 || len(id) > longestID {
		return missing
	}
	place := parts[0] + "." + parts[1] + "."
	all := h.snapshot.Offers()
	from, _ := slices.BinarySearchFunc(all, place, func(o catalog.Offer, start string) int { return strings.Compare(string(o.ID), start) })
	var siblings []string
	for i := from; i < len(all) && strings.HasPrefix(string(all[i].ID), place); i++ {
		siblings = append(siblings, string(all[i].ID))
	}
	missing.Near = near.Names(id, siblings)
	return missing
}
