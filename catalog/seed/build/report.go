package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tierwise/tierwise/catalog"
)

// report counts what became of the rows that were read.
type report struct {
	rows  map[string]int // by input: rows read
	out   map[string]int // by reason: rows kept out
	notes map[string]int // by remark: rows kept, of which one should know something
	wrote map[string]int // by table: rows written
}

// newReport is an empty report.
func newReport() report {
	return report{rows: map[string]int{}, out: map[string]int{}, notes: map[string]int{}, wrote: map[string]int{}}
}

// print writes the report for people.
func (r report) print(to io.Writer, version catalog.Version) error {
	sections := []struct {
		title  string
		counts map[string]int
	}{
		{"rows read", r.rows}, {"kept out", r.out}, {"remarks", r.notes}, {"rows written", r.wrote},
	}
	for _, s := range sections {
		if _, err := fmt.Fprintf(to, "%s:\n", s.title); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(s.counts)) {
			if _, err := fmt.Fprintf(to, "  %6d  %s\n", s.counts[name], name); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(to, "version: %s\n", version)
	return err
}
