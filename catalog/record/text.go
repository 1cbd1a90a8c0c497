package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// longestDecimal bounds a decimal's text: an exponent could stand for any length.
const longestDecimal = 200

// decimalText is a decimal in digits, trailing zeros included.
func decimalText(d decimal.Decimal) string { return d.StringFixed(max(0, -d.Exponent())) }

// optionalText is a decimal in digits, "" if it is not known.
func optionalText(d decimal.NullDecimal) string {
	if !d.Valid {
		return ""
	}
	return decimalText(d.Decimal)
}

// parseOptional reads what optionalText wrote.
func parseOptional(text string) (decimal.NullDecimal, error) {
	if text == "" {
		return decimal.NullDecimal{}, nil
	}
	if len(text) > longestDecimal || strings.ContainsAny(text, "eE") {
		return decimal.NullDecimal{}, fmt.Errorf("parse decimal of %d characters: want digits: %w", len(text), catalog.ErrCorrupt)
	}
	d, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.NullDecimal{}, fmt.Errorf("parse decimal: %w: %w", err, catalog.ErrCorrupt)
	}
	return decimal.NewNullDecimal(d), nil
}

// Instant is a time in UTC as text, "" if it is zero. Later times are greater texts.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000000Z")
}

// parseInstant reads what Instant wrote.
func parseInstant(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("parse instant: %w: %w", err, catalog.ErrCorrupt)
	}
	return t.UTC(), nil
}

// Price is a price.
type Price struct {
	Amount   string `json:"amount,omitempty"`
	Basis    string `json:"basis,omitempty"`
	Currency string `json:"currency,omitempty"`
}

// FromPrice is the stored form of a price.
func FromPrice(p catalog.Price) Price {
	return Price{Amount: optionalText(p.Amount), Basis: string(p.Basis), Currency: string(p.Currency)}
}

// Parse is the price.
func (p Price) Parse() (catalog.Price, error) {
	amount, err := parseOptional(p.Amount)
	return catalog.Price{Amount: amount, Basis: catalog.Basis(p.Basis), Currency: catalog.Currency(p.Currency)}, err
}
