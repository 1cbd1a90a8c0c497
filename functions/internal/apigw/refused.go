package apigw

import (
	"net/http"

	"github.com/tierwise/tierwise/schemas"
)

// RefusedError says that what a box sent is not taken, for a reason that has a code.
type RefusedError struct {
	Kind     RefusalKind
	Reason   string // the code
	Detail   string // a sentence for the client
	Problems []schemas.Problem
}

// Error is the sentence for the client.
func (e *RefusedError) Error() string { return e.Detail }

// RefusalKind sorts refusals by their status.
type RefusalKind uint8

// The kinds.
const (
	RefusedMalformed RefusalKind = iota
	RefusedSize
	RefusedMedia
	RefusedStranger
	RefusedBanned
	RefusedContested
	RefusedImplausible
)

// refusals are the rows of the table of errors and statuses that refusals take.
func refusals() map[RefusalKind]schemas.ProblemDocument {
	return map[RefusalKind]schemas.ProblemDocument{
		RefusedMalformed:   problem(http.StatusBadRequest, "invalid-request", "The request is not valid", ""),
		RefusedSize:        problem(http.StatusRequestEntityTooLarge, "too-large", "The body is too large", ""),
		RefusedMedia:       problem(http.StatusUnsupportedMediaType, "unsupported-media-type", "The content type is not supported", ""),
		RefusedStranger:    problem(http.StatusUnauthorized, "not-enrolled", "The sender is not known", ""),
		RefusedBanned:      problem(http.StatusForbidden, "not-accepted", "Nothing is taken from this sender", ""),
		RefusedContested:   problem(http.StatusConflict, "contested", "It is another's", ""),
		RefusedImplausible: problem(http.StatusUnprocessableEntity, "implausible", "It can't be true", ""),
	}
}

// document is the problem document of a refusal.
func (e *RefusedError) document() schemas.ProblemDocument {
	p := refusals()[e.Kind]
	p.Detail, p.Reason = e.Detail, e.Reason
	p.Errors = append(p.Errors, e.Problems...)
	return p
}
