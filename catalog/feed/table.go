package feed

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Columns are the columns of a table, whatever their order and case.
type Columns struct {
	Needed   []string
	Optional []string
	Preamble int // rows about the document that stand before the header
}

// Table reads a CSV document whose first row names its columns.
type Table struct {
	Preamble [][]string

	in      *csv.Reader
	from    *Document
	at      map[string]int
	record  Record
	texts   map[string]string // one copy of every text that repeats
	pending *Fault            // of the row before, which may be where the document was cut
	swallow bool              // that row took others with it
	ended   int64             // where the row before ends
}

// NewTable reads the header. It refuses a document that lacks a needed column or
// has two of a name.
func NewTable(d *Document, want Columns) (*Table, error) {
	if err := d.Expect("a table (CSV)", ""); err != nil {
		return nil, err
	}
	text := &parted{from: d}
	t := &Table{in: csv.NewReader(text), from: d, at: make(map[string]int), texts: make(map[string]string)}
	text.done = func() int64 { return t.ended }
	if err := t.preamble(want.Preamble); err != nil {
		return nil, err
	}
	t.in.ReuseRecord = true
	header, err := t.in.Read()
	if err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	t.record = Record{table: t, Number: 1 + want.Preamble}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
		for _, known := range slices.Concat(want.Needed, want.Optional) {
			if !strings.EqualFold(header[i], known) {
				continue
			}
			if _, twice := t.at[known]; twice {
				return nil, &Fault{Row: t.record.Number, Column: known, Got: strings.Join(header, ","), Want: "one column of this name"}
			}
			t.at[known] = i
		}
	}
	for _, name := range want.Needed {
		if _, found := t.at[name]; !found {
			return nil, &Fault{Row: t.record.Number, Column: name, Got: strings.Join(header, ","), Want: "a column of this name"}
		}
	}
	return t, nil
}

// preamble reads the rows before the header, which have any number of columns.
func (t *Table) preamble(rows int) error {
	t.in.FieldsPerRecord = -1
	for range rows {
		row, err := t.in.Read()
		if err != nil {
			return &Fault{Row: len(t.Preamble) + 1, Got: err.Error(), Want: fmt.Sprintf("%d rows before the header", rows)}
		}
		t.Preamble = append(t.Preamble, row)
	}
	t.in.FieldsPerRecord = 0
	return nil
}

// Has reports whether the table has a column.
func (t *Table) Has(column string) bool {
	_, ok := t.at[column]
	return ok
}

// Each reads every row into the batch. A row that is no row of the table, or that
// read calls faulty, is kept as a fault; a document that ends inside a row is
// refused, since nobody can tell what it said.
func (t *Table) Each(b *Batch, read func(*Record) error) error {
	for {
		t.ended = t.in.InputOffset()
		fields, err := t.in.Read()
		if errors.Is(err, io.EOF) {
			return t.end(b)
		}
		t.record.Number++
		if b.Read++; b.Read == fewRows {
			t.makeRoom(b)
		}
		if t.pending != nil {
			b.Faults = append(b.Faults, t.pending)
			t.pending = nil
		}
		broken, ok := errors.AsType[*csv.ParseError](err)
		switch {
		case ok:
			t.pending = &Fault{Row: t.record.Number, Got: strings.Join(fields, ","), Want: t.wants(broken)}
			t.swallow = broken.StartLine != broken.Line
			continue
		case err != nil:
			return fmt.Errorf("read row %d: %w", t.record.Number, err)
		}
		t.record.fields, t.record.fault = fields, nil
		err = read(&t.record)
		if t.record.fault != nil {
			err = t.record.fault
		}
		if err != nil {
			if err := b.Fault(err); err != nil {
				return err
			}
		}
	}
}

// fewRows is how many rows tell how long the others are.
const fewRows = 1000

// makeRoom makes room for the rows of a whole document at once, by the length of the
// first: a list that grows by and by is copied many times.
func (t *Table) makeRoom(b *Batch) {
	const most = 1 << 20 // rows, whatever the document says of itself
	if t.from.Size > t.ended {
		all := float64(len(b.Rows)) * float64(t.from.Size) / float64(t.ended) * 1.02
		b.Rows = slices.Grow(b.Rows, max(0, min(int(all), most)-len(b.Rows)))
	}
}

// wants says what a row that can't be split should have been.
func (t *Table) wants(broken *csv.ParseError) string {
	if errors.Is(broken, csv.ErrFieldCount) {
		return fmt.Sprintf("%d columns", t.in.FieldsPerRecord)
	}
	return "a row whose quotes end"
}

// end judges how the document ends.
func (t *Table) end(b *Batch) error {
	cut := t.from.endsInside()
	switch {
	case t.pending != nil && (cut || t.swallow):
		t.pending.Want += "; the document is cut here"
		return t.pending
	case t.pending != nil:
		b.Faults = append(b.Faults, t.pending)
	case cut:
		return &Fault{Row: t.record.Number, Got: strings.Join(t.record.fields, ","),
			Want: "a row that ends with a line's end: the document is cut here, or lacks its last one"}
	}
	return nil
}

// Record is one row. The first cell that is not what it should be makes the row
// faulty; what is read after it is zero.
type Record struct {
	Number int
	table  *Table
	fields []string
	fault  *Fault
}

// Fail calls the row faulty for a cell.
func (r *Record) Fail(column, got, want string) {
	if r.fault == nil {
		r.fault = &Fault{Row: r.Number, Column: column, Got: strings.Clone(got), Want: want}
	}
}

// OK reports whether no cell was faulty so far.
func (r *Record) OK() bool { return r.fault == nil }

// Raw is a cell as it stands, "" if there is no such column. It is valid until the
// next row is read.
func (r *Record) Raw(column string) string {
	i, ok := r.table.at[column]
	if !ok || i >= len(r.fields) {
		return ""
	}
	return r.fields[i]
}

// Text is a cell as a name: one line of text in UTF-8, without blanks around it. Equal
// texts share memory.
func (r *Record) Text(column string) string {
	value := strings.Trim(r.Raw(column), blanks)
	if known, ok := r.table.texts[value]; ok {
		return known
	}
	if !Name(value) {
		r.Fail(column, value, "one line of text in UTF-8")
		return ""
	}
	value = strings.Clone(value)
	r.table.texts[value] = value
	return value
}

// blanks may stand around a name. A line's end may not: it is a sign of quotes gone
// wrong.
const blanks = " \t"

// longestName is the longest text that is taken for a name.
const longestName = 200

// Name reports whether a text may be a name: one line of UTF-8, not too long.
func Name(text string) bool {
	return len(text) <= longestName && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Required is a name that must not be empty.
func (r *Record) Required(column string) string {
	value := r.Text(column)
	if value == "" {
		r.Fail(column, "", "a text")
	}
	return value
}

// Price is a cell as a price in dollars, and its text.
func (r *Record) Price(column string, basis catalog.Basis) (price catalog.Price, text string) {
	text = r.Text(column)
	price, err := Dollars(text, basis)
	if err != nil {
		r.Fail(column, text, "a decimal in digits, or nothing")
	}
	return price, text
}

// Figure is a cell as a number of at least 0; 0 if it is empty.
func (r *Record) Figure(column string) float64 {
	n, err := Figure(r.Text(column))
	if err != nil {
		r.Fail(column, r.Raw(column), "a number of at least 0, or nothing")
	}
	return n
}

// Count is a cell as a number of GPUs; not valid if it is empty.
func (r *Record) Count(column string) decimal.NullDecimal {
	n, err := Count(r.Text(column))
	if err != nil {
		r.Fail(column, r.Raw(column), "a number of GPUs, or nothing")
	}
	return n
}
