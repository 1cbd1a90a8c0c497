package main

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// column is a column of a table.
type column struct {
	title string
	right bool // numbers are aligned to the right
	most  int  // longer cells are cut, and shorter ones if the page is too narrow; 0 = never
}

// wireColumn is a column as it stands in a text.
type wireColumn struct {
	Title string `json:"t"`
	Right bool   `json:"r,omitempty"`
	Most  int    `json:"m,omitempty"`
}

// MarshalJSON writes a column into a text.
func (c column) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireColumn{c.title, c.right, c.most})
}

// UnmarshalJSON reads a column from a text.
func (c *column) UnmarshalJSON(document []byte) error {
	var w wireColumn
	err := json.Unmarshal(document, &w)
	*c = column{w.Title, w.Right, w.Most}
	return err
}

// narrowest is how far a column is cut to fit the page.
const narrowest = 12

// table is rows under titles, to be laid out when it is printed.
func table(columns []column, rows [][]string) string {
	return laying{Columns: columns, Rows: rows}.marked()
}

// laidTable lays rows out under titles, indented by two. Columns are as wide as their
// widest cell. What no cut makes fit is written row by row.
func laidTable(columns []column, rows [][]string, width int) string {
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	widths, fits := widthsOf(columns, append([][]string{titles}, rows...), width)
	if !fits {
		return records(columns, rows, width)
	}
	rows = append([][]string{titles}, rows...)
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += "  " + pad(cut(cell, widths[i]), widths[i], columns[i].right)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// widthsOf are the widths of columns on the page. What is too wide is taken from
// the widest columns that may be cut; fits is false if that is not enough.
func widthsOf(columns []column, rows [][]string, page int) (cells []int, fits bool) {
	widths := make([]int, len(columns))
	total := 0
	for i, c := range columns {
		for _, row := range rows {
			widths[i] = max(widths[i], wide(cut(row[i], c.most)))
		}
		total += 2 + widths[i]
	}
	for ; total > page; total-- {
		widest := -1
		for i, c := range columns {
			if c.most > 0 && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return widths, false
		}
		widths[widest]--
	}
	return widths, true
}

// records writes each row as lines of a title and a cell, with a line between rows.
func records(columns []column, rows [][]string, width int) string {
	titles := 0
	for _, c := range columns {
		titles = max(titles, wide(c.title))
	}
	var b strings.Builder
	for i, row := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		for k, cell := range row {
			if cell == "" {
				continue
			}
			first := "  " + pad(columns[k].title, titles, false) + "  "
			b.WriteString(laidText(laying{First: first, Rest: strings.Repeat(" ", titles+4), Text: cell}, width))
		}
	}
	return b.String()
}

// pad fills a cell up to a width.
func pad(cell string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-wide(cell)))
	if right {
		return space + cell
	}
	return cell + space
}

// cut shortens a cell to a width; 0 leaves it.
func cut(cell string, most int) string {
	if most == 0 || wide(cell) <= most {
		return cell
	}
	for wide(cell) > most-2 {
		_, size := utf8.DecodeLastRuneInString(cell)
		cell = cell[:len(cell)-size]
	}
	return cell + ".."
}

// wide is the columns that a text takes on a terminal: Han characters take two.
func wide(text string) int {
	n := 0
	for _, r := range text {
		n++
		fullWidth := r >= '\u3000' && r <= '\u303f' || r >= '\uff01' && r <= '\uff60' // their punctuation
		if fullWidth || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n
}

// wrap is a paragraph, to be laid out when it is printed. first stands before the first
// line and rest before the others.
func wrap(first, rest, text string) string {
	return laying{First: first, Rest: rest, Text: text}.marked()
}

// laidText breaks a paragraph into lines of the page's width.
func laidText(l laying, width int) string {
	var b strings.Builder
	line, begun := l.First, false
	for word := range strings.FieldsSeq(l.Text) {
		gap := " "
		for _, piece := range pieces(word) {
			if begun && wide(line+gap+piece) > width {
				b.WriteString(line + "\n")
				line, begun = l.Rest, false
			}
			if begun {
				line += gap
			}
			line, begun, gap = line+piece, true, ""
		}
	}
	b.WriteString(line + "\n")
	return b.String()
}

// pieces are what a line may end after within a word: each Chinese character, with the
// punctuation after it. Other words stay whole.
func pieces(word string) []string {
	var all []string
	from, after := 0, false // whether the rune before is a Chinese character or follows one
	for at, r := range word {
		if after && !unicode.IsPunct(r) {
			all = append(all, word[from:at])
			from = at
		}
		after = unicode.Is(unicode.Han, r) || after && unicode.IsPunct(r)
	}
	return append(all, word[from:])
}
