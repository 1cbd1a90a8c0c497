// Command forecast is the Lambda function that answers /v1/forecast, and keeps
// portfolios and answers their forecasts, from the current catalogue.
package main

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/host"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() { host.Run(newCurrent) }

// newCurrent answers from the table that the environment names, or the embedded
// catalogue, with pictures if it has a key for them. Without a table there is nowhere
// to keep portfolios.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	charts, err := endpoint.NewCharts(getenv(endpoint.ChartKeyVariable))
	if err != nil {
		return nil, err
	}
	environment := supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader}
	store, none := supply.Store(environment)
	return endpoint.NewCurrent(supply.Mirror(environment), log, func(s *catalog.Snapshot) *apigw.Router {
		forecasts := endpoint.NewForecast(engine.New(s), time.Now).With(charts)
		routes := forecasts.Routes()
		if none == nil {
			routes = append(routes, endpoint.NewPortfolios(forecasts, store).Routes()...)
		}
		return apigw.NewRouter(log, time.Now, routes...)
	}), nil
}
