package forecast

import (
	"bytes"
	"encoding/csv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// File is a forecast as it is taken elsewhere.
type File struct {
	Name, MediaType string
	Content         []byte
}

// CSV is a row for every workload, month and line: RFC 4180, UTF-8, with a header.
// Amounts are exact; percentiles belong to whole months of a workload, so they stand
// in the rows of line "total", which must not be added to the others.
func CSV(f *Forecast) File {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rows := [][]string{{"month", "workload", "line", "currency", "expected", "p10", "p50", "p90"}}
	for m := range f.Months {
		month := monthName(f.Months[m].Begin)
		for i := range f.Workloads {
			rows = append(rows, f.workloadRows(month, &f.Workloads[i], m)...)
		}
		rows = append(rows, rangeRow([]string{month, allWorkloads, total, string(f.Currency)}, f.Months[m].Range))
	}
	_ = w.WriteAll(rows) // a buffer takes everything
	return File{Name: "forecast.csv", MediaType: CSVType, Content: b.Bytes()}
}

// CSVType is the media type of a CSV file with a header (RFC 4180, RFC 7111).
const CSVType = "text/csv; charset=utf-8; header=present"

// total names the rows of all lines together.
const total = "total"

// workloadRows are the rows of a workload's month.
func (f *Forecast) workloadRows(month string, w *Sum, m int) [][]string {
	var rows [][]string
	at := &w.Months[m]
	for n, name := range tco.LineNames() {
		if !at.Lines[n].IsZero() {
			rows = append(rows, []string{month, Safe(w.Name), string(name), string(f.Currency), digits(at.Lines[n].Decimal()), "", "", ""})
		}
	}
	return append(rows, rangeRow([]string{month, Safe(w.Name), total, string(f.Currency)}, at.Range))
}

// monthName writes a month: "2027-01".
func monthName(t time.Time) string { return t.Format("2006-01") }

// allWorkloads names the rows of whole months.
const allWorkloads = "(all)"

// rangeRow is a row with an expectation and its percentiles.
func rangeRow(key []string, r Range) []string {
	return append(key, digits(r.Expected.Decimal()), digits(r.P10.Decimal()), digits(r.P50.Decimal()), digits(r.P90.Decimal()))
}

// digits writes an amount without an exponent.
func digits(d decimal.Decimal) string { return d.StringFixed(max(0, -d.Exponent())) }

// Safe is a text that no spreadsheet takes for a formula: one that begins like a
// formula, or with what a spreadsheet drops before it looks, gets an apostrophe.
func Safe(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return "'" + text
	}
	return text
}
