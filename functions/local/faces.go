package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/bot"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/mcp"
)

// toolsVersion is what agents are told of the program.
const toolsVersion = "local"

// faces are the routes over those of the API: tools for agents, and, if there is a
// signing secret, Slack.
type faces struct {
	tools *mcp.Tools
	bot   *bot.Bot // nil without a secret
}

// facing makes the faces of a server. What Slack does not wait for is answered later.
func (p *program) facing(later *background) (faces, error) {
	tools, err := mcp.NewTools()
	secret := p.getenv(bot.SecretVariable)
	if err != nil || secret == "" {
		return faces{tools: tools}, err
	}
	return faces{tools, bot.New(bot.Config{
		Secret: func(context.Context) (string, error) { return secret, nil },
		Now:    p.now, Later: later,
		Hooks: bot.Hooks{Client: &http.Client{}, Host: bot.SlackHost},
		Base:  p.getenv(bot.BaseVariable),
	})}, nil
}

// routes are the faces over the API's own routes.
func (x faces) routes(api *apigw.Router, plans *endpoint.Recommend) []apigw.Route {
	if x.tools == nil {
		return nil
	}
	routes := x.tools.Routes(api, toolsVersion)
	if x.bot != nil {
		routes = append(routes, x.bot.Routes(plans)...)
	}
	return routes
}

// longestLater is how long an answer may take that nobody waits for.
const longestLater = 30 * time.Second

// background answers what was put off, as another invocation of a Lambda function would.
// The server waits for it when it stops.
type background struct {
	current *endpoint.Current
	running sync.WaitGroup
	replays bool // recorded machines are taken for measured ones
}

// Again answers an event once more.
func (b *background) Again(ctx context.Context, event events.APIGatewayV2HTTPRequest) error {
	ctx = context.WithoutCancel(ctx)
	b.running.Go(func() {
		ctx, cancel := context.WithTimeout(bot.Deferred(ctx), longestLater)
		defer cancel()
		_, _ = b.current.Serve(ctx, event) // every failure has an answer, and is in the log
	})
	return nil
}

// agents offers the API as tools on standard input and output, until the input ends.
func (p *program) agents(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return usageError{"mcp takes no arguments: it speaks the Model Context Protocol on standard input and output"}
	}
	router, err := p.router(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	tools, err := mcp.NewTools()
	if err != nil {
		return err
	}
	err = tools.Server(router, toolsVersion).Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(p.stdin), Writer: unclosed{p.stdout}})
	if ctx.Err() != nil {
		return nil // it was told to stop
	}
	return err
}

// unclosed is a writer that stays open.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
