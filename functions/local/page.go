package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// A text is laid out when it is printed, since only then is it known how wide the
// terminal is: a table or a paragraph stands in it as JSON between two marks.
const mark = '\x1e' // the record separator, which no text and no JSON has in it

// The width of the output, in columns: what it is where there is no terminal, and the
// least and the most that a terminal is taken to have.
const (
	pageWidth = 100
	leastWide = 40
	mostWide  = 200
)

// laying is a table or a paragraph.
type laying struct {
	Columns []column   `json:"columns,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
	First   string     `json:"first,omitempty"`
	Rest    string     `json:"rest,omitempty"`
	Text    string     `json:"text,omitempty"`
}

// marked is the table or paragraph as it stands in a text.
func (l laying) marked() string {
	document, err := json.Marshal(l)
	if err != nil { // texts always encode
		return l.Text
	}
	return string(mark) + string(document) + string(mark)
}

// laid is the table or paragraph in lines.
func (l laying) laid(width int) string {
	if l.Columns != nil {
		return laidTable(l.Columns, l.Rows, width)
	}
	return laidText(l, width)
}

// laidOut is a text with its tables and paragraphs in lines.
func laidOut(text []byte, width int) []byte {
	var out bytes.Buffer
	for i, part := range bytes.Split(text, []byte{mark}) {
		var l laying
		if i%2 == 0 || json.Unmarshal(part, &l) != nil {
			out.Write(part)
			continue
		}
		out.WriteString(l.laid(width))
	}
	return out.Bytes()
}

// page lays out what is written to it. Each text has to be written at once.
type page struct {
	to    io.Writer
	width int
}

// Write lays a text out and writes it on.
func (p page) Write(text []byte) (int, error) {
	if !bytes.ContainsRune(text, mark) {
		return p.to.Write(text)
	}
	if _, err := p.to.Write(laidOut(text, p.width)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// width is how wide the output is: as the variable COLUMNS says, or the terminal, or
// else pageWidth.
func (p *program) width() int {
	if columns, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && columns > 0 {
		return min(max(columns, leastWide), mostWide)
	}
	if p.terminal != nil {
		if columns, ok := p.terminal(); ok {
			return min(max(columns, leastWide), mostWide)
		}
	}
	return pageWidth
}

// writing is the program that prints JSON instead of text, or not.
func (p *program) writing(asJSON bool) *program {
	other := *p
	other.json = asJSON
	return &other
}

// print prints a result, as JSON on one line or as text.
func (p *program) print(result any, text string) error {
	var err error
	if p.json {
		err = json.NewEncoder(p.stdout).Encode(result)
	} else {
		_, err = io.WriteString(p.stdout, text)
	}
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
