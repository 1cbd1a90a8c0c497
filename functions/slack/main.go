// Command slack is the Lambda function that answers Slack's slash command and buttons.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/bot"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/host"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() { host.Run(newFunction) }

// newFunction answers from the table that the environment names, or the embedded
// catalogue.
func newFunction(log *slog.Logger, getenv func(string) string) (*function, error) {
	charts, err := endpoint.NewCharts(getenv(endpoint.ChartKeyVariable))
	if err != nil {
		return nil, err
	}
	world := supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader}
	answers := bot.New(bot.Config{
		Secret: remembered(func(ctx context.Context) (string, error) { return supply.Secret(ctx, world, bot.SecretVariable) }),
		Now:    time.Now,
		Later:  itself{client: newClient(getenv), name: getenv("AWS_LAMBDA_FUNCTION_NAME")},
		Hooks:  bot.Hooks{Client: &http.Client{}, Host: bot.SlackHost},
		Base:   getenv(bot.BaseVariable),
	})
	return &function{endpoint.NewCurrent(supply.Mirror(world), log, func(s *catalog.Snapshot) *apigw.Router {
		found := engine.New(s)
		found.Warm()
		return apigw.NewRouter(log, time.Now, answers.Routes(endpoint.NewRecommend(found, time.Now).With(charts))...)
	})}, nil
}
