// Package tco prices one stage or resource, line by line, in exact decimals.
//
// Physics arrives as whole seconds and decimal volumes; money.go holds the one
// crossing from float64 and the one rounding. Every line is computed in full as a
// quotient and rounded once, to Places decimals, half to even, so a total is the
// exact sum of its lines in any order.
package tco
