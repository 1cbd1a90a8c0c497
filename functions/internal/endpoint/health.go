package endpoint

import (
	"context"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// HealthPath is where the health check is.
const HealthPath = "/healthz"

// health says that the service answers, and from which catalogue.
func (h *Recommend) health(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	s := h.engine.Snapshot()
	out := schemas.Health{
		Status:         "ok",
		CatalogVersion: string(s.Version()),
		Offers:         len(s.Offers()),
		Providers:      len(s.ProviderIDs()),
	}
	if newest := newestPrice(s).String(); newest != "" {
		out.AsOf = &newest
	}
	if view := viewOf(ctx); view.Stale {
		seconds := int(view.Age.Seconds())
		out.Stale, out.StaleSeconds = true, &seconds
	}
	return apigw.JSON(out)
}

// newestPrice is the latest date of a price; unknown if none has one.
func newestPrice(s *catalog.Snapshot) catalog.Date {
	var newest catalog.Date
	for i := range s.Offers() {
		if at := s.Offers()[i].AsOf; newest.Before(at) {
			newest = at
		}
	}
	return newest
}
