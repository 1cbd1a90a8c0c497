// Command measurements is the Lambda function that lets boxes in, takes what they
// measured and forgets them, and answers /v1/coefficients from the current catalogue.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/functions/internal/observe"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() {
	log := observe.Log(os.Getenv)
	current := newCurrent(log, os.Getenv)
	if err := current.Warm(context.Background()); err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(current.Serve)
}

// newCurrent answers from the table that the environment names, or the embedded
// catalogue. Without a table there is nowhere to keep what boxes send.
func newCurrent(log *slog.Logger, getenv func(string) string) *endpoint.Current {
	environment := supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader}
	store, none := supply.Store(environment)
	return endpoint.NewCurrent(supply.Mirror(environment), log, func(s *catalog.Snapshot) *apigw.Router {
		if none != nil {
			return apigw.NewRouter(log, time.Now, endpoint.NewCoefficients(s, nil, time.Now).Routes()...)
		}
		boxes := endpoint.NewMeasurements(ingest.New(store, s, time.Now, ingest.Options{}), log, nil)
		return apigw.NewRouter(log, time.Now, append(boxes.Routes(), endpoint.NewCoefficients(s, store, time.Now).Routes()...)...)
	})
}
