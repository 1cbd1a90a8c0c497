package importer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/importer"
)

// first are the rows of an earlier import that later ones are held against.
func first() []feed.Row {
	return []feed.Row{row("r1", "x1", "10"), spot(row("r1", "x1", "4")), row("r2", "x2", "0.50")}
}

func TestQuarantine(t *testing.T) {
	const x1, x1spot, x2 = "lambda.r1.x1.on_demand", "lambda.r1.x1.spot", "lambda.r2.x2.on_demand"
	for name, tc := range map[string]struct {
		rows  []feed.Row
		held  string
		id    catalog.OfferID
		price string
	}{
		"a price that stays":                        {first(), "", x1, "10 2026-11-02"},
		"a drop of four fifths":                     {[]feed.Row{row("r1", "x1", "2")}, "", x1, "2 2026-11-02"},
		"a drop of more":                            {[]feed.Row{row("r1", "x1", "1.9999")}, "price_drop", x1, "10 2026-11-01"},
		"a bid floor for a list price":              {[]feed.Row{row("r1", "x1", "0.01")}, "price_drop", x1, "10 2026-11-01"},
		"a rise":                                    {[]feed.Row{row("r1", "x1", "90")}, "", x1, "90 2026-11-02"},
		"a price that turns to zero":                {[]feed.Row{row("r1", "x1", "0")}, "price_missing", x1, "10 2026-11-01"},
		"a price that goes missing":                 {[]feed.Row{row("r1", "x1", "")}, "price_missing", x1, "10 2026-11-01"},
		"zero from the first":                       {[]feed.Row{row("r9", "x9", "0.0")}, "(price_missing)", "lambda.r9.x9.on_demand", "unknown 2026-11-02"},
		"less than nothing":                         {[]feed.Row{row("r9", "x9", "-1")}, "(price_missing)", "lambda.r9.x9.on_demand", "unknown 2026-11-02"},
		"spot below on-demand":                      {[]feed.Row{row("r1", "x1", "10"), spot(row("r1", "x1", "9.99"))}, "", x1spot, "9.99 2026-11-02"},
		"spot as dear as on-demand":                 {[]feed.Row{row("r1", "x1", "10"), spot(row("r1", "x1", "10.00"))}, "spot_not_cheaper", x1spot, ""},
		"spot dearer than on-demand":                {[]feed.Row{row("r1", "x1", "10"), spot(row("r1", "x1", "12"))}, "spot_not_cheaper", x1spot, ""},
		"spot as dear as a list price that is kept": {[]feed.Row{row("r1", "x1", "0"), spot(row("r1", "x1", "10")), row("r2", "x2", "0.50")}, "price_missing spot_not_cheaper", x1spot, ""},
		"low priority as dear as on-demand":         {[]feed.Row{row("r1", "x1", "10"), with(spot(row("r1", "x1", "10")), lowPriority)}, "spot_not_cheaper", "lambda.r1.x1.low-priority.spot", ""},
		"low priority below on-demand":              {[]feed.Row{row("r1", "x1", "10"), with(spot(row("r1", "x1", "4")), lowPriority)}, "", "lambda.r1.x1.low-priority.spot", "4 2026-11-02"},
		"spot without a list price":                 {[]feed.Row{spot(row("r1", "x1", "10"))}, "", x1spot, "10 2026-11-02"},
		"a row twice":                               {[]feed.Row{row("r1", "x1", "11"), row("r1", "x1", "11.0")}, "", x1, "11 2026-11-02"},
		"a row twice at two prices":                 {[]feed.Row{row("r1", "x1", "11"), row("r1", "x1", "12"), row("r2", "x2", "0.5")}, "conflict", x1, "10 2026-11-01"},
		"two zones":                                 {[]feed.Row{with(row("r1", "x1", "12"), zone("a")), with(row("r1", "x1", "11"), zone("b"))}, "", x1, "11 2026-11-02"},
		"two boxes of a marketplace":                {[]feed.Row{with(row("r1", "x1", "12"), market), with(row("r1", "x1", "11"), market)}, "", x1, "11 2026-11-02"},
		"an unknown GPU":                            {[]feed.Row{gpus(row("r9", "x9", "3"), "1", "Q900"), gpus(row("r8", "x9", "3"), "1", "Q900")}, "(unmapped_gpu)", "lambda.r9.x9.on_demand", "3 2026-11-02"},
		"memory that is off":                        {[]feed.Row{gpus(row("r9", "x9", "3"), "1", "L4", 22)}, "(vram_off_reference)", "lambda.r9.x9.on_demand", "3 2026-11-02"},
		"memory of a tool":                          {[]feed.Row{gpus(row("r9", "x9", "3"), "1", "L4", 22.4)}, "", "lambda.r9.x9.on_demand", "3 2026-11-02"},
		"unknown hardware":                          {[]feed.Row{row("r1", "x1", "10"), with(row("r9", "x9", "3"), func(r *feed.Row) { r.KnownOnly = true })}, "hardware_unknown", "lambda.r9.x9.on_demand", ""},
		"more GPUs for less":                        {[]feed.Row{sized("y1", 2, "4"), sized("y2", 4, "8"), sized("y3", 8, "7.99")}, "falls_with_gpus", "lambda.r1.y3.on_demand", ""},
		"more GPUs for as much":                     {[]feed.Row{sized("y1", 2, "4"), sized("y2", 4, "8"), sized("y3", 8, "8")}, "", "lambda.r1.y3.on_demand", "8 2026-11-02"},
		"more GPUs, less machine":                   {[]feed.Row{with(sized("y1", 2, "4"), func(r *feed.Row) { r.VCPUs = 96 }), sized("y2", 4, "3")}, "", "lambda.r1.y2.on_demand", "3 2026-11-02"},
		"more GPUs of another family":               {[]feed.Row{sized("y1", 2, "4"), sized("z2", 4, "3")}, "", "lambda.r1.z2.on_demand", "3 2026-11-02"},
		"one region far off":                        {[]feed.Row{row("r1", "z", "3"), row("r2", "z", "3.1"), row("r3", "z", "3.2"), row("r4", "z", "0.4"), row("r5", "z", "9.7")}, "region_outlier region_outlier", "lambda.r4.z.on_demand", ""},
		"regions that differ":                       {[]feed.Row{row("r1", "z", "3"), row("r2", "z", "3.1"), row("r3", "z", "3.2"), row("r4", "z", "1.1"), row("r5", "z", "6")}, "", "lambda.r4.z.on_demand", "1.1 2026-11-02"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.imports(importer.Options{}, says(1, first()...))
			result := b.imports(importer.Options{}, says(2, tc.rows...))
			if got := reasonsOf(result.Reports[0].Held); got != tc.held {
				t.Errorf("held: got %q, want %q: %+v", got, tc.held, result.Reports[0].Held)
			}
			if got := b.price(tc.id); got != tc.price {
				t.Errorf("%s: got %q, want %q", tc.id, got, tc.price)
			}
			kept, err := b.store.Held(t.Context(), "test/lambda")
			if err != nil || reasonsOf(kept) != tc.held {
				t.Errorf("the store holds %q, %v", reasonsOf(kept), err)
			}
			again := b.imports(importer.Options{}, says(2, tc.rows...))
			if again.Published || reasonsOf(again.Reports[0].Held) != tc.held {
				t.Errorf("the same once more is published: %v, %+v", again.Published, again.Reports[0])
			}
		})
	}
}

// zone puts a row into a zone.
func zone(name string) func(*feed.Row) { return func(r *feed.Row) { r.Zone = name } }

// market makes a row a box of a marketplace.
func market(r *feed.Row) { r.Service = catalog.Marketplace }

// sized is a machine of L4 GPUs.
func sized(sku string, n int, price string) feed.Row {
	return gpus(row("r1", sku, price), string(rune('0'+n)), "L4", 24)
}

// lowPriority makes a spot row one of a variant that is sold as spot alone.
func lowPriority(r *feed.Row) { r.Variant = "low-priority" }

func TestBadRowsAreHeld(t *testing.T) {
	b := newBench(t)
	bad := says(2, first()...)
	bad.batch.Faults = []*feed.Fault{{Row: 7, Column: "Price", Got: "N/A", Want: "a decimal"}}
	bad.batch.Read++
	r := b.imports(importer.Options{}, bad).Reports[0]
	if len(r.Held) != 1 || r.Held[0].Row != 7 || r.Held[0].Column != "Price" || !strings.Contains(r.Held[0].Detail, `"N/A"`) || r.Offers != 3 {
		t.Errorf("got %+v", r)
	}
}

func TestRelease(t *testing.T) {
	b := newBench(t)
	b.imports(importer.Options{}, says(1, first()...))
	dropped := says(2, row("r1", "x1", "0.9"), row("r2", "x2", "0.50"))
	held := b.imports(importer.Options{}, dropped).Reports[0].Held
	result, err := b.Release(t.Context(), "test/lambda", held[0].ID)
	if err != nil || !result.Published || b.price("lambda.r1.x1.on_demand") != "0.9 2026-11-02" {
		t.Errorf("got %+v, %v, the price is %s", result, err, b.price("lambda.r1.x1.on_demand"))
	}
	if again := b.imports(importer.Options{}, dropped); again.Published || len(again.Reports[0].Held) != 0 {
		t.Errorf("the released row once more: %+v", again)
	}
	if twice, err := b.Release(t.Context(), "test/lambda", held[0].ID); err != nil || twice.Published {
		t.Errorf("released twice: %+v, %v", twice, err)
	}
	if _, err := b.Release(t.Context(), "test/lambda", "nothing"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("released nothing: %v", err)
	}
	other := b.imports(importer.Options{}, says(3, row("r1", "x1", "0.1"), row("r2", "x2", "0.50"))).Reports[0]
	if reasonsOf(other.Held) != "price_drop" || b.price("lambda.r1.x1.on_demand") != "0.9 2026-11-02" {
		t.Errorf("another drop: %+v", other.Held)
	}
}

func TestReleaseOfRowsThatStayHeld(t *testing.T) {
	b := newBench(t)
	for name, rows := range map[string][]feed.Row{
		"dear spot":   {row("r1", "x1", "10"), spot(row("r1", "x1", "12"))},
		"a conflict":  {row("r1", "x1", "10"), row("r2", "x2", "5"), row("r2", "x2", "6")},
		"an outlier":  {row("r1", "z", "3"), row("r2", "z", "3.1"), row("r3", "z", "3.2"), row("r4", "z", "0.4")},
		"no hardware": {row("r1", "x1", "10"), with(row("r9", "x9", "3"), func(r *feed.Row) { r.KnownOnly = true })},
	} {
		t.Run(name, func(t *testing.T) {
			said := says(2, rows...)
			said.name = catalog.FeedName("test/" + name)
			said.batch.Source.Source = name
			held := b.imports(importer.Options{}, said).Reports[0].Held
			if len(held) != 1 {
				t.Fatalf("held: %+v", held)
			}
			if _, err := b.Release(t.Context(), said.name, held[0].ID); err != nil {
				t.Fatal(err)
			}
			if _, ok := b.current().Offer(held[0].Offer.ID); !ok {
				t.Errorf("%s is not there", held[0].Offer.ID)
			}
			if again := b.imports(importer.Options{}, said); again.Published || len(again.Reports[0].Held) != 0 {
				t.Errorf("once more: published %v, %+v", again.Published, again.Reports[0])
			}
		})
	}
}
