package convert

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// textRoom is more than most amounts and durations take in a text.
const textRoom = 32

// amount writes a decimal with all the digits that it has, trailing zeros
// included, and never with an exponent. Zero is "0".
func amount(d decimal.Decimal) string {
	var room [textRoom]byte
	return string(tco.AppendPlain(room[:0], d))
}

// hours writes seconds as hours with four decimals, rounded up: a duration that
// is shown can be given back as a deadline.
func hours(seconds int64) string {
	var room [textRoom]byte
	return string(appendHours(room[:0], seconds))
}

// appendHours appends what hours writes.
func appendHours(to []byte, seconds int64) []byte {
	ticks := tco.Fixed{N: (seconds*25 + 8) / 9, Places: 4}
	return tco.AppendFixed(to, ticks, ticks.Places)
}

// fixed writes an estimate with a fixed number of decimals.
func fixed(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }

// significant writes an estimate to four significant digits, without an exponent.
func significant(x float64) string {
	if !(x > 0) || math.IsInf(x, 0) {
		return "0"
	}
	places := 3 - int(math.Floor(math.Log10(x)))
	return trimmed(x, max(0, places))
}

// trimmed writes a number with at most so many decimals and no trailing zeros.
func trimmed(x float64, places int) string {
	text := fixed(x, places)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// known is a pointer to a text, nil if it is empty.
func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
