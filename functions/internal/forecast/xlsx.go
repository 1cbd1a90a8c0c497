package forecast

import (
	"bytes"
	"fmt"

	"github.com/xuri/excelize/v2"

	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// The sheets of a workbook.
const (
	summarySheet     = "Summary"
	workloadsSheet   = "Workloads"
	linesSheet       = "Lines"
	assumptionsSheet = "Assumptions"
)

// XLSX is a workbook: months and totals, workloads by month, every line of every
// month, and what was assumed. Amounts are numbers; sums are formulas that carry their
// value, so that programs which compute nothing show them too. The error is one of the
// library.
func XLSX(f *Forecast) (File, error) {
	book := excelize.NewFile()
	defer func() { _ = book.Close() }()
	w := workbook{f: f, book: book}
	w.money, w.err = book.NewStyle(&excelize.Style{NumFmt: 4}) // #,##0.00
	w.bold = w.style(&excelize.Style{Font: &excelize.Font{Bold: true}})
	w.boldMoney = w.style(&excelize.Style{NumFmt: 4, Font: &excelize.Font{Bold: true}})
	w.fail(book.SetSheetName("Sheet1", summarySheet)) // which every new book has
	w.sheet(summarySheet, []width{{1, 1, 12}, {2, 8, 16}}, w.summary)
	w.sheet(workloadsSheet, []width{{1, 1, 30}, {2, len(f.Months) + 2, 14}}, w.workloads)
	w.sheet(linesSheet, []width{{1, 1, 10}, {2, 2, 30}, {3, 11, 16}}, w.lines)
	w.sheet(assumptionsSheet, []width{{1, 1, 50}, {2, 2, 40}, {3, 3, 100}}, w.assumptions)
	var b bytes.Buffer
	if w.err == nil {
		_, w.err = book.WriteTo(&b)
	}
	if w.err != nil {
		return File{}, fmt.Errorf("write workbook: %w", w.err)
	}
	return File{
		Name: "forecast.xlsx", Content: b.Bytes(),
		MediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	}, nil
}

// workbook writes the sheets of a workbook; once something failed, nothing more.
type workbook struct {
	f                      *Forecast
	book                   *excelize.File
	money, bold, boldMoney int
	err                    error
	stream                 *excelize.StreamWriter // of the sheet being written
	row                    int                    // that was written last
}

// width is how wide some columns are, in characters.
type width struct {
	from, to int
	wide     float64
}

// style makes a style.
func (w *workbook) style(s *excelize.Style) int {
	id, err := w.book.NewStyle(s)
	w.fail(err)
	return id
}

// fail keeps the first error.
func (w *workbook) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// sheet writes a sheet whose first row stays in view.
func (w *workbook) sheet(name string, widths []width, write func()) {
	if w.err != nil {
		return
	}
	_, err := w.book.NewSheet(name) // unless it is there
	w.fail(err)
	if w.stream, err = w.book.NewStreamWriter(name); err != nil {
		w.fail(err)
		return
	}
	for _, x := range widths {
		w.fail(w.stream.SetColWidth(x.from, x.to, x.wide))
	}
	w.fail(w.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
	w.row = 0
	write()
	w.fail(w.stream.Flush())
}

// add writes a row.
func (w *workbook) add(cells ...any) {
	w.row++
	if w.err == nil {
		w.fail(w.stream.SetRow(at(1, w.row), cells))
	}
}

// titles writes the first row.
func (w *workbook) titles(names ...string) {
	cells := make([]any, len(names))
	for i, name := range names {
		cells[i] = excelize.Cell{StyleID: w.bold, Value: name}
	}
	w.add(cells...)
}

// at names a cell: "B3". Columns and rows of ours are always good ones.
func at(column, row int) string {
	name, _ := excelize.CoordinatesToCellName(column, row)
	return name
}

// amount is a cell with an amount.
func (w *workbook) amount(u tco.Units) excelize.Cell {
	return excelize.Cell{StyleID: w.money, Value: u.Float()}
}

// sum is a cell with the sum of some cells, whose value is known.
func (w *workbook) sum(from, to string, value tco.Units) excelize.Cell {
	return excelize.Cell{StyleID: w.boldMoney, Formula: "SUM(" + from + ":" + to + ")", Value: value.Float()}
}

// summary writes the months. Percentiles have no sums: they do not add up.
func (w *workbook) summary() {
	currency := string(w.f.Currency)
	w.titles("Month", "Hours", "Expected "+currency, "p10", "p50", "p90", "So far "+currency, "So far p90")
	for m := range w.f.Months {
		x := &w.f.Months[m]
		row := w.row + 1
		soFar := w.sum("C$2", at(3, row), x.Cumulative.Expected)
		soFar.StyleID = w.money
		w.add(monthName(x.Begin), int(x.Seconds()/3600), w.amount(x.Expected), w.amount(x.P10), w.amount(x.P50), w.amount(x.P90), soFar, w.amount(x.Cumulative.P90))
	}
	last := w.row
	w.add(excelize.Cell{StyleID: w.bold, Value: "Total"}, nil, w.sum("C2", at(3, last), w.f.Total.Expected),
		w.amount(w.f.Total.P10), w.amount(w.f.Total.P50), w.amount(w.f.Total.P90))
	w.add()
	w.add(fmt.Sprintf("Amounts in %s, months in %s; catalogue %s, computed at %s. The percentiles of the total are its own: they are no sums.",
		currency, w.f.Zone, w.f.CatalogVersion, instant(w.f.ComputedAt)))
}

// workloads writes the workloads by month, with sums of rows and columns.
func (w *workbook) workloads() {
	titles := []string{"Workload"}
	for m := range w.f.Months {
		titles = append(titles, monthName(w.f.Months[m].Begin))
	}
	w.titles(append(titles, "Total "+string(w.f.Currency))...)
	months := len(w.f.Months)
	for i := range w.f.Workloads {
		x := &w.f.Workloads[i]
		cells := []any{x.Name}
		for m := range x.Months {
			cells = append(cells, w.amount(x.Months[m].Expected))
		}
		w.add(append(cells, w.sum(at(2, w.row+1), at(months+1, w.row+1), x.Expected))...)
	}
	last := w.row
	cells := []any{excelize.Cell{StyleID: w.bold, Value: "Total"}}
	for m := range w.f.Months {
		cells = append(cells, w.sum(at(m+2, 2), at(m+2, last), w.f.Months[m].Expected))
	}
	w.add(append(cells, w.sum(at(months+2, 2), at(months+2, last), w.f.Total.Expected))...)
}

// lines writes the lines of every workload's month side by side, those that cost
// something anywhere, and sums of rows and columns.
func (w *workbook) lines() {
	var shown []int
	titles := []string{"Month", "Workload"}
	for _, l := range w.f.Lines {
		shown = append(shown, position(l.Line))
		titles = append(titles, string(l.Line))
	}
	w.titles(append(titles, "Total "+string(w.f.Currency))...)
	cells := make([]any, len(titles)+1)
	for m := range w.f.Months {
		cells[0] = monthName(w.f.Months[m].Begin)
		for i := range w.f.Workloads {
			w.lineRow(cells, shown, &w.f.Workloads[i], m)
		}
	}
	last := max(w.row, 2)
	cells = []any{excelize.Cell{StyleID: w.bold, Value: "Total"}, nil}
	for i, l := range w.f.Lines {
		cells = append(cells, w.sum(at(3+i, 2), at(3+i, last), l.Expected))
	}
	column := len(titles) + 1
	w.add(append(cells, w.sum(at(column, 2), at(column, last), w.f.Total.Expected))...)
}

// lineRow writes the lines of a workload's month.
func (w *workbook) lineRow(cells []any, shown []int, x *Sum, m int) {
	cells[1] = x.Name
	for i, n := range shown {
		cells[2+i] = w.amount(x.Months[m].Lines[n])
	}
	last := len(cells) - 1
	cells[last] = w.sum(at(3, w.row+1), at(last, w.row+1), x.Months[m].Expected)
	w.add(cells...)
}

// assumptions writes what was assumed.
func (w *workbook) assumptions() {
	w.titles("Field", "Value", "Why")
	for _, a := range w.f.Assumptions {
		w.add(a.Field, a.Value, a.Why)
	}
	for _, warning := range warningsOf(w.f.Warnings) {
		w.add(warning...)
	}
}

// warningsOf are warnings as rows.
func warningsOf(all []engine.Warning) [][]any {
	var rows [][]any
	for _, x := range all {
		rows = append(rows, []any{"Warning", string(x.Code), x.Message})
	}
	return rows
}
