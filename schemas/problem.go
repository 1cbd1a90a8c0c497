package schemas

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a request. Pointer is the JSON Pointer
// (RFC 6901) of the place, "" for the whole document. Message says what was
// expected, in plain words.
type Problem struct {
	Pointer   string   `json:"pointer"`
	Parameter string   `json:"parameter,omitempty"` // the query parameter, if one is to blame
	Message   string   `json:"message"`
	Near      []string `json:"near,omitempty"` // known names spelt like the one given
}

// ValidationError is everything that is wrong with a document, at least one problem.
type ValidationError struct {
	Problems []Problem
}

// Error lists the problems, each with its place.
func (e *ValidationError) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, strings.TrimPrefix(p.Pointer+": "+p.Message, ": "))
	}
	return strings.Join(lines, "; ")
}

// Invalid is a ValidationError of one problem.
func Invalid(pointer, format string, args ...any) *ValidationError {
	return &ValidationError{Problems: []Problem{{Pointer: pointer, Message: fmt.Sprintf(format, args...)}}}
}

// ProblemDocument is the body of an answer that reports an error (RFC 9457). Only
// an error of a text has Interpreted and NotUnderstood.
type ProblemDocument struct {
	Type          string            `json:"type"`
	Title         string            `json:"title"`
	Status        int               `json:"status"`
	Detail        string            `json:"detail"`
	Reason        string            `json:"reason,omitempty"` // code of a refusal
	Errors        []Problem         `json:"errors"`
	Interpreted   *RecommendRequest `json:"interpreted,omitempty"`
	NotUnderstood []string          `json:"not_understood,omitzero"`
	Suggestions   []Suggestion      `json:"suggestions,omitempty"`
}

// quotedBytes is the longest piece of a request that a message repeats.
const quotedBytes = 80

// Quoted is a piece of a request as messages repeat it: in quotes, and cut if it
// is long.
func Quoted(text string) string {
	short := text
	for cut := min(len(text), quotedBytes); cut >= 0; cut-- {
		short = fmt.Sprintf("%q", strings.ToValidUTF8(text[:cut], ""))
		if len(short) <= quotedBytes+2 {
			break
		}
	}
	if len(text) > quotedBytes {
		short += "..."
	}
	return short
}
