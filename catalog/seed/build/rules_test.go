package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// recordOf is a row with the given cells, "column=value".
func recordOf(cells ...string) record {
	r := record{file: "test.csv", line: 2, columns: map[string]int{}}
	for i, cell := range cells {
		column, value, _ := strings.Cut(cell, "=")
		r.columns[column] = i
		r.fields = append(r.fields, value)
	}
	return r
}

func TestUnfit(t *testing.T) {
	for _, tc := range []struct{ flags, basis, want string }{
		{"", "instance", ""},
		{"STALE|MIN_GPUS", "per_gpu", ""},
		{"DATE_UNKNOWN|RESOLD", "per_gpu", ""},
		{"SERVERLESS", "per_gpu", ""},
		{"ROUNDED", "instance", ""},
		{"STALE|SUPERSEDED", "instance", ""},
		{"OUTLIER|MIN_GPUS", "per_gpu", "OUTLIER"},
		{"STALE|AMBIGUOUS_DUP", "instance", "AMBIGUOUS_DUP"},
		{"CONFLICT", "instance", "CONFLICT"},
		{"SPOT_PLACEHOLDER", "instance", "SPOT_PLACEHOLDER"},
		{"WINDOWS_LICENCE", "instance", "WINDOWS_LICENCE"},
		{"STALE|PRE_2025_06_AWS_CUT", "instance", "PRE_2025_06_AWS_CUT"},
		{"GPU_ONLY_NO_HOST|FX_DERIVED", "per_gpu_addon", "GPU_ONLY_NO_HOST"},
		{"", "per_gpu_addon", "per_gpu_addon"},
		{"FRACTIONAL_GPU,FRACTION_UNKNOWN,STALE", "instance", "FRACTION_UNKNOWN"},
		{"CURRENCY_UNSTATED|DATE_UNKNOWN", "instance", "CURRENCY_UNSTATED"},
	} {
		if got := unfit(splitFlags(tc.flags), tc.basis); got != tc.want {
			t.Errorf("%q per %s is kept out for %q, want %q", tc.flags, tc.basis, got, tc.want)
		}
	}
}

func TestOpenLicence(t *testing.T) {
	for licence, want := range map[string]bool{
		"Apache-2.0": true, "MIT": true, "MIT (README badge; no LICENSE file)": true,
		"CC-BY-4.0 (attribution: GPU rental price data by gpurentalprices.com)": true,
		"none stated": false, "unverified (no LICENSE file seen)": false, "unknown (third-party page excerpt)": false, "": false, "MITRE": false,
	} {
		if got := openLicence(licence); got != want {
			t.Errorf("licence %q is open: %v, want %v", licence, got, want)
		}
	}
}

func TestSliceOf(t *testing.T) {
	for _, tc := range []struct{ count, note, want, flag string }{
		{"1", "per VM, Linux; FRACTIONAL GPU 0.25 of RTX PRO 6000", "0.25", ""},
		{"1", "per VM; FRACTIONAL GPU 1/2 A10", "0.5", ""},
		{"1", "per VM; FRACTIONAL GPU 1/8 A10", "0.125", ""},
		{"1", "per VM; FRACTIONAL GPU 1/3 A10", "", "FRACTION_1/3"},
		{"1", "per VM; FRACTIONAL GPU 1/6 A10", "", "FRACTION_1/6"},
		{"1", "per VM; FRACTIONAL GPU part of RTX PRO 6000", "", ""},
		{"1", "Linux on-demand; per instance", "", ""},
		{"0.125", "Linux on-demand; per instance", "0.125", ""},
	} {
		o := offer{row: recordOf("gpu_count="+tc.count, "price_unit_note="+tc.note), gpu: "A10-24GB", flags: []string{"FRACTIONAL_GPU"}}
		if err := o.readGPUs(); err != nil {
			t.Errorf("%s: %v", tc.note, err)
		}
		if o.gpus != tc.want || tc.flag != "" && !o.has(tc.flag) || tc.flag == "" && len(o.flags) != 1 {
			t.Errorf("%q with count %s is %q GPUs, flags %v, want %q %q", tc.note, tc.count, o.gpus, o.flags, tc.want, tc.flag)
		}
	}
}

func TestRoundsTo(t *testing.T) {
	for _, tc := range []struct {
		month, hourly string
		want          bool
	}{
		{"1689.3711392", "2.3142070400", true},
		{"100", "0.1369863014", true},
		{"100", "0.137", true},
		{"100", "0.136", false},
		{"100", "0.1369863015", false},
	} {
		if got := roundsTo(decimal.RequireFromString(tc.month), decimal.RequireFromString(tc.hourly)); got != tc.want {
			t.Errorf("%s a month rounds to %s an hour: %v, want %v", tc.month, tc.hourly, got, tc.want)
		}
	}
}

func TestSettleMemory(t *testing.T) {
	memory := map[string]decimal.Decimal{"L4-24GB": decimal.NewFromInt(24), "RTX-3060": {}}
	for _, tc := range []struct {
		name, gpu, vram   string
		fraction          bool
		wantGPU, wantVRAM string
		flagged           bool
	}{
		{"as specified", "L4-24GB", "24", false, "L4-24GB", "24", false},
		{"7% less", "L4-24GB", "22.32", false, "L4-24GB", "22.32", false},
		{"more than 7% less", "L4-24GB", "22.3", false, "L4-24GB", "22.3", true},
		{"more than 7% more", "L4-24GB", "25.7", false, "L4-24GB", "25.7", true},
		{"unstated", "L4-24GB", "", false, "L4-24GB", "", false},
		{"a slice's own", "L4-24GB", "3", true, "L4-24GB", "3", false},
		{"a slice with the card's", "L4-24GB", "24", true, "L4-24GB", "", false},
		{"no reference", "RTX-3060", "12", false, "RTX-3060", "12", false},
		{"a GPU of no table", "G49", "48", false, "unmapped", "48", false},
	} {
		o := offer{gpu: tc.gpu, vram: tc.vram}
		if tc.fraction {
			o.flags = []string{"FRACTIONAL_GPU"}
		}
		o.settleMemory(memory)
		if o.gpu != tc.wantGPU || o.vram != tc.wantVRAM || o.has("VRAM_OFF_REFERENCE") != tc.flagged {
			t.Errorf("%s: %s with %q GB, flags %v", tc.name, o.gpu, o.vram, o.flags)
		}
		if tc.wantGPU == "unmapped" && o.gpuName != tc.gpu {
			t.Errorf("%s: name %q, want %q kept", tc.name, o.gpuName, tc.gpu)
		}
	}
}

func TestNameVariant(t *testing.T) {
	for _, tc := range []struct{ provider, sku, gpu, tier, min, want string }{
		{"lambda", "gpu_8x_a100", "A100", "on-demand", "", ""},
		{"vast", "x", "A100", "marketplace", "1", ""},
		{"modal", "x", "A100", "serverless", "", ""},
		{"runpod", "x", "A100", "secure", "", "secure"},
		{"thunder-compute", "x", "A100", "prototyping", "", "prototyping"},
		{"aws", "aws:l4", "L4", "spot", "8", "from 8 GPUs"},
		{"gcp", "n1-highmem-8", "T4-16GB", "", "", "2xT4-16GB"},
		{"gcp", "n1-standard-8", "", "", "", ""},
		{"gcp", "a2-highgpu-1g", "A100", "", "", ""},
	} {
		o := offer{
			Place: catalog.Place{Provider: catalog.ProviderID(tc.provider)}, sku: tc.sku, gpu: tc.gpu, gpus: "2", minGPUs: tc.min,
			row: recordOf("tier=" + tc.tier),
		}
		if o.nameVariant(); o.variant != tc.want {
			t.Errorf("variant of %s %s is %q, want %q", tc.provider, tc.sku, o.variant, tc.want)
		}
	}
}

// priced is an offer of sku "x" with what the rules look at.
func pricedOffer(market catalog.PurchaseModel, amount, licence, asOf string) offer {
	date, _ := catalog.ParseDate(asOf)
	o := offer{
		Place: catalog.Place{Provider: "p", Region: "r"}, sku: "x", market: market, gpu: "G", gpus: "1",
		amount: amount, currency: "USD", basis: catalog.PerInstanceHour, asOf: date, source: citation{"s", licence},
	}
	o.id = catalog.NewOfferID(o.Place, "x", "", market)
	return o
}

// amounts are the prices of offers, in their order.
func amounts(offers []offer) string {
	var all []string
	for _, o := range offers {
		all = append(all, o.amount)
	}
	return strings.Join(all, " ")
}

func TestDropDearSpot(t *testing.T) {
	perGPU := pricedOffer(catalog.Spot, "0.51", "MIT", "")
	perGPU.basis, perGPU.gpus = catalog.PerGPUHour, "4"
	foreign := pricedOffer(catalog.Spot, "9.9", "MIT", "")
	foreign.currency = "EUR"
	elsewhere := pricedOffer(catalog.Spot, "8.8", "MIT", "")
	elsewhere.Region = "other"
	got := dropDearSpot([]offer{
		pricedOffer(catalog.OnDemand, "2.00", "MIT", "2026-01-01"), pricedOffer(catalog.Spot, "2.0", "MIT", ""),
		pricedOffer(catalog.Spot, "2.1", "MIT", ""), pricedOffer(catalog.Spot, "1.99", "MIT", ""), perGPU, foreign, elsewhere,
	})
	if want := "2.00 1.99 9.9 8.8"; amounts(got) != want {
		t.Errorf("kept are %s, want %s", amounts(got), want)
	}
}

func TestQuoteClosed(t *testing.T) {
	quote := func(amount, asOf, gpus, region, sku string) offer {
		o := pricedOffer(catalog.OnDemand, amount, "none stated", asOf)
		o.gpus, o.Region, o.sku, o.row.line = gpus, catalog.RegionID(region), sku, len(amount)*1000+len(sku)
		return o
	}
	for _, tc := range []struct {
		name   string
		offers []offer
		want   string
	}{
		{"the newest", []offer{quote("1", "2026-01-01", "1", "a", "a"), quote("22", "2026-02", "8", "b", "b"), quote("333", "", "1", "a", "a")}, "22"},
		{"then fewest GPUs", []offer{quote("1", "2026-01-01", "10", "a", "a"), quote("22", "2026-01-01", "9", "b", "b"), quote("333", "2026-01-01", "", "a", "a")}, "22"},
		{"then the first region and SKU", []offer{quote("1", "", "1", "b", "a"), quote("22", "", "1", "a", "bb"), quote("333", "", "1", "a", "ba")}, "333"},
		{"none beside an open source", []offer{quote("1", "2026-01-01", "1", "a", "a"), pricedOffer(catalog.Spot, "2", "MIT", "")}, "2"},
	} {
		if got := quoteClosed(slices.Clone(tc.offers)); amounts(got) != tc.want {
			t.Errorf("%s: kept are %s, want %s", tc.name, amounts(got), tc.want)
		}
	}
	spot, cpu := pricedOffer(catalog.Spot, "5", "none stated", ""), pricedOffer(catalog.OnDemand, "6", "none stated", "")
	spot.row.line, cpu.row.line, cpu.gpu = 91, 92, ""
	if got := quoteClosed([]offer{quote("1", "", "1", "a", "a"), spot, cpu}); amounts(got) != "1 5 6" {
		t.Errorf("kept are %s, want one per GPU and market", amounts(got))
	}
}

func TestOnePerID(t *testing.T) {
	for _, tc := range []struct {
		name   string
		offers []offer
		want   string
	}{
		{"an open source before a newer closed one", []offer{
			pricedOffer(catalog.OnDemand, "1", "none stated", "2026-05-01"), pricedOffer(catalog.OnDemand, "2", "MIT", ""),
		}, "2"},
		{"the newer", []offer{pricedOffer(catalog.OnDemand, "1", "MIT", "2026-04"), pricedOffer(catalog.OnDemand, "2", "MIT", "2026-05-01")}, "2"},
		{"the same twice", []offer{pricedOffer(catalog.OnDemand, "1.0", "MIT", ""), pricedOffer(catalog.OnDemand, "1.00", "MIT", "")}, "1.0"},
		{"a contradiction", []offer{pricedOffer(catalog.OnDemand, "1", "MIT", ""), pricedOffer(catalog.OnDemand, "2", "MIT", "")}, ""},
		{"two offers", []offer{pricedOffer(catalog.Spot, "1", "MIT", ""), pricedOffer(catalog.OnDemand, "2", "MIT", "")}, "2 1"},
	} {
		if got := onePerID(tc.offers); amounts(got) != tc.want {
			t.Errorf("%s: kept are %q, want %q", tc.name, amounts(got), tc.want)
		}
	}
}

func TestStandIns(t *testing.T) {
	old := func(amount, licence string, flags ...string) offer {
		o := pricedOffer(catalog.OnDemand, amount, licence, "2026-01-01")
		o.flags = flags
		return o
	}
	closed := pricedOffer(catalog.OnDemand, "13.9211", "none stated", "2026-06-15")
	for _, tc := range []struct {
		name          string
		offers, spare []offer
		want          string
	}{
		{"the same price to the printed digits", []offer{closed}, []offer{old("13.921094", "MIT", superseded)}, "13.921094"},
		{"another price", []offer{closed}, []offer{old("13.92", "MIT", superseded), old("14", "MIT", superseded)}, "13.92"},
		{"never superseded", []offer{closed}, []offer{old("20", "MIT", "STALE")}, "20"},
		{"closed as well", []offer{closed}, []offer{old("13.9211", "none stated", superseded)}, ""},
		{"an open one is there", []offer{closed, pricedOffer(catalog.OnDemand, "13", "MIT", "")}, []offer{old("13.9211", "MIT", superseded)}, ""},
		{"another offer", []offer{pricedOffer(catalog.Spot, "13.9211", "none stated", "")}, []offer{old("13.9211", "MIT", superseded)}, ""},
	} {
		got := standIns(tc.offers, tc.spare)
		if amounts(got) != tc.want {
			t.Errorf("%s: standing in are %q, want %q", tc.name, amounts(got), tc.want)
		}
		for _, o := range got {
			if o.has(superseded) {
				t.Errorf("%s: %s still has its flag", tc.name, o.amount)
			}
		}
	}
}
