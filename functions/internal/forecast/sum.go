package forecast

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// Forecast is the spend of months ahead. Percentiles are of the sum that they stand
// beside: they do not add up.
type Forecast struct {
	CatalogVersion catalog.Version
	ComputedAt     time.Time
	Currency       catalog.Currency
	AsOf           catalog.Date // of the oldest price; unknown if one is, or if there is none
	Zone           *time.Location
	Language       wording.Language // of the request

	Months    []Month
	Workloads []Sum // in the order of the request, commitments last
	Lines     []LineSum
	Total     Range
	Budget    Budget
	Cells     [][]Cell // by month

	Bills       []engine.Bill // of the workloads
	Assumptions []engine.Assumption
	Warnings    []engine.Warning
}

// Month is a month of all workloads.
type Month struct {
	Period
	Range
	Cumulative Range // from the first month on
}

// Sum is a workload or a commitment.
type Sum struct {
	Name string
	Range
	Months []WorkloadMonth
}

// WorkloadMonth is a month of a workload.
type WorkloadMonth struct {
	Range
	Lines [lines]tco.Units // in the order of tco.LineNames
}

// LineSum is a cost line over all months and workloads.
type LineSum struct {
	Line tco.Line
	Range
}

// Budget says which month exceeds a budget, -1 if none does: by what is expected, and
// by its 90th percentile.
type Budget struct {
	PerMonth, InAll         decimal.NullDecimal
	MonthOver, MonthOverP90 int // of PerMonth, by the month
	TotalOver, TotalOverP90 int // of InAll, by the sum so far
}

// sums collects the sums of a forecast.
type sums struct {
	f     *forecaster
	out   *Forecast
	month []spread
	work  []spread
	line  [lines]*spread
	lines [lines]tco.Units
}

// lines is how many cost lines there are.
const lines = 8

// sum adds cells up.
func (f *forecaster) sum(cells [][]Cell) Forecast {
	out := Forecast{
		CatalogVersion: f.engine.Snapshot().Version(), ComputedAt: f.r.ComputedAt, Currency: f.r.Currency,
		Zone: f.r.First.Location(), Language: f.r.Language, Cells: cells, Bills: f.bills,
	}
	n := len(f.r.Workloads) + len(f.held)
	s := sums{f: f, out: &out, work: make([]spread, n)}
	for i := range n {
		out.Workloads = append(out.Workloads, Sum{Name: f.name(i), Months: make([]WorkloadMonth, len(f.months))})
		s.work[i] = newSpread(1)
	}
	for m := range f.months {
		s.add(m, cells[m])
	}
	for i := range out.Workloads {
		out.Workloads[i].Range = s.work[i].around(out.Workloads[i].Expected)
	}
	for i, name := range tco.LineNames() {
		if s.line[i] != nil {
			out.Lines = append(out.Lines, LineSum{name, s.line[i].around(s.lines[i])})
		}
	}
	out.Total = out.Months[len(out.Months)-1].Cumulative
	out.Budget = f.budget(out.Months)
	out.AsOf, out.Assumptions, out.Warnings = f.notes.AsOf(), f.notes.Assumptions(), f.notes.Warnings()
	return out
}

// name is the name of a workload or a commitment.
func (f *forecaster) name(i int) string {
	if i < len(f.r.Workloads) {
		return f.r.Workloads[i].Name
	}
	return f.r.Commitments[i-len(f.r.Workloads)].Name
}

// add adds a month's cells up.
func (s *sums) add(m int, cells []Cell) {
	years := s.f.years(m)
	month := newSpread(len(s.work))
	own := make([]spread, len(s.work))
	total := tco.Units{}
	for i := range cells {
		c := &cells[i]
		w := &s.out.Workloads[c.Workload]
		at := &w.Months[m]
		at.Expected, w.Expected, total = at.Expected.Plus(c.Amount), w.Expected.Plus(c.Amount), total.Plus(c.Amount)
		at.Lines[c.position] = at.Lines[c.position].Plus(c.Amount)
		s.lines[c.position] = s.lines[c.position].Plus(c.Amount)
		if s.line[c.position] == nil {
			line := newSpread(len(s.work))
			s.line[c.position] = &line
		}
		if own[c.Workload].work == nil {
			own[c.Workload] = newSpread(1)
		}
		d := c.deviationOf(c.Amount, years)
		month.add(d)
		own[c.Workload].addAlone(d)
		s.work[c.Workload].addAlone(d)
		s.line[c.position].add(d)
	}
	for i := range own {
		at := &s.out.Workloads[i].Months[m]
		at.Range = own[i].around(at.Expected)
	}
	s.close(m, month, total)
}

// close ends a month.
func (s *sums) close(m int, month spread, total tco.Units) {
	cumulative, so := total, newSpread(len(s.work))
	so.plus(&month)
	if m > 0 {
		cumulative = cumulative.Plus(s.out.Months[m-1].Cumulative.Expected)
		so.plus(&s.month[m-1])
	}
	s.month = append(s.month, so) // of all months so far
	s.out.Months = append(s.out.Months, Month{Period: s.f.months[m], Range: month.around(total), Cumulative: so.around(cumulative)})
}

// position is a line's place among tco.LineNames.
func position(line tco.Line) int {
	for i, name := range tco.LineNames() {
		if name == line {
			return i
		}
	}
	return 0
}

// budget finds the months that exceed the budgets.
func (f *forecaster) budget(months []Month) Budget {
	b := Budget{PerMonth: f.r.PerMonth, InAll: f.r.InAll, MonthOver: -1, MonthOverP90: -1, TotalOver: -1, TotalOverP90: -1}
	over := func(index *int, m int, amount tco.Units, limit decimal.NullDecimal) {
		if *index < 0 && limit.Valid && amount.Decimal().GreaterThan(limit.Decimal) {
			*index = m
		}
	}
	for m := range months {
		over(&b.MonthOver, m, months[m].Expected, b.PerMonth)
		over(&b.MonthOverP90, m, months[m].P90, b.PerMonth)
		over(&b.TotalOver, m, months[m].Cumulative.Expected, b.InAll)
		over(&b.TotalOverP90, m, months[m].Cumulative.P90, b.InAll)
	}
	return b
}
