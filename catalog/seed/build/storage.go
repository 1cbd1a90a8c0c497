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

// volumeRate is a storage rate with a remark on how it was made.
type volumeRate struct {
	catalog.Place
	item, currency, source string
	unit                   catalog.VolumeUnit
	price                  decimal.Decimal
	text                   string // the price as the table has it
	asOf                   catalog.Date

	note    string
	dearest bool
}

// addStorage adds the block storage rates that choices/storage.csv describes.
func (b *built) addStorage(inputs) error {
	choices, err := b.choice("storage.csv", "provider,from,region,item,source,default,reason")
	if err != nil {
		return err
	}
	var rates []volumeRate
	for _, c := range choices {
		facts := b.storageFacts(c)
		if len(facts) == 0 {
			return c.fault("item", "a fact that matches")
		}
		for _, e := range facts {
			rate, err := storageOf(e, catalog.ProviderID(c.get("provider")))
			if err != nil {
				return err
			}
			rate.dearest = c.get("default") == "dearest"
			rates = append(rates, rate)
		}
	}
	rates = append(rates, storageDefaults(rates)...)
	slices.SortFunc(rates, func(x, y volumeRate) int {
		return cmp.Or(strings.Compare(x.Place.String(), y.Place.String()), strings.Compare(x.item, y.item))
	})
	for i, rate := range rates {
		if i > 0 && rates[i-1].Place == rate.Place {
			return fmt.Errorf("storage of %s: two rates, %s and %s", rate.Place, rates[i-1].item, rate.item)
		}
		if err := b.addVolumeRate(rate); err != nil {
			return err
		}
	}
	return nil
}

// storageFacts are the facts that a choice describes.
func (b *built) storageFacts(c record) []extra {
	var facts []extra
	for _, e := range b.extras {
		if e.kind == "block_storage" && e.from == c.get("from") && e.item == c.get("item") &&
			matches(c.get("region"), e.region) && strings.Contains(e.source, c.get("source")) {
			facts = append(facts, e)
		}
	}
	return facts
}

// storageOf makes a rate per month of a fact. A price per hour is multiplied by
// the hours of a month, exactly, and its source says so.
func storageOf(e extra, provider catalog.ProviderID) (volumeRate, error) {
	unit, _, ok := perVolume(e.row.get("unit"))
	price, err := exact(e.row.get("value"))
	if err != nil {
		return volumeRate{}, e.row.with("value", err)
	}
	r := volumeRate{
		Place: catalog.Place{Provider: provider, Region: catalog.RegionID(e.region)},
		item:  e.item, price: price, text: e.row.get("value"), unit: unit,
		currency: e.row.get("currency"), asOf: e.asOf, source: e.source,
	}
	switch {
	case ok && strings.HasSuffix(e.row.get("unit"), "-month"):
	case ok && strings.HasSuffix(e.row.get("unit"), "-hour"):
		r.note = fmt.Sprintf("%s per hour times %d", r.text, catalog.HoursPerMonth)
		r.price = price.Mul(decimal.NewFromInt(catalog.HoursPerMonth))
		r.text = r.price.String()
	default:
		return volumeRate{}, e.row.fault("unit", "a price per GB or GiB and month or hour")
	}
	return r, nil
}

// storageDefaults are the rates that stand for a provider's regions without one.
func storageDefaults(rates []volumeRate) []volumeRate {
	var chosen []volumeRate
	for _, r := range rates {
		own := r
		r.Region, r.note = "", fmt.Sprintf("the rate of %s, the dearest sourced, for all other regions", own.Region)
		i := slices.IndexFunc(chosen, func(c volumeRate) bool { return c.Place == r.Place })
		switch {
		case !own.dearest:
		case i < 0:
			chosen = append(chosen, r)
		case r.price.GreaterThan(chosen[i].price):
			chosen[i] = r
		}
	}
	return chosen
}

// addVolumeRate adds one rate.
func (b *built) addVolumeRate(r volumeRate) error {
	if _, ok := b.providers[r.Provider]; !ok {
		return fmt.Errorf("storage of %s: want a provider of choices/providers.csv", r.Provider)
	}
	source, err := b.library.cite(seed.StorageTable, citation{text: r.source}, r.asOf)
	if err != nil {
		return err
	}
	b.currencies[r.currency] = true
	b.add(seed.StorageTable, string(r.Provider), string(r.Region), r.item, r.text, string(r.unit), r.currency,
		r.asOf.String(), source, r.note)
	return nil
}
