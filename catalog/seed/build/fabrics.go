package main

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog/seed"
)

// fabricKind is the kind of facts about networks between nodes.
const fabricKind = "interconnect_inter_node"

// addFabrics adds the networks between nodes that choices/fabric.csv describes: for
// which SKU a fact holds, and which of its figures.
func (b *built) addFabrics(inputs) error {
	choices, err := b.choice("fabric.csv", "provider,from,item,source,sku,gbps,name,reason")
	if err != nil {
		return err
	}
	taken := make(map[string]bool)
	for _, c := range choices {
		fact, err := b.onlyFact(c, fabricKind)
		if err != nil {
			return err
		}
		if err := b.addFabric(c, fact); err != nil {
			return err
		}
		taken[fact.key()] = true
	}
	b.leftOver("fabric without a speed, or of no SKU", taken, []string{fabricKind})
	slices.SortFunc(b.tables[seed.FabricTable], slices.Compare)
	return nil
}

// addFabric adds one network. The figure and the name that the choice takes must
// stand in the fact.
func (b *built) addFabric(c record, fact extra) error {
	said := " " + fact.row.get("value") + " " + fact.row.get("note") + " "
	if fact.row.get("unit") != "Gbps/node" {
		return fact.row.fault("unit", "Gbps/node")
	}
	gbps, err := exact(c.get("gbps"))
	if err != nil || !strings.Contains(said, " "+c.get("gbps")+" ") {
		return c.fault("gbps", "a figure of the fact:"+said)
	}
	if !strings.Contains(said, c.get("name")) {
		return c.fault("name", "a name of the fact:"+said)
	}
	source, err := b.library.cite(seed.FabricTable, citation{text: fact.source}, fact.asOf)
	if err != nil {
		return err
	}
	gigabytes := gbps.Div(decimal.NewFromInt(8)) // finite: at most three decimals
	b.add(seed.FabricTable, c.get("provider"), c.get("sku"), gigabytes.String(), c.get("name"), fact.asOf.String(), source)
	return nil
}
