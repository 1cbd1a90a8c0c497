package seed_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// TestRealOffers holds rows of the committed table to what their sources say,
// read by eye.
func TestRealOffers(t *testing.T) {
	s := load(t)
	for _, tc := range []struct {
		id              catalog.OfferID
		amount          string
		basis           catalog.Basis
		currency        catalog.Currency
		gpu             catalog.GPUID
		gpus, asOf, why string
	}{
		{"aws.us-east-1.p4d-24xlarge.on_demand", "21.957642", "per_instance_hour", "USD", "A100-40GB-SXM", "8", "2026-07-20", "same price in a newer closed source"},
		{"aws.us-east-1.p5-48xlarge.on_demand", "55.04", "per_instance_hour", "USD", "H100-80GB-SXM", "8", "2026-07-20", ""},
		{"aws.us-east-1.p4d-24xlarge.reserved_1y", "13.921094", "per_instance_hour", "USD", "A100-40GB-SXM", "8", "2026-01-21", "the closed one prints 13.9211"},
		{"aws.us-east-1.g6f-large.on_demand", "0.202", "per_instance_hour", "USD", "L4-24GB", "0.125", "2026-01-21", "an eighth of an L4"},
		{"azure.eastus.standard_nc24ads_a100_v4.on_demand", "3.673", "per_instance_hour", "USD", "A100-80GB-PCIe", "1", "2026-06-18", ""},
		{"azure.eastus.standard_nv12ads_a10_v5.on_demand", "0.908", "per_instance_hour", "USD", "A10-24GB", "", "2026-06-18", "a third has no finite decimal"},
		{"azure.eastus.standard_nc24lds_xl_rtxpro6000bse_v6.on_demand", "1.13", "per_instance_hour", "USD", "RTX-PRO-6000-96GB", "", "2026-06-18", "part of a GPU"},
		{"gcp.us-central1.a2-highgpu-1g.on_demand", "3.673385", "per_instance_hour", "USD", "A100-40GB-SXM", "1", "2026-07-30", ""},
		{"gcp.us-central1.a2-highgpu-1g.spot", "1.92802", "per_instance_hour", "USD", "A100-40GB-SXM", "1", "2026-07-30", ""},
		{"gcp.us-central1.a2-highgpu-1g.reserved_1y", "1689.3711392", "per_instance_month", "USD", "A100-40GB-SXM", "1", "2026-07-30", "the month's own price"},
		{"gcp.us-central1.a2-highgpu-1g.reserved_3y", "938.56707798", "per_instance_month", "USD", "A100-40GB-SXM", "1", "2026-07-30", ""},
		{"autodl.cn.autodl-h20.on_demand", "7.58", "per_gpu_hour", "CNY", "H20-96GB", "1", "2026-09", "native currency"},
		{"e2e-networks.india-delhi-mumbai.e2e-networks-a100-80gb.on_demand", "189", "per_gpu_hour", "INR", "A100-80GB", "1", "2026-08-22", ""},
		{"leafcloud.nl.eg1-a30x1-v8-32.on_demand", "0.60424", "per_instance_hour", "EUR", "A30-24GB", "1", "2026-05-20", "quoted: the provider has no open source"},
		{"voltage-park.global.voltage-park-h100.on_demand", "1.99", "per_gpu_hour", "USD", "H100-80GB", "1", "2026-08-22", ""},
		{"runpod-community.global.runpod-community-rtx-3090.community.on_demand", "0.22", "per_gpu_hour", "USD", "RTX-3090-24GB", "1", "2026-08-22", ""},
		{"alibaba.ap-northeast-1.ecs-gn7i-c16g1-4xlarge.on_demand", "2.63487926", "per_instance_hour", "USD", "A10-24GB", "1", "", "an unknown date"},
	} {
		t.Run(string(tc.id), func(t *testing.T) {
			o, ok := s.Offer(tc.id)
			if !ok {
				t.Fatalf("no such offer, want %s", tc.amount)
			}
			if !o.Price.Amount.Decimal.Equal(decimal.RequireFromString(tc.amount)) || o.Price.Basis != tc.basis || o.Price.Currency != tc.currency {
				t.Errorf("price is %s %s %s, want %s %s %s", o.Price.Amount.Decimal, o.Price.Currency, o.Price.Basis, tc.amount, tc.currency, tc.basis)
			}
			if o.GPU != tc.gpu || o.AsOf.String() != tc.asOf || o.GPUs.Valid != (tc.gpus != "") || o.GPUs.Valid && o.GPUs.Decimal.String() != tc.gpus {
				t.Errorf("offer is %s x %s of %s, want %s x %s of %s", o.GPUs.Decimal, o.GPU, o.AsOf, tc.gpus, tc.gpu, tc.asOf)
			}
		})
	}
}

func TestFractionsOfGPUs(t *testing.T) {
	s := load(t)
	slice, _ := s.Offer("azure.eastus.standard_nv12ads_a10_v5.on_demand")
	if !slice.HasFlag("FRACTION_1/3") || !slice.HasFlag("FRACTIONAL_GPU") || slice.VRAMPerGPUGB != 8 {
		t.Errorf("a third of an A10 is %+v, want its flags and its own 8 GB", slice)
	}
	part, _ := s.Offer("azure.eastus.standard_nc24lds_xl_rtxpro6000bse_v6.on_demand")
	if part.VRAMPerGPUGB != 0 {
		t.Errorf("a part of a card has %v GB, want unknown: the source gives the card's", part.VRAMPerGPUGB)
	}
	for _, o := range s.Offers() {
		if _, whole := o.WholeGPUs(); whole && o.HasFlag("FRACTIONAL_GPU") {
			t.Errorf("offer %s is a slice with a whole number of GPUs", o.ID)
		}
	}
}

func TestOffersReferToKnownThings(t *testing.T) {
	s := load(t)
	for _, o := range s.Offers() {
		if _, ok := s.Region(o.Place); !ok {
			t.Errorf("offer %s: no region %s", o.ID, o.Place)
		}
		if _, ok := s.FX(o.Price.Currency, o.AsOf); !ok {
			t.Errorf("offer %s: no exchange rate of %s at %s", o.ID, o.Price.Currency, o.AsOf)
		}
		if o.Source == "" || o.Licence == "" || !o.Price.Known() || o.AsOf.Known() == o.HasFlag("DATE_UNKNOWN") {
			t.Errorf("offer %s has source %q, licence %q, price %v, date %q", o.ID, o.Source, o.Licence, o.Price, o.AsOf)
		}
		if (o.GPU == catalog.UnmappedGPU) != (o.GPUName != "") || !o.HasGPU() && o.GPUs.Decimal.String() != "0" {
			t.Errorf("offer %s has %s GPUs %q, named %q", o.ID, o.GPUs.Decimal, o.GPU, o.GPUName)
		}
		for _, flag := range []catalog.Flag{"SUPERSEDED", "OUTLIER", "CONFLICT", "WINDOWS_LICENCE", "MONTH_DERIVED", "FX_DERIVED"} {
			if o.HasFlag(flag) {
				t.Errorf("offer %s has the flag %s", o.ID, flag)
			}
		}
	}
}

func TestSpotCostsLess(t *testing.T) {
	s := load(t)
	for _, o := range s.Offers() {
		list, ok := s.Offer(catalog.NewOfferID(o.Place, o.SKU, o.Variant, catalog.OnDemand))
		if o.Market != catalog.Spot || !ok {
			continue
		}
		spot, okSpot := o.Price.PerHour(o.GPUs)
		full, okFull := list.Price.PerHour(list.GPUs)
		if okSpot && okFull && spot.Num.Mul(full.Den).GreaterThanOrEqual(full.Num.Mul(spot.Den)) {
			t.Errorf("spot offer %s costs %s, on-demand %s", o.ID, spot.Num, full.Num)
		}
	}
}

func TestLicences(t *testing.T) {
	open := func(licence string) bool {
		return licence == "Apache-2.0" || len(licence) >= 3 && licence[:3] == "MIT" || len(licence) >= 5 && licence[:5] == "CC-BY"
	}
	type fact struct {
		provider catalog.ProviderID
		gpu      string
		market   catalog.PurchaseModel
	}
	opened, quoted := make(map[catalog.ProviderID]int), make(map[fact]int)
	s := load(t)
	for _, o := range s.Offers() {
		if open(o.Licence) {
			opened[o.Provider]++
			continue
		}
		quoted[fact{o.Provider, string(o.GPU) + o.GPUName, o.Market}]++
	}
	for f, n := range quoted {
		if n > 1 || opened[f.provider] > 0 {
			t.Errorf("%d facts of closed sources for %v, which has %d of open ones", n, f, opened[f.provider])
		}
	}
}

func TestProvidersOfEveryClass(t *testing.T) {
	s := load(t)
	providers := make(map[catalog.ProviderClass]map[catalog.ProviderID]bool)
	for _, o := range s.Offers() {
		p, _ := s.Provider(o.Provider)
		if providers[p.Class] == nil {
			providers[p.Class] = make(map[catalog.ProviderID]bool)
		}
		providers[p.Class][p.ID] = true
	}
	for class, atLeast := range map[catalog.ProviderClass]int{catalog.Hyperscaler: 7, catalog.Specialist: 50, catalog.Community: 10} {
		if got := len(providers[class]); got < atLeast {
			t.Errorf("%d %s providers have offers, want at least %d", got, class, atLeast)
		}
	}
}

func TestBillingRules(t *testing.T) {
	s := load(t)
	for id, want := range map[catalog.ProviderID][2]int64{
		"aws": {1, 60}, "runpod": {1, 0}, "lambda": {60, 0}, "vultr": {3600, 3600}, "stackit": {3600, 0}, "tensordock": {1, 0}, "azure": {0, 0},
	} {
		p, _ := s.Provider(id)
		if got := [2]int64{p.BillingIncrementSeconds, p.BillingMinimumSeconds}; got != want {
			t.Errorf("%s bills by %v seconds (step, least), want %v", id, got, want)
		}
		if (p.BillingSource != "") != (want[0] > 0) {
			t.Errorf("%s: billing source is %q", id, p.BillingSource)
		}
	}
}

func TestTransferRates(t *testing.T) {
	s := load(t)
	for _, tc := range []struct {
		place        catalog.Place
		scope        catalog.Scope
		free, first  string
		unit         catalog.VolumeUnit
		tiers        int
		whichIsOther bool
	}{
		{catalog.Place{Provider: "aws", Region: "us-east-1"}, catalog.ToInternet, "100", "0.09", catalog.GB, 4, false},
		{catalog.Place{Provider: "aws", Region: "sa-east-1"}, catalog.ToInternet, "100", "0.15", catalog.GB, 4, false},
		{catalog.Place{Provider: "aws", Region: "mx-central-1"}, catalog.ToInternet, "100", "0.154", catalog.GB, 4, true},
		{catalog.Place{Provider: "aws", Region: "us-east-1"}, catalog.ToOtherRegion, "0", "0.02", catalog.GB, 1, false},
		{catalog.Place{Provider: "gcp", Region: "us-central1"}, catalog.ToInternet, "0", "0.12", catalog.GiB, 3, false},
		{catalog.Place{Provider: "gcp", Region: "asia-northeast1"}, catalog.ToInternet, "0", "0.12", catalog.GiB, 3, true},
		{catalog.Place{Provider: "oci", Region: "uk-london-1"}, catalog.ToInternet, "10000", "0.0085", catalog.GB, 1, true},
		{catalog.Place{Provider: "hetzner", Region: "eu"}, catalog.ToInternet, "20000", "0.01", catalog.GB, 1, true},
		{catalog.Place{Provider: "lambda", Region: "us-west-1"}, catalog.ToInternet, "0", "0", catalog.GB, 1, true},
	} {
		r, ok := s.Egress(tc.place, tc.scope)
		if !ok || r.FreePerMonth.String() != tc.free || r.Tiers[0].Price.String() != tc.first || r.Unit != tc.unit || len(r.Tiers) != tc.tiers {
			t.Errorf("%s of %s is %+v, want %s per %s in %d tiers after %s", tc.scope, tc.place, r, tc.first, tc.unit, tc.tiers, tc.free)
		}
		if (r.Region == "") != tc.whichIsOther {
			t.Errorf("%s of %s is the rate of region %q", tc.scope, tc.place, r.Region)
		}
	}
	if r, ok := s.Egress(catalog.Place{Provider: "vast", Region: "US"}, catalog.ToInternet); ok {
		t.Errorf("vast has the transfer rate %+v, want none: its hosts set it", r)
	}
}

func TestRatesAreWhole(t *testing.T) {
	s := load(t)
	seen := make(map[string]bool)
	for _, r := range s.EgressRates() {
		key := r.Place.String() + " " + string(r.Scope)
		if last := r.Tiers[len(r.Tiers)-1]; last.UpTo.Valid || seen[key] || r.Source == "" {
			t.Errorf("egress of %s from %q ends at %v, seen before: %v", key, r.Source, last.UpTo, seen[key])
		}
		seen[key] = true
	}
	for _, r := range s.StorageRates() {
		if seen[r.Place.String()] || !r.Price.IsPositive() || r.Source == "" {
			t.Errorf("storage of %s is %+v", r.Place, r)
		}
		seen[r.Place.String()] = true
		if _, ok := s.FX(r.Currency, r.AsOf); !ok {
			t.Errorf("storage of %s: no exchange rate of %s", r.Place, r.Currency)
		}
	}
	if r, _ := s.Storage(catalog.Place{Provider: "hyperstack"}); r.Price.String() != "0.07064502" {
		t.Errorf("a month of hyperstack's 0.000096774 per hour is %s, want 0.07064502", r.Price)
	}
}

func TestInterruptionBands(t *testing.T) {
	o, _ := load(t).Offer("aws.us-east-1.m5-2xlarge.spot")
	if b := o.Interruption; !b.Known() || b.Low.Decimal.String() != "10" || b.High.Decimal.String() != "15" || b.AsOf.String() != "2025-06-28" {
		t.Errorf("band is %+v, want 10 to 15 of 2025-06-28", b)
	}
	for _, o := range load(t).Offers() {
		if o.Interruption.Known() && (o.Market != catalog.Spot || o.Provider != "aws") {
			t.Errorf("offer %s has a band: only AWS states any", o.ID)
		}
	}
}

func TestModels(t *testing.T) {
	s := load(t)
	llama, ok := s.Model("meta-llama/Llama-2-7b-hf")
	if !ok || llama.Params != 6738416000 || llama.Layers != 32 || llama.FFN != 11008 || !llama.GatedFFN || llama.Context != 4096 {
		t.Errorf("Llama 2 7B is %+v", llama)
	}
	moe, ok := s.Model("mixtral-8x7b")
	if !ok || moe.Experts != 8 || moe.ActiveParams >= moe.Params || moe.ActiveParams <= 0 {
		t.Errorf("Mixtral 8x7B is %+v", moe)
	}
	names := make(map[string]string)
	for _, m := range s.Models() {
		if m.Params <= 0 || m.ActiveParams > m.Params || m.Source == "" {
			t.Errorf("model %s has %v parameters, %v active, source %q", m.Name, m.Params, m.ActiveParams, m.Source)
		}
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			key := catalog.FoldName(name)
			if other, taken := names[key]; taken && other != m.Name {
				t.Errorf("%q stands for %s and %s", name, other, m.Name)
			}
			names[key] = m.Name
		}
	}
}

func TestPriors(t *testing.T) {
	s := load(t)
	for class, want := range map[catalog.GPUClass]float64{catalog.Consumer: 0.70, catalog.DataCentre: 0.92, catalog.Workstation: 0.92} {
		if p, ok := s.Prior(class); !ok || p.Value != want || p.Low > p.Value || p.High < p.Value || p.Source != "seed article, section 4.1" {
			t.Errorf("prior of %s is %+v, want %v", class, p, want)
		}
	}
}

func TestTablesHaveColumns(t *testing.T) {
	for _, table := range seed.Tables() {
		if len(seed.Columns(table)) == 0 {
			t.Errorf("table %s has no columns", table)
		}
	}
	if got := seed.Columns("none.csv"); got != nil {
		t.Errorf("columns of no table are %v, want none", got)
	}
}
