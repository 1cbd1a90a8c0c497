// Command refresh is the Lambda function that keeps the catalogue fresh, on a
// schedule: it imports the feeds that the variable FEEDS names, each when it is due,
// and publishes the embedded baseline where nothing, or another baseline, is current.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed/fetch"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/observe"
	"github.com/tierwise/tierwise/functions/internal/refresh"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() {
	log := observe.Log(os.Getenv)
	job, err := newJob(supply.Environment{Getenv: os.Getenv, Now: time.Now, Random: rand.Reader}, log)
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(job.Run) // the runtime logs an error, and the schedule tries again
}

// newJob is what the environment says is to be kept fresh.
func newJob(e supply.Environment, log *slog.Logger) (refresh.Job, error) {
	job := refresh.Job{Baseline: seed.Load, Now: e.Now, Log: log}
	store, err := supply.Store(e)
	if err != nil {
		return job, err
	}
	job.Store = store
	baseline, err := seed.Load()
	if err != nil {
		return job, err
	}
	world := refresh.World{
		From:   fetch.NewClient(fetch.HTTP(), e.Now, uint64(e.Now().UnixNano())),
		Known:  func(id catalog.ProviderID) bool { _, ok := baseline.Provider(id); return ok },
		Secret: func(ctx context.Context, variable string) (string, error) { return supply.Secret(ctx, e, variable) },
	}
	if job.Plans, err = refresh.ParsePlans(e.Getenv(refresh.Variable), world); err != nil {
		log.Error("feeds", "error", err) // those that can be read are imported all the same
	}
	return job, nil
}
