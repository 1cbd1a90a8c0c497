package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// record is one row of a CSV file with named columns.
type record struct {
	file    string
	line    int
	columns map[string]int
	fields  []string
}

// get is the cell of a column without surrounding space; "" if the file has no
// such column.
func (r record) get(column string) string {
	i, ok := r.columns[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(r.fields[i])
}

// fault is the error of a cell that is not what it should be.
func (r record) fault(column, want string) error {
	return fmt.Errorf("%s line %d, column %s: got %q, want %s", r.file, r.line, column, r.get(column), want)
}

// with wraps an error with the cell that caused it.
func (r record) with(column string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s line %d, column %s: %w", r.file, r.line, column, err)
}

// readFiles reads all rows of files that have at least the given columns.
func readFiles(files []string, columns string) ([]record, error) {
	var all []record
	for _, file := range files {
		rows, err := readFile(os.DirFS(filepath.Dir(file)), filepath.Base(file), columns)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// readFile reads all rows of one file.
func readFile(fsys fs.FS, name, columns string) ([]record, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	defer f.Close()
	return readRows(f, name, columns)
}

// readRows reads all rows of a CSV text with a header. name is for errors.
func readRows(in io.Reader, name, columns string) ([]record, error) {
	rows := csv.NewReader(in)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header of %s: %w", name, err)
	}
	at := make(map[string]int, len(header))
	for i, column := range header {
		at[column] = i
	}
	for column := range strings.SplitSeq(columns, ",") {
		if _, ok := at[column]; !ok {
			return nil, fmt.Errorf("read the header of %s: no column %q", name, column)
		}
	}
	var all []record
	for {
		fields, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		line, _ := rows.FieldPos(0)
		all = append(all, record{file: name, line: line, columns: at, fields: fields})
	}
}
