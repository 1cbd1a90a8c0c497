package apigw

import (
	"net/http"

	"github.com/aws/aws-lambda-go/events"
)

// Unavailable is the answer to every request while there is nothing to answer from.
func Unavailable() events.APIGatewayV2HTTPResponse {
	return later("unavailable", "The catalogue can't be reached", "there is no catalogue to answer from just now; try again soon", "10")
}

// Overloaded is the answer to a request that there is no room for.
func Overloaded() events.APIGatewayV2HTTPResponse {
	return later("overloaded", "Too many requests", "more requests came than can be answered; try again in a second", "1")
}

// later is an answer of status 503 that says after how many seconds to try again.
func later(slug, title, detail, seconds string) events.APIGatewayV2HTTPResponse {
	response, err := encode(http.StatusServiceUnavailable, "application/problem+json", problem(http.StatusServiceUnavailable, slug, title, detail))
	if err != nil { // a document of plain texts always encodes
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusServiceUnavailable}
	}
	response.Header["retry-after"] = seconds
	return response.event(http.MethodGet)
}
