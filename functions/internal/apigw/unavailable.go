package apigw

import (
	"net/http"

	"github.com/aws/aws-lambda-go/events"
)

// Unavailable is the answer to every request while there is nothing to answer from.
func Unavailable() events.APIGatewayV2HTTPResponse {
	response, err := encode(http.StatusServiceUnavailable, "application/problem+json", problem(http.StatusServiceUnavailable,
		"unavailable", "The catalogue can't be reached", "there is no catalogue to answer from just now; try again soon"))
	if err != nil { // a document of plain texts always encodes
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusServiceUnavailable}
	}
	response.Header["retry-after"] = "10"
	return response.event(http.MethodGet)
}
