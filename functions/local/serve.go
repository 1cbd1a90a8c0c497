package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/revise"
)

// How long a request may take at each step, and how long running requests have
// to end once the program is told to stop.
const (
	headerTimeout   = 5 * time.Second
	readTimeout     = 15 * time.Second
	writeTimeout    = time.Minute
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 10 * time.Second
)

// largestHeader is the size of the largest headers of a request, in bytes. Beyond
// mostRead nothing is read of them, and the refusal is a line of text.
const (
	largestHeader = 64 << 10
	mostRead      = 4 * largestHeader
)

// serve answers HTTP until the context ends.
func (p *program) serve(ctx context.Context, args []string) error {
	flags, where := storageFlags("serve")
	replays := flags.Bool("accept-replays", false, "")
	var most rate
	flags.Float64Var(&most.perSecond, "requests-per-second", 0, "")
	flags.Float64Var(&most.atOnce, "requests-at-once", 1, "")
	words, err := wordsOf(flags, args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return usageError{"serve takes no arguments: set HOST and PORT in the environment"}
	}
	defer restoreGarbage()()
	later := background{replays: *replays}
	defer later.running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	current, err := p.serving(ctx, *where, &later)
	if err != nil {
		return err
	}
	address := net.JoinHostPort(p.setting("HOST", "127.0.0.1"), p.setting("PORT", "8080"))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s (set HOST and PORT for another address): %w", address, err)
	}
	p.announce(listener.Addr())
	room := byPath{newBounded(current, runtime.GOMAXPROCS(0), longestWait), newBounded(current, mostReports, longestWait)}
	server := &http.Server{
		Handler:           gateway{newLimited(room, most, p.now)},
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    mostRead,

		DisableGeneralOptionsHandler: true, // "OPTIONS *" is a path like any other
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// serving answers from the current catalogue of a store; later, what nobody waits for.
func (p *program) serving(ctx context.Context, where storage, later *background) (*endpoint.Current, error) {
	kept, err := p.open(ctx, where)
	if err != nil {
		return nil, err
	}
	from := p.following(kept)
	charts, err := p.charts(where.data)
	if err != nil {
		return nil, err
	}
	site, err := p.pages(kept, charts)
	if err != nil {
		return nil, err
	}
	faces, err := p.facing(later)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	revising := newReviser(revise.Job{Config: revise.Config{Store: kept, Baseline: p.load, Now: p.now}, Log: log}, from.Expire)
	boxes := &boxes{store: kept, replays: later.replays, stored: revising.wake}
	current := endpoint.NewCurrent(from, log, func(s *catalog.Snapshot) *apigw.Router {
		p.spareGarbage(len(s.Offers()))
		return p.routes(log, s, over{site, charts, kept, faces, boxes})
	})
	later.current = current
	later.running.Go(func() { revising.run(ctx) })
	if err := current.Warm(ctx); err != nil {
		return nil, fmt.Errorf("load catalogue: %w", err)
	}
	return current, nil
}

// setting is an environment variable, or what to take if it is not set.
func (p *program) setting(name, otherwise string) string {
	if value := p.getenv(name); value != "" {
		return value
	}
	return otherwise
}

// announce prints where the server listens and what to try.
func (p *program) announce(address net.Addr) {
	at := address.String()
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		at = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	fmt.Fprintf(p.stdout, "Listening on http://%s; stop with Ctrl-C. Try:\n\n  curl -s 'http://%s/v1/recommend?q=cheapest+7B+fine-tune'\n\nor open http://%s in a browser.\n\n", at, at, at)
}
