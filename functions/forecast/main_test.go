package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// The function answers the bytes that a Lambda runtime hands it.
func TestFunction(t *testing.T) {
	current, err := newCurrent(slog.New(slog.DiscardHandler), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	event := `{"version": "2.0", "rawPath": "/v1/forecast", "rawQueryString": "", "headers": {"content-type": "application/json"},
		"body": "{\"months\": 3, \"workloads\": [{\"resources\": [{\"offer\": {\"gpu\": \"A100\"}}]}]}",
		"requestContext": {"stage": "$default", "http": {"method": "POST", "path": "/v1/forecast"}}}`
	output, err := lambda.NewHandler(current.Serve).Invoke(context.Background(), []byte(event))
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate(schemas.ForecastResponseSchema, []byte(answer.Body)); answer.StatusCode != 200 || err != nil {
		t.Errorf("got status %d, %v: %s", answer.StatusCode, err, answer.Body)
	}
}

// With a key in the environment the answer links to a picture; a key that is too short
// stops the function at its start.
func TestPictures(t *testing.T) {
	keyed := func(secret string) func(string) string {
		return func(name string) string { return map[string]string{endpoint.ChartKeyVariable: secret}[name] }
	}
	if _, err := newCurrent(slog.New(slog.DiscardHandler), keyed("short")); err == nil {
		t.Error("a short key is taken")
	}
	current, err := newCurrent(slog.New(slog.DiscardHandler), keyed(strings.Repeat("secret", 6)))
	if err != nil {
		t.Fatal(err)
	}
	event := events.APIGatewayV2HTTPRequest{RawPath: "/v1/forecast", RawQueryString: "charts=true", Body: `{"months": 3, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`}
	event.RequestContext.HTTP.Method = "POST"
	answer, err := current.Serve(context.Background(), event)
	if err != nil || answer.StatusCode != 200 || !strings.Contains(answer.Body, `"charts":{"forecast":"/v1/charts/`) {
		t.Errorf("got status %d (%v): %.300s", answer.StatusCode, err, answer.Body)
	}
}
