// Command refresh is the Lambda function that keeps the catalogue fresh, on a
// schedule. So far it publishes the embedded baseline where nothing, or an older
// baseline, is current.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	store, err := supply.Store(supply.Environment{Getenv: os.Getenv, Now: time.Now, Random: rand.Reader})
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(func(ctx context.Context) (supply.Refreshed, error) {
		done, err := supply.Refresh(ctx, store)
		if err != nil {
			return done, err // the runtime logs it, and the schedule tries again
		}
		log.InfoContext(ctx, "refresh", "version", done.Version, "published", done.Published, "offers", done.Offers)
		return done, nil
	})
}
