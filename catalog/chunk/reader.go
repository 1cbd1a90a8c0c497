package chunk

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// vocabulary is a dictionary that is being read from.
type vocabulary[V any] struct {
	values []V
	next   int // how many have occurred
}

// reader reads one column after the other. The first thing that is not as it
// should be is kept as err; what is read after it is zero.
type reader struct {
	in       []byte
	at       int // what comes next
	err      error
	texts    vocabulary[string]
	decimals vocabulary[decimal.Decimal]
	numbers  vocabulary[float64]
	lists    vocabulary[[]string]
}

// fail records what is wrong, and ends the input.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), catalog.ErrCorrupt)
	}
	r.at = len(r.in)
}

// left is how many bytes are to come.
func (r *reader) left() int { return len(r.in) - r.at }

// unsigned reads a number.
func (r *reader) unsigned() uint64 {
	if at := r.at; at < len(r.in) && r.in[at] < 0x80 {
		r.at++
		return uint64(r.in[at])
	}
	n, size := binary.Uvarint(r.in[r.at:])
	if size <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.at += size
	return n
}

// signed reads a number that may be negative.
func (r *reader) signed() int64 {
	n := r.unsigned()
	return int64(n>>1) ^ -int64(n&1)
}

// count reads how many things of at least size bytes follow.
func (r *reader) count(size int) int {
	n := r.unsigned()
	if n > uint64(r.left()/size) {
		r.fail("%d things are announced in %d bytes", n, r.left())
		return 0
	}
	return int(n)
}

// bytes reads bytes with their number before them. They share the input's memory.
func (r *reader) bytes() []byte {
	n := r.count(1)
	r.at += n
	return r.in[r.at-n : r.at]
}

// lookUp is the value of a dictionary that a code stands for.
func lookUp[V any](r *reader, v *vocabulary[V], code uint64) (value V) {
	n := code - 1
	if code == 0 {
		n = uint64(v.next)
		v.next++
	}
	if n >= uint64(len(v.values)) {
		r.fail("a value %d is referred to, of %d", n, len(v.values))
		return value
	}
	return v.values[n]
}

// text reads a text.
func (r *reader) text() string { return lookUp(r, &r.texts, r.unsigned()) }

// number reads a floating-point number.
func (r *reader) number() float64 { return lookUp(r, &r.numbers, r.unsigned()) }

// decimal reads a decimal.
func (r *reader) decimal() decimal.Decimal { return lookUp(r, &r.decimals, r.unsigned()) }

// optional reads a decimal that may be unknown.
func (r *reader) optional() decimal.NullDecimal {
	switch code := r.unsigned(); code {
	case 0:
		return decimal.NullDecimal{}
	case 1:
		return decimal.NullDecimal{Decimal: r.decimal()}
	default:
		return decimal.NullDecimal{Decimal: lookUp(r, &r.decimals, code-2), Valid: true}
	}
}

// date reads a date.
func (r *reader) date() catalog.Date {
	n := r.signed()
	if n>>9 != int64(int16(n>>9)) {
		r.fail("a year is %d", n>>9)
		return catalog.Date{}
	}
	return catalog.Date{Year: int16(n >> 9), Month: int8(n >> 5 & 15), Day: int8(n & 31)}
}

// list reads a list of texts. Equal lists share memory.
func (r *reader) list() []string {
	code := r.unsigned()
	if code > 0 {
		return lookUp(r, &r.lists, code)
	}
	var texts []string
	for range r.count(1) {
		texts = append(texts, r.text())
	}
	r.lists.values = append(r.lists.values, texts)
	return texts
}

// inlineDecimal reads what appendDecimal wrote.
func (r *reader) inlineDecimal() decimal.Decimal {
	exponent := r.signed()
	if exponent != int64(int32(exponent)) {
		r.fail("an exponent is %d", exponent)
		return decimal.Zero
	}
	switch kind := r.unsigned(); kind {
	case smallCoefficient:
		return decimal.New(r.signed(), int32(exponent))
	case largeCoefficient, negativeCoefficient:
		coefficient := new(big.Int).SetBytes(r.bytes())
		if kind == negativeCoefficient {
			coefficient.Neg(coefficient)
		}
		return decimal.NewFromBigInt(coefficient, int32(exponent))
	default:
		r.fail("a coefficient is of kind %d", kind)
		return decimal.Zero
	}
}

// dictionaries reads what the columns refer to.
func (r *reader) dictionaries() {
	const shortestDecimal, numberSize = 3, 8
	lengths := make([]int, r.count(1))
	for i := range lengths {
		lengths[i] = int(min(r.unsigned(), math.MaxInt32))
	}
	r.texts.values = cut(r, string(r.bytes()), lengths)
	r.decimals.values = make([]decimal.Decimal, r.count(shortestDecimal))
	for i := range r.decimals.values {
		r.decimals.values[i] = r.inlineDecimal()
	}
	r.numbers.values = make([]float64, r.count(numberSize))
	for i := range r.numbers.values {
		r.numbers.values[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.in[r.at:]))
		r.at += numberSize
	}
}

// cut divides a text into pieces, which share its memory.
func cut(r *reader, text string, lengths []int) []string {
	pieces := make([]string, len(lengths))
	for i, n := range lengths {
		if n > len(text) {
			r.fail("a text of %d bytes is announced, %d are left", n, len(text))
			return nil
		}
		pieces[i], text = text[:n], text[n:]
	}
	return pieces
}
