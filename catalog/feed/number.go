package feed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// The longest number that is read, and the largest exponent: an exponent could
// stand for any number of digits.
const (
	longestNumber   = 40
	largestExponent = 30
)

// Decimal is a decimal exactly as its text says: digits with a point at most, a
// sign, an exponent as programs print one (1e-05).
func Decimal(text string) (decimal.Decimal, error) {
	digits, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	if len(text) > longestNumber || !plain(strings.TrimPrefix(digits, "-")) {
		return decimal.Decimal{}, fmt.Errorf("read number %q: want a decimal in digits", text)
	}
	if scientific {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > largestExponent || n < -largestExponent {
			return decimal.Decimal{}, fmt.Errorf("read number %q: want an exponent of at most %d", text, largestExponent)
		}
	}
	return decimal.NewFromString(text)
}

// plain reports whether text is digits with a point between them at most.
func plain(text string) bool {
	whole, fraction, point := strings.Cut(text, ".")
	return whole != "" && allDigits(whole) && allDigits(fraction) && point == (fraction != "")
}

// allDigits reports whether text has no other characters than digits.
func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// Count is a number of GPUs without needless zeros: "1.0" is 1. An empty text is
// not valid.
func Count(text string) (decimal.NullDecimal, error) {
	if text == "" {
		return decimal.NullDecimal{}, nil
	}
	d, err := Decimal(text)
	if err != nil || d.IsNegative() {
		return decimal.NullDecimal{}, fmt.Errorf("read number %q: want a number of GPUs", text)
	}
	return decimal.NewNullDecimal(Short(d)), nil
}

// Short is a decimal without zeros at its end.
func Short(d decimal.Decimal) decimal.Decimal {
	short, err := decimal.NewFromString(d.String())
	if err != nil {
		return d
	}
	return short
}

// Figure is a number of at least 0 that is no money; 0 if the text is empty.
func Figure(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	d, err := Decimal(text)
	if err != nil || d.IsNegative() {
		return 0, fmt.Errorf("read number %q: want a number of at least 0", text)
	}
	return d.InexactFloat64(), nil
}

// Dollars is a price in dollars as its text says it; unknown if the text is empty
// or the amount is not positive.
func Dollars(text string, basis catalog.Basis) (catalog.Price, error) {
	return Amount(text, basis, catalog.USD)
}

// Amount is a price in a currency as its text says it; unknown if the text is
// empty or the amount is not positive.
func Amount(text string, basis catalog.Basis, currency catalog.Currency) (catalog.Price, error) {
	if text == "" {
		return catalog.Price{Basis: basis, Currency: currency}, nil
	}
	d, err := Decimal(text)
	if err != nil {
		return catalog.Price{}, err
	}
	return catalog.NewPrice(d, basis, currency), nil
}
