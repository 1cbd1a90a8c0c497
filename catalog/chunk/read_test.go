package chunk

import (
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// FuzzRead damages the tables themselves, which a frame would hide.
func FuzzRead(f *testing.F) {
	price := catalog.NewPrice(decimal.New(123, -2), catalog.PerGPUHour, "USD")
	huge := decimal.RequireFromString("-123456789012345678901234567890.12")
	for _, parts := range []catalog.Parts{
		{Version: "v"},
		{
			Version:    "v",
			Offers:     []catalog.Offer{{ID: "a", Instance: &catalog.Instance{SKU: "s"}, Provenance: &catalog.Provenance{}, Price: price, Flags: []catalog.Flag{"STALE"}}},
			GPUAliases: map[string]catalog.GPUID{"x": "y"},
			Providers:  []catalog.Provider{{ID: "p", Compliance: []catalog.Attestation{{Name: "ISO27001"}}}},
			FX:         []catalog.FXRate{{UnitsPerUSD: huge}},
		},
	} {
		raw, err := write(parts)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		parts, err := read(raw)
		if err != nil {
			return
		}
		if _, err := write(parts); err != nil {
			t.Errorf("what was read can't be written: %v", err)
		}
	})
}

// TestColumnsAcrossPrograms: a column or table that is missing reads as zero
// values, one that is unknown is refused.
func TestColumnsAcrossPrograms(t *testing.T) {
	raw, err := write(catalog.Parts{Version: "v", Regions: []catalog.Region{{City: "Oslo"}}})
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(raw), "jurisdiction", "jurisdictiom", 1)
	if _, err := read([]byte(renamed)); err == nil || errors.Is(err, catalog.ErrCorrupt) || !strings.Contains(err.Error(), "newer program") {
		t.Errorf("an unknown column gives %v", err)
	}
	var w, tables writer
	older := []section{
		table[named]{"catalogue", &[]named{{"v"}}, []column[named]{text("version", func(n *named) *catalog.Version { return &n.version })}},
		table[catalog.Region]{"regions", &[]catalog.Region{{City: "Oslo"}}, regionColumns()[3:4]},
	}
	tables.unsigned(uint64(len(older)))
	for _, s := range older {
		s.write(&w, &tables)
	}
	parts, err := read(append(append([]byte(magic), w.dictionaries()...), tables.out...))
	if err != nil || len(parts.Regions) != 1 || parts.Regions[0].City != "Oslo" || parts.Regions[0].Country != "" {
		t.Errorf("an older form gives %+v, %v", parts, err)
	}
}

func TestEveryCutIsRefused(t *testing.T) {
	raw, err := write(catalog.Parts{Version: "v", Regions: []catalog.Region{{City: "Oslo"}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range raw {
		if _, err := read(raw[:n]); !errors.Is(err, catalog.ErrCorrupt) {
			t.Fatalf("%d of %d bytes give %v, want %v", n, len(raw), err, catalog.ErrCorrupt)
		}
	}
}
