package display

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Shown rounds amounts together to a currency's minor unit, so that they add up to
// their rounded sum.
func Shown(amounts []decimal.Decimal, currency string) []string {
	places := minorDigits(currency)
	var texts []string
	for _, amount := range tco.Shown(amounts, places) {
		texts = append(texts, amount.StringFixed(places))
	}
	return texts
}

// ShownTexts is Shown for decimals of an answer.
func ShownTexts(texts []string, currency string) []string {
	amounts := make([]decimal.Decimal, len(texts))
	for i, text := range texts {
		amounts[i] = Exact(text)
	}
	return Shown(amounts, currency)
}

// PurchaseReason says why a purchase model is no choice.
func PurchaseReason(code string) string {
	switch code {
	case "no_data":
		return "no source has such an offer"
	case "spot_not_cheaper":
		return "not cheaper than on demand"
	case "runs_overlap":
		return "a commitment is no choice for runs"
	default:
		return Reason(code)
	}
}

// Grouped shows a decimal with commas between groups of three digits.
func Grouped(text string) string {
	sign, digits := "", text
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, digits = "-", rest
	}
	whole, fraction, pointed := strings.Cut(digits, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if pointed {
		whole += "." + fraction
	}
	return sign + whole
}

// Hourly shows a price per hour: with two decimals, or with four where two do
// not say it; small ones with six.
func Hourly(text string) string {
	price := Exact(text)
	places := int32(4)
	if small := price.Abs(); !small.IsZero() && small.LessThan(decimal.New(1, -2)) {
		places = 6
	}
	shown := price.RoundBank(places)
	if shown.Equal(shown.Round(2)) {
		return Grouped(shown.StringFixed(2))
	}
	return Grouped(shown.StringFixed(places))
}

// Percent shows a share as a percentage.
func Percent(share string) string { return Exact(share).Shift(2).RoundBank(1).StringFixed(1) + "%" }
