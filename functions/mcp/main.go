// Command mcp is the Lambda function that offers the API to agents, as tools of the
// Model Context Protocol.
package main

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/host"
	"github.com/tierwise/tierwise/functions/internal/mcp"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

func main() { host.Run(newCurrent) }

// newCurrent answers from the table that the environment names, or the embedded
// catalogue. The version that tools are offered under is the catalogue's.
func newCurrent(log *slog.Logger, getenv func(string) string) (*endpoint.Current, error) {
	tools, err := mcp.NewTools()
	if err != nil {
		return nil, err
	}
	from := supply.Mirror(supply.Environment{Getenv: getenv, Now: time.Now, Random: rand.Reader})
	return endpoint.NewCurrent(from, log, func(s *catalog.Snapshot) *apigw.Router {
		answers := apigw.NewRouter(slog.New(slog.DiscardHandler), time.Now, endpoint.Answers(s, time.Now, endpoint.Charts{})...)
		return apigw.NewRouter(log, time.Now, tools.Routes(answers, string(s.Version()))...)
	}), nil
}
