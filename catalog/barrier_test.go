package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// scattered is a catalogue of places with and without a region, a country, an offer.
func scattered(t *testing.T) *catalog.Snapshot {
	t.Helper()
	at := func(provider catalog.ProviderID, region catalog.RegionID) catalog.Place {
		return catalog.Place{Provider: provider, Region: region}
	}
	offer := func(p catalog.Place, country string) catalog.Offer {
		return catalog.Offer{
			ID: catalog.NewOfferID(p, "sku", "", catalog.OnDemand), Place: p, Country: country, Market: catalog.OnDemand,
			Instance: &catalog.Instance{SKU: "sku"}, Provenance: &catalog.Provenance{}, Price: catalog.NewPrice(dec("1"), catalog.PerInstanceHour, catalog.USD),
		}
	}
	s, err := catalog.NewSnapshot(catalog.Parts{
		Providers: []catalog.Provider{{ID: "big", Class: catalog.Hyperscaler}, {ID: "small", Class: catalog.Specialist}},
		Regions:   []catalog.Region{{Place: at("big", "one"), Country: "DE"}, {Place: at("big", "two"), Country: "US"}, {Place: at("small", "one")}},
		Offers:    []catalog.Offer{offer(at("big", "one"), "DE"), offer(at("small", "one"), ""), offer(at("small", "new"), "FR")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each place is searched, or hidden by the first filter that it fails.
func TestHiddenPlaces(t *testing.T) {
	s := scattered(t)
	for name, c := range map[string]struct {
		query    catalog.Query
		searched int
		hidden   []catalog.Hidden
		total    int
	}{
		"nothing asked":       {catalog.Query{}, 4, nil, 3},
		"provider":            {catalog.Query{Providers: []catalog.ProviderID{"small"}}, 2, []catalog.Hidden{{Why: catalog.OtherProvider, Places: 2}}, 2},
		"class":               {catalog.Query{Classes: []catalog.ProviderClass{catalog.Hyperscaler}}, 2, []catalog.Hidden{{Why: catalog.OtherClass, Places: 2}}, 1},
		"region":              {catalog.Query{Regions: []catalog.RegionID{"one"}}, 2, []catalog.Hidden{{Why: catalog.OtherRegion, Places: 2}}, 2},
		"country":             {catalog.Query{Countries: []string{"DE", "FR"}}, 2, []catalog.Hidden{{Why: catalog.OtherCountry, Places: 1}, {Why: catalog.UnknownCountry, Places: 1}}, 2},
		"an offer's country":  {catalog.Query{Countries: []string{"FR"}}, 1, []catalog.Hidden{{Why: catalog.OtherCountry, Places: 2}, {Why: catalog.UnknownCountry, Places: 1}}, 1},
		"provider and region": {catalog.Query{Providers: []catalog.ProviderID{"big"}, Regions: []catalog.RegionID{"one"}, Countries: []string{"US"}}, 0, []catalog.Hidden{{Why: catalog.OtherProvider, Places: 2}, {Why: catalog.OtherRegion, Places: 1}, {Why: catalog.OtherCountry, Places: 1}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			page := s.Query(c.query, 0, 10)
			if page.PlacesSearched != c.searched || page.Total != c.total {
				t.Errorf("got %d places, %d offers, want %d, %d", page.PlacesSearched, page.Total, c.searched, c.total)
			}
			if diff := cmp.Diff(c.hidden, page.Hidden); diff != "" {
				t.Errorf("hidden (-want +got):\n%s", diff)
			}
		})
	}
}

// The memory of a slice is what its source says, or its share where that is sure.
func TestVRAMPerGPU(t *testing.T) {
	s, err := catalog.NewSnapshot(catalog.Parts{GPUs: []catalog.GPUModel{{ID: "L4", MemoryGB: 24}, {ID: "A100", MemoryGB: 40}, {ID: "?"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		gpu   catalog.GPUID
		gpus  decimal.NullDecimal
		says  float64
		want  float64
		known bool
	}{
		"whole":                    {"L4", some("1"), 0, 24, true},
		"whole, whatever is said":  {"L4", some("8"), 22.35, 24, true},
		"an eighth":                {"L4", some("0.125"), 0, 3, true},
		"an eighth that is said":   {"L4", some("0.125"), 2.9, 2.9, true},
		"a half":                   {"L4", some("0.5"), 0, 12, true},
		"a seventh":                {"A100", some("0.142857"), 0, 0, false},
		"a seventh that is said":   {"A100", some("0.142857"), 5, 5, true},
		"a part":                   {"L4", decimal.NullDecimal{}, 0, 0, false},
		"a part that is said":      {"L4", decimal.NullDecimal{}, 8, 8, true},
		"a GPU of unknown memory":  {"?", some("1"), 0, 0, false},
		"an unmapped one":          {catalog.UnmappedGPU, some("1"), 96, 96, true},
		"an eighth of an unmapped": {catalog.UnmappedGPU, some("0.125"), 0, 0, false},
		"no GPU":                   {"", some("0"), 0, 0, false},
	} {
		o := catalog.Offer{Instance: &catalog.Instance{GPU: c.gpu, GPUs: c.gpus, VRAMPerGPUGB: c.says}}
		if got, known := s.VRAMPerGPU(&o); got != c.want || known != c.known {
			t.Errorf("%s: got %g, %t, want %g, %t", name, got, known, c.want, c.known)
		}
	}
}
