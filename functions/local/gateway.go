package main

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// gateway stands in for an API Gateway HTTP API: it turns requests into the
// events that Lambda functions get, and their answers into responses.
type gateway struct{ handler lambdaHandler }

// lambdaHandler answers events as a Lambda function does.
type lambdaHandler interface {
	Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// ServeHTTP answers a request through the handler.
func (g gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := g.answer(r)
	if err == nil && answer.IsBase64Encoded {
		var content []byte
		content, err = base64.StdEncoding.DecodeString(answer.Body)
		answer.Body = string(content)
	}
	if err != nil {
		answer = apigw.Failed()
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.WriteString(w, answer.Body) // the client may have gone
}

// answer is the answer to a request as the handler gives it.
func (g gateway) answer(r *http.Request) (events.APIGatewayV2HTTPResponse, error) {
	if sizeOf(r.Header) > largestHeader {
		return apigw.HeadersTooLarge(), nil
	}
	// One byte more than is allowed tells a body that is too large.
	body, err := io.ReadAll(io.LimitReader(r.Body, schemas.MaxBytes+1))
	if err != nil {
		return apigw.Unreadable(), nil
	}
	return g.handler.Serve(r.Context(), eventOf(r, body))
}

// sizeOf is the size of headers as they were sent, in bytes.
func sizeOf(h http.Header) int {
	size := 0
	for name, values := range h {
		for _, value := range values {
			size += len(name) + len(": \r\n") + len(value)
		}
	}
	return size
}

// eventOf is a request as an API Gateway HTTP API sends it (payload format 2.0).
func eventOf(r *http.Request, body []byte) events.APIGatewayV2HTTPRequest {
	event := events.APIGatewayV2HTTPRequest{
		Version:        "2.0",
		RouteKey:       "$default",
		RawPath:        r.URL.Path,
		RawQueryString: r.URL.RawQuery,
		Headers:        make(map[string]string, len(r.Header)),
		Body:           string(body),
	}
	for name, values := range r.Header {
		event.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	event.Headers["host"] = r.Host
	if !utf8.Valid(body) {
		event.Body, event.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	event.RequestContext.Stage = "$default"
	event.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{
		Method: r.Method, Path: r.URL.Path, Protocol: r.Proto, SourceIP: r.RemoteAddr, UserAgent: r.UserAgent(),
	}
	return event
}
