package convert

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the rules of all zones, for machines without them

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/schemas"
)

// ForecastRequest turns a valid wire request into the domain's, with every default
// filled in and listed under Assumed. The error is a *schemas.ValidationError.
func ForecastRequest(s *catalog.Snapshot, wire schemas.ForecastRequest, computedAt time.Time) (forecast.Request, error) {
	r := &reader{snapshot: s, language: wording.Language(wire.Language)}
	out := forecast.Request{ComputedAt: computedAt, Language: r.language, Currency: r.currency(wire.Currency)}
	x := calendarReader{optionReader: optionReader{reader: r, currency: out.Currency, computedAt: computedAt, calendar: true,
		commitmentMonths: or(r, wire.CommitmentMonths, preset[int]{"commitment_months", 0, "no commitment"})}}
	x.zone = x.timeZone(wire.TimeZone)
	out.First = x.first(wire.Start)
	x.begins, x.stated = out.First, wire.Start != ""
	out.Months = or(r, wire.Months, preset[int]{"months", 12, "a year"})
	out.Trend = x.trend(wire.PriceTrend)
	out.PerMonth = r.decimal(wire.BudgetPerMonth, "/budget_per_month")
	out.InAll = r.decimal(wire.BudgetTotal, "/budget_total")
	names := make(map[string]string)
	for i, w := range wire.Workloads {
		read := x.workload(w, item("/workloads", i), i+1)
		x.once(names, read.Name, item("/workloads", i))
		out.Workloads = append(out.Workloads, read)
	}
	for i, c := range wire.Commitments {
		read := x.commitment(c, item("/commitments", i), i+1)
		x.once(names, read.Name, item("/commitments", i))
		out.Commitments = append(out.Commitments, read)
	}
	out.Assumed = r.assumed
	if err := r.refused(); err != nil {
		return forecast.Request{}, err
	}
	return out, nil
}

// calendarReader reads a forecast's request, whose dates are in one zone.
type calendarReader struct {
	optionReader
	zone   *time.Location
	begins time.Time // the forecast
	stated bool      // the request says when
}

// once refuses a name that is given twice: rows of an export are told apart by it.
func (x calendarReader) once(names map[string]string, name, at string) {
	if first, seen := names[name]; seen {
		x.fail(at+"/name", "%s has the same name: %s", first, schemas.Quoted(name))
	}
	names[name] = at
}

// timeZone reads a zone by its IANA name.
func (x calendarReader) timeZone(name string) *time.Location {
	text := string(orWord(x.reader, name, preset[string]{"time_zone", "UTC", "the zone of most bills"}))
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		x.fail("/time_zone", "unknown time zone %s: want an IANA name such as \"Europe/Berlin\" or \"UTC\"", schemas.Quoted(text))
		return time.UTC
	}
	return zone
}

// first is the midnight of the first month's first day.
func (x calendarReader) first(stated string) time.Time {
	if stated == "" {
		now := x.computedAt.In(x.zone)
		next := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, x.zone)
		x.assume("start", next.Format(monthLayout), "the next month")
		return next
	}
	from, _ := x.days(stated, "/start")
	return from
}

// monthLayout is how a month is written.
const monthLayout = "2006-01"

// days is the midnight that a day or month begins with, and the one after it.
func (x calendarReader) days(text, pointer string) (from, after time.Time) {
	if day, err := time.ParseInLocation(time.DateOnly, text, x.zone); err == nil {
		return day, day.AddDate(0, 0, 1)
	}
	month, err := time.ParseInLocation(monthLayout, text, x.zone)
	if err != nil {
		x.fail(pointer, "there is no such day: %s", schemas.Quoted(text))
	}
	return month, month.AddDate(0, 1, 0)
}

// trend reads how prices move.
func (x calendarReader) trend(t *schemas.PriceTrend) forecast.Trend {
	if t != nil && t.PctPerYear != "" {
		return forecast.Trend{Kind: forecast.GivenTrend, PctPerYear: x.change(&t.PctPerYear, "/price_trend/pct_per_year")}
	}
	kind := orWord(x.reader, value(t).Word, preset[forecast.TrendKind]{"price_trend", forecast.FlatTrend, "prices stay as they are"})
	return forecast.Trend{Kind: kind}
}

// change reads a percentage that may be negative, above -100.
func (x calendarReader) change(text *string, pointer string) decimal.Decimal {
	if text == nil {
		return decimal.Zero
	}
	size, negative := strings.CutPrefix(*text, "-")
	d := x.decimal(&size, pointer).Decimal
	if negative {
		return d.Neg()
	}
	return d
}

// workload reads a workload.
func (x calendarReader) workload(w schemas.ForecastWorkload, at string, number int) forecast.Workload {
	out := forecast.Workload{At: at, GrowthPct: x.change(w.GrowthPctPerMonth, at+"/growth_pct_per_month")}
	out.Option = x.option(schemas.Option{Resources: w.Resources, Storage: w.Storage, Network: w.Network, Discounts: w.Discounts}, at, number)
	out.Name = named(w.Name, "workload", number)
	x.runsOf(w, at, &out)
	for _, day := range w.Weekdays {
		out.Days[slices.Index(weekdays(), day)] = true
	}
	if w.Start != "" {
		out.From, _ = x.days(w.Start, at+"/start")
	}
	if w.End != "" {
		_, out.Until = x.days(w.End, at+"/end")
	}
	switch {
	case w.End == "":
	case w.Start != "" && !out.Until.After(out.From):
		x.fail(at+"/end", "want a day not before start, %s; got %s", w.Start, w.End)
	case w.Start == "" && x.stated && !out.Until.After(x.begins):
		x.fail(at+"/end", "want a day not before the forecast's start, %s; got %s", x.begins.Format(time.DateOnly), w.End)
	}
	return out
}

// weekdays are their names, Sunday first.
func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// runsOf reads the job of a workload.
func (x calendarReader) runsOf(w schemas.ForecastWorkload, at string, out *forecast.Workload) {
	switch {
	case w.Recommend == nil && (w.RunsPerMonth != nil || w.RunsPerDay != nil):
		x.fail(at+"/recommend", "required: runs are of what it asks for")
		return
	case w.Recommend == nil:
		return
	case w.RunsPerMonth != nil && w.RunsPerDay != nil:
		x.fail(at+"/runs_per_day", "want runs a month or runs a day, not both")
	}
	job := engine.Job{At: at + "/recommend", Name: out.Name, Daily: w.RunsPerDay != nil}
	if job.Daily {
		job.Runs = x.decimal(w.RunsPerDay, at+"/runs_per_day").Decimal
	} else {
		job.Runs = x.decimalOr(w.RunsPerMonth, preset[string]{fieldOf(at) + ".runs_per_month", "1", "one run a month"})
	}
	job.Request, job.Key = x.planned(*w.Recommend, at+"/recommend")
	out.Jobs = append(out.Jobs, job)
}

// commitment reads a commitment.
func (x calendarReader) commitment(c schemas.ForecastCommitment, at string, number int) forecast.Commitment {
	out := forecast.Commitment{At: at + "/offer_id", Name: named(c.Name, "commitment", number), Offer: catalog.OfferID(c.OfferID), From: x.begins}
	out.Instances = int64(or(x.reader, c.Instances, preset[int]{fieldOf(at) + ".instances", 1, "one instance"}))
	if c.Start != "" {
		out.From, _ = x.days(c.Start, at+"/start")
	}
	offer, ok := x.snapshot.Offer(out.Offer)
	switch {
	case !ok:
		x.fail(out.At, "no offer has the id %s", schemas.Quoted(c.OfferID))
	case offer.Market.TermMonths() == 0:
		x.fail(out.At, "it binds nobody: want an offer of reserved_1y or reserved_3y")
	}
	out.Months = or(x.reader, c.Months, preset[int]{fieldOf(at) + ".months", max(offer.Market.TermMonths(), 1), "its term"})
	return out
}
