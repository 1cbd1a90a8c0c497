package catalog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func some(text string) decimal.NullDecimal { return decimal.NewNullDecimal(dec(text)) }

func TestDate(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		text  string
		ok    bool
		known bool
		days  int
	}{
		{"2026-11-29", true, true, 1},
		{"2026-11", true, true, 29}, // a month counts from its first day
		{"2027-01-01", true, true, 0},
		{"", true, false, 0},
		{"2026-13-01", false, false, 0},
		{"2026-02-30", false, false, 0},
		{"yesterday", false, false, 0},
	} {
		d, err := catalog.ParseDate(row.text)
		if (err == nil) != row.ok {
			t.Errorf("%q: got error %v", row.text, err)
			continue
		}
		days, known := d.AgeDays(now)
		if row.ok && (days != row.days || known != row.known || d.String() != row.text) {
			t.Errorf("%q: got %d days, known %v, text %q", row.text, days, known, d)
		}
	}
}

// Dates are ordered as the earliest instants that they can mean.
func TestDatesAreOrdered(t *testing.T) {
	dates := []catalog.Date{{}, {Year: 1999, Month: 12, Day: 31}, {Year: 2026, Month: 1}, {Year: 2026, Month: 1, Day: 1}, {Year: 2026, Month: 1, Day: 2}, {Year: 2026, Month: 2}}
	for _, a := range dates {
		for _, b := range dates {
			if got, want := a.Before(b), a.Time().Before(b.Time()); got != want {
				t.Errorf("%q before %q: %v, want %v", a, b, got, want)
			}
		}
	}
}

func TestPerHour(t *testing.T) {
	for name, row := range map[string]struct {
		price    catalog.Price
		gpus     decimal.NullDecimal
		num, den string // "" if there is no rate
	}{
		"per instance":                {catalog.NewPrice(dec("3.673"), catalog.PerInstanceHour, "USD"), some("8"), "3.673", "1"},
		"per GPU, eight of them":      {catalog.NewPrice(dec("2.99"), catalog.PerGPUHour, "USD"), some("8"), "23.92", "1"},
		"per GPU, an eighth of one":   {catalog.NewPrice(dec("0.8"), catalog.PerGPUHour, "USD"), some("0.125"), "0.1", "1"},
		"per GPU, number unknown":     {catalog.NewPrice(dec("0.8"), catalog.PerGPUHour, "USD"), decimal.NullDecimal{}, "", ""},
		"per GPU without a GPU":       {catalog.NewPrice(dec("0.8"), catalog.PerGPUHour, "USD"), some("0"), "", ""},
		"per month, never divided":    {catalog.NewPrice(dec("1846.61330783"), catalog.PerInstanceMonth, "USD"), some("1"), "1846.61330783", "730"},
		"a whole year":                {catalog.NewPrice(dec("25007"), catalog.PerInstanceYear, "USD"), some("1"), "25007", "8760"},
		"a whole term of three years": {catalog.NewPrice(dec("50014"), catalog.PerInstance3Years, "USD"), some("1"), "50014", "26280"},
		"zero is unknown":             {catalog.NewPrice(dec("0.00"), catalog.PerInstanceHour, "USD"), some("1"), "", ""},
		"negative is unknown":         {catalog.NewPrice(dec("-1"), catalog.PerInstanceHour, "USD"), some("1"), "", ""},
		"the zero value is unknown":   {catalog.Price{}, some("1"), "", ""},
		"a basis that does not exist": {catalog.Price{Amount: some("1"), Basis: "per_moon"}, some("1"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			rate, ok := row.price.PerHour(row.gpus)
			if ok != (row.num != "") {
				t.Fatalf("got rate %v, ok %v", rate, ok)
			}
			if ok && (!rate.Num.Equal(dec(row.num)) || !rate.Den.Equal(dec(row.den))) {
				t.Errorf("got %s/%s, want %s/%s", rate.Num, rate.Den, row.num, row.den)
			}
		})
	}
}

func TestOfferID(t *testing.T) {
	for _, row := range []struct {
		place   catalog.Place
		sku     catalog.SKU
		variant string
		want    catalog.OfferID
	}{
		{catalog.Place{Provider: "aws", Region: "us-east-1"}, "p4d.24xlarge", "", "aws.us-east-1.p4d-24xlarge.on_demand"},
		{catalog.Place{Provider: "akash", Region: "global"}, "A100 80GB SXM4", "", "akash.global.a100-80gb-sxm4.on_demand"},
		{catalog.Place{Provider: "runpod", Region: "global"}, "RTX 4090", "secure", "runpod.global.rtx-4090.secure.on_demand"},
		{catalog.Place{Provider: "x", Region: ""}, "(odd)/sku%", "", "x..odd-sku.on_demand"},
	} {
		if got := catalog.NewOfferID(row.place, row.sku, row.variant, catalog.OnDemand); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// TestOfferIDIsPlain: whatever the SKU, an id has only characters that need no
// escaping in a path.
func TestOfferIDIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := catalog.NewOfferID(catalog.Place{Provider: "p", Region: "r"}, catalog.SKU(rapid.String().Draw(t, "sku")), "", catalog.Spot)
		if strings.Trim(string(id), "abcdefghijklmnopqrstuvwxyz0123456789_-.") != "" {
			t.Fatalf("id %q", id)
		}
	})
}

// variants is a catalogue of names that are easily confused.
func variants(t *testing.T) *catalog.Snapshot {
	t.Helper()
	model := func(id catalog.GPUID, family string) catalog.GPUModel {
		return catalog.GPUModel{ID: id, Family: family}
	}
	s, err := catalog.NewSnapshot(catalog.Parts{
		GPUs: []catalog.GPUModel{
			model("A100-80GB-SXM", "A100"), model("A100-40GB-PCIe", "A100"), model("A100-80GB-PCIe", "A100"),
			{ID: "A100-80GB", Family: "A100", SpecOf: "A100-80GB-PCIe"},
			model("RTX-6000-Ada-48GB", "RTX-6000-Ada"), model("Quadro-RTX-6000-24GB", "Quadro-RTX-6000"), model("RTX-A6000-48GB", "RTX-A6000"),
		},
		GPUAliases: map[string]catalog.GPUID{
			"A100-SXM4-80GB": "A100-80GB-SXM", "A6000": "RTX-A6000-48GB", "RTX6000-Ada": "RTX-6000-Ada-48GB", "RTX6000": "Quadro-RTX-6000-24GB",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGPUVariants(t *testing.T) {
	s := variants(t)
	for name, want := range map[string][]catalog.GPUID{
		"A100":                  {"A100-40GB-PCIe", "A100-80GB", "A100-80GB-PCIe", "A100-80GB-SXM"},
		"A100 80GB":             {"A100-80GB", "A100-80GB-PCIe", "A100-80GB-SXM"}, // the form is open
		"a100 80gb sxm":         {"A100-80GB-SXM"},
		"NVIDIA A100-SXM4-80GB": {"A100-80GB-SXM"},
		"RTX6000Ada":            {"RTX-6000-Ada-48GB"},
		"NVIDIA RTX6000-Ada":    {"RTX-6000-Ada-48GB"},
		"RTX6000":               {"Quadro-RTX-6000-24GB"},
		"A6000":                 {"RTX-A6000-48GB"},
		"A1000":                 nil,
		"":                      nil,
		"nvidia":                nil,
	} {
		if diff := cmp.Diff(want, s.GPUVariants(name)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

func TestModelNames(t *testing.T) {
	s, err := catalog.NewSnapshot(catalog.Parts{Models: []catalog.Model{
		{Name: "llama-3-8b", Aliases: []string{"Meta-Llama-3-8B", "llama3 8b"}},
		{Name: "llama-2-7b", Aliases: []string{"llama-3-8b"}}, // an alias never hides a name
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"llama-3-8b", "LLaMA 3 8B", "meta-llama-3-8b", "llama3_8b"} {
		if m, ok := s.Model(name); !ok || m.Name != "llama-3-8b" {
			t.Errorf("%q: got %q, %v", name, m.Name, ok)
		}
	}
	if _, ok := s.Model("llama-4"); ok {
		t.Error("a model that does not exist was found")
	}
}

func TestFX(t *testing.T) {
	month := func(m int8) catalog.Date { return catalog.Date{Year: 2026, Month: m} }
	s, err := catalog.NewSnapshot(catalog.Parts{FX: []catalog.FXRate{
		{Currency: "EUR", Month: month(6), UnitsPerUSD: dec("0.86")},
		{Currency: "EUR", Month: month(3), UnitsPerUSD: dec("0.83")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		currency catalog.Currency
		asOf     catalog.Date
		want     string // "" if there is none
	}{
		"the month itself":        {"EUR", catalog.Date{Year: 2026, Month: 6, Day: 1}, "0.86"},
		"the latest not after":    {"EUR", catalog.Date{Year: 2026, Month: 5, Day: 31}, "0.83"},
		"after the newest":        {"EUR", catalog.Date{Year: 2026, Month: 11, Day: 1}, "0.86"},
		"before the first":        {"EUR", catalog.Date{Year: 2026, Month: 2, Day: 28}, ""},
		"unknown date, newest":    {"EUR", catalog.Date{}, "0.86"},
		"dollars":                 {"USD", catalog.Date{}, "1"},
		"a currency with no rate": {"XAU", catalog.Date{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rate, ok := s.FX(row.currency, row.asOf)
			if ok != (row.want != "") || ok && !rate.UnitsPerUSD.Equal(dec(row.want)) {
				t.Errorf("got %s, %v, want %q", rate.UnitsPerUSD, ok, row.want)
			}
		})
	}
}

func TestRates(t *testing.T) {
	tier := func(price string) []catalog.EgressTier { return []catalog.EgressTier{{Price: dec(price)}} }
	aws, gcp := catalog.Place{Provider: "aws"}, catalog.Place{Provider: "gcp"}
	s, err := catalog.NewSnapshot(catalog.Parts{
		Egress: []catalog.EgressRate{
			{Place: aws, Scope: catalog.ToInternet, Tiers: tier("0.09"), Unit: catalog.GB, Currency: "USD"},
			{Place: catalog.Place{Provider: "aws", Region: "af-south-1"}, Scope: catalog.ToInternet, Tiers: tier("0.154"), FreePerMonth: dec("100"), Unit: catalog.GB, Currency: "USD"},
			{Place: gcp, Scope: catalog.ToInternet, Tiers: tier("0.16"), Unit: catalog.GiB, Currency: "USD"}, // 0.149 per GB
			{Place: gcp, Scope: catalog.ToOtherRegion, Tiers: tier("9"), Unit: catalog.GB, Currency: "XAU"},  // can't be compared
		},
		Storage: []catalog.StorageRate{{Place: aws, Price: dec("0.08"), Unit: catalog.GB, Currency: "USD"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for region, want := range map[catalog.RegionID]string{"us-east-1": "0.09", "af-south-1": "0.154"} {
		rate, ok := s.Egress(catalog.Place{Provider: "aws", Region: region}, catalog.ToInternet)
		if !ok || !rate.Tiers[0].Price.Equal(dec(want)) {
			t.Errorf("%s: got %v, want %s", region, rate.Tiers, want)
		}
	}
	if _, ok := s.Egress(catalog.Place{Provider: "vast"}, catalog.ToInternet); ok {
		t.Error("a rate that no source gives was found")
	}
	rate, ok := s.DearestEgress(catalog.ToInternet)
	if !ok || !rate.Tiers[0].Price.Equal(dec("0.154")) || !rate.FreePerMonth.IsZero() {
		t.Errorf("dearest: got %v free %s, want 0.154 and nothing free", rate.Tiers, rate.FreePerMonth)
	}
	if _, ok := s.DearestEgress(catalog.ToOtherRegion); ok {
		t.Error("a rate in a currency without exchange rate was compared")
	}
	if rate, ok := s.DearestStorage(); !ok || !rate.Price.Equal(dec("0.08")) {
		t.Errorf("dearest storage: got %s, %v", rate.Price, ok)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	offer := catalog.Offer{ID: "a", Place: catalog.Place{Provider: "p"}, Instance: &catalog.Instance{GPU: "X"}, Provenance: &catalog.Provenance{}}
	provider := []catalog.Provider{{ID: "p"}}
	gpu := []catalog.GPUModel{{ID: "X"}}
	for name, row := range map[string]struct {
		parts catalog.Parts
		want  string
	}{
		"an offer of nothing":  {catalog.Parts{Offers: []catalog.Offer{{ID: "b", Provenance: offer.Provenance}}, Providers: provider}, `offer "b": no instance`},
		"two offers of one id": {catalog.Parts{Offers: []catalog.Offer{offer, offer}, Providers: provider, GPUs: gpu}, `two offers have the id "a"`},
		"unknown provider":     {catalog.Parts{Offers: []catalog.Offer{offer}, GPUs: gpu}, `unknown provider "p"`},
		"unknown GPU":          {catalog.Parts{Offers: []catalog.Offer{offer}, Providers: provider}, `unknown GPU "X"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.NewSnapshot(row.parts)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestCountryGroups(t *testing.T) {
	eu, _ := catalog.CountryGroup("EU")
	eea, _ := catalog.CountryGroup("EEA")
	if len(eu) != 27 || len(eea) != 30 {
		t.Errorf("got %d and %d countries, want 27 and 30", len(eu), len(eea))
	}
	if _, ok := catalog.CountryGroup("ASEAN"); ok {
		t.Error("a group that does not exist was found")
	}
}

func TestParseNames(t *testing.T) {
	for _, parse := range []func(string) error{
		func(s string) error { _, err := catalog.ParseBasis(s); return err },
		func(s string) error { _, err := catalog.ParsePurchaseModel(s); return err },
		func(s string) error { _, err := catalog.ParseProviderClass(s); return err },
		func(s string) error { _, err := catalog.ParseTier(s); return err },
		func(s string) error { _, err := catalog.ParseTri(s); return err },
	} {
		if err := parse("nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") || !strings.Contains(err.Error(), "want") {
			t.Errorf("got %v, want an error that names the text and what is wanted", err)
		}
	}
}
