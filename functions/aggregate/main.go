// Command aggregate is the Lambda function that brings what boxes measured into the
// next version of the catalogue: after reports came, as the table's stream says, and on
// a schedule, since what is old counts less.
package main

import (
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/observe"
	"github.com/tierwise/tierwise/functions/internal/revise"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() {
	log := observe.Log(os.Getenv)
	job, err := newJob(supply.Environment{Getenv: os.Getenv, Now: time.Now, Random: rand.Reader}, log)
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(job.Run) // the runtime logs an error, and whatever woke it tries again
}

// newJob works on the table that the environment names.
func newJob(e supply.Environment, log *slog.Logger) (revise.Job, error) {
	store, err := supply.Store(e)
	return revise.Job{Config: revise.Config{Store: store, Baseline: seed.Load, Now: e.Now}, Log: log}, err
}
