// Package host runs the Lambda functions that answer the HTTP API: each is made of its
// environment, gets ready while the runtime gives it a whole processor, and then answers.
package host

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/functions/internal/observe"
)

// Function answers events of type E with answers of type A.
type Function[E, A any] interface {
	// Warm gets what the first event needs. The function can't run if it fails.
	Warm(ctx context.Context) error
	Serve(ctx context.Context, event E) (A, error)
}

// Run makes a function with its log and its environment, and answers events until the
// runtime ends the process. A function that can't start ends it with exit code 1.
func Run[F Function[E, A], E, A any](open func(log *slog.Logger, getenv func(string) string) (F, error)) {
	log := observe.Log(os.Getenv)
	f, err := open(log, os.Getenv)
	if err == nil {
		err = f.Warm(context.Background())
	}
	if err != nil {
		log.Error("start", "error", err)
		os.Exit(1)
	}
	lambda.Start(f.Serve)
}
