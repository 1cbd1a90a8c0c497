package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/schemas"
)

// inquiry is a question about the catalogue: a path, its query, and how to show the
// answer.
type inquiry struct {
	path  string
	query url.Values
	json  bool
	words []string // what is no flag
}

// shownOffers is how many offers are listed unless the command line says otherwise.
const shownOffers = "20"

// offers prints offers.
func (p *program) offers(ctx context.Context, args []string) error {
	q, err := p.inquiry(endpoint.OffersPath, schemas.OffersQuerySchema, args)
	if err != nil {
		return err
	}
	if len(q.words) > 0 {
		q.query.Add("q", strings.Join(q.words, " "))
	}
	if !q.json && !q.query.Has("limit") {
		q.query.Set("limit", shownOffers)
	}
	var answer schemas.OffersResponse
	if err := p.ask(ctx, q, &answer, func() string { return renderOffers(&answer) }); err != nil {
		return err
	}
	return nothingIf(answer.Total == 0)
}

// gpus prints kinds of GPUs.
func (p *program) gpus(ctx context.Context, args []string) error {
	q, err := p.inquiry(endpoint.GPUsPath, schemas.GPUsQuerySchema, args)
	if err != nil {
		return err
	}
	q.query["gpu"] = append(q.query["gpu"], q.words...)
	var answer schemas.GPUsResponse
	return p.ask(ctx, q, &answer, func() string { return renderGPUs(&answer) })
}

// market prints the classes of providers side by side.
func (p *program) market(ctx context.Context, args []string) error {
	q, err := p.inquiry(endpoint.ProvidersPath, schemas.ProvidersQuerySchema, args)
	if err != nil {
		return err
	}
	q.query.Set("compare", "class")
	q.query["gpu"] = append(q.query["gpu"], q.words...)
	all := len(q.query["gpu"]) > 0
	var answer schemas.ProvidersResponse
	if err := p.ask(ctx, q, &answer, func() string { return renderMarket(&answer, all) }); err != nil {
		return err
	}
	return nothingIf(len(answer.Comparison.GPUs) == 0)
}

// nothingIf is errNothing if nothing was found.
func nothingIf(nothing bool) error {
	if nothing {
		return errNothing
	}
	return nil
}

// inquiry reads a command line whose flags are the parameters of a query: --gpu-count
// is gpu_count. Flags may stand before and after what is none.
func (p *program) inquiry(path string, query schemas.Name, args []string) (inquiry, error) {
	q := inquiry{path: path, query: make(url.Values)}
	parameters, err := schemas.Parameters(query)
	if err != nil {
		return q, err
	}
	flags := flag.NewFlagSet(path, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&q.json, "json", false, "")
	var options []string
	for _, name := range parameters {
		add := func(value string) error { q.query.Add(name, value); return nil }
		option := strings.ReplaceAll(name, "_", "-")
		options = append(options, "--"+option)
		if slices.Contains([]string{"ecc", "nvlink"}, name) {
			flags.BoolFunc(option, "", add)
		} else {
			flags.Func(option, "", add)
		}
	}
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(p.stdout, usage)
			return q, err
		} else if err != nil {
			return q, misspelt(err, options)
		}
		if flags.NArg() == 0 {
			return q, nil
		}
		q.words, args = append(q.words, flags.Arg(0)), flags.Args()[1:]
	}
}

// misspelt is the error of a command line, with the flags that an unknown one may
// have meant.
func misspelt(err error, options []string) usageError {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return usageError{err.Error()}
	}
	reason := "unknown flag --" + name
	if names := near.Names(name, options); len(names) > 0 {
		reason += "; did you mean " + strings.Join(names, ", ") + "?"
	}
	return usageError{reason}
}

// ask answers an inquiry and prints the API's document, or as text what render makes
// of it.
func (p *program) ask(ctx context.Context, q inquiry, answer any, render func() string) error {
	snapshot, err := p.current(ctx)
	if err != nil {
		return err
	}
	router := apigw.NewRouter(slog.New(slog.DiscardHandler), p.now, append(endpoint.NewCatalogue(snapshot, p.now).Routes(), endpoint.NewCoefficients(snapshot, nil, p.now).Routes()...)...)
	event := events.APIGatewayV2HTTPRequest{RawPath: q.path, RawQueryString: q.query.Encode()}
	event.RequestContext.HTTP.Method = http.MethodGet
	served, err := router.Serve(ctx, event)
	if err != nil {
		return fmt.Errorf("ask %s: %w", q.path, err)
	}
	if served.StatusCode != http.StatusOK {
		return refusal([]byte(served.Body))
	}
	if err := json.Unmarshal([]byte(served.Body), answer); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	text := served.Body
	if !q.json {
		text = render()
	}
	if _, err := io.WriteString(p.stdout, text); err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	return nil
}
