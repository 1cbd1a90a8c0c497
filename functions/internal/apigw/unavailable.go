package apigw

import (
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// After how many seconds to try again: a catalogue, a store, and room.
const (
	retryCatalogue = "10"
	retryStore     = "10"
	retryRoom      = "1"
)

// Unavailable is the answer to every request while there is nothing to answer from.
func Unavailable() events.APIGatewayV2HTTPResponse {
	return refused(http.StatusServiceUnavailable, "unavailable", "The catalogue can't be reached", "there is no catalogue to answer from just now; try again soon").after(retryCatalogue)
}

// Overloaded is the answer to a request that there is no room for.
func Overloaded() events.APIGatewayV2HTTPResponse {
	return refused(http.StatusServiceUnavailable, "overloaded", "No room", "more requests came at once than can be answered; try again in a second").after(retryRoom)
}

// TooMany is the answer to a request beyond a rate that is allowed. wait is how long
// until there is room for another.
func TooMany(wait time.Duration) events.APIGatewayV2HTTPResponse {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	return refused(http.StatusTooManyRequests, "too-many-requests", "Too many requests", "more requests came than are allowed; try again later").after(strconv.Itoa(seconds))
}

// HeadersTooLarge is the answer to a request whose headers are larger than is read.
func HeadersTooLarge() events.APIGatewayV2HTTPResponse {
	return refused(http.StatusRequestHeaderFieldsTooLarge, "headers-too-large", "The headers are too large", "send fewer or shorter headers").event(http.MethodGet)
}

// Unreadable is the answer to a request whose body breaks off, or is not framed as it
// says.
func Unreadable() events.APIGatewayV2HTTPResponse {
	return refused(http.StatusBadRequest, "unreadable", "The body can't be read", "the body ends too early, or is not framed as its headers say").event(http.MethodGet)
}

// Failed is the answer to a request that failed outside of every handler.
func Failed() events.APIGatewayV2HTTPResponse {
	return refused(http.StatusBadGateway, "failed", "Something went wrong here", "the request was not answered").event(http.MethodGet)
}

// refused is an answer without a request that was routed.
func refused(status int, slug, title, detail string) Response {
	response, err := encode(status, "application/problem+json", problem(status, slug, title, detail))
	if err != nil { // a document of plain texts always encodes
		return Response{Status: status, Header: map[string]string{}}
	}
	return response
}

// after is the answer with when to try again.
func (r Response) after(seconds string) events.APIGatewayV2HTTPResponse {
	r.Header["retry-after"] = seconds
	return r.event(http.MethodGet)
}
