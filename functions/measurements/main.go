// Command measurements is the Lambda function that lets boxes in, takes what they
// measured and forgets them, and answers /v1/coefficients from the current catalogue.
package main

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/host"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() { host.Run(newCurrent) }

// newCurrent answers from the table that the environment names, or the embedded
// catalogue. Without a table there is nowhere to keep what boxes send.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	environment := supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader}
	store, none := supply.Store(environment)
	return endpoint.NewCurrent(supply.Mirror(environment), log, func(s *catalog.Snapshot) *apigw.Router {
		if none != nil {
			return apigw.NewRouter(log, time.Now, endpoint.NewCoefficients(s, nil, time.Now).Routes()...)
		}
		boxes := endpoint.NewMeasurements(ingest.New(store, s, time.Now, ingest.Options{}), log, nil)
		return apigw.NewRouter(log, time.Now, append(boxes.Routes(), endpoint.NewCoefficients(s, store, time.Now).Routes()...)...)
	}), nil
}
