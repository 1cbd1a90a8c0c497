package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tierwise/tierwise/functions/internal/boxtest"
	"github.com/tierwise/tierwise/schemas"
)

// The function answers the bytes that a Lambda runtime hands it. Without a table it
// takes no reports.
func TestFunction(t *testing.T) {
	current, err := newCurrent(slog.New(slog.DiscardHandler), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		method, path, query, body string
		status                    int
		schema                    schemas.Name
	}{
		{"GET", "/v1/coefficients", "gpu=A100-80GB-SXM", "", 200, schemas.CoefficientsResponseSchema},
		{"POST", "/v1/enroll", "", string(boxtest.New("one").Enrolment("0000-0000-0000", nil)), 404, schemas.ProblemSchema},
	} {
		event := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: row.path, RawQueryString: row.query, Body: row.body}
		event.RequestContext.HTTP.Method = row.method
		input, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		output, err := lambda.NewHandler(current.Serve).Invoke(context.Background(), input)
		if err != nil {
			t.Fatal(err)
		}
		var answer events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(output, &answer); err != nil {
			t.Fatal(err)
		}
		if err := schemas.Validate(row.schema, []byte(answer.Body)); answer.StatusCode != row.status || err != nil {
			t.Errorf("%s %s: status %d, want %d; %v: %s", row.method, row.path, answer.StatusCode, row.status, err, answer.Body)
		}
	}
}
