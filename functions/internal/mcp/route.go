package mcp

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// Path is where agents call tools, over streamable HTTP.
const Path = "/v1/mcp"

// Routes are the route of the tools over an API.
func (x *Tools) Routes(api API, version string) []apigw.Route {
	server := x.Server(api, version)
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return []apigw.Route{{Method: http.MethodPost, Path: Path, Handler: func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		request, err := http.NewRequestWithContext(ctx, r.Method, Path, bytes.NewReader(r.Body))
		if err != nil {
			return apigw.Response{}, fmt.Errorf("read call: %w", err)
		}
		request.Header = r.Header.Clone()
		request.Host = r.Header.Get("Host") // what a page in a browser can't forge, on this machine
		answer := recorder{header: make(http.Header), status: http.StatusOK}
		handler.ServeHTTP(&answer, request)
		return answer.response(), nil
	}}}
}

// recorder keeps what a handler answers.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is what http.ResponseWriter says.
func (x *recorder) Header() http.Header { return x.header }

// WriteHeader is what http.ResponseWriter says.
func (x *recorder) WriteHeader(status int) { x.status = status }

// Write is what http.ResponseWriter says.
func (x *recorder) Write(p []byte) (int, error) { return x.body.Write(p) }

// Flush does nothing: the answer is whole when it is given. The handler wants one.
func (x *recorder) Flush() {}

// response is the answer as handlers give it.
func (x *recorder) response() apigw.Response {
	answer := apigw.Response{Status: x.status, Header: make(map[string]string), Body: x.body.String()}
	for name, values := range x.header {
		answer.Header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return answer
}
