package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/schemas"
)

// The function answers the bytes that a Lambda runtime hands it.
func TestFunction(t *testing.T) {
	current, err := newCurrent(slog.New(slog.DiscardHandler), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	event := `{"version": "2.0", "rawPath": "/v1/tco", "rawQueryString": "", "headers": {"content-type": "application/json"},
		"body": "{\"resources\": [{\"offer\": {\"gpu\": \"A100\"}}]}",
		"requestContext": {"stage": "$default", "http": {"method": "POST", "path": "/v1/tco"}}}`
	output, err := lambda.NewHandler(current.Serve).Invoke(context.Background(), []byte(event))
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate(schemas.TCOResponseSchema, []byte(answer.Body)); answer.StatusCode != 200 || err != nil {
		t.Errorf("got status %d, %v: %s", answer.StatusCode, err, answer.Body)
	}
}
