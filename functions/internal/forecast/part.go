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
	*tco.Item
	*source
	position int // of its line among tco.LineNames
	cost     tco.Ratio
	price    *prices // nil if the price does not move
	risk
}

// source is what parts that come from one resource, stage, disk or transfer share.
type source struct {
	Workload int
	Quote    *candidate.Quote // nil for storage and traffic that belong to no instance
	Place    catalog.Place
	// Commits says that the item is paid whether it is used or not.
	Commits bool

	resource    int // of the bill, -1 if it is of none
	model       catalog.PurchaseModel
	modelNumber int       // its place among catalog.PurchaseModels
	hour        tco.Ratio // list price of an instance-hour of the offer
	prices      *prices   // nil if they do not move
	risk        risk
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
	add := func(items []tco.Item, from *source) {
		made := make([]Part, len(items))
		for i := range items {
			made[i] = from.part(&items[i])
			parts = append(parts, &made[i])
		}
	}
	for i := range bill.Resources {
		c := &bill.Resources[i]
		add(c.Items(m), f.sources[workload][i])
	}
	for i := range bill.Jobs {
		job := &bill.Jobs[i]
		for s, c := range job.Plan.Choices {
			from := f.source(workload, c.Quote)
			from.risk.workSigma = stageSigma(job, s)
			add(job.Items(s, m), from)
		}
	}
	for i := range bill.Disks {
		add([]tco.Item{bill.Disks[i].Item(m)}, &source{Workload: workload, resource: -1, Place: f.r.Workloads[workload].Disks[i].Place})
	}
	return parts
}

// part is an item of the source. The price of storage and of traffic does not move.
func (x *source) part(item *tco.Item) Part {
	p := Part{Item: item, source: x, position: position(item.Line), price: x.prices, risk: x.risk}
	if item.Unit == tco.InstanceHours && item.Line != tco.Discount {
		p.cost = tco.NewRatio(item.Quantity).Times(x.hour)
	} else {
		p.cost = item.Ratio()
	}
	if item.Line == tco.Storage || item.Line == tco.Network {
		p.price, p.risk = nil, p.onlyWork()
	}
	return p
}

// sourcesOf are the sources of a workload's resources.
func (f *forecaster) sourcesOf(workload int) []*source {
	bill := &f.bills[workload]
	sources := make([]*source, len(bill.Resources))
	for i := range sources {
		c := &bill.Resources[i]
		sources[i] = f.source(workload, c.Quote)
		sources[i].resource, sources[i].risk.workSigma = i, resourceSigma(c)
	}
	return sources
}

// source is an offer that a workload rents.
func (f *forecaster) source(workload int, q *candidate.Quote) *source {
	x := source{Workload: workload, Quote: q, Place: q.Offer.Place, Commits: q.Offer.Market.TermMonths() > 0, resource: -1, model: q.Offer.Market,
		modelNumber: slices.Index(catalog.PurchaseModels(), q.Offer.Market), hour: tco.NewRatio(q.Tariff.Hour())}
	if x.prices = f.pricesOf(q.Offer); x.prices != nil {
		x.risk.volatility = x.prices.volatility
	}
	if x.Commits {
		x.list = f.onDemand(q)
	}
	return &x
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
	say := f.r.Language.Say
	why := say("every price moves as the request says")
	switch {
	case f.r.Trend.Kind == FlatTrend:
		why = say("prices stay as they are")
	case f.r.Trend.Kind == HistoryTrend && m.points > 0:
		why = say("the median slope between every two prices of its history, on a logarithmic scale, between %d%% and %d%%", -50, 50)
	case f.r.Trend.Kind == HistoryTrend:
		why = say("its history is too short to tell a trend: three prices over half a year are needed")
	}
	f.notes.Assume(engine.Assumption{Field: "price_trend." + string(o.ID), Value: say("%s a year", percent(m.perYear)), Why: why})
	why = say("usual of the purchase model; no history tells")
	if known {
		why = say("what the trend leaves of the steps in its history")
	}
	f.notes.Assume(engine.Assumption{Field: "price_volatility." + string(o.ID), Value: say("%s after a year", percent(m.volatility)), Why: why})
}
