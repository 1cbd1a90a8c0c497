// Command recommend is the Lambda function that answers /v1/recommend and
// /v1/estimate from the current catalogue.
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
// catalogue, with pictures if it has a key for them.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	charts, err := endpoint.NewCharts(getenv(endpoint.ChartKeyVariable))
	if err != nil {
		return nil, err
	}
	from := supply.Mirror(supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader})
	return endpoint.NewCurrent(from, log, func(s *catalog.Snapshot) *apigw.Router {
		answers := engine.New(s)
		answers.Warm()
		recommend := endpoint.NewRecommend(answers, time.Now).With(charts)
		return apigw.NewRouter(log, time.Now, recommend.Routes()...)
	}), nil
}
