package convert

import (
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/schemas"
)

// TCO writes what options cost. The snapshot is the one that the engine answered from.
func TCO(s *catalog.Snapshot, a *engine.TCO) schemas.TCOResponse {
	out := schemas.TCOResponse{
		CatalogVersion: string(a.CatalogVersion),
		AsOf:           known(a.AsOf.String()),
		ComputedAt:     instant(a.ComputedAt),
		Currency:       string(a.Currency),
		HoursPerMonth:  strconv.Itoa(catalog.HoursPerMonth),
		Assumptions:    assumptions(a.Assumptions),
		Warnings:       warnings(a.Warnings),
	}
	w := writer{snapshot: s, currency: a.Currency, computedAt: a.ComputedAt}
	for i := range a.Options {
		out.Options = append(out.Options, w.option(&a.Options[i]))
	}
	return out
}

// assumptions writes assumptions.
func assumptions(all []engine.Assumption) []schemas.Assumption {
	out := make([]schemas.Assumption, 0, len(all))
	for _, a := range all {
		out = append(out, schemas.Assumption(a))
	}
	return out
}

// warnings writes warnings.
func warnings(all []engine.Warning) []schemas.Warning {
	out := make([]schemas.Warning, 0, len(all))
	for _, w := range all {
		out = append(out, schemas.Warning{Code: string(w.Code), Message: w.Message})
	}
	return out
}

// option writes an option with its cost.
func (w writer) option(o *engine.Costed) schemas.CostedOption {
	out := schemas.CostedOption{
		Name: o.Name, Lines: make([]schemas.BillLine, 0, len(o.Items)), ByLine: make(map[string]schemas.Amounts),
		Total:                     amountsOf(tco.Sum(o.Items)),
		CostPerEffectiveHour:      maybe(o.Effective.PerHour),
		TotalPerEffectiveHour:     maybe(o.Effective.AllInPerHour),
		CostPerEffectivePFLOPHour: maybe(o.Effective.PerPFLOPHour),
		AdjustedHourlyAsPublished: maybe(o.Effective.AsPublished),
		Resources:                 make([]schemas.CostedResource, 0, len(o.Bill.Resources)),
	}
	for i := range o.Items {
		out.Lines = append(out.Lines, billLine(&o.Items[i]))
	}
	for _, name := range tco.LineNames() {
		for i := range o.Items {
			if o.Items[i].Line == name {
				out.ByLine[string(name)] = amountsOf(tco.Sum(o.Items, name))
				break
			}
		}
	}
	for i := range o.Bill.Resources {
		out.Resources = append(out.Resources, w.resource(&o.Bill.Resources[i], o.Purchases[i]))
	}
	return out
}

// amountsOf writes amounts.
func amountsOf(a tco.Amounts) schemas.Amounts {
	return schemas.Amounts{PerHour: amount(a.Hour), PerMonth: amount(a.Month), PerYear: amount(a.Year), Per3Years: amount(a.ThreeYears)}
}

// plain writes a quotient to tco.Places decimals, without trailing zeros.
func plain(q tco.Quotient) string { return q.Round(tco.Places).String() }

// billLine writes a line.
func billLine(i *tco.Item) schemas.BillLine {
	out := schemas.BillLine{
		Line: string(i.Line), Of: i.Of, Quantity: plain(i.Quantity), Unit: string(i.Unit),
		UnitPrice: plain(i.Price), Assumed: i.Assumed, Amounts: amountsOf(i.Amounts()),
	}
	if i.Instances > 0 {
		hours := plain(i.HoursEach())
		out.Instances, out.Hours = &i.Instances, &hours
	}
	if i.Native.Currency != "" {
		out.NativeUnitPrice = known(plain(tco.Quotient{Num: i.Native.Num, Den: i.Native.Den}))
		out.NativeCurrency = known(string(i.Native.Currency))
	}
	return out
}

// resource writes a resource.
func (w writer) resource(c *engine.Charged, purchases []engine.Purchase) schemas.CostedResource {
	out := schemas.CostedResource{
		Name: c.Name, Offer: w.offer(c.Quote.Offer, quoted(c.Quote)), Instances: c.Instances,
		UsefulHoursPerMonth: plain(c.Work.Hours), PurchaseModels: make([]schemas.Purchase, 0, len(purchases)),
	}
	if c.HasGPU {
		out.Efficiency = known(c.Work.Efficiency.String())
	}
	for i := range purchases {
		out.PurchaseModels = append(out.PurchaseModels, purchase(&purchases[i]))
	}
	return out
}

// purchase writes a resource under one purchase model.
func purchase(p *engine.Purchase) schemas.Purchase {
	out := schemas.Purchase{PurchaseModel: string(p.Market), Reason: known(p.Reason)}
	if p.Quote == nil {
		return out
	}
	out.OfferID = known(string(p.Quote.Offer.ID))
	if p.Hour.Den.IsZero() { // it has no price
		return out
	}
	sums := amountsOf(p.Amounts)
	out.PricePerInstanceHour, out.Amounts = known(plain(p.Hour)), &sums
	if p.Market.TermMonths() > 0 {
		out.BreakEven = &schemas.BreakEven{
			UtilizationPct: trimmedDecimal(p.BreakEven.UtilizationPct), HoursPerMonth: trimmedDecimal(p.BreakEven.HoursPerMonth),
			HoursPerTerm: trimmedDecimal(p.BreakEven.HoursPerTerm),
		}
	}
	if p.LostWorkPct != nil {
		out.BreakEvenLostWorkPct = make(map[string]*string)
		for model, pct := range p.LostWorkPct {
			out.BreakEvenLostWorkPct[string(model)] = trimmedDecimal(pct)
		}
	}
	return out
}

// trimmedDecimal writes a figure without trailing zeros; nil if it is not valid.
func trimmedDecimal(d decimal.NullDecimal) *string {
	if !d.Valid {
		return nil
	}
	return known(d.Decimal.String())
}
