package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Bill is an option with everything looked up that its cost depends on.
type Bill struct {
	Resources []Charged
	Jobs      []Planned
	Disks     []tco.Disk
	Transfers []tco.Transfer
}

// Charged is a resource as it is charged.
type Charged struct {
	tco.Resource
	Asked      *Resource
	Quote      *candidate.Quote
	Efficiency candidate.Efficiency // of nothing if the offer has no GPU that is known
	HasGPU     bool
	Work       tco.Work  // its hours are those of tco.AverageMonth
	Rate       spot.Rate // of interruptions; zero unless the offer is spot
}

// Planned is a job with its best plan.
type Planned struct {
	Name  string
	Runs  decimal.Decimal // a month, or if Daily on each of its days
	Daily bool
	Plan  Plan
}

// Items are what the bill comes to in a month, in the order of the option.
func (b *Bill) Items(m tco.Month) []tco.Item {
	var items []tco.Item
	for i := range b.Resources {
		items = append(items, b.Resources[i].Items(m)...)
	}
	for i := range b.Jobs {
		for s := range b.Jobs[i].Plan.Stages {
			items = append(items, b.Jobs[i].Items(s, m)...)
		}
	}
	for i := range b.Disks {
		items = append(items, b.Disks[i].Item(m))
	}
	return append(items, slices.Concat(tco.TransferItems(b.Transfers, m)...)...)
}

// Items are what a stage of the job comes to in a month.
func (j *Planned) Items(stage int, m tco.Month) []tco.Item {
	runs := m.Share.Times(j.Runs)
	if j.Daily {
		runs = m.Days.Times(j.Runs)
	}
	return tco.RunItems(j.Name+"/"+string(j.Plan.Stages[stage]), j.Plan.Lines[stage], runs)
}

// Biller looks up what options cost in one currency. Plans of equal requests are
// made once.
type Biller struct {
	engine *Engine
	market *candidate.Market
	plans  map[string]Plan
}

// Biller makes a biller. The error is a CurrencyError.
func (e *Engine) Biller(currency catalog.Currency) (*Biller, error) {
	market, err := e.market(currency)
	if err != nil {
		return nil, err
	}
	return &Biller{engine: e, market: market, plans: make(map[string]Plan)}, nil
}

// Market is the catalogue as it is charged.
func (b *Biller) Market() *candidate.Market { return b.market }

// Bill looks everything up that an option names. The error is a BillError.
func (b *Biller) Bill(o *Option) (Bill, error) {
	var out Bill
	for i := range o.Resources {
		c, err := b.charged(&o.Resources[i], o.Own)
		if err != nil {
			return Bill{}, err
		}
		out.Resources = append(out.Resources, c)
	}
	for i := range o.Jobs {
		p, err := b.planned(&o.Jobs[i])
		if err != nil {
			return Bill{}, err
		}
		out.Jobs = append(out.Jobs, p)
	}
	for i := range o.Disks {
		d, err := b.disk(&o.Disks[i])
		if err != nil {
			return Bill{}, err
		}
		out.Disks = append(out.Disks, d)
	}
	for i := range o.Transfers {
		t, err := b.transfer(&o.Transfers[i])
		if err != nil {
			return Bill{}, err
		}
		out.Transfers = append(out.Transfers, t)
	}
	return out, nil
}

// charged prices a resource.
func (b *Biller) charged(r *Resource, own catalog.Overrides) (Charged, error) {
	quote, ok := b.market.Quote(r.Offer)
	if !ok {
		return Charged{}, BillError{r.At, fmt.Sprintf("no offer has the id %q", r.Offer)}
	}
	if quote.Unpriced != "" {
		return Charged{}, BillError{r.At, fmt.Sprintf("offer %q can't be priced: %s", r.Offer, quote.Unpriced)}
	}
	c := Charged{Asked: r, Quote: quote}
	c.Resource = tco.Resource{
		Name: r.Name, Tariff: quote.Tariff, Assumed: quote.StorageAssumed, Instances: r.Instances, Schedule: r.Schedule,
		Committed: quote.Offer.Market.TermMonths() > 0, SetupSeconds: r.SetupSeconds, Utilization: r.Utilization,
		DiskGB: r.DiskGB, DiskStays: r.DiskStays,
	}
	provider, _ := b.market.Snapshot.Provider(quote.Offer.Provider)
	c.Tariff.MinimumSeconds = provider.BillingMinimumSeconds
	if err := b.own(&c, own); err != nil {
		return Charged{}, err
	}
	b.interrupt(&c)
	b.work(&c)
	return c, nil
}

// own sets the tenant's own price.
func (b *Biller) own(c *Charged, own catalog.Overrides) error {
	offer := *c.Quote.Offer
	price, ok := own.Price(&offer)
	if !ok {
		return nil
	}
	offer.Price = price
	rate, known := offer.NodeRate()
	to, convertible := b.market.Converter.From(price.Currency, offer.AsOf)
	if !known || !convertible {
		return BillError{c.Asked.At, "its own price can't be converted, or is per GPU of an offer without a number of GPUs"}
	}
	if list := c.Tariff.Hour(); to.Convert(tco.Quotient{Num: rate.Num, Den: rate.Den}).Cmp(list) > 0 {
		return BillError{c.Asked.At, fmt.Sprintf("its own price, %s, is above the list price: a discount lowers it", price.Amount.Decimal)}
	}
	c.Own, c.OwnTo = rate, to
	return nil
}

// The time that an interruption of rented instances is taken to cost: starting
// again, and half of what is done between two checkpoints. Answers list both.
const checkpointSeconds = 3600

// mostLost is the largest share of work that interruptions can be taken to undo.
const mostLost = 0.9

// interrupt sets what interruptions undo.
func (b *Biller) interrupt(c *Charged) {
	if c.Quote.Offer.Market == catalog.Spot {
		c.Rate = spot.RateOf(c.Quote.Offer.Interruption)
		c.Lost = tco.Factor(LostAt(c.Rate.Central))
	}
	if c.Asked.Lost.Valid {
		c.Lost = c.Asked.Lost.Decimal
	}
}

// LostAt is the share of an instance's time that interruptions of an hourly rate are
// taken to undo.
func LostAt(ratePerHour float64) float64 {
	each := (candidate.SetupSeconds + checkpointSeconds/2) / 3600.0
	return min(ratePerHour*each, mostLost)
}

// work sets what the resource does in a month.
func (b *Biller) work(c *Charged) {
	c.Efficiency, c.HasGPU = candidate.EfficiencyOf(b.market.Snapshot, c.Quote.Offer)
	c.Work = tco.Work{
		Hours: c.UsefulHours(tco.AverageMonth()), Efficiency: tco.Factor(c.Efficiency.Value),
		Slowdown: c.Asked.Slowdown, PFLOPS: candidate.PFLOPS(b.market.Snapshot, c.Quote.Offer),
	}
	if c.Asked.Efficiency.Valid {
		c.Work.Efficiency = c.Asked.Efficiency.Decimal
	}
}

// planned finds a job's best plan.
func (b *Biller) planned(j *Job) (Planned, error) {
	plan, seen := b.plans[j.Key]
	if !seen {
		answer, err := b.engine.Recommend(j.Request)
		if err != nil {
			return Planned{}, jobError(j.At, err)
		}
		if len(answer.Plans) == 0 {
			return Planned{}, BillError{j.At, "no plan meets the constraints"}
		}
		plan = answer.Plans[0]
		b.plans[j.Key] = plan
	}
	return Planned{Name: j.Name, Runs: j.Runs, Daily: j.Daily, Plan: plan}, nil
}

// jobError leads an error of Recommend to a job.
func jobError(at string, err error) error {
	if field, ok := errors.AsType[workload.FieldError](err); ok {
		return BillError{at, fmt.Sprintf("%s: want %s", field.Field, field.Want)}
	}
	return BillError{at, err.Error()}
}

// disk prices a disk.
func (b *Biller) disk(d *Disk) (tco.Disk, error) {
	out := tco.Disk{Name: d.Name, GB: d.GB}
	if d.Price.Valid {
		out.Tariff = tco.StorageTariff{Price: d.Price.Decimal, Unit: catalog.GB}
		out.Conversion, _ = b.market.Converter.From(b.market.Converter.Target(), catalog.Date{})
		return out, nil
	}
	var ok bool
	out.Tariff, out.Conversion, out.Assumed, ok = b.market.BlockStorage(d.Place)
	if !ok {
		return out, BillError{d.At, "the price of block storage there is in a currency without an exchange rate"}
	}
	return out, nil
}

// transfer prices a transfer.
func (b *Biller) transfer(t *Transfer) (tco.Transfer, error) {
	out := tco.Transfer{Name: t.Name, Provider: t.From.Provider, GB: t.GB}
	if t.Rate != nil {
		out.Rate = *t.Rate
		out.Conversion, _ = b.market.Converter.From(b.market.Converter.Target(), catalog.Date{})
		return out, nil
	}
	out.Rate, out.Conversion, out.Assumed = b.market.Egress(t.From, t.Scope)
	return out, nil
}
