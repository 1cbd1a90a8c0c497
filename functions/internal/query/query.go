// Package query turns a short English or Chinese phrase into the request that a
// client would post:
//
//	"qlora 70b under $200 in 24h, eu only, no spot"
//
// The grammar is a fixed list of rules: the same text and the same names always
// give the same request. A text goes through four steps.
//
//	scan    folds full-width forms and case; cuts words, numbers, single Han
//	        characters and symbols
//	read    tries every rule at every position and keeps the longest span
//	deny    gives each "no", "不要" or "at least" its reach
//	settle  drops what contradicts itself, decides what depends on the rest
//
// What no rule consumes is reported and never guessed: a number without a unit, a
// denial of something that a request cannot exclude, a lower bound where a request
// has only an upper one, both halves of a contradiction. Of a word that is joined
// from several parts ("us-west-7") all parts are understood or none.
package query

import (
	"fmt"
	"unicode/utf8"

	"github.com/tierwise/tierwise/schemas"
)

// MaxRunes is the length, in runes, of the longest text that Parse reads.
const MaxRunes = 1000

// Names are the words of the catalogue that a text may use. Each function gets a
// piece of the text in lower case and returns the canonical spelling to put into
// the request. Provider and Region also get Han characters. A nil function knows
// no names.
type Names struct {
	GPU      func(text string) (name string, ok bool) // "a100 80gb": a family or a variant
	Model    func(text string) (name string, ok bool)
	Provider func(text string) (id string, ok bool)
	Region   func(text string) (id string, ok bool)
}

// Result is what a text says. NotUnderstood holds the pieces of the text that
// might mean something but had no effect on Request, in the order and the spelling
// of the text.
type Result struct {
	Request       schemas.RecommendRequest
	NotUnderstood []string
}

// Problem is the reason why a text is no query.
type Problem string

// The problems of a text. Only NoSubject comes with a Result: the text was read,
// but names neither a kind of work nor hardware.
const (
	Empty     Problem = "empty"
	TooLong   Problem = "too_long"
	NotUTF8   Problem = "not_utf8"
	NoSubject Problem = "no_subject"
)

// Error says why Parse made no query of a text.
type Error struct {
	Problem Problem
}

// Error is a sentence fit for the author of the text.
func (e *Error) Error() string {
	switch e.Problem {
	case Empty:
		return "the text is empty"
	case TooLong:
		return fmt.Sprintf("the text is longer than %d characters", MaxRunes)
	case NotUTF8:
		return "the text is not valid UTF-8"
	case NoSubject:
		return "the text names neither a kind of work (fine-tune, pretrain) nor hardware (8xH100)"
	}
	return "the text is no query: " + string(e.Problem)
}

// Parse reads a text. The error, if any, is an *Error.
func Parse(text string, names Names) (Result, error) {
	if !utf8.ValidString(text) {
		return Result{}, &Error{NotUTF8}
	}
	if utf8.RuneCountInString(text) > MaxRunes {
		return Result{}, &Error{TooLong}
	}
	t := scan(text)
	r := reader{text: t, entries: vocabulary().look(t.tokens), names: names, loners: make(map[int]bool)}
	if len(r.tokens) == 0 {
		return Result{}, &Error{Empty}
	}
	items := r.read()
	breakCompounds(r.tokens, items)
	deny(items)
	breakRanges(r.tokens, items)
	settle(items)
	v := collect(items)
	result := Result{Request: v.request(), NotUnderstood: r.unread(items)}
	if r.chinese {
		result.Request.Language = "zh"
	}
	if !v.work() && !v.gpu() {
		return result, &Error{NoSubject}
	}
	return result, nil
}
