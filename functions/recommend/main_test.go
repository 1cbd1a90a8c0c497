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
	event := `{"version": "2.0", "rawPath": "/v1/recommend", "rawQueryString": "q=8xH100+for+a+week",
		"requestContext": {"stage": "$default", "http": {"method": "GET", "path": "/v1/recommend"}}}`
	output, err := lambda.NewHandler(current.Serve).Invoke(context.Background(), []byte(event))
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 200 {
		t.Errorf("got status %d: %s", answer.StatusCode, answer.Body)
	}
	if err := schemas.Validate(schemas.RecommendResponseSchema, []byte(answer.Body)); err != nil {
		t.Error(err)
	}
}
