package main

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// built is everything that is to be written.
type built struct {
	made    fs.FS // the hand-made choices
	tables  map[string][][]string
	library *library
	report  report

	providers  map[catalog.ProviderID]provider
	currencies map[string]bool
	extras     []extra
	offers     []offer
	past       []offer // what offers cost earlier
}

// assemble reads all inputs and makes the tables.
func assemble(in inputs, made fs.FS) (*built, error) {
	b := &built{
		made: made, tables: map[string][][]string{}, library: newLibrary(), report: newReport(), currencies: map[string]bool{"USD": true},
	}
	for _, step := range []struct {
		what string
		do   func(inputs) error
	}{
		{"licences", b.readLicences},
		{"choices of providers", b.readProviders},
		{"extras", b.readExtras},
		{"GPUs", b.addGPUs},
		{"offers", b.addOffers},
		{"history", b.addHistory},
		{"providers", b.addProviders},
		{"compliance", b.addCompliance},
		{"statements", b.addStatements},
		{"regions", b.addRegions},
		{"interruption", b.addBands},
		{"egress", b.addEgress},
		{"storage", b.addStorage},
		{"fabrics", b.addFabrics},
		{"exchange rates", b.addFX},
		{"priors", b.addPriors},
		{"models", b.addModels},
	} {
		if err := step.do(in); err != nil {
			return nil, fmt.Errorf("assemble %s: %w", step.what, err)
		}
	}
	b.tables[seed.SourcesTable] = b.library.rows()
	return b, nil
}

// choice reads a table of hand-made choices.
func (b *built) choice(name, columns string) ([]record, error) {
	return readFile(b.made, "choices/"+name, columns)
}

// add adds a row to a table.
func (b *built) add(table string, cells ...string) {
	b.tables[table] = append(b.tables[table], cells)
}

// addOffers reads the prices, chooses what becomes an offer and adds it.
func (b *built) addOffers(in inputs) error {
	memory, err := b.cardMemory()
	if err != nil {
		return err
	}
	rows, err := readFiles(in.offers, offerColumns)
	if err != nil {
		return err
	}
	b.report.rows["offers"] = len(rows)
	offers, old, err := parseOffers(rows, memory, b.report.out)
	if err != nil {
		return err
	}
	rows, err = readFiles(in.standIns, offerColumns)
	if err != nil {
		return err
	}
	b.report.rows["offers to stand in"] = len(rows)
	more, older, err := parseOffers(rows, memory, map[string]int{})
	if err != nil {
		return err
	}
	spare := standIns(offers, slices.Concat(old, more, older))
	b.report.notes["stands in for the same offer of a closed source"] = len(spare)
	b.offers = chosen(slices.Concat(offers, spare), &b.report)
	b.past = earlier(old, offers, b.offers, &b.report)
	for _, o := range b.offers {
		if err := b.addOffer(o); err != nil {
			return err
		}
	}
	return nil
}

// parseOffers reads rows of prices into those that can be offers and those that
// a newer row supersedes. It counts the others, and the superseded, in out.
func parseOffers(rows []record, memory map[string]decimal.Decimal, out map[string]int) (offers, old []offer, err error) {
	for _, r := range rows {
		o, reason, err := parseOffer(r, memory)
		switch {
		case err != nil:
			return nil, nil, err
		case reason != "":
			out[reason]++
		case o.has(superseded):
			out[superseded]++
			old = append(old, o)
		default:
			offers = append(offers, o)
		}
	}
	return offers, old, nil
}

// addOffer adds one chosen offer.
func (b *built) addOffer(o offer) error {
	p, ok := b.providers[o.Provider]
	if !ok {
		return o.row.fault("provider", "a provider of choices/providers.csv")
	}
	if string(p.class) != o.row.get("provider_class") {
		return o.row.fault("provider_class", string(p.class)+" as in choices/providers.csv")
	}
	id, err := b.library.cite(seed.OffersTable, o.source, o.asOf)
	if err != nil {
		return err
	}
	b.add(seed.OffersTable, o.cells(id)...)
	b.currencies[o.currency] = true
	b.remark(o)
	return nil
}

// remark counts what one should know of an offer that is kept.
func (b *built) remark(o offer) {
	for _, flag := range o.flags {
		b.report.notes["flag "+flag]++
	}
	if o.gpu == string(catalog.UnmappedGPU) {
		b.report.notes["GPU unmapped: "+o.gpuName]++
	}
	if o.gpu != "" && o.gpus == "" {
		b.report.notes["number of GPUs unknown"]++
	}
	if (o.vcpus == "" && o.row.get("vcpu") != "") || (o.ram == "" && o.row.get("ram_gb") != "") {
		b.report.notes["shape given as a range: unknown"]++
	}
}
