package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// provider is what is known of a provider before its offers are read.
type provider struct {
	name               string
	class              catalog.ProviderClass
	increment, minimum string // seconds, "" if no source states it
	billed             citation
	billedAsOf         catalog.Date
}

// readProviders reads the table of providers.
func (b *built) readProviders(inputs) error {
	rows, err := b.choice("providers.csv", "id,name,class")
	if err != nil {
		return err
	}
	b.providers = make(map[catalog.ProviderID]provider, len(rows))
	for _, r := range rows {
		class, err := catalog.ParseProviderClass(r.get("class"))
		if err != nil {
			return r.with("class", err)
		}
		b.providers[catalog.ProviderID(r.get("id"))] = provider{name: r.get("name"), class: class}
	}
	return nil
}

// addProviders adds the providers with the billing rule chosen for each.
func (b *built) addProviders(inputs) error {
	choices, err := b.choice("billing.csv", "provider,from,kind,item,source,reason")
	if err != nil {
		return err
	}
	for _, c := range choices {
		if err := b.chooseBilling(c); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.providers)) {
		p := b.providers[id]
		source, err := b.library.cite(seed.ProvidersTable, p.billed, p.billedAsOf)
		if err != nil {
			return err
		}
		b.add(seed.ProvidersTable, string(id), p.name, string(p.class), p.increment, p.minimum, source)
	}
	return nil
}

// chooseBilling takes a billing rule from the one fact that a choice describes.
func (b *built) chooseBilling(c record) error {
	id := catalog.ProviderID(c.get("provider"))
	p, ok := b.providers[id]
	if !ok {
		return c.fault("provider", "a provider of choices/providers.csv")
	}
	facts := b.matching(c, func(e extra) bool { return strings.Contains(e.item, c.get("item")) })
	if len(facts) != 1 {
		return c.fault("item", fmt.Sprintf("one fact, found %d", len(facts)))
	}
	fact := facts[0]
	if fact.row.get("unit") != "seconds" {
		return fact.row.fault("unit", "seconds")
	}
	seconds, err := wholeSeconds(fact.row)
	if err != nil {
		return err
	}
	switch c.get("kind") {
	case "billing_increment":
		p.increment, p.billed, p.billedAsOf = seconds, citation{text: fact.source}, fact.asOf
	case "billing_minimum":
		p.minimum = seconds
	default:
		return c.fault("kind", "billing_increment or billing_minimum")
	}
	b.providers[id] = p
	return nil
}

// wholeSeconds is a metering step in whole seconds: a finer one is felt as 1.
func wholeSeconds(r record) (string, error) {
	step, err := exact(r.get("value"))
	if err != nil {
		return "", r.with("value", err)
	}
	return step.Ceil().String(), nil
}
