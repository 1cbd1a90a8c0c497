package stack_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/schemas"
)

// marker is in all that is sent to be refused.
const marker = "c0ffee-marker"

// misused is an event that must be refused.
type misused struct {
	event  events.APIGatewayV2HTTPRequest
	status int
	reason string
}

// main is a route of each function that takes a body, or else one of GET, and the reason
// of a body that is too large where such bodies have reasons.
func mainRoute(function string) (route, tooLarge string) {
	switch function {
	case "measurements":
		return "POST /v1/measurements", "too_large"
	case "slack":
		return "POST /v1/slack/commands", ""
	case "offers":
		return "GET /v1/offers", ""
	case "web":
		return "GET /v1/openapi.json", ""
	default:
		return "POST /v1/" + function, ""
	}
}

// misuses are what any function of the HTTP API must refuse.
func misuses(t *testing.T, function string) map[string]misused {
	t.Helper()
	route, tooLarge := mainRoute(function)
	_, at, _ := strings.Cut(route, " ")
	flood, huge := event(t, "GET /nothing", "", ""), event(t, "GET /nothing", "", "")
	for i := range 500 {
		flood.Headers[fmt.Sprintf("x-flood-%d", i)] = strings.Repeat(marker, 10)
	}
	huge.Headers["cookie"] = strings.Repeat(marker, 10_000)
	broken := event(t, route, "", marker+"*")
	broken.IsBase64Encoded = true
	invalid := ""
	if function == "measurements" {
		invalid = "invalid_document"
	}
	large, plain := event(t, route, "", base64.StdEncoding.EncodeToString([]byte(strings.Repeat(marker, 200_000)))), event(t, route, "", strings.Repeat(marker, 200_000))
	large.IsBase64Encoded = true
	just := event(t, route, "", base64.StdEncoding.EncodeToString(make([]byte, schemas.MaxBytes+1)))
	just.IsBase64Encoded = true
	return map[string]misused{
		"no such path":              {event(t, "GET /v1/"+marker, "", ""), 404, ""},
		"no path":                   {event(t, "GET ", "", ""), 404, ""},
		"a path that climbs":        {event(t, "GET /v1/../healthz", "", ""), 404, ""},
		"the same in hexadecimal":   {event(t, "GET /v1/%2e%2e/healthz", "", ""), 404, ""},
		"a path that climbs to one": {event(t, "GET /x/.."+at, "", ""), 404, ""},
		"an encoded slash":          {event(t, "GET "+strings.ReplaceAll(at, "/", "%2f"), "", ""), 404, ""},
		"a double slash":            {event(t, "GET /"+at, "", ""), 404, ""},
		"a slash at the end":        {event(t, "GET "+at+"/", "", ""), 404, ""},
		"a zero byte":               {event(t, "GET "+at+"\x00", "", ""), 404, ""},
		"another case":              {event(t, "GET "+strings.ToUpper(at), "", ""), 404, ""},
		"a very long path":          {event(t, "GET /v1/"+strings.Repeat(marker, 5000), "", ""), 404, ""},
		"a wrong method":            {event(t, "PATCH "+at, "", ""), 405, ""},
		"a method made up":          {event(t, "BREW "+at, "", ""), 405, ""},
		"a method made up, nowhere": {event(t, "BREW /v1/"+marker, "", ""), 404, ""},
		"a flood of headers":        {flood, 404, ""},
		"a huge header":             {huge, 404, ""},
		"a query cut short":         {event(t, "GET /v1/"+marker+"?q=%", "", ""), 400, ""},
		"no base64":                 {broken, 400, invalid},
		"a large body in base64":    {large, 413, tooLarge},
		"a large body":              {plain, 413, tooLarge},
		"a byte too many":           {just, 413, tooLarge},
		"a key of nobody":           {event(t, "GET /v1/"+marker, "tw_acme_0000000000_"+strings.Repeat("0", 64), ""), 404, ""},
	}
}

// misuse sends a function what it must refuse, and looks for it, and for secrets, in the
// log.
func misuse(t *testing.T, function string, l *lambda, secrets ...string) {
	t.Helper()
	for name, row := range misuses(t, function) {
		var answer events.APIGatewayV2HTTPResponse
		l.invoke(t, row.event, &answer)
		if answer.StatusCode != row.status || answer.Headers["content-type"] != "application/problem+json" {
			t.Errorf("%s: %s: got status %d, %v, want %d and a problem document", function, name, answer.StatusCode, answer.Headers, row.status)
		}
		var problem schemas.ProblemDocument
		if err := schemas.Validate(schemas.ProblemSchema, []byte(answer.Body)); err != nil || json.Unmarshal([]byte(answer.Body), &problem) != nil || problem.Reason != row.reason {
			t.Errorf("%s: %s: %v, reason %q, want %q: %.300s", function, name, err, problem.Reason, row.reason, answer.Body)
		}
		if (answer.Headers["allow"] != "") != (row.status == 405) {
			t.Errorf("%s: %s: the header Allow is %q", function, name, answer.Headers["allow"])
		}
	}
	log := l.String()
	for _, secret := range append(secrets, marker, "x-flood", "203.0.113.10", "curl/8.5.0", "tw_acme", "fine-tune", "Bearer") {
		if at := strings.Index(log, secret); at >= 0 {
			t.Errorf("%s: the log has %q: %.200s", function, secret, log[at:])
		}
	}
}
