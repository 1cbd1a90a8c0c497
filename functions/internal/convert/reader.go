package convert

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/schemas"
)

// reader reads one request and collects what is wrong with it and what was
// assumed.
type reader struct {
	snapshot *catalog.Snapshot
	language wording.Language // of what is assumed
	problems []schemas.Problem
	assumed  []engine.Assumption
}

// fail records a problem.
func (r *reader) fail(pointer, format string, args ...any) {
	r.problems = append(r.problems, schemas.Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// refused is a *schemas.ValidationError of what is wrong, nil if nothing is.
func (r *reader) refused() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &schemas.ValidationError{Problems: r.problems[:min(len(r.problems), mostProblems)]}
}

// unknown records a name that the catalogue does not have, with the known names
// that it may have meant.
func (r *reader) unknown(pointer, what, name string, known []string) {
	r.unknownNear(pointer, what+" "+schemas.Quoted(name), near.Names(name, known))
}

// unknownNear is unknown where the near names are found already.
func (r *reader) unknownNear(pointer, what string, names []string) {
	p := schemas.Problem{Pointer: pointer, Message: "unknown " + what, Near: names}
	if len(p.Near) > 0 {
		p.Message += "; did you mean " + strings.Join(p.Near, ", ") + "?"
	}
	r.problems = append(r.problems, p)
}

// assume records a value that nobody stated, and why it was taken: a message with its
// arguments.
func (r *reader) assume(field, value, why string, args ...any) {
	r.assumed = append(r.assumed, engine.Assumption{Field: field, Value: r.language.Value(value), Why: r.language.Say(why, args...)})
}

// preset is the default of a field.
type preset[T any] struct {
	field string // the request's name of it
	value T
	why   string
}

// or is the stated value, or else the default, which is noted.
func or[T any](r *reader, stated *T, p preset[T]) T {
	if stated != nil {
		return *stated
	}
	r.assume(p.field, fmt.Sprint(p.value), p.why)
	return p.value
}

// orWord is or for texts, where "" is unset.
func orWord[T ~string](r *reader, stated string, p preset[T]) T {
	if stated != "" {
		return T(stated)
	}
	return or(r, nil, p)
}

// decimalOr is or for decimals. The default is written as a request would.
func (r *reader) decimalOr(stated *string, p preset[string]) decimal.Decimal {
	text := or(r, stated, p)
	return r.decimal(&text, pointerOf(p.field)).Decimal
}

// decimal reads a decimal; nil is not valid. A schema has tested the form, but a
// text such as "1e999999999" must not reach the arithmetic on any path.
func (r *reader) decimal(text *string, pointer string) decimal.NullDecimal {
	if text == nil {
		return decimal.NullDecimal{}
	}
	if len(*text) > 40 || *text == "" || strings.Trim(*text, "0123456789.") != "" {
		r.fail(pointer, "want a decimal number in quotes; got %s", schemas.Quoted(*text))
		return decimal.NullDecimal{}
	}
	d, err := decimal.NewFromString(*text)
	if err != nil {
		r.fail(pointer, "want a decimal number in quotes; got %s", schemas.Quoted(*text))
		return decimal.NullDecimal{}
	}
	return decimal.NullDecimal{Decimal: d, Valid: true}
}

// positive is decimal for quantities of which there must be some.
func (r *reader) positive(text *string, pointer string) decimal.NullDecimal {
	d := r.decimal(text, pointer)
	if d.Valid && !d.Decimal.IsPositive() {
		r.fail(pointer, "want more than 0; got %s", schemas.Quoted(*text))
		return decimal.NullDecimal{}
	}
	return d
}

// pointerOf is the JSON Pointer of a field by its dotted name.
func pointerOf(field string) string { return "/" + strings.ReplaceAll(field, ".", "/") }
