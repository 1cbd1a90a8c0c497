package importer

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/seed"
)

// drawRows are rows that often contradict each other.
func drawRows(t *rapid.T) []feed.Row {
	var rows []feed.Row
	for range rapid.IntRange(0, 25).Draw(t, "rows") {
		text := rapid.SampledFrom([]string{"", "0", "1", "1.5", "2", "9", "40"}).Draw(t, "price")
		price, _ := feed.Dollars(text, catalog.PerInstanceHour)
		sku := rapid.SampledFrom([]string{"a1", "a2", "b"}).Draw(t, "sku")
		r := feed.Row{
			Place: catalog.Place{Provider: "lambda", Region: catalog.RegionID(rapid.SampledFrom([]string{"r1", "r2", "r3", "r4", "r5"}).Draw(t, "region"))},
			SKU:   catalog.SKU(sku), Service: catalog.VirtualMachine, Price: price, PriceText: text,
			Zone:   rapid.SampledFrom([]string{"", "z"}).Draw(t, "zone"),
			Market: rapid.SampledFrom([]catalog.PurchaseModel{catalog.OnDemand, catalog.Spot, catalog.Reserved1Y}).Draw(t, "market"),
		}
		if sku != "b" {
			r.GPU = feed.GPU{Name: "L4", Count: decimal.NewNullDecimal(decimal.RequireFromString(sku[1:])), MemoryGB: []float64{24}}
		}
		rows = append(rows, r)
	}
	return rows
}

// applied is a catalogue after an import of rows as of a day, and what it changed.
func applied(t *rapid.T, base *catalog.Snapshot, day int8, rows []feed.Row) (*catalog.Snapshot, Report) {
	d := newDraft(base)
	batch := feed.Batch{Provider: "lambda", Source: catalog.Provenance{Source: "made up"}, AsOf: catalog.Date{Year: 2026, Month: 11, Day: day}, Rows: slices.Clone(rows), Read: len(rows)}
	var report Report
	a := applier{draft: d, batch: &batch, report: &report, today: catalog.Date{Year: 2026, Month: 11, Day: 30}, kept: make(map[catalog.OfferID]bool)}
	a.apply()
	s, err := d.snapshot("next", d.points())
	if err != nil {
		t.Fatal(err)
	}
	return s, report
}

func TestProperties(t *testing.T) {
	baseline, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	parts := baseline.Parts()
	parts.Offers = slices.DeleteFunc(slices.Clone(parts.Offers), func(o catalog.Offer) bool { return o.Provider != "lambda" })
	parts.History, parts.Bands, parts.Models, parts.Regions = nil, nil, nil, nil
	if baseline, err = catalog.NewSnapshot(parts); err != nil {
		t.Fatal(err)
	}
	exactly := cmp.Comparer(decimal.Decimal.Equal)
	rapid.Check(t, func(t *rapid.T) {
		before, _ := applied(t, baseline, 1, drawRows(t))
		rows := drawRows(t)
		after, report := applied(t, before, 2, rows)
		shuffled, _ := applied(t, before, 2, rapid.Permutation(rows).Draw(t, "shuffled"))
		if diff := cmp.Diff(after.Offers(), shuffled.Offers(), exactly); diff != "" {
			t.Errorf("rows in another order (-want +got):\n%s", diff)
		}
		again, repeated := applied(t, after, 2, rows)
		if diff := cmp.Diff(after.Offers(), again.Offers(), exactly); diff != "" || repeated.Changed() != 0 && len(repeated.Refused) == 0 {
			t.Errorf("the same again (-want +got): %+v\n%s", repeated, diff)
		}
		if diff := cmp.Diff(report.Held, repeated.Held, exactly, cmp.Comparer(sameOffer)); diff != "" {
			t.Errorf("held the second time (-want +got):\n%s", diff)
		}
		for _, o := range after.Offers() {
			if FromFeed(&o) && o.Price.Known() && !o.Price.Amount.Decimal.IsPositive() {
				t.Errorf("%s costs %s", o.ID, o.Price.Amount.Decimal)
			}
		}
	})
}

// sameOffer compares offers by what they are called.
func sameOffer(a, b *catalog.Offer) bool {
	return (a == nil) == (b == nil) && (a == nil || a.ID == b.ID)
}
