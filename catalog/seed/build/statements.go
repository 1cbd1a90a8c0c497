package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// idleKinds are the kinds of facts about stopped instances.
func idleKinds() []string { return []string{"idle_rule", "block_storage_idle"} }

// imageKind is the kind of facts about images.
const imageKind = "image_preinstalled"

// addStatements adds the statements about stopped instances and images that
// choices/statements.csv describes, with its reading of whether a stopped instance's
// compute is billed.
func (b *built) addStatements(inputs) error {
	choices, err := b.choice("statements.csv", "provider,from,kind,item,source,compute_billed,reason")
	if err != nil {
		return err
	}
	taken := make(map[string]bool)
	for _, c := range choices {
		fact, err := b.onlyFact(c, c.get("kind"))
		if err != nil {
			return err
		}
		if err := b.addStatement(c, fact); err != nil {
			return err
		}
		taken[fact.key()] = true
	}
	b.leftOver("statement that no choice takes", taken, append(idleKinds(), imageKind))
	return nil
}

// onlyFact is the one fact of a kind that a choice describes by provider ("from"),
// item and a part of the source.
func (b *built) onlyFact(c record, kind string) (extra, error) {
	var facts []extra
	for _, e := range b.extras {
		if e.kind == kind && e.from == c.get("from") && e.item == c.get("item") && strings.Contains(e.source, c.get("source")) {
			facts = append(facts, e)
		}
	}
	if len(facts) != 1 {
		return extra{}, c.fault("item", fmt.Sprintf("one fact, found %d", len(facts)))
	}
	if _, ok := b.providers[catalog.ProviderID(c.get("provider"))]; !ok {
		return extra{}, c.fault("provider", "a provider of choices/providers.csv")
	}
	return facts[0], nil
}

// addStatement adds a statement to the table of its kind.
func (b *built) addStatement(c record, fact extra) error {
	table := seed.ImagesTable
	cells := []string{c.get("provider"), fact.item, statement(fact)}
	if slices.Contains(idleKinds(), fact.kind) {
		table = seed.StoppedTable
		billed, err := catalog.ParseTri(c.get("compute_billed"))
		if err != nil {
			return c.with("compute_billed", err)
		}
		cells = append(cells, billed.String())
	}
	source, err := b.library.cite(table, citation{text: fact.source}, fact.asOf)
	if err != nil {
		return err
	}
	b.add(table, append(cells, fact.asOf.String(), source)...)
	return nil
}

// statement is what a fact says in words, with its collector's remark.
func statement(fact extra) string {
	text := tidy(fact.row.get("value"))
	if unit := fact.row.get("unit"); unit != "text" {
		text += " " + unit
	}
	if note := tidy(fact.row.get("note")); note != "" {
		text += " (" + note + ")"
	}
	return text
}

// key tells facts apart, of whatever file.
func (e extra) key() string { return fmt.Sprintf("%s:%d", e.row.file, e.row.line) }

// leftOver counts the facts of some kinds that are not taken.
func (b *built) leftOver(reason string, taken map[string]bool, kinds []string) {
	for _, e := range b.extras {
		if slices.Contains(kinds, e.kind) && !taken[e.key()] {
			b.report.out[reason]++
		}
	}
}
