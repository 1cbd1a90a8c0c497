package forecast

import (
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// held is a commitment with its offer.
type held struct {
	*Commitment
	quote    *candidate.Quote
	onDemand catalog.OfferID // what it takes over
	index    int             // among all workloads and commitments
}

// hold looks up the offers of the commitments. The error is an engine.BillError.
func (f *forecaster) hold() error {
	for i := range f.r.Commitments {
		c := &f.r.Commitments[i]
		quote, ok := f.biller.Market().Quote(c.Offer)
		switch {
		case !ok:
			return engine.BillError{At: c.At, Why: fmt.Sprintf("no offer has the id %q", c.Offer)}
		case quote.Unpriced != "":
			return engine.BillError{At: c.At, Why: fmt.Sprintf("offer %q can't be priced: %s", c.Offer, quote.Unpriced)}
		case quote.Offer.Market.TermMonths() == 0:
			return engine.BillError{At: c.At, Why: fmt.Sprintf("offer %q binds nobody: want one of reserved_1y or reserved_3y", c.Offer)}
		}
		o := quote.Offer
		f.held = append(f.held, held{c, quote, catalog.NewOfferID(o.Place, o.SKU, o.Variant, catalog.OnDemand), len(f.r.Workloads) + i})
		f.notes.Dated(o.AsOf)
	}
	return nil
}

// ledger is what the commitments of one month have left.
type ledger struct {
	f    *forecaster
	left []tco.Quotient // instances, by commitment
	used []tco.Quotient // instance-hours, by commitment
}

// ledger opens the month of an index; commitments of other months have nothing.
func (f *forecaster) ledger(month Period) *ledger {
	l := &ledger{f: f}
	for i := range f.held {
		left := tco.Exact(decimal.Zero)
		if f.held[i].runs(month) {
			left = tco.Exact(decimal.NewFromInt(f.held[i].Instances))
		}
		l.left, l.used = append(l.left, left), append(l.used, tco.Exact(decimal.Zero))
	}
	return l
}

// runs reports whether a commitment is paid in a month.
func (h *held) runs(month Period) bool {
	return !month.Begin.Before(h.From) && month.Begin.Before(monthAfter(h.From, h.Months))
}

// take lets the commitments take over a resource whose instances have grown by a
// factor, and returns the factor that is left to be paid by the hour. An instance of
// a commitment takes over one of one resource, even if both are on for part of a day.
func (l *ledger) take(c *engine.Charged, m tco.Month, growth decimal.Decimal) tco.Quotient {
	instances := decimal.NewFromInt(c.Instances)
	wanted := tco.Exact(instances.Mul(growth))
	for i := range l.f.held {
		if l.f.held[i].onDemand != c.Quote.Offer.ID || wanted.IsZero() || l.left[i].IsZero() {
			continue
		}
		taken := wanted
		if l.left[i].Cmp(wanted) < 0 {
			taken = l.left[i]
		}
		wanted, l.left[i] = wanted.Minus(taken), l.left[i].Minus(taken)
		l.used[i] = l.used[i].Plus(c.OnHours(m).Mul(taken).Over(instances))
	}
	return wanted.Over(instances)
}

// parts are what a commitment costs in a month: the time that it took over, and the rest.
func (l *ledger) parts(i int, seconds int64) []*Part {
	h := &l.f.held[i]
	all := tco.Quotient{Num: decimal.NewFromInt(seconds * h.Instances), Den: decimal.NewFromInt(3600)}
	price := h.quote.Tariff.Hour()
	from := &source{
		Workload: h.index, Quote: h.quote, Place: h.quote.Offer.Place, Commits: true, resource: -1, model: h.quote.Offer.Market,
		modelNumber: slices.Index(catalog.PurchaseModels(), h.quote.Offer.Market), list: l.f.onDemand(h.quote),
	}
	var parts []*Part
	for _, line := range []struct {
		name  tco.Line
		hours tco.Quotient
	}{{tco.Instance, l.used[i]}, {tco.Idle, all.Minus(l.used[i])}} {
		item := tco.Item{
			Line: line.name, Of: h.Name, Quantity: line.hours, Unit: tco.InstanceHours, Price: price,
			Instances: h.Instances, Native: h.quote.Tariff.Node,
		}
		parts = append(parts, &Part{Item: &item, source: from, cost: item.Ratio(), position: position(item.Line)})
	}
	return parts
}
