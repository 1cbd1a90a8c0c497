package forecast

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Cell is a part of a workload's bill in one month.
type Cell struct {
	*Part
	*Factor
	Amount tco.Units
}

// Factor is what the parts of a workload are multiplied by in a month: Growth is the
// factor of their quantity, and Price that of their unit price.
type Factor struct {
	growth tco.Multiple
	left   *tco.Quotient // instead of growth, of what commitments leave
	count  int64         // instead of both
	Price  tco.Multiple
	ratio  tco.Ratio // of both, into units
	key    factorKey // what it is of
}

// newFactor combines growth and a price, rounded once.
func newFactor(growth, price tco.Multiple) *Factor {
	both, ok := growth.Times(price)
	if !ok {
		return leftFactor(tco.Exact(growth.Decimal()), price)
	}
	return &Factor{growth: growth, Price: price, ratio: both.InUnits()}
}

// leftFactor combines what commitments leave, in full, and a price.
func leftFactor(left tco.Quotient, price tco.Multiple) *Factor {
	return &Factor{left: &left, Price: price, ratio: left.Times(price.Decimal()).InUnits()}
}

// Growth is the factor of quantities.
func (x *Factor) Growth() tco.Quotient {
	switch {
	case x.left != nil:
		return *x.left
	case x.count > 0:
		return tco.Exact(decimal.NewFromInt(x.count))
	}
	return tco.Exact(x.growth.Decimal())
}

// cell is a part with the factor.
func (x *Factor) cell(p *Part) Cell { return Cell{p, x, tco.Round(p.cost, x.ratio)} }

// forecaster makes one forecast.
type forecaster struct {
	engine  *engine.Engine
	biller  *engine.Biller
	r       *Request
	notes   *engine.Notes
	bills   []engine.Bill
	held    []held
	prices  map[catalog.OfferID]*prices
	months  []Period
	parts   []map[shape][]*Part // by workload
	shapes  map[span]*shaped
	sources [][]*source // by workload and resource
	// traffic are the transfers of every workload.
	traffic [][]carrier
}

// Run looks ahead. The error is an engine.CurrencyError or an engine.BillError.
func Run(e *engine.Engine, r Request) (Forecast, error) {
	biller, err := e.Biller(r.Currency)
	if err != nil {
		return Forecast{}, err
	}
	f := forecaster{
		engine: e, biller: biller, r: &r, notes: engine.NewNotes(r.Assumed, r.ComputedAt, r.Language),
		prices: make(map[catalog.OfferID]*prices), months: Months(r.First, r.Months),
		parts: make([]map[shape][]*Part, len(r.Workloads)), shapes: make(map[span]*shaped),
	}
	for i := range r.Workloads {
		bill, err := biller.Bill(&r.Workloads[i].Option)
		if err != nil {
			return Forecast{}, err
		}
		f.notes.Bill(&bill)
		f.bills = append(f.bills, bill)
		f.traffic = append(f.traffic, f.carriers(i))
		f.parts[i] = make(map[shape][]*Part)
		f.sources = append(f.sources, f.sourcesOf(i))
	}
	if err := f.hold(); err != nil {
		return Forecast{}, err
	}
	cells, err := f.cells()
	if err != nil {
		return Forecast{}, err
	}
	return f.sum(cells), nil
}

// cells are the cells of every month, workload by workload, commitments last.
func (f *forecaster) cells() ([][]Cell, error) {
	growth := make([][]tco.Multiple, len(f.r.Workloads))
	for i := range f.r.Workloads {
		var err error
		if growth[i], err = f.growth(&f.r.Workloads[i]); err != nil {
			return nil, err
		}
	}
	all := make([][]Cell, len(f.months))
	for m, month := range f.months {
		ledger, traffic := f.ledger(month), newTraffic()
		if m > 0 {
			all[m] = make([]Cell, 0, len(all[m-1])+1)
		}
		for w := range f.r.Workloads {
			all[m] = f.workload(all[m], w, m, cellMaker{ledger, traffic, growth[w][m]})
		}
		for i := range f.held {
			if !f.held[i].runs(month) {
				continue
			}
			for _, p := range ledger.parts(i, month.Seconds()) {
				all[m] = append(all[m], newFactor(tco.Once, tco.Once).cell(p))
			}
		}
	}
	return all, nil
}

// growth are the factors of a workload's months. It grows from its own first month.
func (f *forecaster) growth(w *Workload) ([]tco.Multiple, error) {
	late := 0 // how many months after the first one it begins; negative if before
	if !w.From.IsZero() {
		late = monthsBetween(f.r.First, w.From)
	}
	step, ok := tco.MultipleOf(decimal.NewFromInt(1).Add(w.GrowthPct.Shift(-2)))
	all, within := step.Powers(f.r.Months - min(late, 0))
	if !ok || !within {
		return nil, engine.BillError{At: w.At, Why: "it grows to more than nine million times its size"}
	}
	factors := make([]tco.Multiple, f.r.Months)
	for m := range factors {
		factors[m] = all[max(0, m-late)]
	}
	return factors, nil
}

// cellMaker makes the cells of one workload in one month.
type cellMaker struct {
	ledger  *ledger
	traffic traffic
	growth  tco.Multiple
}

// workload appends the cells of a workload in a month.
func (f *forecaster) workload(cells []Cell, w, m int, maker cellMaker) []Cell {
	s := f.shape(f.span(w, m))
	if s.seconds == 0 {
		return cells
	}
	parts, seen := f.parts[w][s.shape]
	if !seen {
		parts = f.partsOf(w, s.month)
		f.parts[w][s.shape] = parts
	}
	factors := make([]*Factor, 0, fewFactors)
	for _, p := range parts {
		key := factorKey{price: p.price, resource: -1}
		if f.covered(p) {
			key.resource = p.resource
		}
		i := slices.IndexFunc(factors, func(x *Factor) bool { return x.key == key })
		if i < 0 {
			i = len(factors)
			factors = append(factors, f.factor(key, w, m, maker))
		}
		cells = append(cells, factors[i].cell(p))
	}
	if len(f.traffic[w]) == 0 {
		return cells
	}
	return f.move(cells, w, s, maker)
}

// fewFactors is how many factors the parts of a workload usually have.
const fewFactors = 8

// span is what a shape depends on.
type span struct {
	month       int
	from, until time.Time
	days        Weekdays
}

// span is what the shape of a workload's month depends on.
func (f *forecaster) span(w, m int) span {
	return span{m, f.r.Workloads[w].From, f.r.Workloads[w].Until, f.r.Workloads[w].Days}
}

// shaped is a shape with the month that it makes.
type shaped struct {
	shape
	month tco.Month
	share tco.Ratio // of the month
}

// shape is the shape of a span, worked out once.
func (f *forecaster) shape(of span) *shaped {
	s, seen := f.shapes[of]
	if !seen {
		x := shapeOf(f.months[of.month], of.from, of.until, of.days)
		month := x.month()
		s = &shaped{x, month, tco.NewRatio(month.Share)}
		f.shapes[of] = s
	}
	return s
}

// factorKey is what the parts of a workload that have a factor in common share.
type factorKey struct {
	price    *prices
	resource int // that commitments may take over, -1 if they take over none
}

// covered reports whether commitments may take a part over.
func (f *forecaster) covered(p *Part) bool {
	return len(f.held) > 0 && p.resource >= 0 && p.model == catalog.OnDemand && p.Line != tco.Storage
}

// factor is that of the parts of a key.
func (f *forecaster) factor(key factorKey, w, m int, maker cellMaker) *Factor {
	price := key.price.at(f.ahead(m))
	var x *Factor
	if key.resource < 0 {
		x = newFactor(maker.growth, price)
	} else {
		month := f.shape(f.span(w, m)).month
		x = leftFactor(maker.ledger.take(&f.bills[w].Resources[key.resource], month, maker.growth.Decimal()), price)
	}
	x.key = key
	return x
}

// ahead is how many months after the prices' month a month is.
func (f *forecaster) ahead(m int) int { return monthsBetween(f.r.ComputedAt, f.months[m].Begin) }

// Date is a day for people and programs: "2027-01-31".
func Date(t time.Time) string { return t.Format(time.DateOnly) }
