package query

import (
	"strconv"
	"strings"
)

// maxMantissa bounds numbers to fifteen digits, which no multiplication of a rule
// takes beyond 64 bits.
const maxMantissa = 1e15

// number is the exact decimal mantissa * 10^-scale.
type number struct {
	mantissa uint64
	scale    int
}

// parseNumber reads digits, perhaps with thousands separators and a point.
func parseNumber(text string) (n number, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	groups := strings.Split(whole, ",")
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return number{}, false
		}
	}
	digits := strings.TrimLeft(strings.Join(groups, "")+fraction, "0")
	if len(digits) > 15 || len(fraction) > 9 || strings.Trim(digits, "0123456789") != "" {
		return number{}, false
	}
	if digits == "" {
		return number{}, true
	}
	m, err := strconv.ParseUint(digits, 10, 64)
	return number{m, len(fraction)}, err == nil
}

// shift is the number times ten to the power.
func (n number) shift(power int) number { return number{n.mantissa, n.scale - power} }

// times is the number times a small whole one.
func (n number) times(k uint64) number { return number{n.mantissa * k, n.scale} }

// sixtieth is the number divided by 60, cut off behind nine more decimals.
func (n number) sixtieth() number { return number{n.mantissa * 1e8 / 6, n.scale + 9} }

// half is the number plus one half. A fraction is left as it is: nobody says
// "1.5 and a half".
func (n number) half() number {
	if n.scale != 0 {
		return n
	}
	return number{n.mantissa*10 + 5, 1}
}

// String writes the number without an exponent and without useless zeros.
func (n number) String() string {
	digits := strconv.FormatUint(n.mantissa, 10)
	if n.scale <= 0 {
		return digits + strings.Repeat("0", -n.scale)
	}
	if missing := n.scale - len(digits) + 1; missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - n.scale
	return strings.TrimRight(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
}

// fits reports whether the number has at most so many digits before and behind the
// point.
func (n number) fits(whole, fraction int) bool {
	before, behind, _ := strings.Cut(n.String(), ".")
	return len(before) <= whole && len(behind) <= fraction
}

// count is the number as a positive whole one of at most nine digits.
func (n number) count() (count int, ok bool) {
	count, err := strconv.Atoi(n.String())
	return count, err == nil && count > 0 && count < 1e9
}

// number reads a number at token i: digits, digits with 万 or 亿, a Chinese numeral
// or an English number word. The end is i if there is none.
func (r *reader) number(i int) (n number, end int) {
	if i >= len(r.tokens) || i > 0 && r.numeralBefore(i) {
		return number{}, i
	}
	switch r.tokens[i].kind {
	case numberToken:
		if !r.tokens[i].readable {
			return number{}, i
		}
		return r.myriads(r.tokens[i].number, i+1)
	case hanToken:
		return r.hanNumber(i)
	}
	p, end := r.match(i, numeral)
	if end > i {
		n, _ = parseNumber(p.value)
	}
	return n, end
}

// numeralBefore reports whether the token at i goes on a Chinese numeral: there is
// no "five days" in 三五天.
func (r *reader) numeralBefore(i int) bool {
	last, tok := r.tokens[i-1], r.tokens[i]
	return last.end == tok.start && tok.kind == hanToken && hanDigit(tok.text) > 0 && hanDigit(last.text) > 0
}

// myriads multiplies n by the Chinese powers of ten at i: 1.5万亿.
func (r *reader) myriads(n number, i int) (number, int) {
	for k := 0; k < 2 && i < len(r.tokens) && hanPower(r.tokens[i].text) > 1; k++ {
		n = n.shift(hanPower(r.tokens[i].text))
		i++
	}
	return n, i
}

// hanDigit is the value of a Chinese digit, -1 for anything else.
func hanDigit(s string) int {
	switch s {
	case "零", "〇":
		return 0
	case "一":
		return 1
	case "二", "两":
		return 2
	case "三":
		return 3
	case "四":
		return 4
	case "五":
		return 5
	case "六":
		return 6
	case "七":
		return 7
	case "八":
		return 8
	case "九":
		return 9
	}
	return -1
}

// hanPower is the power of ten that a Chinese character stands for, 0 for any other.
func hanPower(s string) int {
	switch s {
	case "十":
		return 1
	case "百":
		return 2
	case "千":
		return 3
	case "万":
		return 4
	case "亿":
		return 8
	}
	return 0
}

// hanNumber reads a Chinese numeral at i: 十二, 三百五, 两万.
func (r *reader) hanNumber(i int) (number, int) {
	var h numeralSum
	end := i
	for end < len(r.tokens) && end-i < 16 && h.take(r.tokens[end].text) {
		end++
	}
	if h.bad || end == i || h.total() == 0 {
		return number{}, i
	}
	return number{h.total(), 0}, end
}

// numeralSum adds up a Chinese numeral, character by character.
type numeralSum struct {
	high, section uint64 // what counts in 万 and 亿, and what is not yet multiplied so
	digit         uint64 // not yet multiplied at all
	unit, myriad  uint64 // the last unit, the last of 万 and 亿
	fresh, bad    bool   // there is a digit; the characters make no number
}

// take adds a character; false means that it belongs to no numeral.
func (h *numeralSum) take(s string) bool {
	digit, power := hanDigit(s), hanPower(s)
	switch {
	case digit >= 0:
		h.bad = h.bad || h.fresh
		h.digit, h.fresh = uint64(digit), digit > 0
		if digit == 0 {
			h.unit = 0
		}
	case power >= 4:
		h.close(tenTo(power))
	case power > 0:
		h.multiply(tenTo(power))
	default:
		return false
	}
	return true
}

// multiply gives the last digit its unit, 10 to 1,000. 十二 leaves out the one.
func (h *numeralSum) multiply(unit uint64) {
	if !h.fresh && unit == 10 && h.section == 0 {
		h.digit, h.fresh = 1, true
	}
	h.bad = h.bad || !h.fresh
	h.section += h.digit * unit
	h.digit, h.fresh, h.unit = 0, false, unit
}

// close gives everything since the last 万 or 亿 its unit; in 万亿 that is
// everything.
func (h *numeralSum) close(unit uint64) {
	sum := h.section + h.digit
	switch {
	case unit > h.myriad:
		h.bad = h.bad || h.high+sum == 0 || h.high > maxMantissa/unit
		h.high = (h.high + sum) * unit
	default:
		h.bad = h.bad || sum == 0
		h.high += sum * unit
	}
	h.section, h.digit, h.fresh = 0, 0, false
	h.unit, h.myriad = unit, unit
}

// total is the sum so far. A last digit counts for the unit below the one before
// it: 三百五 is 350.
func (h *numeralSum) total() uint64 {
	digit := h.digit
	if h.unit >= 100 {
		digit *= h.unit / 10
	}
	return h.high + h.section + digit
}

// tenTo is a power of ten.
func tenTo(power int) uint64 {
	n := uint64(1)
	for range power {
		n *= 10
	}
	return n
}
