package endpoint

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/schemas"
)

// noon is the instant that tests are answered at.
func noon() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 123, time.UTC) }

// smallCatalogue is the catalogue of functions/testdata.
func smallCatalogue(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := seed.Read(os.DirFS("../../testdata/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// routerOver answers from a catalogue.
func routerOver(s *catalog.Snapshot) *apigw.Router {
	return apigw.NewRouter(slog.New(slog.DiscardHandler), noon, routesOver(s)...)
}

// routesOver are all routes.
func routesOver(s *catalog.Snapshot) []apigw.Route {
	charts := signing()
	routes := append(NewRecommend(engine.New(s), noon).With(charts).Routes(), NewCatalogue(s, noon).Routes()...)
	routes = append(routes, charts.Routes()...)
	routes = append(routes, NewTCO(engine.New(s), noon).Routes()...)
	forecasts := NewForecast(engine.New(s), noon).With(charts)
	routes = append(routes, append(forecasts.Routes(), NewPortfolios(forecasts, nil).Routes()...)...)
	routes = append(routes, NewCoefficients(s, nil, noon).Routes()...)
	routes = append(routes, NewMeasurements(ingest.New(nil, s, noon, ingest.Options{}), slog.New(slog.DiscardHandler), nil).Routes()...)
	return append(routes, Contract(), Health(s))
}

// event is a request as the gateway sends it. target is a path and a query.
func event(method, target, body string) events.APIGatewayV2HTTPRequest {
	var e events.APIGatewayV2HTTPRequest
	e.RawPath, e.RawQueryString, _ = strings.Cut(target, "?")
	e.RequestContext.HTTP.Method = method
	e.RequestContext.Stage = "$default"
	e.Headers = map[string]string{"content-type": "application/json"}
	e.Body = body
	return e
}

// serve answers an event.
func serve(t testing.TB, router *apigw.Router, e events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	answer, err := router.Serve(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// checkDocument tests an answer's body against its schema, and what no schema says.
func checkDocument(t *testing.T, e events.APIGatewayV2HTTPRequest, answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	name := schemaOf(e.RawPath)
	if answer.StatusCode != 200 {
		name = schemas.ProblemSchema
	}
	want := "application/json"
	if name == schemas.ProblemSchema {
		want = "application/problem+json"
	}
	if got := answer.Headers["content-type"]; got != want {
		t.Errorf("got content type %q, want %q", got, want)
	}
	if err := schemas.Validate(name, []byte(answer.Body)); err != nil {
		t.Errorf("the answer breaks its schema %s: %v", name, err)
	}
	if name == schemas.RecommendResponseSchema {
		checkSums(t, answer.Body)
	}
}

// schemaOf is the schema of the answer of a path.
func schemaOf(path string) schemas.Name {
	switch {
	case path == HealthPath:
		return schemas.HealthSchema
	case path == EstimatePath:
		return schemas.EstimateResponseSchema
	case path == TCOPath:
		return schemas.TCOResponseSchema
	case path == ForecastPath:
		return schemas.ForecastResponseSchema
	case path == OffersPath:
		return schemas.OffersResponseSchema
	case path == GPUsPath:
		return schemas.GPUsResponseSchema
	case path == ProvidersPath:
		return schemas.ProvidersResponseSchema
	case strings.HasSuffix(path, "/history"):
		return schemas.HistoryResponseSchema
	case strings.HasPrefix(path, OffersPath+"/"):
		return schemas.OfferResponseSchema
	default:
		return schemas.RecommendResponseSchema
	}
}

// checkSums tests that lines add up to totals and savings follow from totals.
func checkSums(t *testing.T, body string) {
	t.Helper()
	var response schemas.RecommendResponse
	if err := json.Unmarshal([]byte(body), &response); err != nil {
		t.Fatal(err)
	}
	for _, plan := range response.Plans {
		total := decimal.Zero
		for _, stage := range plan.Stages {
			c := stage.Cost
			lines := decimal.Zero
			for _, line := range []string{c.Instance, c.Idle, c.Storage, c.Network, c.Interruption, c.Setup, c.Verification, c.Discount} {
				lines = lines.Add(decimal.RequireFromString(line))
			}
			if !lines.Equal(decimal.RequireFromString(c.Total)) {
				t.Errorf("plan %d, %s: lines add up to %s, total is %s", plan.Rank, stage.Name, lines, c.Total)
			}
			total = total.Add(lines)
		}
		if !total.Equal(decimal.RequireFromString(plan.Total)) {
			t.Errorf("plan %d: stages add up to %s, total is %s", plan.Rank, total, plan.Total)
		}
		if plan.Baseline == nil {
			continue
		}
		base := decimal.RequireFromString(plan.Baseline.Total)
		saved := base.Sub(total).Mul(decimal.NewFromInt(100)).Div(base)
		if off := saved.Sub(decimal.RequireFromString(*plan.SavingsPct)).Abs(); off.GreaterThan(decimal.RequireFromString("0.05")) {
			t.Errorf("plan %d: savings are %s%%, want %s%%", plan.Rank, *plan.SavingsPct, saved)
		}
	}
}
