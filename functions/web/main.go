// Command web is the Lambda function that answers the pages for people, the
// description of the API, and the health check.
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
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/supply"
	"github.com/tierwise/tierwise/functions/internal/web"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	current, err := newCurrent(log, os.Getenv)
	if err == nil {
		err = current.Warm(context.Background())
	}
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(current.Serve)
}

// newCurrent answers from the table that the environment names, or the embedded
// catalogue.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	site, err := web.NewSite()
	if err != nil {
		return nil, err
	}
	from := supply.Mirror(supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader})
	return endpoint.NewCurrent(from, log, func(s *catalog.Snapshot) *apigw.Router {
		plans := endpoint.NewRecommend(engine.New(s), time.Now)
		return apigw.NewRouter(log, time.Now, site.Routes(s, plans)...)
	}), nil
}
