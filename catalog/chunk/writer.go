package chunk

import (
	"encoding/binary"
	"math"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// dictionary numbers values in the order in which they first occur.
type dictionary[K comparable, V any] struct {
	index  map[K]uint64
	values []V
}

// code is 0 for a value that is the next new one, else 1 plus its number.
func (d *dictionary[K, V]) code(key K, value V) uint64 {
	if n, seen := d.index[key]; seen {
		return n + 1
	}
	if d.index == nil {
		d.index = make(map[K]uint64)
	}
	d.index[key] = uint64(len(d.values))
	d.values = append(d.values, value)
	return 0
}

// writer collects the cells of one column after the other, and the dictionaries
// that they refer to.
type writer struct {
	out      []byte
	texts    dictionary[string, string]
	decimals dictionary[string, decimal.Decimal]
	numbers  dictionary[uint64, uint64]
	lists    dictionary[string, struct{}]
}

// unsigned writes a number in as few bytes as it needs.
func (w *writer) unsigned(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// signed writes a number that may be negative.
func (w *writer) signed(n int64) { w.out = binary.AppendVarint(w.out, n) }

// bytes writes bytes with their number before them.
func (w *writer) bytes(b []byte) {
	w.unsigned(uint64(len(b)))
	w.out = append(w.out, b...)
}

// text writes a text.
func (w *writer) text(text string) { w.unsigned(w.texts.code(text, text)) }

// number writes a floating-point number, bit for bit.
func (w *writer) number(n float64) {
	bits := math.Float64bits(n)
	w.unsigned(w.numbers.code(bits, bits))
}

// decimal writes a decimal, digit for digit.
func (w *writer) decimal(d decimal.Decimal) { w.unsigned(w.decimalCode(d)) }

// optional writes a decimal that may be unknown.
func (w *writer) optional(d decimal.NullDecimal) {
	switch {
	case d.Valid:
		w.unsigned(2 + w.decimalCode(d.Decimal))
	case d.Decimal.IsZero():
		w.unsigned(0)
	default: // an amount that does not count, such as a negative price
		w.unsigned(1)
		w.decimal(d.Decimal)
	}
}

// decimalCode is the code of a decimal, by digits and exponent.
func (w *writer) decimalCode(d decimal.Decimal) uint64 {
	return w.decimals.code(string(appendDecimal(nil, d)), d)
}

// date writes a date.
func (w *writer) date(d catalog.Date) {
	w.signed(int64(d.Year)<<9 | int64(d.Month)<<5 | int64(d.Day))
}

// list writes a list of texts.
func (w *writer) list(texts []string) {
	key := binary.AppendUvarint(nil, uint64(len(texts)))
	for _, text := range texts {
		key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
	}
	code := w.lists.code(string(key), struct{}{})
	w.unsigned(code)
	if code > 0 {
		return
	}
	w.unsigned(uint64(len(texts)))
	for _, text := range texts {
		w.text(text)
	}
}

// appendDecimal writes a decimal: its exponent, and its coefficient as a sign and
// big-endian bytes.
func appendDecimal(to []byte, d decimal.Decimal) []byte {
	to = binary.AppendVarint(to, int64(d.Exponent()))
	coefficient := d.Coefficient()
	if coefficient.IsInt64() {
		to = append(to, smallCoefficient)
		return binary.AppendVarint(to, coefficient.Int64())
	}
	sign := byte(largeCoefficient)
	if coefficient.Sign() < 0 {
		sign = negativeCoefficient
	}
	digits := coefficient.Bytes()
	to = binary.AppendUvarint(append(to, sign), uint64(len(digits)))
	return append(to, digits...)
}

// How a coefficient is written: as a number, or as the bytes of a larger one.
const (
	smallCoefficient = iota
	largeCoefficient
	negativeCoefficient
)

// dictionaries writes the dictionaries that the columns refer to.
func (w *writer) dictionaries() []byte {
	var d writer
	d.unsigned(uint64(len(w.texts.values)))
	var all []byte
	for _, text := range w.texts.values {
		d.unsigned(uint64(len(text)))
		all = append(all, text...)
	}
	d.bytes(all)
	d.unsigned(uint64(len(w.decimals.values)))
	for _, v := range w.decimals.values {
		d.out = appendDecimal(d.out, v)
	}
	d.unsigned(uint64(len(w.numbers.values)))
	for _, bits := range w.numbers.values {
		d.out = binary.LittleEndian.AppendUint64(d.out, bits)
	}
	return d.out
}
