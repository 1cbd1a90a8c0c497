package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// transfer is a transfer rate with where it comes from.
type transfer struct {
	catalog.Place
	scope    catalog.Scope
	unit     catalog.VolumeUnit
	currency string
	free     decimal.Decimal // per month, in the unit
	tiers    []tier
	asOf     catalog.Date
	source   string
	note     string
	dearest  bool // stands for the provider's regions without one, if it is the dearest
}

// tier is one step of a transfer rate. text is the price as the source writes it.
type tier struct {
	upTo  decimal.NullDecimal
	price decimal.Decimal
	text  string
}

// addEgress adds the transfer rates that choices/egress.csv describes. For one
// place and scope the first choice that gives a rate wins.
func (b *built) addEgress(inputs) error {
	choices, err := b.choice("egress.csv", "provider,from,kind,region,except,item,source,free,default,reason")
	if err != nil {
		return err
	}
	var rates []transfer
	for _, c := range choices {
		more, err := b.chooseEgress(c)
		if err != nil {
			return err
		}
		for _, t := range more {
			if !slices.ContainsFunc(rates, t.sameUse) {
				rates = append(rates, t)
			}
		}
	}
	rates = append(rates, defaults(rates)...)
	slices.SortFunc(rates, func(x, y transfer) int {
		return cmp.Or(strings.Compare(x.Place.String(), y.Place.String()), strings.Compare(string(x.scope), string(y.scope)))
	})
	for _, t := range rates {
		if err := b.addTransfer(t); err != nil {
			return err
		}
	}
	return nil
}

// sameUse reports whether two rates are about the same traffic.
func (t transfer) sameUse(other transfer) bool {
	return t.Place == other.Place && t.scope == other.scope
}

// chooseEgress makes the rates that one choice describes, one per region.
func (b *built) chooseEgress(c record) ([]transfer, error) {
	facts := b.matching(c, func(e extra) bool {
		excepted := slices.ContainsFunc(strings.Fields(c.get("except")), func(pattern string) bool { return matches(pattern, e.region) })
		return matches(c.get("item"), e.item) && matches(c.get("region"), e.region) && !excepted
	})
	byRegion := make(map[string][]extra)
	var regions []string
	for _, e := range facts {
		if byRegion[e.region] == nil {
			regions = append(regions, e.region)
		}
		byRegion[e.region] = append(byRegion[e.region], e)
	}
	if len(regions) == 0 {
		return nil, c.fault("item", "a fact that matches")
	}
	var rates []transfer
	for _, region := range regions {
		t, err := transferOf(byRegion[region])
		if err != nil {
			return nil, err
		}
		t.Place = catalog.Place{Provider: catalog.ProviderID(c.get("provider")), Region: catalog.RegionID(region)}
		t.dearest = c.get("default") == "dearest"
		if t.free, err = b.freeVolume(c, region, t.unit); err != nil {
			return nil, err
		}
		rates = append(rates, t)
	}
	return rates, nil
}

// transferOf makes a rate of the facts that are its tiers.
func transferOf(facts []extra) (transfer, error) {
	first := facts[0]
	unit, _, ok := perVolume(first.row.get("unit"))
	if !ok {
		return transfer{}, first.row.fault("unit", "a price per GB or GiB, or a volume")
	}
	t := transfer{
		scope: catalog.ToInternet, unit: unit, currency: first.row.get("currency"), asOf: first.asOf, source: first.source,
	}
	if first.kind == "egress_inter_region" {
		t.scope = catalog.ToOtherRegion
	}
	end := decimal.NullDecimal{Valid: true} // where the tier before ends
	for _, e := range facts {
		from, to, err := bounds(e)
		if err != nil {
			return transfer{}, err
		}
		if !end.Valid || !end.Decimal.Equal(from) {
			return transfer{}, e.row.fault("tier_from", "the end of the tier before")
		}
		step, err := priced(e)
		if err != nil {
			return transfer{}, err
		}
		step.upTo = to
		t.tiers = append(t.tiers, step)
		end = to
	}
	if end.Valid {
		return transfer{}, facts[len(facts)-1].row.fault("tier_to", "nothing, as the last tier has no end")
	}
	return t, nil
}

// priced is a tier with its price; "unlimited" free volume is a price of 0.
func priced(e extra) (tier, error) {
	text := e.row.get("value")
	if text == "unlimited" || text == "free" {
		return tier{text: "0"}, nil
	}
	if e.kind == "egress_internet_free_tier" {
		return tier{}, e.row.fault("value", "unlimited, as there is no price")
	}
	price, err := exact(text)
	return tier{price: price, text: text}, e.row.with("value", err)
}

// bounds are where a tier starts and ends, in the rate's unit. Some sources count
// in TiB, and write the start of the last tier with an "n".
func bounds(e extra) (from decimal.Decimal, to decimal.NullDecimal, err error) {
	times := decimal.NewFromInt(1)
	if strings.Contains(e.row.get("note"), "TiB/month") {
		times = decimal.NewFromInt(1024)
	}
	if text := strings.TrimSuffix(e.row.get("tier_from"), "n"); text != "" {
		if from, err = exact(text); err != nil {
			return from, to, e.row.with("tier_from", err)
		}
	}
	if text := e.row.get("tier_to"); text != "" {
		to.Valid = true
		if to.Decimal, err = exact(text); err != nil {
			return from, to, e.row.with("tier_to", err)
		}
	}
	to.Decimal = to.Decimal.Mul(times)
	return from.Mul(times), to, nil
}

// freeVolume is the free volume per month, in the given unit, that a choice
// says goes with its rates: the region's own, else the provider's.
func (b *built) freeVolume(c record, region string, unit catalog.VolumeUnit) (decimal.Decimal, error) {
	if c.get("free") == "" {
		return decimal.Decimal{}, nil
	}
	for _, wanted := range []string{region, ""} {
		for _, e := range b.extras {
			if e.kind == "egress_internet_free_tier" && e.from == c.get("from") && e.region == wanted && strings.Contains(e.source, c.get("free")) {
				return volume(e, unit)
			}
		}
	}
	return decimal.Decimal{}, c.fault("free", "the source of a free volume")
}

// volume is an allowance in a unit of volume.
func volume(e extra, unit catalog.VolumeUnit) (decimal.Decimal, error) {
	own, times, ok := perVolume(e.row.get("unit"))
	if !ok || own != unit {
		return decimal.Decimal{}, e.row.fault("unit", fmt.Sprintf("a multiple of %s", unit))
	}
	v, err := exact(e.row.get("value"))
	return v.Mul(times), e.row.with("value", err)
}

// defaults are the rates that stand for a provider's regions without one: the
// dearest of its sourced regions, so that an unknown rate never wins.
func defaults(rates []transfer) []transfer {
	var chosen []transfer
	for _, t := range rates {
		own := t
		t.Region, t.note = "", fmt.Sprintf("the rate of %s, the dearest sourced, for all other regions", own.Region)
		i := slices.IndexFunc(chosen, t.sameUse)
		switch {
		case !own.dearest:
		case i < 0:
			chosen = append(chosen, t)
		case dearer(t, chosen[i]) > 0:
			chosen[i] = t
		}
	}
	return chosen
}

// dearer compares two rates tier by tier, the first tier first.
func dearer(a, b transfer) int {
	return slices.CompareFunc(a.tiers, b.tiers, func(x, y tier) int { return x.price.Cmp(y.price) })
}

// addTransfer adds the tiers of a rate.
func (b *built) addTransfer(t transfer) error {
	if _, ok := b.providers[t.Provider]; !ok {
		return fmt.Errorf("egress of %s: want a provider of choices/providers.csv", t.Provider)
	}
	source, err := b.library.cite(seed.EgressTable, citation{text: t.source}, t.asOf)
	if err != nil {
		return err
	}
	b.currencies[t.currency] = true
	for _, step := range t.tiers {
		upTo := ""
		if step.upTo.Valid {
			upTo = step.upTo.Decimal.String()
		}
		b.add(seed.EgressTable, string(t.Provider), string(t.Region), string(t.scope), string(t.unit), t.currency,
			t.free.String(), upTo, step.text, t.asOf.String(), source, t.note)
	}
	return nil
}
