package apigw

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// Response is an answer as handlers give it.
type Response struct {
	Status int               // 0 is 200
	Header map[string]string // names in lower case
	Body   string            // bytes of any kind
}

// JSON is an answer of status 200 whose body is v, on one line.
func JSON(v any) (Response, error) { return encode(http.StatusOK, "application/json", v) }

// JSONTagged is JSON for an answer that depends on the tag alone, quoted as in the
// header ETag. To a request that holds the answer of that tag it is status 304
// without a body.
func (r *Request) JSONTagged(tag string, v any) (Response, error) {
	return r.Tagged(tag, func() (Response, error) { return JSON(v) })
}

// Tagged is an answer that depends on the tag alone, quoted as in the header ETag. To
// a request that holds it, it is status 304 without a body, and is not made.
func (r *Request) Tagged(tag string, answer func() (Response, error)) (Response, error) {
	if r.Holds(tag) {
		return Response{Status: http.StatusNotModified, Header: map[string]string{"etag": tag}}, nil
	}
	response, err := answer()
	if err == nil {
		response.Header["etag"] = tag
	}
	return response, err
}

// Meets reports whether the headers If-Match and If-None-Match let a request change
// what has the tag; "" is the tag of what is not there.
func (r *Request) Meets(tag string) bool {
	if wanted := r.Header.Get("If-Match"); wanted != "" && (tag == "" || !names(wanted, tag)) {
		return false
	}
	return tag == "" || !r.Holds(tag)
}

// Holds reports whether the header If-None-Match names the tag.
func (r *Request) Holds(tag string) bool { return names(r.Header.Get("If-None-Match"), tag) }

// names reports whether a list of tags names one. Weak tags of one text are the same
// (RFC 9110, 8.8.3.2).
func names(list, tag string) bool {
	for held := range strings.SplitSeq(list, ",") {
		held = strings.TrimSpace(held)
		if held == "*" || held != "" && strings.TrimPrefix(held, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// encode is an answer whose body is v as JSON.
func encode(status int, mediaType string, v any) (Response, error) {
	var body strings.Builder
	to := json.NewEncoder(&body)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		return Response{}, fmt.Errorf("encode answer: %w", err)
	}
	header := map[string]string{"content-type": mediaType, "x-content-type-options": "nosniff"}
	return Response{Status: status, Header: header, Body: body.String()}, nil
}

// event is the answer as the gateway takes it: a body that is no text as base64. To HEAD it is the answer to GET
// without its body.
func (r Response) event(method string) events.APIGatewayV2HTTPResponse {
	out := events.APIGatewayV2HTTPResponse{StatusCode: cmp.Or(r.Status, http.StatusOK), Headers: maps.Clone(r.Header), Body: r.Body}
	if !utf8.ValidString(r.Body) {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(r.Body)), true
	}
	if method == http.MethodHead && r.Status != http.StatusNotModified {
		if out.Headers == nil {
			out.Headers = make(map[string]string)
		}
		out.Headers["content-length"] = strconv.Itoa(len(r.Body))
		out.Body, out.IsBase64Encoded = "", false
	}
	return out
}
