package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

// The function answers the bytes that a Lambda runtime hands it.
func TestFunction(t *testing.T) {
	current, err := newCurrent(slog.New(slog.DiscardHandler), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/":                              "text/html",
		"/plans?q=cheapest+7B+fine-tune": "text/html",
		"/v1/docs":                       "text/html",
		"/v1/openapi.json":               "application/json",
		"/healthz":                       "application/json",
	} {
		path, query, _ := strings.Cut(target, "?")
		event := `{"version": "2.0", "rawPath": "` + path + `", "rawQueryString": "` + query + `",
			"requestContext": {"stage": "$default", "http": {"method": "GET", "path": "` + path + `"}}}`
		output, err := lambda.NewHandler(current.Serve).Invoke(context.Background(), []byte(event))
		if err != nil {
			t.Fatal(err)
		}
		var answer events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(output, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != 200 || !strings.HasPrefix(answer.Headers["content-type"], want) || len(output) > 6<<20 {
			t.Errorf("%s: got status %d, %s, %d bytes", target, answer.StatusCode, answer.Headers["content-type"], len(output))
		}
	}
}
