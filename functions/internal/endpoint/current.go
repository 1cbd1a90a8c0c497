package endpoint

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// The headers of an answer from a catalogue that may be out of date, because the
// store could not be asked: whether, and for how many seconds.
const (
	staleHeader    = "x-tierwise-stale"
	staleAgeHeader = "x-tierwise-stale-seconds"
)

// Views is where the current catalogue comes from.
type Views interface {
	// Latest fails only if there is none at all.
	Latest(ctx context.Context) (mirror.View, error)
	// Reach asks the store now, and changes nothing.
	Reach(ctx context.Context) error
}

// Current answers every event from the catalogue that is current then. Any number
// of goroutines may serve from it.
type Current struct {
	views  Views
	routes func(*catalog.Snapshot) *apigw.Router
	log    *slog.Logger

	mu     sync.Mutex
	of     *catalog.Snapshot
	router *apigw.Router
}

// NewCurrent makes the handlers of a catalogue with routes whenever there is another.
func NewCurrent(views Views, log *slog.Logger, routes func(*catalog.Snapshot) *apigw.Router) *Current {
	return &Current{views: views, routes: routes, log: log}
}

// Warm gets the catalogue and makes its handlers ahead of the first event.
func (c *Current) Warm(ctx context.Context) error {
	view, err := c.views.Latest(ctx)
	if err == nil {
		c.routerOf(view.Snapshot)
	}
	return err
}

// Serve answers an event. It has the signature that a Lambda runtime calls; the
// error is always nil, since every failure has an answer.
func (c *Current) Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	view, err := c.views.Latest(ctx)
	if err != nil {
		c.log.ErrorContext(ctx, "no catalogue", "error", err)
		return apigw.Unavailable(), nil
	}
	stale := 0
	if view.Stale {
		stale = 1
	}
	ctx = apigw.Noting(ctx, slog.String("catalog_version", string(view.Snapshot.Version())), slog.Int("stale", stale))
	answer, err := c.routerOf(view.Snapshot).Serve(context.WithValue(ctx, servedKey{}, served{view, c.views}), event)
	if view.Stale && answer.Headers != nil {
		answer.Headers[staleHeader] = "true"
		answer.Headers[staleAgeHeader] = strconv.Itoa(int(view.Age.Seconds()))
	}
	return answer, err
}

// routerOf is the router over a catalogue, made if it is another than the last one.
func (c *Current) routerOf(s *catalog.Snapshot) *apigw.Router {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != s {
		c.of, c.router = s, c.routes(s)
	}
	return c.router
}

// served is what an event is answered from.
type served struct {
	view mirror.View
	from Views
}

// servedKey is where a context has what its event is answered from.
type servedKey struct{}

// Stale reports whether an event that Current serves is answered from a catalogue
// that may be out of date, and for how long it has been.
func Stale(ctx context.Context) (age time.Duration, stale bool) {
	s, _ := ctx.Value(servedKey{}).(served)
	return s.view.Age, s.view.Stale
}

// staleness is Stale as answers say it.
func staleness(ctx context.Context) schemas.Staleness {
	age, stale := Stale(ctx)
	if !stale {
		return schemas.Staleness{}
	}
	seconds := int(age.Seconds())
	return schemas.Staleness{Stale: true, StaleSeconds: &seconds}
}
