package main

import (
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
	call := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "offers", "arguments": {"gpu": ["L4"], "limit": 1}}}`
	event, err := json.Marshal(map[string]any{
		"version": "2.0", "rawPath": "/v1/mcp", "body": call,
		"headers":        map[string]string{"accept": "application/json, text/event-stream", "content-type": "application/json"},
		"requestContext": map[string]any{"stage": "$default", "http": map[string]any{"method": "POST", "path": "/v1/mcp"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	output, err := lambda.NewHandler(current.Serve).Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	var result struct {
		Result struct {
			IsError           bool
			StructuredContent struct{ Offers []json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(answer.Body), &result); err != nil || len(result.Result.StructuredContent.Offers) != 1 || result.Result.IsError {
		t.Errorf("status %d, %v: %.300s", answer.StatusCode, err, answer.Body)
	}
	if kind := answer.Headers["content-type"]; !strings.HasPrefix(kind, "application/json") {
		t.Errorf("it answers %s, want JSON", kind)
	}
}
