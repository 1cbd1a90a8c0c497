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
// catalogue. With the query parameter deep=true it asks the store too, and is status 503
// if that can't be reached, though plans are still answered then.
func Health(s *catalog.Snapshot) apigw.Route {
	return apigw.Route{Method: http.MethodGet, Path: HealthPath, Handler: func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		parameters, err := r.Parameters("deep")
		if err != nil {
			return apigw.Response{}, err
		}
		health := HealthOf(ctx, s)
		health.Feeds, health.FeedsError = feeds(ctx)
		switch asked, given := parameters["deep"]; {
		case !given || asked == "false":
			return apigw.JSON(health)
		case asked == "true":
			return deep(ctx, health)
		default:
			return apigw.Response{}, apigw.InvalidParameter("deep", "want true or false; got "+schemas.Quoted(asked))
		}
	}}
}

// deep is the health of the service with that of its store.
func deep(ctx context.Context, health schemas.Health) (apigw.Response, error) {
	health.Store = "ok"
	from, _ := ctx.Value(servedKey{}).(served)
	if from.from != nil && from.from.Reach(ctx) != nil {
		health.Status, health.Store = "degraded", "unreachable"
	}
	answer, err := apigw.JSON(health)
	if err == nil && health.Status != "ok" {
		answer.Status, answer.Header["retry-after"] = http.StatusServiceUnavailable, "60"
	}
	return answer, err
}

// HealthOf is the health of a service that answers from a catalogue.
func HealthOf(ctx context.Context, s *catalog.Snapshot) schemas.Health {
	out := schemas.Health{
		Status:         "ok",
		CatalogVersion: string(s.Version()),
		Offers:         len(s.Offers()),
		Providers:      len(s.ProviderIDs()),
		Staleness:      staleness(ctx),
	}
	if newest := newestPrice(s).String(); newest != "" {
		out.AsOf = &newest
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
