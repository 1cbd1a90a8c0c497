package chunk

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// column is one fact of the rows of a table, written and read by the same entry
// of a table's list.
type column[T any] struct {
	name string
	put  func(*writer, *T)
	get  func(*reader, *T)
}

// text is a column of texts.
func text[T any, S ~string](name string, field func(*T) *S) column[T] {
	return column[T]{name,
		func(w *writer, row *T) { w.text(string(*field(row))) },
		func(r *reader, row *T) { *field(row) = S(r.text()) }}
}

// texts is a column of lists of texts. Equal lists share memory when read, and
// an empty list reads as nil.
func texts[T any, S ~string](name string, field func(*T) *[]S) column[T] {
	shared := make(map[*string][]S) // by the first text of the list
	return column[T]{name,
		func(w *writer, row *T) {
			plain := make([]string, len(*field(row)))
			for i, s := range *field(row) {
				plain[i] = string(s)
			}
			w.list(plain)
		},
		func(r *reader, row *T) {
			plain := r.list()
			if len(plain) == 0 {
				return
			}
			list, seen := shared[&plain[0]]
			if !seen {
				for _, s := range plain {
					list = append(list, S(s))
				}
				list = slices.Clip(list)
				shared[&plain[0]] = list
			}
			*field(row) = list
		}}
}

// integer is a column of whole numbers.
func integer[T any, I ~int | ~int64 | ~uint8](name string, field func(*T) *I) column[T] {
	return column[T]{name,
		func(w *writer, row *T) { w.signed(int64(*field(row))) },
		func(r *reader, row *T) {
			n := r.signed()
			if *field(row) = I(n); int64(*field(row)) != n {
				r.fail("%d does not fit", n)
			}
		}}
}

// number is a column of floating-point numbers.
func number[T any](name string, field func(*T) *float64) column[T] {
	return column[T]{name,
		func(w *writer, row *T) { w.number(*field(row)) },
		func(r *reader, row *T) { *field(row) = r.number() }}
}

// amount is a column of decimals.
func amount[T any](name string, field func(*T) *decimal.Decimal) column[T] {
	return column[T]{name,
		func(w *writer, row *T) { w.decimal(*field(row)) },
		func(r *reader, row *T) { *field(row) = r.decimal() }}
}

// optional is a column of decimals that may be unknown.
func optional[T any](name string, field func(*T) *decimal.NullDecimal) column[T] {
	return column[T]{name,
		func(w *writer, row *T) { w.optional(*field(row)) },
		func(r *reader, row *T) { *field(row) = r.optional() }}
}

// truth is a column of yes or no.
func truth[T any](name string, field func(*T) *bool) column[T] {
	return column[T]{name,
		func(w *writer, row *T) {
			n := uint64(0)
			if *field(row) {
				n = 1
			}
			w.unsigned(n)
		},
		func(r *reader, row *T) { *field(row) = r.unsigned() == 1 }}
}

// date is a column of dates.
func date[T any](name string, field func(*T) *catalog.Date) column[T] {
	return column[T]{name,
		func(w *writer, row *T) { w.date(*field(row)) },
		func(r *reader, row *T) { *field(row) = r.date() }}
}

// children is a column of short tables, one within each row. An empty one reads
// as nil.
func children[T, C any](name string, field func(*T) *[]C, columns []column[C]) column[T] {
	return column[T]{name,
		func(w *writer, row *T) {
			w.unsigned(uint64(len(*field(row))))
			for i := range *field(row) {
				for _, c := range columns {
					c.put(w, &(*field(row))[i])
				}
			}
		},
		func(r *reader, row *T) {
			n := r.count(len(columns))
			if n == 0 {
				return
			}
			rows := make([]C, n)
			for i := range rows {
				for _, c := range columns {
					c.get(r, &rows[i])
				}
			}
			*field(row) = rows
		}}
}

// reference is a column of pointers to rows of a table that stands before this
// one; nil is one too.
func reference[T, P any](name string, field func(*T) **P, to *pool[P]) column[T] {
	return column[T]{name,
		func(w *writer, row *T) {
			n := uint64(0)
			if p := *field(row); p != nil {
				n = 1 + uint64(to.at[p])
			}
			w.unsigned(n)
		},
		func(r *reader, row *T) {
			switch n := r.unsigned(); {
			case n == 0:
			case n <= uint64(len(to.rows)):
				*field(row) = &to.rows[n-1]
			default:
				r.fail("row %d is referred to, of %d", n, len(to.rows))
			}
		}}
}

// pool is the rows that others refer to: each value once.
type pool[P any] struct {
	rows []P
	at   map[*P]int
}

// collect adds what is pointed to unless an equal value is in the pool. equal
// values have equal keys.
func collect[P any, K comparable](to *pool[P], seen map[K]int, p *P, key K) {
	if p == nil {
		return
	}
	n, ok := seen[key]
	if !ok {
		n = len(to.rows)
		seen[key] = n
		to.rows = append(to.rows, *p)
	}
	to.at[p] = n
}
