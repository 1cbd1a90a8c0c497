package apigw

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// NotFoundError says that no route has the path, or that there is nothing of the
// name in it.
type NotFoundError struct {
	What string   // what there is not, for the client; "" if no route has the path
	Near []string // known names that are spelt like it
}

// Error is a sentence for the client.
func (e NotFoundError) Error() string {
	switch {
	case e.What == "":
		return "there is nothing at this path"
	case len(e.Near) > 0:
		return e.What + "; did you mean " + strings.Join(e.Near, ", ") + "?"
	default:
		return e.What
	}
}

// MethodError says that the path has routes, but not of this method.
type MethodError struct{ Allow []string }

// Error is a sentence for the client.
func (e MethodError) Error() string {
	return "this path takes " + strings.Join(e.Allow, ", ")
}

// MediaTypeError says that a body is not plain JSON.
type MediaTypeError struct{}

// Error is a sentence for the client.
func (MediaTypeError) Error() string {
	return "send JSON in UTF-8, uncompressed, with the header Content-Type: application/json"
}

// TooLargeError says that a body is larger than schemas.MaxBytes.
type TooLargeError struct{}

// Error is a sentence for the client.
func (TooLargeError) Error() string {
	return fmt.Sprintf("the body is larger than %d bytes", schemas.MaxBytes)
}

// UnauthorizedError says that the path needs an API key and the request carries none
// that is good.
type UnauthorizedError struct{}

// Error is a sentence for the client.
func (UnauthorizedError) Error() string {
	return "this path needs an API key: send it in the header Authorization, as Bearer and the key"
}

// SignatureError says that a request is not signed as it has to be, or too old.
type SignatureError struct{}

// Error is a sentence for the client.
func (SignatureError) Error() string {
	return "the request is not signed, or its signature is wrong or more than five minutes old"
}

// PreconditionError says that the headers If-Match or If-None-Match do not hold.
type PreconditionError struct{}

// Error is a sentence for the client.
func (PreconditionError) Error() string {
	return "what is kept is not what the request expects: read it again, and send its ETag"
}

// TextError says that a text is no request: what was understood of it, what was
// not, and what is missing.
type TextError struct {
	Reason        string // a sentence for the client
	Problems      []schemas.Problem
	Interpreted   schemas.RecommendRequest
	NotUnderstood []string
	Suggestions   []schemas.Suggestion
}

// Error is the reason.
func (e *TextError) Error() string { return e.Reason }

// failure is the answer to a request that failed.
func failure(r *Request, route Route, err error) Response {
	document := problemOf(err)
	if route.Failed != nil {
		return route.Failed(r, document)
	}
	response, err2 := encode(document.Status, "application/problem+json", document)
	if err2 != nil { // a document of plain texts always encodes
		return Response{Status: http.StatusInternalServerError, Header: map[string]string{}}
	}
	if is[UnauthorizedError](err) {
		response.Header["www-authenticate"] = `Bearer realm="tierwise"`
	}
	if refused, ok := errors.AsType[MethodError](err); ok {
		response.Header["allow"] = strings.Join(refused.Allow, ", ")
	}
	if document.Status == http.StatusServiceUnavailable {
		response.Header["retry-after"] = retryStore
	}
	return response
}

// problemOf is the one table of errors and statuses. An error that is not in it
// is ours to mend: the client gets a fixed sentence and the log the error.
func problemOf(err error) schemas.ProblemDocument {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.document()
	}
	if text, ok := errors.AsType[*TextError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "text-not-understood", "The text can't be made into a request", text.Reason)
		p.Errors = append(p.Errors, text.Problems...)
		p.Interpreted, p.NotUnderstood = &text.Interpreted, brief(text.NotUnderstood)
		p.Suggestions = text.Suggestions
		return p
	}
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		p := problem(http.StatusBadRequest, "invalid-request", "The request is not valid", firstOf(invalid.Problems))
		p.Errors = append(p.Errors, invalid.Problems...)
		return p
	}
	if missing, ok := errors.AsType[NotFoundError](err); ok && missing.What != "" {
		p := problem(http.StatusNotFound, "not-found", "Nothing here", err.Error())
		p.Errors = append(p.Errors, schemas.Problem{Message: err.Error(), Near: missing.Near})
		return p
	}
	switch {
	case is[NotFoundError](err):
		return problem(http.StatusNotFound, "not-found", "Nothing here", err.Error())
	case is[MethodError](err):
		return problem(http.StatusMethodNotAllowed, "method-not-allowed", "The method is not allowed", err.Error())
	case is[UnauthorizedError](err):
		return problem(http.StatusUnauthorized, "unauthorized", "An API key is needed", err.Error())
	case is[SignatureError](err):
		return problem(http.StatusUnauthorized, "not-signed", "The signature is not good", err.Error())
	case is[PreconditionError](err):
		return problem(http.StatusPreconditionFailed, "precondition-failed", "It has changed", err.Error())
	case is[TooLargeError](err):
		return problem(http.StatusRequestEntityTooLarge, "too-large", "The body is too large", err.Error())
	case is[MediaTypeError](err):
		return problem(http.StatusUnsupportedMediaType, "unsupported-media-type", "The content type is not supported", err.Error())
	case is[catalog.UnavailableError](err):
		return problem(http.StatusServiceUnavailable, "store-unavailable", "What is kept can't be reached",
			"what the request is about is kept where nothing answers just now; try again soon")
	default:
		return problem(http.StatusInternalServerError, "internal", "Something went wrong here",
			"the request was understood, but answering it failed; the failure was logged")
	}
}

// is reports whether err is or wraps an error of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// problem is a problem document.
func problem(status int, slug, title, detail string) schemas.ProblemDocument {
	return schemas.ProblemDocument{Type: "urn:tierwise:problem:" + slug, Title: title, Status: status, Detail: detail,
		Errors: []schemas.Problem{}}
}

// firstOf says what the first problem is, and how many more there are.
func firstOf(problems []schemas.Problem) string {
	if len(problems) == 0 {
		return "the request is not valid"
	}
	first := problems[0]
	text := first.Message
	switch {
	case first.Parameter != "":
		text = first.Parameter + ": " + text
	case first.Pointer != "":
		text = first.Pointer + ": " + text
	}
	if more := len(problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// echoBytes is how much of a request an error repeats at most.
const echoBytes = 200

// brief is pieces of a text, cut to echoBytes in all.
func brief(pieces []string) []string {
	kept := []string{}
	left := echoBytes
	for _, piece := range pieces {
		if len(piece) > left {
			return append(kept, strings.ToValidUTF8(piece[:left], "")+"...")
		}
		kept = append(kept, piece)
		left -= len(piece)
	}
	return kept
}
