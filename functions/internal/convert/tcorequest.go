package convert

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/schemas"
)

// TCORequest turns a valid wire request into the engine's, with every default filled
// in and listed under Assumed. The error is a *schemas.ValidationError.
func TCORequest(s *catalog.Snapshot, wire schemas.TCORequest, computedAt time.Time) (engine.TCORequest, error) {
	r := &reader{snapshot: s, language: wording.Language(wire.Language)}
	out := engine.TCORequest{ComputedAt: computedAt, Language: r.language, Currency: r.currency(wire.Currency)}
	x := optionReader{reader: r, currency: out.Currency, computedAt: computedAt,
		commitmentMonths: or(r, wire.CommitmentMonths, preset[int]{"commitment_months", 0, "no commitment"})}
	out.Options = append(out.Options, x.option(wire.Option, "", 1))
	for i, other := range wire.Compare {
		out.Options = append(out.Options, x.option(other, item("/compare", i), i+2))
	}
	out.Assumed = r.assumed
	if err := r.refused(); err != nil {
		return engine.TCORequest{}, err
	}
	return out, nil
}

// currency reads the currency of an answer.
func (r *reader) currency(stated string) catalog.Currency {
	c := orWord(r, stated, preset[catalog.Currency]{"currency", catalog.USD, "the currency of most sources"})
	if _, ok := r.snapshot.FX(c, catalog.Date{}); !ok {
		r.fail("/currency", "%s", noRate(c))
	}
	return c
}

// optionReader reads options, which all have one currency.
type optionReader struct {
	*reader
	currency         catalog.Currency
	commitmentMonths int
	computedAt       time.Time
	// calendar says that months are those of the calendar.
	calendar bool
}

// option reads an option. number names it if it has no name.
func (x optionReader) option(o schemas.Option, at string, number int) engine.Option {
	out := engine.Option{Name: named(o.Name, "option", number)}
	for i, r := range o.Resources {
		out.Resources = append(out.Resources, x.resource(r, item(at+"/resources", i), i+1))
	}
	for i, j := range o.Jobs {
		out.Jobs = append(out.Jobs, x.job(j, item(at+"/jobs", i), i+1))
	}
	for i, v := range o.Storage {
		out.Disks = append(out.Disks, x.volume(v, item(at+"/storage", i), i+1))
	}
	for i, e := range o.Network {
		if t, leaves := x.edge(e, item(at+"/network", i)); leaves {
			out.Transfers = append(out.Transfers, t)
		}
	}
	for i, p := range o.Discounts {
		out.Own.Rules = append(out.Own.Rules, x.ownPrice(p, item(at+"/discounts", i))...)
	}
	return out
}

// named is a stated name, or a word and a number.
func named(stated, word string, number int) string {
	if stated != "" {
		return stated
	}
	return word + " " + strconv.Itoa(number)
}

// job reads a job.
func (x optionReader) job(j schemas.Job, at string, number int) engine.Job {
	out := engine.Job{At: at + "/recommend", Name: named(j.Name, "job", number)}
	out.Runs = x.decimalOr(j.RunsPerMonth, preset[string]{fieldOf(at) + ".runs_per_month", "1", "one run a month"})
	out.Request, out.Key = x.planned(j.Recommend, at+"/recommend")
	return out
}

// planned reads a request for plans of which only the best counts, and what equal
// ones have in common.
func (x optionReader) planned(wire schemas.RecommendRequest, at string) (engine.Request, string) {
	if wire.Currency != "" && wire.Currency != string(x.currency) {
		x.fail(at+"/currency", "want %s, the currency of the whole request, or nothing: sums over several currencies are refused", x.currency)
	}
	if x.language != "" {
		wire.Language = string(x.language)
	}
	one := 1
	wire.Currency, wire.Alternatives = string(x.currency), &one
	request, err := Request(x.snapshot, wire, x.computedAt)
	if err != nil {
		for _, p := range asProblems(err) {
			p.Pointer = at + p.Pointer
			x.problems = append(x.problems, p)
		}
		return engine.Request{}, ""
	}
	for _, a := range request.Assumed {
		x.assume(fieldOf(at)+"."+a.Field, a.Value, a.Why)
	}
	key, err := json.Marshal(wire)
	if err != nil {
		x.fail(at, "the request can't be read")
	}
	return request, string(key)
}

// fieldOf is the dotted name of a field by its pointer.
func fieldOf(pointer string) string {
	name := []byte(pointer)
	for i, c := range name {
		if c == '/' {
			name[i] = '.'
		}
	}
	if len(name) > 0 {
		return string(name[1:])
	}
	return ""
}

// volume reads storage.
func (x optionReader) volume(v schemas.Volume, at string, number int) engine.Disk {
	out := engine.Disk{At: at, Name: named(v.Name, "storage", number), GB: x.decimal(v.GB, at+"/gb").Decimal}
	if place := x.place(v.Place, at+"/place"); place != nil {
		out.Place = *place
	}
	out.Price = x.decimal(v.PricePerGBMonth, at+"/price_per_gb_month")
	return out
}

// internet is where data goes that leaves all providers.
const internet = "internet"

// edge reads a transfer. leaves is false if nothing is charged for it: it arrives from
// the internet or stays at its place.
func (x optionReader) edge(e schemas.Edge, at string) (t engine.Transfer, leaves bool) {
	t = engine.Transfer{At: at, Name: e.Name, GB: x.decimal(e.GBPerMonth, at+"/gb_per_month").Decimal, Scope: catalog.ToInternet}
	if t.Name == "" {
		t.Name = e.From + " to " + e.To
	}
	t.Rate = x.tiers(e, at)
	var to *catalog.Place
	if e.To != internet {
		to = x.place(e.To, at+"/to")
	}
	if e.From == internet {
		x.assume(fieldOf(at), "0", "what arrives from the internet is not charged")
		return t, false
	}
	from := x.place(e.From, at+"/from")
	if from == nil {
		return t, false
	}
	t.From = *from
	if to != nil && *to == *from {
		x.assume(fieldOf(at), "0", "what stays at a place is not charged")
		return t, false
	}
	if to != nil && to.Provider == from.Provider {
		t.Scope = catalog.ToOtherRegion
	}
	return t, true
}

// tiers reads the caller's own price of traffic; nil if there is none.
func (x optionReader) tiers(e schemas.Edge, at string) *catalog.EgressRate {
	if len(e.Tiers) == 0 {
		if e.FreeGB != nil {
			x.fail(at+"/free_gb", "want tiers with it: it is what leaves free of charge before the first one")
		}
		return nil
	}
	rate := &catalog.EgressRate{Unit: catalog.GB, Currency: x.currency, FreePerMonth: x.decimal(e.FreeGB, at+"/free_gb").Decimal}
	end := decimal.Zero
	for i, tier := range e.Tiers {
		where := item(at+"/tiers", i)
		from, upTo := x.decimal(tier.FromGB, where+"/from_gb"), x.decimal(tier.UpToGB, where+"/up_to_gb")
		last := i == len(e.Tiers)-1
		switch {
		case from.Valid && !from.Decimal.Equal(end):
			x.fail(where+"/from_gb", "want %s, where the tier before ends: tiers may neither leave a gap nor overlap", end)
		case last && upTo.Valid:
			x.fail(where+"/up_to_gb", "want none: the last tier has no end")
		case !last && !upTo.Valid:
			x.fail(where+"/up_to_gb", "required: only the last tier has no end")
		case !last && !upTo.Decimal.GreaterThan(end):
			x.fail(where+"/up_to_gb", "want more than %s, where the tier begins", end)
		}
		end = upTo.Decimal
		rate.Tiers = append(rate.Tiers, catalog.EgressTier{UpTo: upTo, Price: x.decimal(tier.Price, where+"/price").Decimal})
	}
	return rate
}

// ownPrice reads a tenant's own price: a rule for each variant of its GPU.
func (x optionReader) ownPrice(p schemas.OwnPrice, at string) []catalog.Override {
	rule := catalog.Override{SKU: catalog.SKU(p.SKU), Market: catalog.PurchaseModel(p.PurchaseModel)}
	if id, ok := x.provider(p.Provider); ok {
		rule.Provider = id
	} else {
		x.unknown(at+"/provider", "provider", p.Provider, x.providerNames())
	}
	if p.Region != "" {
		if place := x.place(string(rule.Provider)+"/"+p.Region, at+"/region"); place != nil {
			rule.Region = place.Region
		}
	}
	rule.DiscountPct = x.decimal(p.DiscountPct, at+"/discount_pct")
	if price := x.positive(p.PricePerInstanceHour, at+"/price_per_instance_hour"); price.Valid {
		rule.Price = catalog.NewPrice(price.Decimal, catalog.PerInstanceHour, x.currency)
	}
	if rule.DiscountPct.Valid == (p.PricePerInstanceHour != nil) {
		x.fail(at, "want either discount_pct or price_per_instance_hour")
	} else if err := rule.Check(); err != nil && rule.Provider != "" && rule.DiscountPct.Valid {
		x.fail(at+"/discount_pct", "want above 0 and below 100; got %s", rule.DiscountPct.Decimal)
	}
	if p.GPU == "" {
		return []catalog.Override{rule}
	}
	var rules []catalog.Override
	for _, id := range x.gpus(p.GPU, at+"/gpu") {
		rule.GPU = id
		rules = append(rules, rule)
	}
	return rules
}

// BlamedBill turns an error of a bill into a *schemas.ValidationError that points to
// what can't be priced. Any other error stays as it is.
func BlamedBill(err error) error {
	if bad, ok := asBillError(err); ok {
		return schemas.Invalid(bad.At, "%s", bad.Why)
	}
	return Blamed(err)
}

// percent is a percentage as a share; the default is noted.
func (x optionReader) percent(stated *string, field, otherwise, why string) decimal.Decimal {
	return x.decimalOr(stated, preset[string]{field, otherwise, why}).Shift(-2)
}

// product refuses more time in a month than it has.
func (x optionReader) product(hours, days decimal.Decimal, at string) {
	if x.calendar {
		return // each month holds as much as it can
	}
	if all := hours.Mul(days); all.GreaterThan(decimal.NewFromInt(catalog.HoursPerMonth)) {
		x.fail(at+"/days_per_month", "%s hours on %s days are %s hours, and a month here has %d: leave it out for every day",
			hours, days, all, catalog.HoursPerMonth)
	}
}
