package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// TestBytesThatAreNoText: the gateway gives them as the handler did, and HEAD says how many
// there are.
func TestBytesThatAreNoText(t *testing.T) {
	const picture = "\xff\x00 no text"
	handler := apigw.NewRouter(slog.New(slog.DiscardHandler), time.Now, apigw.Route{Method: http.MethodGet, Path: "/picture",
		Handler: func(context.Context, *apigw.Request) (apigw.Response, error) {
			return apigw.Response{Body: picture}, nil
		}})
	for method, body := range map[string]string{http.MethodGet: picture, http.MethodHead: ""} {
		answer := httptest.NewRecorder()
		gateway{handler}.ServeHTTP(answer, httptest.NewRequest(method, "/picture", nil))
		if got, _ := io.ReadAll(answer.Body); answer.Code != http.StatusOK || string(got) != body {
			t.Errorf("%s: got status %d, %q", method, answer.Code, got)
		}
		if length := answer.Header().Get("Content-Length"); method == http.MethodHead && length != "10" {
			t.Errorf("HEAD: got a content length of %s", length)
		}
	}
}

// garbled answers with what is no base64.
type garbled struct{}

// Serve is what lambdaHandler says.
func (garbled) Serve(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusOK, Body: "?", IsBase64Encoded: true}, nil
}

// TestGarbledBytes: they are the fault of what answered, and it says no more.
func TestGarbledBytes(t *testing.T) {
	answer := httptest.NewRecorder()
	gateway{garbled{}}.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	if answer.Code != http.StatusBadGateway || answer.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("got status %d, %v: %s", answer.Code, answer.Header(), answer.Body)
	}
}
