package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageWidth is how many columns the output may take.
const pageWidth = 100

// column is a column of a table.
type column struct {
	title string
	right bool // numbers are aligned to the right
	most  int  // longer cells are cut, and shorter ones if the page is too narrow; 0 = never
}

// narrowest is how far a column is cut to fit the page.
const narrowest = 12

// table lays rows out under titles, indented by two. Columns are as wide as their
// widest cell.
func table(columns []column, rows [][]string) string {
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	rows = append([][]string{titles}, rows...)
	widths := widthsOf(columns, rows)
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
// the widest columns that may be cut.
func widthsOf(columns []column, rows [][]string) []int {
	widths := make([]int, len(columns))
	total := 0
	for i, c := range columns {
		for _, row := range rows {
			widths[i] = max(widths[i], wide(cut(row[i], c.most)))
		}
		total += 2 + widths[i]
	}
	for ; total > pageWidth; total-- {
		widest := -1
		for i, c := range columns {
			if c.most > 0 && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
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
		if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n
}

// wrap breaks a text into lines of the page's width. first stands before the
// first line and rest before the others.
func wrap(first, rest, text string) string {
	var b strings.Builder
	line, words := first, 0
	for word := range strings.FieldsSeq(text) {
		if words > 0 && wide(line)+1+wide(word) > pageWidth {
			b.WriteString(line + "\n")
			line, words = rest, 0
		}
		if words > 0 {
			line += " "
		}
		line += word
		words++
	}
	b.WriteString(line + "\n")
	return b.String()
}
