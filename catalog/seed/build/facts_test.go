package main

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

func TestBounds(t *testing.T) {
	for _, tc := range []struct{ from, to, note, wantFrom, wantTo string }{
		{"", "", "", "0", "open"},
		{"0", "10240", "", "0", "10240"},
		{"1", "10", "tier bounds in TiB/month", "1024", "10240"},
		{"10n", "", "tier bounds in TiB/month", "10240", "open"},
	} {
		from, to, err := bounds(extra{row: recordOf("tier_from="+tc.from, "tier_to="+tc.to, "note="+tc.note)})
		got := "open"
		if to.Valid {
			got = to.Decimal.String()
		}
		if err != nil || from.String() != tc.wantFrom || got != tc.wantTo {
			t.Errorf("%q to %q %s is %s to %s (%v), want %s to %s", tc.from, tc.to, tc.note, from, got, err, tc.wantFrom, tc.wantTo)
		}
	}
}

func TestPerVolume(t *testing.T) {
	for unit, want := range map[string]string{
		"USD/GB": "GB 1", "USD/GiB-month": "GiB 1", "TB/month": "GB 1000", "GB/month": "GB 1", "TiB/month": "GiB 1024",
		"text": " 0", "USD": " 0",
	} {
		volume, times, ok := perVolume(unit)
		if got := string(volume) + " " + times.String(); got != want || ok != (volume != "") {
			t.Errorf("unit %q is %q (%v), want %q", unit, got, ok, want)
		}
	}
}

func TestDefaultsAreTheDearest(t *testing.T) {
	rate := func(region string, dearest bool, prices ...string) transfer {
		r := transfer{Place: catalog.Place{Provider: "p", Region: catalog.RegionID(region)}, scope: catalog.ToInternet, dearest: dearest}
		for _, p := range prices {
			r.tiers = append(r.tiers, tier{price: decimal.RequireFromString(p), text: p})
		}
		return r
	}
	got := defaults([]transfer{rate("a", true, "0.09", "0.08"), rate("b", true, "0.15", "0.05"), rate("c", true, "0.15", "0.04"), rate("d", false, "0.9")})
	if len(got) != 1 || got[0].Region != "" || got[0].tiers[1].text != "0.05" || !strings.Contains(got[0].note, "of b, the dearest") {
		t.Errorf("defaults are %+v, want the rate of b, and say so", got)
	}
	if got := defaults([]transfer{rate("d", false, "0.9")}); len(got) != 0 {
		t.Errorf("defaults are %+v, want none", got)
	}
}

func TestPercentBand(t *testing.T) {
	for text, want := range map[string]string{"<5%": "0 5", "5-10%": "5 10", "10-15%": "10 15", "15-20%": "15 20", ">20%": "20 ", "20%": " "} {
		low, high, ok := percentBand(text)
		if got := low + " " + high; got != want || ok != (want != " ") {
			t.Errorf("band %q is %q, want %q", text, got, want)
		}
	}
}

func TestWholeSeconds(t *testing.T) {
	for value, want := range map[string]string{"1": "1", "60": "60", "0.000001": "1", "0": "0", "1.5": "2"} {
		if got, err := wholeSeconds(recordOf("value=" + value)); err != nil || got != want {
			t.Errorf("%s seconds are %s (%v), want %s", value, got, err, want)
		}
	}
}

func TestLinked(t *testing.T) {
	for _, tc := range []struct {
		id, form, speed string
		want            catalog.Tri
	}{
		{"H100-80GB-SXM", "SXM", "900", catalog.Yes},
		{"H100-80GB-PCIe", "PCIe", "600", catalog.Unknown},
		{"H100-80GB-PCIe-NVLink", "PCIe", "600", catalog.Yes},
		{"H100-80GB", "", "600", catalog.Unknown},
		{"RTX-5090-32GB", "PCIe", "0", catalog.No},
		{"L4-24GB", "PCIe", "", catalog.Unknown},
		{"B300-288GB", "SXM", "", catalog.Unknown},
	} {
		if got := linked(tc.id, tc.form, tc.speed); got != tc.want {
			t.Errorf("%s has NVLink: %q, want %q", tc.id, got, tc.want)
		}
	}
}

func TestNotAttested(t *testing.T) {
	for _, tc := range []struct {
		attestation, scope string
		want               bool
	}{
		{"ISO27001", "report under NDA", false},
		{"none stated", "", true},
		{"SOC2", `OLDER snapshot: listed as "currently in progress"`, true},
		{"FedRAMP", "the words occur; a FedRAMP mention is not an authorization", true},
		{"SOC2", "the words occur; a FedRAMP mention is not an authorization", false},
		{"GDPR", "regional: European Union (regulatory alignment, not a certificate)", true},
	} {
		if got := notAttested(tc.attestation, tc.scope); got != tc.want {
			t.Errorf("%s (%s) is left out: %v, want %v", tc.attestation, tc.scope, got, tc.want)
		}
	}
}

func TestShape(t *testing.T) {
	for text, want := range map[string]string{"": "", "96": "96", "24.00": "24", "0.5": "0.5", "30-36": ""} {
		if got, err := shape(recordOf("vcpu="+text), "vcpu"); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	if _, err := shape(recordOf("vcpu=many"), "vcpu"); err == nil || !strings.Contains(err.Error(), "test.csv line 2, column vcpu") {
		t.Errorf("error is %v, want one that names the cell", err)
	}
}

func TestSourcesAreNamedForGood(t *testing.T) {
	for text, want := range map[string]string{
		"owner/list@1 prices.json":                 "owner",
		"https://docs.example.com/a":               "docs-example-com",
		"github:org/model@1:config.json":           "org",
		"bf16,fp16 <- chips/specs@1 ; ecc <- page": "chips",
		"owner/list <- https://page":               "owner",
		"a very long name of a source of facts":    "a-very-long-name-of",
	} {
		if got := shortName(text); got != want {
			t.Errorf("short name of %q is %q, want %q", text, got, want)
		}
	}
	a, b := citation{"owner/list@1", "MIT"}, citation{"owner/list@1", ""}
	if a.id() == b.id() {
		t.Errorf("both ids are %s, want one for each source and licence", a.id())
	}
}

func TestTidy(t *testing.T) {
	for text, want := range map[string]string{
		"pages corpus: https://docs.example.com":            "https://docs.example.com",
		"country in offers.csv / region name; towns/list@1": "country or region name as the offer's source has it; towns/list@1",
		"owner/list@1 prices.json":                          "owner/list@1 prices.json",
	} {
		if got := tidy(text); got != want {
			t.Errorf("%q is tidied to %q, want %q", text, got, want)
		}
	}
}

func FuzzParseOffer(f *testing.F) {
	f.Add("USD", "21.957642", "instance", "per VM; FRACTIONAL GPU 1/3 A10", "FRACTIONAL_GPU")
	f.Add("CNY", "4.98", "per_gpu", "month_1y 3635.4 CNY/month / 730 h", "FX_DERIVED")
	f.Add("USD", "2.3142070400", "instance", "DERIVED: month_1y 1689.3711392 USD/month / 730 h", "MONTH_DERIVED")
	f.Fuzz(func(t *testing.T, currency, native, basis, note, flags string) {
		r := recordOf("provider=p", "sku=x", "gpu=G", "gpu_count=1", "pricing_model=on_demand", "service_model=vm", "as_of=2026-01",
			"currency="+currency, "price_native="+native, "price_basis="+basis, "price_unit_note="+note, "flags="+flags)
		o, reason, err := parseOffer(r, nil)
		if err != nil || reason != "" {
			return
		}
		if _, err := decimal.NewFromString(o.amount); err != nil && !o.has("PRICE_UNKNOWN") {
			t.Errorf("price %q of %q is no decimal", o.amount, native)
		}
		if o.amount != "" && o.basis != catalog.PerInstanceMonth && o.amount != strings.TrimSpace(native) {
			t.Errorf("price is %q, its source says %q", o.amount, native)
		}
		if gpus, err := decimal.NewFromString(o.gpus); err == nil && !gpus.IsPositive() {
			t.Errorf("%q makes %s GPUs", note, gpus)
		}
	})
}

func FuzzTransferOf(f *testing.F) {
	f.Add("0", "1", "0.12", "USD/GiB", "tier bounds in TiB/month")
	f.Add("10n", "", "unlimited", "TB/month", "")
	f.Fuzz(func(t *testing.T, from, to, value, unit, note string) {
		row := recordOf("tier_from="+from, "tier_to="+to, "value="+value, "unit="+unit, "note="+note, "currency=USD")
		rate, err := transferOf([]extra{{row: row, kind: "egress_internet"}})
		if err != nil {
			return
		}
		if len(rate.tiers) != 1 || rate.tiers[0].upTo.Valid || rate.tiers[0].price.IsNegative() {
			t.Errorf("rate is %+v, want one open tier", rate)
		}
	})
}

func FuzzReadRows(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("a,b\n\"1\n2\",3\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readRows(strings.NewReader(text), "test.csv", "a,b")
		if err != nil {
			return
		}
		for _, r := range rows {
			if r.line < 2 || r.get("a") != strings.TrimSpace(r.get("a")) {
				t.Errorf("row %+v of %q", r, text)
			}
		}
	})
}
