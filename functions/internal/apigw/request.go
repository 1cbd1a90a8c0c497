package apigw

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/schemas"
)

// Request is a request as handlers see it.
type Request struct {
	Method string
	Path   string            // without the stage of the gateway
	Values map[string]string // what the route's names in braces stand for
	Query  url.Values
	Header http.Header
	Body   []byte
	ID     string // the gateway's id of the request, for the log
	// Claims are those of a token that the gateway checked; nil if it checked none.
	Claims map[string]string

	route string // the path of its route, "" if it has none
}

// requestOf reads an event. The error is a *schemas.ValidationError or a
// TooLargeError.
func requestOf(event *events.APIGatewayV2HTTPRequest) (*Request, error) {
	r := &Request{
		Method: event.RequestContext.HTTP.Method,
		Path:   pathOf(event),
		Header: make(http.Header, len(event.Headers)),
		ID:     event.RequestContext.RequestID,
	}
	if by := event.RequestContext.Authorizer; by != nil && by.JWT != nil {
		r.Claims = by.JWT.Claims
	}
	for name, value := range event.Headers {
		r.Header.Set(name, value)
	}
	var err error
	if r.Query, err = url.ParseQuery(event.RawQueryString); err != nil {
		return r, schemas.Invalid("", "the query string is not well formed")
	}
	r.Body, err = bodyOf(event)
	return r, err
}

// pathOf is the path of an event. A gateway with a named stage puts the stage
// before it.
func pathOf(event *events.APIGatewayV2HTTPRequest) string {
	path := event.RawPath
	if stage := event.RequestContext.Stage; stage != "" && stage != "$default" {
		if rest, ok := strings.CutPrefix(path, "/"+stage); ok && strings.HasPrefix(rest, "/") {
			path = rest
		}
	}
	return path
}

// bodyOf is the body of an event. A gateway sends what is no text as base64.
func bodyOf(event *events.APIGatewayV2HTTPRequest) ([]byte, error) {
	body := []byte(event.Body)
	if event.IsBase64Encoded {
		if base64.StdEncoding.DecodedLen(len(body)) > schemas.MaxBytes+3 { // padding counts as up to three bytes
			return nil, TooLargeError{}
		}
		var err error
		if body, err = base64.StdEncoding.DecodeString(event.Body); err != nil {
			return nil, schemas.Invalid("", "the body is not well-formed base64")
		}
	}
	if len(body) > schemas.MaxBytes {
		return nil, TooLargeError{}
	}
	return body, nil
}

// Decode reads a JSON body that a schema describes into v. The error is a
// *schemas.ValidationError or a MediaTypeError. A body without a content type
// counts as JSON.
func (r *Request) Decode(name schemas.Name, v any) error {
	if r.Header.Get("Content-Encoding") != "" {
		return MediaTypeError{}
	}
	if stated := r.Header.Get("Content-Type"); stated != "" {
		media, parameters, err := mime.ParseMediaType(stated)
		charset := parameters["charset"]
		if err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
			return MediaTypeError{}
		}
	}
	return schemas.Decode(name, r.Body, v)
}
