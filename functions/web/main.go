// Command web is the Lambda function that answers the pages for people, the
// description of the API, and the health check.
package main

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/host"
	"github.com/tierwise/tierwise/functions/internal/supply"
	"github.com/tierwise/tierwise/functions/internal/web"
)

func main() { host.Run(newCurrent) }

// newCurrent answers from the table that the environment names, or the embedded
// catalogue.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	world := supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader}
	charts, err := endpoint.NewCharts(getenv(endpoint.ChartKeyVariable))
	if err != nil {
		return nil, err
	}
	site, err := web.NewSite(func(s *catalog.Snapshot) []apigw.Route { return endpoint.Shown(s, time.Now, charts) }, supply.Past(world))
	if err != nil {
		return nil, err
	}
	return endpoint.NewCurrent(supply.Mirror(world), log, func(s *catalog.Snapshot) *apigw.Router {
		return apigw.NewRouter(log, time.Now, append(site.Routes(s), charts.Routes()...)...)
	}), nil
}
