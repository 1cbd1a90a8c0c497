// Command recommend is the Lambda function that answers /v1/recommend and
// /healthz from the embedded catalogue.
package main

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	router, err := newRouter(log)
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(router.Serve)
}

// newRouter loads the catalogue once, for every event that follows.
func newRouter(log *slog.Logger) (*apigw.Router, error) {
	snapshot, err := seed.Load()
	if err != nil {
		return nil, fmt.Errorf("load catalogue: %w", err)
	}
	recommend := endpoint.NewRecommend(engine.New(snapshot), time.Now)
	return apigw.NewRouter(log, time.Now, recommend.Routes()...), nil
}
