// Command local is Tierwise on a person's own machine: every route of the API in
// one process, and the same answers on the command line.
//
//	go run ./functions/local recommend "cheapest 7B fine-tune"
//	go run ./functions/local serve
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// The exit codes.
const (
	exitOK     = 0
	exitError  = 1
	exitUsage  = 2
	exitNoPlan = 3
)

// usage is the help text.
const usage = `tierwise finds the cheapest way to rent GPUs for a job, stage by stage.
It is "go run ./functions/local", or bin/tierwise once "make build" has run.

Usage:
  tierwise recommend [flags] TEXT    plans for a job described in words
  tierwise recommend --file FILE     plans for a JSON request ("-" reads standard input)
  tierwise serve                     the HTTP API on PORT (8080) of HOST (127.0.0.1)
  tierwise help                      this text

Flags of recommend, before or after the text:
  --json                  print the API's answer instead of text
  --file FILE             read a JSON request, as POST /v1/recommend takes it
  --computed-at INSTANT   answer as of an instant (RFC 3339), to replay an answer

Examples:
  tierwise recommend "cheapest 7B fine-tune"
  tierwise recommend 'qlora 70b under $200 in 24h, eu only, no spot'
  tierwise recommend --json "8xH100 for a week"
  tierwise recommend --file request.json --computed-at 2026-10-01T12:00:00Z
  PORT=9000 tierwise serve

Exit codes: 0 done, 1 error, 2 wrong usage, 3 no plan meets the constraints.
("go run" itself turns every code but 0 into 1.)
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now, load: seed.Load}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is the command line with everything that it touches of the world, so
// that tests can run it.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	load           func() (*catalog.Snapshot, error)
}

// run does what the arguments say and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "recommend":
		err = p.recommend(ctx, args)
	case "serve":
		err = p.serve(ctx, args)
	case "help", "-h", "-help", "--help":
		_, err = fmt.Fprint(p.stdout, usage)
	case "":
		err = usageError{"want a command"}
	default:
		err = usageError{fmt.Sprintf("unknown command %q", command)}
	}
	return p.report(err)
}

// usageError says that the command line is wrong.
type usageError struct{ reason string }

// Error is the reason.
func (e usageError) Error() string { return e.reason }

// errNoPlan says that nothing meets the constraints; the answer is already printed.
var errNoPlan = errors.New("no plan meets the constraints")

// report tells an error to the user and returns its exit code.
func (p *program) report(err error) int {
	wrong, isUsage := errors.AsType[usageError](err)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errNoPlan):
		return exitNoPlan
	case isUsage:
		fmt.Fprintf(p.stderr, "tierwise: %s\nRun \"tierwise help\" for the commands and examples.\n", wrong.reason)
		return exitUsage
	default:
		fmt.Fprintf(p.stderr, "tierwise: %s\n", err)
		return exitError
	}
}

// router loads the catalogue and makes the routes.
func (p *program) router(log *slog.Logger) (*apigw.Router, error) {
	snapshot, err := p.load()
	if err != nil {
		return nil, fmt.Errorf("load catalogue: %w", err)
	}
	recommend := endpoint.NewRecommend(engine.New(snapshot), p.now)
	return apigw.NewRouter(log, p.now, recommend.Routes()...), nil
}
