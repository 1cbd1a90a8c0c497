package seed

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// row is one row of a table, read column by column in the table's order. The
// first cell that does not parse is kept as err; what is read after it is zero.
type row struct {
	table   string
	columns []string
	fields  []string
	line    int
	next    int
	err     error
	shared  map[string]string // one copy of every text that repeats
}

// eachRow calls read for every row of a table. It stops at the first row that is
// not as the table's columns say and names table, line and column.
func eachRow(table string, content []byte, shared map[string]string, read func(*row)) error {
	in := csv.NewReader(bytes.NewReader(content))
	in.ReuseRecord = true
	x := row{table: table, columns: Columns(table), shared: shared}
	header, err := in.Read()
	if err != nil {
		return fmt.Errorf("read the header of %s: %w", table, err)
	}
	if !slices.Equal(header, x.columns) {
		return fmt.Errorf("read the header of %s: got %s, want %s", table, strings.Join(header, ","), strings.Join(x.columns, ","))
	}
	for {
		x.fields, err = in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", table, err)
		}
		x.line, _ = in.FieldPos(0)
		x.next = 0
		if read(&x); x.err != nil {
			return x.err
		}
	}
}

// cell is the next cell. It shares memory with the whole line: keep only what
// text or parse returns.
func (x *row) cell() string {
	value := x.fields[x.next]
	x.next++
	return value
}

// fail records that the cell just read is not what it should be.
func (x *row) fail(got, want string) {
	if x.err == nil {
		x.err = fmt.Errorf("%s line %d, column %s: got %q, want %s", x.table, x.line, x.columns[x.next-1], got, want)
	}
}

// text is the next cell as text. Equal texts of all tables share memory.
func (x *row) text() string {
	value := x.cell()
	if value == "" {
		return ""
	}
	if known, ok := x.shared[value]; ok {
		return known
	}
	value = strings.Clone(value)
	x.shared[value] = value
	return value
}

// required is the next cell as text, which must not be empty.
func (x *row) required() string {
	value := x.text()
	if value == "" {
		x.fail(value, "a text")
	}
	return value
}

// number is the next cell as a finite number of at least 0; 0 if it is empty.
func (x *row) number() float64 {
	value := x.cell()
	if value == "" {
		return 0
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		x.fail(value, "a number of at least 0, or nothing")
		return 0
	}
	return n
}

// degrees is the next cell as an angle of at most limit either way; 0 if it is empty.
func (x *row) degrees(limit float64) float64 {
	value := x.cell()
	if value == "" {
		return 0
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(math.Abs(n) <= limit) {
		x.fail(value, fmt.Sprintf("degrees of at most %g, or nothing", limit))
		return 0
	}
	return n
}

// integer is the next cell as a whole number of at least 0; 0 if it is empty.
func (x *row) integer() int64 {
	value := x.cell()
	if value == "" {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		x.fail(value, "a whole number of at least 0, or nothing")
		return 0
	}
	return n
}

// decimal is the next cell as an exact decimal of at least 0; not valid if it is empty.
func (x *row) decimal() decimal.NullDecimal {
	value := x.cell()
	if value == "" {
		return decimal.NullDecimal{}
	}
	if !plainDecimal(value) {
		x.fail(value, "a decimal in digits, or nothing")
		return decimal.NullDecimal{}
	}
	d, err := decimal.NewFromString(value)
	if err != nil {
		x.fail(value, "a decimal in digits, or nothing")
		return decimal.NullDecimal{}
	}
	return decimal.NullDecimal{Decimal: d, Valid: true}
}

// amount is the next cell as an exact decimal that must be there.
func (x *row) amount() decimal.Decimal {
	d := x.decimal()
	if !d.Valid {
		x.fail("", "a decimal in digits")
	}
	return d.Decimal
}

// yes is the next cell as yes or no; nothing means no.
func (x *row) yes() bool { return x.tri() == catalog.Yes }

// tri is the next cell as yes, no or unknown.
func (x *row) tri() catalog.Tri { return parse(x, catalog.ParseTri) }

// date is the next cell as a date.
func (x *row) date() catalog.Date { return parse(x, catalog.ParseDate) }

// parse reads the next cell with the vocabulary's own parser.
func parse[T any](x *row, read func(string) (T, error)) T {
	value := x.text()
	v, err := read(value)
	if err != nil {
		x.fail(value, err.Error())
	}
	return v
}

// plainDecimal reports whether text is a decimal in digits, with a point at
// most, and short: no exponent, whose expansion could be of any size.
func plainDecimal(text string) bool {
	const longest = 40
	whole, fraction, point := strings.Cut(text, ".")
	return len(text) <= longest && whole != "" && digits(whole) && digits(fraction) && point == (fraction != "")
}

// digits reports whether text has no other characters than digits.
func digits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
