package display

import (
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
