// Package mcp offers the API to agents as tools of the Model Context Protocol.
//
// A tool is a route: its arguments are the request that the route takes, under the same
// schema, and its result is the route's answer. A refusal is a result too, marked as an
// error, with the problem document, so that an agent can mend its arguments. Over HTTP
// every request stands for itself and is answered with JSON.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/aws/aws-lambda-go/events"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// API answers the events of the HTTP API.
type API interface {
	// Serve answers an event. Every failure has an answer.
	Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// tool is a route as agents see it.
type tool struct {
	name, title, description string
	method, path             string
	takes                    schemas.Name
}

// tools are the routes that agents get.
func tools() []tool {
	return []tool{
		{"recommend", "Plans for a job", "Find the cheapest (or fastest) way to rent GPUs for a job: which offers, for each stage, with every cost line, " +
			"warnings, alternatives and what was assumed. Give a workload, or a rental of named hardware. Amounts are strings of exact decimals.",
			http.MethodPost, endpoint.RecommendPath, schemas.RecommendRequestSchema},
		{"estimate", "One job on named hardware", "Whether a job fits on given GPUs, how long it takes there and, for an offer, what it costs.",
			http.MethodPost, endpoint.EstimatePath, schemas.EstimateRequestSchema},
		{"offers", "What can be rented", "A page of the catalogue: offers by GPU, provider, place, way to buy and price, cheapest first, each price with its date and source.",
			http.MethodGet, endpoint.OffersPath, schemas.OffersQuerySchema},
		{"tco", "Cost of ownership", "What rented instances, storage and traffic cost an hour, month and year, line by line, with ways to buy side by side.",
			http.MethodPost, endpoint.TCOPath, schemas.TCORequestSchema},
		{"forecast", "Spend of months ahead", "What workloads will cost month by month, expected and as percentiles, with growth, commitments, price trends and a budget.",
			http.MethodPost, endpoint.ForecastPath, schemas.ForecastRequestSchema},
	}
}

// instructions tell an agent how to use the tools.
const instructions = "Prices of GPU rentals, and plans made of them. Start with recommend; every answer names its catalogue version and the age of its prices. " +
	"Mention warnings and assumptions to people. An error names the field at fault by a JSON pointer."

// Tools are the tools with their schemas, whatever the API. Any number of goroutines may
// use them.
type Tools struct{ offered []offered }

// offered is a tool with the schema of its arguments.
type offered struct {
	tool
	schema json.RawMessage
}

// NewTools reads the schemas that are built in.
func NewTools() (*Tools, error) {
	x := &Tools{}
	for _, t := range tools() {
		schema, err := schemas.Bundled(t.takes)
		if err != nil {
			return nil, fmt.Errorf("offer tool %s: %w", t.name, err)
		}
		x.offered = append(x.offered, offered{t, schema})
	}
	return x, nil
}

// Server offers an API as tools, under a version. It never changes after that.
func (x *Tools) Server(api API, version string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "tierwise", Title: "Tierwise", Version: version}, &sdk.ServerOptions{Instructions: instructions})
	local := false
	for _, t := range x.offered {
		server.AddTool(&sdk.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: t.schema,
			Annotations: &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &local},
		}, t.handler(api))
	}
	return server
}

// handler calls the route of a tool.
func (t tool) handler(api API) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		event, err := t.event(call.Params.Arguments)
		if err != nil {
			return refusal(err.Error()), nil
		}
		answer, err := api.Serve(ctx, event)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", t.name, err)
		}
		result := &sdk.CallToolResult{
			Content:           []sdk.Content{&sdk.TextContent{Text: answer.Body}},
			StructuredContent: json.RawMessage(answer.Body),
			IsError:           answer.StatusCode >= http.StatusBadRequest,
		}
		return result, nil
	}
}

// refusal is a result that says why there is none.
func refusal(reason string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: reason}}, IsError: true}
}

// event is a call as the API takes it.
func (t tool) event(arguments json.RawMessage) (events.APIGatewayV2HTTPRequest, error) {
	e := events.APIGatewayV2HTTPRequest{RawPath: t.path, Headers: map[string]string{"content-type": "application/json"}}
	e.RequestContext.HTTP.Method = t.method
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if t.method == http.MethodPost {
		e.Body = string(arguments)
		return e, nil
	}
	parameters, err := parametersOf(arguments)
	e.RawQueryString = parameters.Encode()
	return e, err
}

// parametersOf writes an object as query parameters: a list as one that is repeated.
func parametersOf(arguments json.RawMessage) (url.Values, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil {
		return nil, fmt.Errorf("want an object of arguments")
	}
	values := make(url.Values)
	for name, member := range members {
		var list []json.RawMessage
		if json.Unmarshal(member, &list) != nil {
			list = []json.RawMessage{member}
		}
		for _, item := range list {
			var text string
			if json.Unmarshal(item, &text) != nil {
				text = string(item)
			}
			if string(item) != "null" {
				values.Add(name, text)
			}
		}
	}
	return values, nil
}
