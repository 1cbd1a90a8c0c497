package forecast

import (
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Part is one item of a workload's bill, for every month of one shape.
type Part struct {
	tco.Item
	Workload int
	Quote    *candidate.Quote // nil for storage and traffic that belong to no instance
	Place    catalog.Place
	// Commits says that the item is paid whether it is used or not.
	Commits bool

	resource    int // of the bill, -1 if it is of none
	position    int // of its line among tco.LineNames
	cost        tco.Ratio
	model       catalog.PurchaseModel
	modelNumber int     // its place among catalog.PurchaseModels
	price       *prices // nil if the price does not move
	risk
	// list is the offer on demand that a commitment is held against; nil if there is none.
	list *candidate.Quote
}

// prices are the factors of a price from the month that it is known in.
type prices struct {
	movement
	factors []tco.Multiple
}

// at is the factor n months on.
func (p *prices) at(n int) tco.Multiple {
	if p == nil {
		return tco.Once
	}
	return p.factors[min(max(n, 0), len(p.factors)-1)]
}

// partsOf are the items of a workload's bill in months of a shape, traffic apart.
func (f *forecaster) partsOf(workload int, m tco.Month) []*Part {
	bill := &f.bills[workload]
	var parts []*Part
	add := func(items []tco.Item, like Part) {
		for _, item := range items {
			p := like
			p.Item, p.Workload, p.cost, p.position = item, workload, item.Ratio(), position(item.Line)
			if item.Line == tco.Storage || item.Line == tco.Network {
				p.price, p.risk = nil, p.onlyWork()
			}
			parts = append(parts, &p)
		}
	}
	for i := range bill.Resources {
		c := &bill.Resources[i]
		like := f.like(c.Quote)
		like.resource, like.workSigma = i, resourceSigma(c)
		add(c.Items(m), like)
	}
	for i := range bill.Jobs {
		job := &bill.Jobs[i]
		for s, c := range job.Plan.Choices {
			like := f.like(c.Quote)
			like.workSigma = stageSigma(job, s)
			add(job.Items(s, m), like)
		}
	}
	for i := range bill.Disks {
		add([]tco.Item{bill.Disks[i].Item(m)}, Part{resource: -1, Place: f.r.Workloads[workload].Disks[i].Place})
	}
	return parts
}

// like is a part of an offer.
func (f *forecaster) like(q *candidate.Quote) Part {
	p := Part{Quote: q, Place: q.Offer.Place, Commits: q.Offer.Market.TermMonths() > 0, resource: -1, model: q.Offer.Market,
		modelNumber: slices.Index(catalog.PurchaseModels(), q.Offer.Market)}
	if p.price = f.pricesOf(q.Offer); p.price != nil {
		p.volatility = p.price.volatility
	}
	if p.Commits {
		p.list = f.onDemand(q)
	}
	return p
}

// onDemand is the offer on demand of the same SKU at the same place; nil if there is
// none with a price.
func (f *forecaster) onDemand(q *candidate.Quote) *candidate.Quote {
	o := q.Offer
	if list, ok := f.biller.Market().Quote(catalog.NewOfferID(o.Place, o.SKU, o.Variant, catalog.OnDemand)); ok && list.Unpriced == "" {
		return list
	}
	return nil
}

// pricesOf are the factors of an offer's price. A commitment's is fixed.
func (f *forecaster) pricesOf(o *catalog.Offer) *prices {
	if o.Market.TermMonths() > 0 {
		return nil
	}
	if p, seen := f.prices[o.ID]; seen {
		return p
	}
	m := movement{volatility: usualVolatility(o.Market)}
	past, known := moved(f.engine.Snapshot().History(o.ID), o)
	if known {
		m.volatility = past.volatility
	}
	switch {
	case f.r.Trend.Kind == GivenTrend:
		m.perYear = given(f.r.Trend.PctPerYear).perYear
	case f.r.Trend.Kind == HistoryTrend && known:
		m.perYear, m.points = past.perYear, past.points
	}
	f.assumeMovement(o, m, known)
	p := &prices{movement: m, factors: m.factors(f.horizon())}
	f.prices[o.ID] = p
	return p
}

// horizon is how many months after the prices' month the last one is.
func (f *forecaster) horizon() int {
	return max(0, monthsBetween(f.r.ComputedAt, f.r.First)+f.r.Months-1)
}

// assumeMovement notes how a price is taken to move.
func (f *forecaster) assumeMovement(o *catalog.Offer, m movement, known bool) {
	why := "every price moves as the request says"
	switch {
	case f.r.Trend.Kind == FlatTrend:
		why = "prices stay as they are"
	case f.r.Trend.Kind == HistoryTrend && m.points > 0:
		why = "the median slope between every two prices of its history, on a logarithmic scale, between -50% and 50%"
	case f.r.Trend.Kind == HistoryTrend:
		why = "its history is too short to tell a trend: three prices over half a year are needed"
	}
	f.notes.Assume(engine.Assumption{Field: "price_trend." + string(o.ID), Value: percent(m.perYear) + " a year", Why: why})
	why = "usual of the purchase model; no history tells"
	if known {
		why = "what the trend leaves of the steps in its history"
	}
	f.notes.Assume(engine.Assumption{Field: "price_volatility." + string(o.ID), Value: percent(m.volatility) + " after a year", Why: why})
}
