package chunk

import (
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// section writes and reads one table of a document.
type section interface {
	title() string
	write(w *writer, to *writer)
	read(r *reader)
}

// table is a section of rows of one type.
type table[T any] struct {
	name    string
	rows    *[]T
	columns []column[T]
}

func (t table[T]) title() string { return t.name }

// write writes the table to to; w holds the dictionaries.
func (t table[T]) write(w, to *writer) {
	to.bytes([]byte(t.name))
	to.unsigned(uint64(len(*t.rows)))
	to.unsigned(uint64(len(t.columns)))
	for _, c := range t.columns {
		w.out = w.out[:0]
		for i := range *t.rows {
			c.put(w, &(*t.rows)[i])
		}
		to.bytes([]byte(c.name))
		to.bytes(w.out)
	}
}

// read reads what write wrote, the name excepted. Every column has a byte for
// each row at least, so the number of rows is bounded by the input.
func (t table[T]) read(r *reader) {
	rows, columns := r.count(1), r.count(1)
	if rows > 0 && columns == 0 || rows*columns > r.left() {
		r.fail("table %s has %d rows of %d columns in %d bytes", t.name, rows, columns, r.left())
		return
	}
	if rows > 0 {
		*t.rows = make([]T, rows)
	}
	for range columns {
		name, cells := string(r.bytes()), r.bytes()
		whole, next := r.in, r.at
		r.in, r.at = cells, 0
		if t.readColumn(r, name); r.err != nil {
			return
		}
		r.in, r.at = whole, next
	}
}

// readColumn reads the cells of one column, which are all of the input.
func (t table[T]) readColumn(r *reader, name string) {
	for _, c := range t.columns {
		if c.name != name {
			continue
		}
		if len(r.in) < len(*t.rows) {
			r.fail("column %s of table %s has %d bytes for %d rows", name, t.name, len(r.in), len(*t.rows))
			return
		}
		for i := range *t.rows {
			c.get(r, &(*t.rows)[i])
		}
		if r.left() > 0 {
			r.fail("column %s of table %s is too long", name, t.name)
		}
		return
	}
	if r.err == nil {
		r.err = fmt.Errorf("column %q of table %s was written by a newer program", name, t.name)
	}
}

// magic begins every document; its last byte is the format.
const magic = "tierwise catalogue 1\n"

// write writes a catalogue.
func write(parts catalog.Parts) ([]byte, error) {
	d, err := newDocument(parts)
	if err != nil {
		return nil, err
	}
	var w, tables writer
	sections := d.sections()
	tables.unsigned(uint64(len(sections)))
	for _, s := range sections {
		s.write(&w, &tables)
	}
	return append(append([]byte(magic), w.dictionaries()...), tables.out...), nil
}

// read reads a catalogue.
func read(raw []byte) (catalog.Parts, error) {
	r := reader{in: raw}
	if len(raw) < len(magic) || string(raw[:len(magic)]) != magic {
		r.fail("it does not begin with %q", magic)
		return catalog.Parts{}, r.err
	}
	r.at = len(magic)
	r.dictionaries()
	d := document{}
	sections := d.sections()
	for range r.count(1) {
		readSection(&r, sections, string(r.bytes()))
	}
	if r.left() > 0 {
		r.fail("%d bytes are left over", r.left())
	}
	if r.err == nil {
		r.err = d.check()
	}
	return d.restored(), r.err
}

// readSection reads the table of a name.
func readSection(r *reader, sections []section, name string) {
	for _, s := range sections {
		if s.title() == name {
			s.read(r)
			return
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("table %q was written by a newer program", name)
		r.at = len(r.in)
	}
}
