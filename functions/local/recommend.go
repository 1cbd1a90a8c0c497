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
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// question is what the command line asks.
type question struct {
	text       string
	file       string
	computedAt string
	language   string
	json       bool
}

// recommend prints the plans for a text or a JSON request.
func (p *program) recommend(ctx context.Context, args []string) error {
	q, err := p.question(args)
	if err != nil {
		return err
	}
	event, err := p.event(q)
	if err != nil {
		return err
	}
	router, err := p.router(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	answer, err := router.Serve(ctx, event)
	if err != nil {
		return fmt.Errorf("recommend: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return refusal([]byte(answer.Body))
	}
	return p.show(q, []byte(answer.Body))
}

// show prints an answer.
func (p *program) show(q question, body []byte) error {
	var response schemas.RecommendResponse
	if err := json.Unmarshal(body, &response); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	var err error
	if q.json {
		_, err = p.stdout.Write(body)
	} else {
		_, err = io.WriteString(p.stdout, render(&response))
	}
	if err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	if len(response.Plans) == 0 {
		return errNothing
	}
	return nil
}

// question reads the command line. Flags may stand before and after the text.
func (p *program) question(args []string) (question, error) {
	var q question
	flags := flag.NewFlagSet("recommend", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&q.json, "json", false, "")
	flags.StringVar(&q.file, "file", "", "")
	flags.StringVar(&q.computedAt, "computed-at", "", "")
	flags.Func("language", "", oneOf(&q.language, "en", "zh"))
	var words []string
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(p.stdout, usage)
			return q, err
		} else if err != nil {
			return q, usageError{err.Error()}
		}
		if flags.NArg() == 0 {
			break
		}
		words, args = append(words, flags.Arg(0)), flags.Args()[1:]
	}
	q.text = strings.Join(words, " ")
	switch {
	case q.text == "" && q.file == "":
		return q, usageError{"want a text, such as \"cheapest 7B fine-tune\", or --file"}
	case q.text != "" && q.file != "":
		return q, usageError{"want either a text or --file, not both"}
	}
	return q, nil
}

// event is the question as the API takes it.
func (p *program) event(q question) (events.APIGatewayV2HTTPRequest, error) {
	event := events.APIGatewayV2HTTPRequest{RawPath: endpoint.RecommendPath}
	parameters := url.Values{}
	if q.computedAt != "" {
		parameters.Set("computed_at", q.computedAt)
	}
	event.RequestContext.HTTP.Method = http.MethodGet
	if q.file != "" {
		body, err := requestBody(p, source{q.file, q.language}, nil)
		if err != nil {
			return event, err
		}
		event.Body, event.RequestContext.HTTP.Method = string(body), http.MethodPost
	} else {
		parameters.Set("q", q.text)
		if q.language != "" {
			parameters.Set("language", q.language)
		}
	}
	event.RawQueryString = parameters.Encode()
	return event, nil
}

// read reads a file, or standard input for "-", up to a byte more than is allowed.
func (p *program) read(name string) ([]byte, error) {
	in := p.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		defer file.Close()
		in = file
	}
	body, err := io.ReadAll(io.LimitReader(in, schemas.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the request from %s: %w", name, err)
	}
	return body, nil
}

// refusal is a problem document as an error in plain words.
func refusal(body []byte) error {
	var problem schemas.ProblemDocument
	if err := json.Unmarshal(body, &problem); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	lines := []string{problem.Title}
	for _, e := range problem.Errors {
		lines = append(lines, "  "+display.Problem(e))
	}
	if len(problem.Errors) == 0 {
		lines = append(lines, "  "+problem.Detail)
	}
	if text := display.Fields(problem.Interpreted); text != "" {
		lines = append(lines, "understood: "+text)
	}
	if len(problem.NotUnderstood) > 0 {
		lines = append(lines, "not understood: "+display.Quoted(problem.NotUnderstood))
	}
	if text := display.Meant(problem.Suggestions); text != "" {
		lines = append(lines, text)
	}
	return errors.New(strings.Join(lines, "\n"))
}
