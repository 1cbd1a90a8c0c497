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
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// post has a JSON request answered by the API as of an instant, "" for now. parameters
// are those of the query besides.
func (p *program) post(ctx context.Context, path string, body []byte, parameters url.Values) (events.APIGatewayV2HTTPResponse, error) {
	event := events.APIGatewayV2HTTPRequest{RawPath: path, Body: string(body), RawQueryString: parameters.Encode()}
	event.RequestContext.HTTP.Method = http.MethodPost
	router, err := p.router(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	answer, err := router.Serve(ctx, event)
	if err != nil {
		return answer, fmt.Errorf("ask %s: %w", path, err)
	}
	if answer.StatusCode != http.StatusOK {
		return answer, refusal([]byte(answer.Body))
	}
	return answer, nil
}

// costing is what "tierwise tco" asks.
type costing struct {
	request    schemas.TCORequest
	file       string
	language   string
	computedAt string
	format     string
}

// tco prints what offers cost over months and years, side by side.
func (p *program) tco(ctx context.Context, args []string) error {
	q, err := p.costing(args)
	if err != nil {
		return err
	}
	body, err := requestBody(p, source{q.file, q.language}, q.request)
	if err != nil {
		return err
	}
	answer, err := p.post(ctx, endpoint.TCOPath, body, dated(q.computedAt))
	if err != nil {
		return err
	}
	text := answer.Body
	if q.format == "text" {
		var response schemas.TCOResponse
		if err := json.Unmarshal([]byte(answer.Body), &response); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		text = tcoText(&response)
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// source is where a request comes from: a file, or "" for the command line. language is
// what to answer in, "" for what the request says.
type source struct{ file, language string }

// requestBody is a request as the API takes it: from a file, or else the one given.
func requestBody(p *program, from source, request any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	if from.file != "" {
		if body, err = p.read(from.file); err != nil {
			return nil, err
		}
	}
	var fields map[string]json.RawMessage
	if from.language == "" || json.Unmarshal(body, &fields) != nil || fields == nil {
		return body, nil // what is no object is for the API to refuse
	}
	fields["language"] = json.RawMessage(strconv.Quote(from.language))
	if body, err = json.Marshal(fields); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return body, nil
}

// dated is the query that asks for an answer as of an instant.
func dated(computedAt string) url.Values {
	query := url.Values{}
	if computedAt != "" {
		query.Set("computed_at", computedAt)
	}
	return query
}

// costing reads the command line. Each word is an option of its own.
func (p *program) costing(args []string) (costing, error) {
	q := costing{format: "text"}
	var shared schemas.Resource
	flags := flag.NewFlagSet("tco", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&q.file, "file", "", "")
	flags.StringVar(&q.computedAt, "computed-at", "", "")
	flags.Func("format", "", oneOf(&q.format, "text", "json"))
	flags.BoolFunc("json", "", func(string) error { q.format = "json"; return nil })
	flags.StringVar(&q.request.Currency, "currency", "", "")
	flags.Func("language", "", oneOf(&q.language, "en", "zh"))
	flags.Func("commitment-months", "", wholeNumber(&q.request.CommitmentMonths))
	described := describedFlags(flags)
	resourceFlags(flags, &shared)
	words, err := interleaved(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, usage)
		return q, err
	case err != nil:
		return q, usageError{"tco: " + err.Error()}
	case (q.file == "") == (len(words) == 0):
		return q, usageError{"tco: want either offers, such as 8xA100 or an offer's id, or --file"}
	}
	for _, word := range words {
		q.add(word, shared, *described)
	}
	return q, nil
}

// add makes an option of a word.
func (q *costing) add(word string, r schemas.Resource, d schemas.DescribedOffer) {
	o := schemas.Option{Name: word, Resources: []schemas.Resource{named(word, r, d)}}
	if q.request.Resources == nil {
		q.request.Option = o
		return
	}
	q.request.Compare = append(q.request.Compare, o)
}

// named is a resource of the offer that a word names: by its id, or as 8xA100.
func named(word string, r schemas.Resource, d schemas.DescribedOffer) schemas.Resource {
	if strings.Count(word, ".") >= 2 {
		r.OfferID = word
		return r
	}
	h := hardwareNamed(word)
	d.GPU, d.GPUCount = h.GPU, h.GPUCount
	r.Offer = &d
	return r
}

// describedFlags are the flags that say which offers a description may mean.
func describedFlags(flags *flag.FlagSet) *schemas.DescribedOffer {
	d := new(schemas.DescribedOffer)
	flags.StringVar(&d.Provider, "provider", "", "")
	flags.StringVar(&d.Region, "region", "", "")
	flags.StringVar(&d.Country, "country", "", "")
	flags.StringVar(&d.PurchaseModel, "purchase-model", "", "")
	return d
}

// resourceFlags are the flags that say how instances are used.
func resourceFlags(flags *flag.FlagSet, r *schemas.Resource) {
	for name, into := range map[string]**string{
		"hours-per-day": &r.HoursPerDay, "days-per-month": &r.DaysPerMonth, "utilization-pct": &r.UtilizationPct,
		"hours-per-run": &r.HoursPerRun, "runs-per-month": &r.RunsPerMonth, "efficiency": &r.Efficiency,
	} {
		flags.Func(name, "", func(text string) error { *into = &text; return nil })
	}
	flags.Func("instances", "", wholeNumber(&r.Instances))
	flags.Func("disk-gb", "", wholeNumber(&r.DiskGB))
}

// oneOf reads a flag that is one of several words.
func oneOf(into *string, words ...string) func(string) error {
	return func(text string) error {
		for _, word := range words {
			if text == word {
				*into = text
				return nil
			}
		}
		return fmt.Errorf("want one of %s; got %s", strings.Join(words, ", "), strconv.Quote(text))
	}
}
