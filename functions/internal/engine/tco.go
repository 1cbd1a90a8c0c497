package engine

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TCO is what options cost, side by side.
type TCO struct {
	CatalogVersion catalog.Version
	ComputedAt     time.Time
	Currency       catalog.Currency
	AsOf           catalog.Date // of the oldest price; unknown if one is, or if there is none
	Options        []Costed
	Assumptions    []Assumption
	Warnings       []Warning
}

// Costed is an option with its cost.
type Costed struct {
	Name      string
	Bill      Bill
	Items     []tco.Item
	Effective tco.Effective
	Purchases [][]Purchase // of each resource
}

// Purchase is a resource under one purchase model, used the same way.
type Purchase struct {
	Market  catalog.PurchaseModel
	Quote   *candidate.Quote // nil if there is no such offer
	Reason  string           // why it can't be had, or is no choice: "no_data", "price_unknown", "spot_not_cheaper"
	Hour    tco.Quotient     // list price of an instance
	Amounts tco.Amounts      // of the instances' time
	// BreakEven is of a commitment against on-demand, LostWorkPct of spot against
	// each model by the hour.
	BreakEven   tco.BreakEven
	LostWorkPct map[catalog.PurchaseModel]decimal.NullDecimal
}

// TCO prices options. The error is a CurrencyError or a BillError.
func (e *Engine) TCO(r TCORequest) (TCO, error) {
	biller, err := e.Biller(r.Currency)
	if err != nil {
		return TCO{}, err
	}
	out := TCO{CatalogVersion: e.snapshot.Version(), ComputedAt: r.ComputedAt, Currency: r.Currency}
	notes := NewNotes(r.Assumed, r.ComputedAt, r.Language)
	for i := range r.Options {
		bill, err := biller.Bill(&r.Options[i])
		if err != nil {
			return TCO{}, err
		}
		costed := Costed{Name: r.Options[i].Name, Bill: bill, Items: bill.Items(tco.AverageMonth())}
		costed.Effective = effective(&bill, costed.Items)
		for c := range bill.Resources {
			costed.Purchases = append(costed.Purchases, biller.purchases(&bill.Resources[c]))
		}
		notes.Bill(&bill)
		out.Options = append(out.Options, costed)
	}
	out.AsOf, out.Assumptions, out.Warnings = notes.AsOf(), notes.Assumptions(), notes.Warnings()
	return out, nil
}

// effective divides a bill by the work of its GPUs. A bill with jobs has work that is
// not counted in hours.
func effective(b *Bill, items []tco.Item) tco.Effective {
	var work []tco.Work
	oneModel, gpu := true, catalog.GPUID("")
	for i := range b.Resources {
		c := &b.Resources[i]
		if !c.HasGPU {
			continue
		}
		oneModel = oneModel && (gpu == "" || gpu == c.Quote.Offer.GPU)
		gpu = c.Quote.Offer.GPU
		work = append(work, c.Work)
	}
	if len(b.Jobs) > 0 {
		return tco.Effective{}
	}
	return tco.EffectiveOf(items, work, oneModel)
}

// purchases are a resource under every purchase model of its SKU at its place.
func (b *Biller) purchases(c *Charged) []Purchase {
	o := c.Quote.Offer
	var all []Purchase
	for _, model := range []catalog.PurchaseModel{catalog.OnDemand, catalog.Spot, catalog.Reserved1Y, catalog.Reserved3Y} {
		p := Purchase{Market: model, Reason: "no_data"}
		quote, ok := b.market.Quote(catalog.NewOfferID(o.Place, o.SKU, o.Variant, model))
		switch {
		case ok && quote.Unpriced == "":
			b.purchase(&p, quote, c)
		case ok:
			p.Quote, p.Reason = quote, string(quote.Unpriced)
		}
		all = append(all, p)
	}
	breakEven(all)
	return all
}

// purchase prices a resource's time under another offer of the same SKU.
func (b *Biller) purchase(p *Purchase, quote *candidate.Quote, c *Charged) {
	same := *c
	same.Quote, same.Own = quote, catalog.Rate{}
	same.Tariff.Node, same.Tariff.Conversion, same.Tariff.IncrementSeconds = quote.Tariff.Node, quote.Tariff.Conversion, quote.Tariff.IncrementSeconds
	same.Committed, same.Lost, same.DiskGB = quote.Offer.Market.TermMonths() > 0, decimal.Zero, 0
	b.interrupt(&same)
	if same.Committed && same.Schedule.Overlap {
		p.Quote, p.Reason = quote, "runs_overlap"
		return
	}
	p.Quote, p.Reason, p.Hour = quote, "", same.Tariff.Hour()
	p.Amounts = tco.Sum(same.Items(tco.AverageMonth()))
}

// breakEven sets when the purchase models cost the same.
func breakEven(all []Purchase) {
	onDemand, spot := &all[0], &all[1]
	for i := range all {
		p := &all[i]
		if months := p.Market.TermMonths(); months > 0 && p.Reason == "" && onDemand.Reason == "" {
			p.BreakEven = tco.Commitment(p.Hour, onDemand.Hour, months)
		}
	}
	if spot.Reason != "" {
		return
	}
	spot.LostWorkPct = make(map[catalog.PurchaseModel]decimal.NullDecimal)
	for i := range all {
		if p := &all[i]; p.Market != catalog.Spot && p.Reason == "" {
			spot.LostWorkPct[p.Market] = tco.LostWorkPct(spot.Hour, p.Hour)
		}
	}
	if onDemand.Reason == "" && spot.Hour.Cmp(onDemand.Hour) >= 0 {
		spot.Reason = "spot_not_cheaper"
	}
}
