package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// write writes the tables and their list of sources into a folder, reads them
// back as the product will, and returns their version.
func (b *built) write(folder string) (catalog.Version, error) {
	for _, table := range seed.Tables() {
		content, err := encode(table, b.tables[table])
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, table), content, 0o644); err != nil {
			return "", fmt.Errorf("write table: %w", err)
		}
		b.report.wrote[table] = len(b.tables[table])
	}
	if err := os.WriteFile(filepath.Join(folder, "SOURCES.md"), []byte(b.library.document()), 0o644); err != nil {
		return "", fmt.Errorf("write sources: %w", err)
	}
	snapshot, err := seed.Read(os.DirFS(folder))
	if err != nil {
		return "", fmt.Errorf("read back what was written: %w", err)
	}
	return snapshot.Version(), nil
}

// encode is a table as CSV with its header.
func encode(table string, rows [][]string) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	header := seed.Columns(table)
	if err := w.Write(header); err != nil {
		return nil, fmt.Errorf("encode %s: %w", table, err)
	}
	for _, row := range rows {
		if len(row) != len(header) {
			return nil, fmt.Errorf("encode %s: row %q has %d cells, want %d", table, row, len(row), len(header))
		}
		if err := w.Write(row); err != nil {
			return nil, fmt.Errorf("encode %s: %w", table, err)
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
