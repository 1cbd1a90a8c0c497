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
	for path, schema := range map[string]schemas.Name{
		"/v1/offers":    schemas.OffersResponseSchema,
		"/v1/gpus":      schemas.GPUsResponseSchema,
		"/v1/providers": schemas.ProvidersResponseSchema,
	} {
		event := `{"version": "2.0", "rawPath": "` + path + `", "rawQueryString": "",
			"requestContext": {"stage": "$default", "http": {"method": "GET", "path": "` + path + `"}}}`
		output, err := lambda.NewHandler(current.Serve).Invoke(context.Background(), []byte(event))
		if err != nil {
			t.Fatal(err)
		}
		var answer events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(output, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != 200 || len(output) > 6<<20 {
			t.Errorf("%s: got status %d, %d bytes", path, answer.StatusCode, len(output))
		}
		if err := schemas.Validate(schema, []byte(answer.Body)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
