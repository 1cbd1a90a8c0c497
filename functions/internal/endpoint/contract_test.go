package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// contract reads the description of the API as a client gets it.
func contractOf(t *testing.T, router *apigw.Router) *openapi3.T {
	t.Helper()
	answer := serve(t, router, event("GET", ContractPath, ""))
	if answer.StatusCode != 200 || answer.Headers["content-type"] != "application/json" {
		t.Fatalf("got status %d, %s", answer.StatusCode, answer.Headers["content-type"])
	}
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Body))
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return document
}

// Every example in the description of the API is answered, as it says.
func TestExamplesOfTheContract(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	tried := 0
	for path, item := range contractOf(t, router).Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Security != nil || path == ChartPath || strings.HasPrefix(path, "/v1/slack/") || path == "/v1/mcp" {
				continue // TestPortfolios has a key, TestCharts addresses of pictures, and bots have packages of their own
			}
			for _, e := range examplesOf(t, path, method, operation) {
				tried++
				checkAnswer(t, e, operation, serve(t, router, e))
			}
		}
	}
	if tried < 40 {
		t.Errorf("tried %d examples", tried)
	}
}

// example is a value of a parameter.
type example struct {
	parameter *openapi3.Parameter
	value     any
}

// examplesOf are the requests that an operation's examples make: for each example of
// a body, or else with each example of a parameter, the required ones in all.
func examplesOf(t *testing.T, path, method string, operation *openapi3.Operation) []events.APIGatewayV2HTTPRequest {
	t.Helper()
	var required, others []example
	for _, p := range operation.Parameters {
		for i, value := range valuesOf(p.Value) {
			if p.Value.Required && i == 0 {
				required = append(required, example{p.Value, value})
			} else {
				others = append(others, example{p.Value, value})
			}
		}
	}
	bodies := []any{nil}
	if operation.RequestBody != nil {
		bodies = bodies[:0]
		for _, e := range operation.RequestBody.Value.Content.Get("application/json").Examples {
			bodies = append(bodies, e.Value.Value)
		}
	}
	var made []events.APIGatewayV2HTTPRequest
	for _, body := range bodies {
		made = append(made, requestWith(t, path, method, body, required))
		for _, e := range others {
			left := slices.DeleteFunc(slices.Clone(required), func(r example) bool { return r.parameter == e.parameter })
			made = append(made, requestWith(t, path, method, body, append(left, e)))
		}
	}
	return made
}

// valuesOf are the examples of a parameter.
func valuesOf(p *openapi3.Parameter) []any {
	var values []any
	if p.Example != nil {
		values = append(values, p.Example)
	}
	for _, e := range p.Examples {
		values = append(values, e.Value.Value)
	}
	return values
}

// requestWith is a request with values of parameters.
func requestWith(t *testing.T, path, method string, body any, examples []example) events.APIGatewayV2HTTPRequest {
	t.Helper()
	query := url.Values{}
	for _, e := range examples {
		if e.parameter.In == "path" {
			path = strings.ReplaceAll(path, "{"+e.parameter.Name+"}", fmt.Sprint(e.value))
			continue
		}
		list, ok := e.value.([]any)
		if !ok {
			list = []any{e.value}
		}
		for _, value := range list {
			query.Add(e.parameter.Name, fmt.Sprint(value))
		}
	}
	text := ""
	if body != nil {
		document, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(document)
	}
	return event(method, path+"?"+query.Encode(), text)
}

// checkAnswer tests that an answer is the one of status 200 that the operation
// describes.
func checkAnswer(t *testing.T, e events.APIGatewayV2HTTPRequest, operation *openapi3.Operation, answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	name := operation.OperationID + " " + e.RawQueryString + e.Body
	described := operation.Responses.Status(answer.StatusCode)
	if answer.StatusCode != http.StatusOK || described == nil {
		t.Errorf("%s: got status %d: %s", name, answer.StatusCode, answer.Body)
		return
	}
	media := described.Value.Content.Get(answer.Headers["content-type"])
	if media == nil {
		t.Errorf("%s: content type %s is not described", name, answer.Headers["content-type"])
		return
	}
	var value any
	if err := json.NewDecoder(bytes.NewReader([]byte(answer.Body))).Decode(&value); err != nil {
		t.Fatal(err)
	}
	if err := media.Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Every route is described, and every path that is described has a route.
func TestContractHasEveryRoute(t *testing.T) {
	s := smallCatalogue(t)
	document := contractOf(t, routerOver(s))
	described := make(map[string]bool)
	for path, item := range document.Paths.Map() {
		for method := range item.Operations() {
			described[method+" "+path] = true
		}
	}
	for _, route := range routesOver(s) {
		if key := route.Method + " " + route.Path; !described[key] {
			t.Errorf("%s is not described", key)
		} else {
			delete(described, key)
		}
	}
	for key := range described {
		if !strings.HasPrefix(key, "POST /v1/slack/") && key != "POST /v1/mcp" { // bots have packages of their own
			t.Errorf("%s has no route here", key)
		}
	}
}
