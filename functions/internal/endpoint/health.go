package endpoint

import (
	"context"
	"net/http"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// HealthPath is where the health check is.
const HealthPath = "/healthz"

// Health is the route of the health check: that the service answers, and from which
// catalogue.
func Health(s *catalog.Snapshot) apigw.Route {
	return apigw.Route{Method: http.MethodGet, Path: HealthPath, Handler: func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		if _, err := r.Parameters(); err != nil {
			return apigw.Response{}, err
		}
		return apigw.JSON(HealthOf(ctx, s))
	}}
}

// HealthOf is the health of a service that answers from a catalogue.
func HealthOf(ctx context.Context, s *catalog.Snapshot) schemas.Health {
	out := schemas.Health{
		Status:         "ok",
		CatalogVersion: string(s.Version()),
		Offers:         len(s.Offers()),
		Providers:      len(s.ProviderIDs()),
	}
	if newest := newestPrice(s).String(); newest != "" {
		out.AsOf = &newest
	}
	if age, stale := Stale(ctx); stale {
		seconds := int(age.Seconds())
		out.Stale, out.StaleSeconds = true, &seconds
	}
	return out
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
