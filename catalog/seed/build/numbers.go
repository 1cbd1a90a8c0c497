package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

var plainNumber = regexp.MustCompile(`^[0-9]{1,20}(\.[0-9]{1,20})?$`)

// exact reads a decimal in digits.
func exact(text string) (decimal.Decimal, error) {
	if !plainNumber.MatchString(text) {
		return decimal.Decimal{}, fmt.Errorf("read number %q: want a decimal in digits", text)
	}
	return decimal.NewFromString(text)
}

// optional checks that a cell is empty or a decimal and returns it without
// needless zeros. It is for figures; a price keeps its text.
func optional(r record, column string) (string, error) {
	text := r.get(column)
	if text == "" {
		return "", nil
	}
	d, err := exact(text)
	if err != nil {
		return "", r.fault(column, "a decimal in digits, or nothing")
	}
	return d.String(), nil
}

var numberRange = regexp.MustCompile(`^[0-9]+-[0-9]+$`)

// shape is a figure of an offer's shape. A range ("30-36") says that the figure
// varies: it is unknown.
func shape(r record, column string) (string, error) {
	if numberRange.MatchString(r.get(column)) {
		return "", nil
	}
	return optional(r, column)
}

// whole checks that a cell is empty or a whole number and returns it.
func whole(r record, column string) (string, error) {
	text, err := optional(r, column)
	if err != nil || strings.Contains(text, ".") {
		return "", r.fault(column, "a whole number, or nothing")
	}
	return text, nil
}

// quotient is n/d as a decimal; ok is false if it has no end.
func quotient(n, d decimal.Decimal) (q decimal.Decimal, ok bool) {
	if d.IsZero() {
		return decimal.Decimal{}, false
	}
	const places = 12 // a finite fraction of a GPU has at most a few
	q, rest := n.QuoRem(d, places)
	return q, rest.IsZero()
}
