package convert

import (
	"errors"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/schemas"
)

// asBillError finds the error of a bill.
func asBillError(err error) (engine.BillError, bool) { return errors.AsType[engine.BillError](err) }

// resource reads instances of an offer.
func (x optionReader) resource(w schemas.Resource, at string, number int) engine.Resource {
	field := func(name string) string { return fieldOf(at) + "." + name }
	out := engine.Resource{At: at, Name: named(w.Name, "resource", number), Offer: x.offerOf(w, at)}
	out.Instances = int64(or(x.reader, w.Instances, preset[int]{field("instances"), 1, "one instance"}))
	out.Slowdown = decimal.NewFromInt(1).
		Add(x.decimal(w.StoragePenaltyPct, at+"/storage_penalty_pct").Decimal.Shift(-2)).
		Add(x.decimal(w.NetworkPenaltyPct, at+"/network_penalty_pct").Decimal.Shift(-2))
	out.Utilization = x.percent(w.UtilizationPct, field("utilization_pct"), "100", "the instances work all the time that they are on")
	if lost := x.decimal(w.LostWorkPct, at+"/lost_work_pct"); lost.Valid {
		out.Lost = decimal.NewNullDecimal(lost.Decimal.Shift(-2))
	}
	out.Efficiency = x.positive(w.Efficiency, at+"/efficiency")
	x.schedule(w, at, &out)
	out.DiskGB = int64(value(w.DiskGB))
	out.DiskStays = w.DiskKept == "always" || w.DiskKept == "" && !out.Schedule.Overlap
	if out.DiskGB > 0 && w.DiskKept == "" && out.Schedule.StartSeconds > 0 {
		x.assume(field("disk_kept"), map[bool]string{true: "always", false: "while_on"}[out.DiskStays], "disks of instances that are switched off stay; those of runs do not")
	}
	return out
}

// schedule reads when instances are on.
func (x optionReader) schedule(w schemas.Resource, at string, out *engine.Resource) {
	perRun := w.HoursPerRun != nil || w.RunsPerMonth != nil
	if perRun && (w.HoursPerDay != nil || w.DaysPerMonth != nil) {
		x.fail(at+"/hours_per_run", "want either hours a day or hours a run, not both")
		return
	}
	setup := "0"
	if perRun {
		setup = minutesOfSetup
	}
	out.SetupSeconds = wholeSeconds(x.decimalOr(w.SetupMinutes, preset[string]{fieldOf(at) + ".setup_minutes", setup, "minutes, paid at each start before work begins"}), secondsPerMinute)
	switch {
	case perRun:
		x.runs(w, at, out)
	case w.HoursPerDay != nil || w.DaysPerMonth != nil:
		x.days(w, at, out)
	}
	if out.SetupSeconds > out.Schedule.StartSeconds && out.Schedule.StartSeconds > 0 {
		x.fail(at+"/setup_minutes", "want no longer than the instances are on at a time")
	}
}

// minutesOfSetup is how long an instance of a run takes to start, as in a plan.
const minutesOfSetup = "5"

// The seconds of a minute and of an hour.
const secondsPerMinute, secondsPerHour = 60, 3600

// wholeSeconds is a duration in whole seconds, rounded up.
func wholeSeconds(d decimal.Decimal, unit int64) int64 {
	return d.Mul(decimal.NewFromInt(unit)).Ceil().IntPart()
}

// runs reads a schedule of runs.
func (x optionReader) runs(w schemas.Resource, at string, out *engine.Resource) {
	hours := x.positive(w.HoursPerRun, at+"/hours_per_run")
	if w.HoursPerRun == nil {
		x.fail(at+"/hours_per_run", "required: want how long a run takes")
	}
	runs := x.decimalOr(w.RunsPerMonth, preset[string]{fieldOf(at) + ".runs_per_month", "1", "one run a month"})
	if offer, ok := x.snapshot.Offer(out.Offer); ok && offer.Market.TermMonths() > 0 {
		x.fail(at+"/hours_per_run", "a commitment is paid for every hour of its term: want hours_per_day")
	}
	out.Schedule = tco.Schedule{
		StartSeconds: out.SetupSeconds + wholeSeconds(hours.Decimal.Mul(out.Slowdown), secondsPerHour),
		Starts:       decimal.NewNullDecimal(runs), Overlap: true,
	}
}

// days reads a schedule of days.
func (x optionReader) days(w schemas.Resource, at string, out *engine.Resource) {
	hours := decimal.NewFromInt(24)
	if w.HoursPerDay != nil {
		hours = x.positive(w.HoursPerDay, at+"/hours_per_day").Decimal
	}
	days := x.decimal(w.DaysPerMonth, at+"/days_per_month")
	if !days.Valid && hours.Equal(decimal.NewFromInt(24)) {
		return // always on
	}
	x.product(hours, days.Decimal, at)
	out.Schedule = tco.Schedule{StartSeconds: wholeSeconds(hours, secondsPerHour), Starts: days}
	if !days.Valid {
		x.assume(fieldOf(at)+".days_per_month", "every day", "a start on each of them")
	}
}

// offerOf finds the offer that is named, or the cheapest of those that are described.
func (x optionReader) offerOf(w schemas.Resource, at string) catalog.OfferID {
	switch {
	case w.OfferID != "" && w.Offer != nil:
		x.fail(at+"/offer_id", "want either an offer's id or a description, not both")
	case w.OfferID != "":
		if _, ok := x.snapshot.Offer(catalog.OfferID(w.OfferID)); !ok {
			x.fail(at+"/offer_id", "no offer has the id %s", schemas.Quoted(w.OfferID))
		}
		return catalog.OfferID(w.OfferID)
	case w.Offer != nil:
		return x.described(*w.Offer, at+"/offer")
	default:
		x.fail(at+"/offer_id", "required: want the id of an offer, or offer with a description of it")
	}
	return ""
}

// described finds the cheapest priced offer of a description.
func (x optionReader) described(d schemas.DescribedOffer, at string) catalog.OfferID {
	problems := len(x.problems)
	q := catalog.Query{Markets: x.describedMarkets(d.PurchaseModel), Sort: catalog.ByInstanceHour}
	switch {
	case d.GPU == noGPU:
		q.GPUs = []catalog.GPUID{""}
	case d.GPU != "":
		q.GPUs = x.gpus(d.GPU, at+"/gpu")
	}
	if d.GPUCount != nil {
		q.GPUCounts = []decimal.Decimal{decimal.NewFromInt(int64(*d.GPUCount))}
	}
	if d.Provider != "" {
		q.Providers = x.providers([]string{d.Provider}, at+"/provider")
	}
	if d.Region != "" {
		q.Regions = x.regions([]string{d.Region}, at+"/region")
	}
	if d.Country != "" {
		q.Countries = x.countries([]string{d.Country}, at+"/country")
	}
	q.Text = d.SKU
	if len(x.problems) > problems {
		return ""
	}
	for _, o := range x.snapshot.Query(q, 0, mostDescribed).Offers {
		if o.Price.Known() && (d.SKU == "" || alike(string(o.SKU), d.SKU)) {
			x.assume(fieldOf(at), string(o.ID), "the cheapest instance that matches")
			return o.ID
		}
	}
	x.fail(at, "no priced offer matches: GET /v1/offers shows what there is")
	return ""
}

// mostDescribed is how many offers are looked at for one of a SKU.
const mostDescribed = 1000

// describedMarkets are the purchase models that a description may mean.
func (x optionReader) describedMarkets(stated string) []catalog.PurchaseModel {
	if stated != "" {
		return []catalog.PurchaseModel{catalog.PurchaseModel(stated)}
	}
	markets := []catalog.PurchaseModel{catalog.OnDemand}
	for _, m := range []catalog.PurchaseModel{catalog.Reserved1Y, catalog.Reserved3Y} {
		if m.TermMonths() <= x.commitmentMonths {
			markets = append(markets, m)
		}
	}
	return markets
}
