// Command offers is the Lambda function that answers /v1/offers, /v1/gpus and
// /v1/providers from the current catalogue.
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
)

func main() { host.Run(newCurrent) }

// newCurrent answers from the table that the environment names, or the embedded
// catalogue.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	from := supply.Mirror(supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader})
	return endpoint.NewCurrent(from, log, func(s *catalog.Snapshot) *apigw.Router {
		return apigw.NewRouter(log, time.Now, endpoint.NewCatalogue(s, time.Now).Routes()...)
	}), nil
}
