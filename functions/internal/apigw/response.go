package apigw

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// Response is an answer as handlers give it.
type Response struct {
	Status int               // 0 is 200
	Header map[string]string // names in lower case
	Body   []byte
}

// JSON is an answer of status 200 whose body is v, on one line.
func JSON(v any) (Response, error) { return encode(http.StatusOK, "application/json", v) }

// JSONTagged is JSON for an answer that depends on the tag alone, quoted as in the
// header ETag. To a request that holds the answer of that tag it is status 304
// without a body.
func (r *Request) JSONTagged(tag string, v any) (Response, error) {
	if r.holds(tag) {
		return Response{Status: http.StatusNotModified, Header: map[string]string{"etag": tag}}, nil
	}
	response, err := JSON(v)
	if err == nil {
		response.Header["etag"] = tag
	}
	return response, err
}

// holds reports whether the header If-None-Match names the tag. Weak tags of one
// text are the same (RFC 9110, 8.8.3.2).
func (r *Request) holds(tag string) bool {
	for held := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		held = strings.TrimSpace(held)
		if held == "*" || held != "" && strings.TrimPrefix(held, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// encode is an answer whose body is v as JSON.
func encode(status int, mediaType string, v any) (Response, error) {
	var body bytes.Buffer
	to := json.NewEncoder(&body)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		return Response{}, fmt.Errorf("encode answer: %w", err)
	}
	header := map[string]string{"content-type": mediaType, "x-content-type-options": "nosniff"}
	return Response{Status: status, Header: header, Body: body.Bytes()}, nil
}

// event is the answer as the gateway takes it. To HEAD it is the answer to GET
// without its body.
func (r Response) event(method string) events.APIGatewayV2HTTPResponse {
	out := events.APIGatewayV2HTTPResponse{StatusCode: cmp.Or(r.Status, http.StatusOK), Headers: maps.Clone(r.Header), Body: string(r.Body)}
	if method == http.MethodHead && r.Status != http.StatusNotModified {
		if out.Headers == nil {
			out.Headers = make(map[string]string)
		}
		out.Headers["content-length"] = strconv.Itoa(len(r.Body))
		out.Body = ""
	}
	return out
}
