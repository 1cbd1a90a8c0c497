package candidate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

var now = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func some(text string) decimal.NullDecimal { return decimal.NewNullDecimal(dec(text)) }

// offer is a plain on-demand offer; change says what is special about it.
func offer(sku string, change func(*catalog.Offer)) catalog.Offer {
	o := catalog.Offer{
		Place: catalog.Place{Provider: "hyper", Region: "eu-1"},
		Instance: &catalog.Instance{SKU: catalog.SKU(sku), Service: catalog.VirtualMachine,
			GPU: "A100-80GB-SXM", GPUs: some("1"), VCPUs: 8},
		Provenance: &catalog.Provenance{Source: "test"},
		Market:     catalog.OnDemand, Country: "DE",
		Price: catalog.NewPrice(dec("2.5"), catalog.PerInstanceHour, catalog.USD),
		AsOf:  catalog.Date{Year: 2026, Month: 11, Day: 1},
	}
	if change != nil {
		change(&o)
	}
	o.ID = catalog.NewOfferID(o.Place, o.SKU, o.Variant, o.Market)
	return o
}

// snapshot is a small market of two providers and four GPUs around the offers.
func snapshot(t *testing.T, offers ...catalog.Offer) *catalog.Snapshot {
	t.Helper()
	a100 := catalog.GPUModel{ID: "A100-80GB-SXM", Name: "A100 SXM 80GB", Family: "A100", Vendor: "nvidia", Form: "SXM", Class: catalog.DataCentre,
		Tier: catalog.TierFlagship, MemoryGB: 80, BF16TFLOPS: 312, FP16TFLOPS: 312, FP32TFLOPS: 19.5, BandwidthGBs: 2039, TDPWatts: 400,
		NVLinkGBs: 600, NVLink: catalog.Yes, ECC: catalog.Yes, ComputeCapability: "8.0", Architecture: "Ampere"}
	rtx := catalog.GPUModel{ID: "RTX-4090-24GB", Name: "GeForce RTX 4090", Family: "RTX-4090", Vendor: "nvidia", Form: "PCIe", Class: catalog.Consumer,
		Tier: catalog.TierConsumer, MemoryGB: 24, BF16TFLOPS: 165.2, FP16TFLOPS: 165.2, FP32TFLOPS: 82.6, BandwidthGBs: 1008, TDPWatts: 450,
		NVLink: catalog.No, ECC: catalog.Unknown, ComputeCapability: "8.9", Architecture: "Ada"}
	small := rtx
	small.ID, small.Family, small.MemoryGB, small.NVLink, small.ECC = "SMALL-6GB", "SMALL", 6, catalog.Unknown, catalog.No
	s, err := catalog.NewSnapshot(catalog.Parts{
		Version: "test", Offers: offers,
		GPUs: []catalog.GPUModel{a100, rtx, small, {ID: "M60-8GB", Vendor: "nvidia", MemoryGB: 8}},
		Providers: []catalog.Provider{
			{ID: "hyper", Class: catalog.Hyperscaler, BillingIncrementSeconds: 1, BillingMinimumSeconds: 60,
				Compliance: []catalog.Attestation{{Name: "ISO 27001"}}},
			{ID: "peers", Class: catalog.Community},
		},
		Storage: []catalog.StorageRate{{Place: catalog.Place{Provider: "hyper"}, Price: dec("0.08"), Unit: catalog.GB, Currency: catalog.USD}},
		Priors:  []catalog.Prior{{Class: catalog.Consumer, Value: 0.7, Low: 0.6, High: 0.8}, {Class: catalog.DataCentre, Value: 0.92, Low: 0.9, High: 1}},
		FX:      []catalog.FXRate{{Currency: "EUR", Month: catalog.Date{Year: 2026, Month: 6}, UnitsPerUSD: dec("0.8")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stages are those of a LoRA fine-tune of a 7B model.
func stages(t *testing.T) (preprocess, train, evaluate workload.Stage) {
	t.Helper()
	all, err := workload.Size(workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0),
		Tokens: 50e6, SeqLen: 2048, MicroBatch: 1, LoRARank: 16, Packing: true, PreprocessCoreHours: 4,
		Evaluate: workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128}, DatasetGB: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1], all[2]
}

func find(t *testing.T, stage workload.Stage, c candidate.Constraints, offers ...catalog.Offer) candidate.Found {
	t.Helper()
	market, ok := candidate.NewMarket(snapshot(t, offers...), catalog.USD)
	if !ok {
		t.Fatal("no market in dollars")
	}
	return candidate.ForStage(market, &stage, candidate.Demand{Constraints: &c, Now: now})
}

// TestRejections has one offer for every reason, and what lets it pass instead.
func TestRejections(t *testing.T) {
	allow := func(u candidate.Unknown) candidate.Set[candidate.Unknown] { return candidate.SetOf(u) }
	for name, row := range map[string]struct {
		offer       func(*catalog.Offer)
		constraints candidate.Constraints
		want        candidate.Reason // "" if it passes
	}{
		"plain":    {nil, candidate.Constraints{}, ""},
		"no price": {func(o *catalog.Offer) { o.Price.Amount = decimal.NullDecimal{} }, candidate.Constraints{}, candidate.PriceUnknown},
		"zero price is unknown": {func(o *catalog.Offer) { o.Price = catalog.NewPrice(dec("0"), catalog.PerInstanceHour, "USD") },
			candidate.Constraints{}, candidate.PriceUnknown},
		"currency without a rate": {func(o *catalog.Offer) { o.Price.Currency = "XAU" }, candidate.Constraints{}, candidate.NoExchangeRate},
		"price older than the first rate of its currency": {func(o *catalog.Offer) {
			o.Price.Currency, o.AsOf = "EUR", catalog.Date{Year: 2026, Month: 5, Day: 31}
		}, candidate.Constraints{}, candidate.NoExchangeRate},
		"euro":                {func(o *catalog.Offer) { o.Price.Currency = "EUR" }, candidate.Constraints{}, ""},
		"CPU only":            {func(o *catalog.Offer) { o.GPU, o.GPUs = "", some("0") }, candidate.Constraints{}, candidate.NoGPU},
		"unmapped GPU":        {func(o *catalog.Offer) { o.GPU = catalog.UnmappedGPU }, candidate.Constraints{}, candidate.GPUNotSized},
		"GPU without figures": {func(o *catalog.Offer) { o.GPU = "M60-8GB" }, candidate.Constraints{}, candidate.GPUNotSized},
		"an eighth of a GPU":  {func(o *catalog.Offer) { o.GPUs = some("0.125") }, candidate.Constraints{}, candidate.FractionalGPU},
		"part of a GPU":       {func(o *catalog.Offer) { o.GPUs = decimal.NullDecimal{} }, candidate.Constraints{}, candidate.FractionalGPU},
		"serverless":          {func(o *catalog.Offer) { o.Service = catalog.Serverless }, candidate.Constraints{}, candidate.NotServed},
		"none available":      {func(o *catalog.Offer) { o.Availability = catalog.NoneAvailable }, candidate.Constraints{}, candidate.Unavailable},
		"market":              {nil, candidate.Constraints{Markets: candidate.SetOf(catalog.Spot)}, candidate.MarketExcluded},
		"a year unasked for":  {func(o *catalog.Offer) { o.Market = catalog.Reserved1Y }, candidate.Constraints{}, candidate.NoCommitment},
		"three years for one": {func(o *catalog.Offer) { o.Market = catalog.Reserved3Y }, candidate.Constraints{CommitmentMonths: 12}, candidate.NoCommitment},
		"a committed year":    {func(o *catalog.Offer) { o.Market = catalog.Reserved1Y }, candidate.Constraints{CommitmentMonths: 12}, ""},
		"class":               {nil, candidate.Constraints{Classes: candidate.SetOf(catalog.Community)}, candidate.ClassExcluded},
		"provider":            {nil, candidate.Constraints{Providers: candidate.SetOf[catalog.ProviderID]("peers")}, candidate.ProviderExcluded},
		"excluded provider":   {nil, candidate.Constraints{ExcludeProviders: candidate.SetOf[catalog.ProviderID]("hyper")}, candidate.ProviderExcluded},
		"country":             {nil, candidate.Constraints{Countries: candidate.SetOf("US")}, candidate.CountryExcluded},
		"country unknown":     {func(o *catalog.Offer) { o.Country = "" }, candidate.Constraints{Countries: candidate.SetOf("US")}, candidate.CountryExcluded},
		"excluded country":    {nil, candidate.Constraints{ExcludeCountries: candidate.SetOf("DE")}, candidate.CountryExcluded},
		"unknown country could be the excluded one": {func(o *catalog.Offer) { o.Country = "" },
			candidate.Constraints{ExcludeCountries: candidate.SetOf("CN")}, candidate.CountryExcluded},
		"region":             {nil, candidate.Constraints{Regions: candidate.SetOf[catalog.RegionID]("us-1")}, candidate.RegionExcluded},
		"attested":           {nil, candidate.Constraints{Compliance: []string{"ISO27001"}}, ""},
		"not attested":       {nil, candidate.Constraints{Compliance: []string{"HIPAA"}}, candidate.NotCompliant},
		"attestation waived": {nil, candidate.Constraints{Compliance: []string{"HIPAA"}, AllowUnknown: allow(candidate.UnknownCompliance)}, ""},
		"ECC":                {nil, candidate.Constraints{ECC: true}, ""},
		"ECC unknown":        {func(o *catalog.Offer) { o.GPU = "RTX-4090-24GB" }, candidate.Constraints{ECC: true}, candidate.NoECC},
		"ECC unknown allowed": {func(o *catalog.Offer) { o.GPU = "RTX-4090-24GB" },
			candidate.Constraints{ECC: true, AllowUnknown: allow(candidate.UnknownECC)}, ""},
		"one GPU has no NVLink":  {nil, candidate.Constraints{NVLink: true}, candidate.NoNVLink},
		"eight GPUs with NVLink": {func(o *catalog.Offer) { o.GPUs = some("8") }, candidate.Constraints{NVLink: true}, ""},
		"GPU":                    {nil, candidate.Constraints{GPUs: candidate.SetOf[catalog.GPUID]("RTX-4090-24GB")}, candidate.GPUExcluded},
		"VRAM at the boundary":   {nil, candidate.Constraints{MinVRAMGB: 80}, ""},
		"VRAM above":             {nil, candidate.Constraints{MinVRAMGB: 80.001}, candidate.TooLittleVRAM},
		"young":                  {nil, candidate.Constraints{MaxAgeDays: 29}, ""},
		"old":                    {nil, candidate.Constraints{MaxAgeDays: 28}, candidate.TooOld},
		"no date":                {func(o *catalog.Offer) { o.AsOf = catalog.Date{} }, candidate.Constraints{MaxAgeDays: 365}, candidate.TooOld},
		"no date, allowed": {func(o *catalog.Offer) { o.AsOf = catalog.Date{} },
			candidate.Constraints{MaxAgeDays: 365, AllowUnknown: allow(candidate.UnknownAge)}, ""},
		"hourly price at the ceiling": {nil, candidate.Constraints{MaxInstanceHour: some("2.5")}, ""},
		"hourly price above":          {nil, candidate.Constraints{MaxInstanceHour: some("2.4999999999999")}, candidate.TooDear},
		"price per GPU":               {func(o *catalog.Offer) { o.GPUs = some("8") }, candidate.Constraints{MaxGPUHour: some("0.3125")}, ""},
		"price per GPU above":         {func(o *catalog.Offer) { o.GPUs = some("8") }, candidate.Constraints{MaxGPUHour: some("0.3124")}, candidate.TooDear},
		"steady on-demand":            {nil, candidate.Constraints{MaxInterruptionPct: some("5")}, ""},
		"spot without a band":         {func(o *catalog.Offer) { o.Market = catalog.Spot }, candidate.Constraints{MaxInterruptionPct: some("5")}, candidate.Interrupted},
		"spot without a band, allowed": {func(o *catalog.Offer) { o.Market = catalog.Spot },
			candidate.Constraints{MaxInterruptionPct: some("5"), AllowUnknown: allow(candidate.UnknownInterruption)}, ""},
		"spot at the ceiling": {func(o *catalog.Offer) {
			o.Market, o.Interruption = catalog.Spot, &catalog.Band{Low: some("5"), High: some("10")}
		}, candidate.Constraints{MaxInterruptionPct: some("10")}, ""},
		"spot with an open band": {func(o *catalog.Offer) {
			o.Market, o.Interruption = catalog.Spot, &catalog.Band{Low: some("20")}
		}, candidate.Constraints{MaxInterruptionPct: some("99")}, candidate.Interrupted},
		"too small": {func(o *catalog.Offer) {
			o.GPU, o.Place, o.Service = "SMALL-6GB", catalog.Place{Provider: "peers", Region: "global"}, catalog.Marketplace
		},
			candidate.Constraints{}, candidate.DoesNotFit},
	} {
		t.Run(name, func(t *testing.T) {
			_, train, _ := stages(t)
			found := find(t, train, row.constraints, offer("sku", row.offer))
			var want []candidate.Rejection
			if row.want != "" {
				want = []candidate.Rejection{{Reason: row.want, Count: 1}}
			}
			if diff := cmp.Diff(want, found.Rejected); diff != "" {
				t.Errorf("rejections (-want +got):\n%s", diff)
			}
			if passed := len(found.Candidates) > 0; passed != (row.want == "") {
				t.Errorf("got %d candidates", len(found.Candidates))
			}
		})
	}
}

// TestNodes: what must run together does so within one host of a marketplace;
// pieces that stand alone spread anywhere.
func TestNodes(t *testing.T) {
	preprocess, train, evaluate := stages(t)
	peers := func(o *catalog.Offer) {
		o.Place, o.Service = catalog.Place{Provider: "peers", Region: "global"}, catalog.Marketplace
	}
	for name, row := range map[string]struct {
		stage workload.Stage
		offer func(*catalog.Offer)
		want  string
	}{
		"training in a cloud":       {train, nil, "1 2 4 8 16 32 64"},
		"training on a marketplace": {train, peers, "1"},
		"preprocessing":             {preprocess, peers, "1 2 4 8"},
		"evaluating on a market":    {evaluate, peers, "1 2 4 8"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range find(t, row.stage, candidate.Constraints{}, offer("sku", row.offer)).Candidates {
				got = append(got, fmt.Sprint(c.Nodes))
			}
			if strings.Join(got, " ") != row.want {
				t.Errorf("got nodes %v, want %s", got, row.want)
			}
		})
	}
}

// TestPin: "16 x A100" is two nodes of eight, and never eight nodes of one.
func TestPin(t *testing.T) {
	_, train, _ := stages(t)
	eight := offer("eight", func(o *catalog.Offer) { o.GPUs = some("8") })
	one := offer("one", nil)
	market, _ := candidate.NewMarket(snapshot(t, eight, one), catalog.USD)
	found := candidate.ForStage(market, &train, candidate.Demand{
		Constraints: &candidate.Constraints{}, Now: now,
		Pin: candidate.Pin{GPUCount: 16, Nodes: 2, GPUs: candidate.SetOf[catalog.GPUID]("A100-80GB-SXM")},
	})
	if len(found.Candidates) != 1 || found.Candidates[0].Offer.SKU != "eight" || found.Candidates[0].Nodes != 2 {
		t.Errorf("got %d candidates, want two nodes of eight", len(found.Candidates))
	}
	want := []candidate.Rejection{{Reason: candidate.OtherHardware, Count: 1}}
	if diff := cmp.Diff(want, found.Rejected); diff != "" {
		t.Errorf("rejections (-want +got):\n%s", diff)
	}
}

// TestOneMachine: without a word about nodes, eight GPUs are one machine.
func TestOneMachine(t *testing.T) {
	_, train, _ := stages(t)
	eight := offer("eight", func(o *catalog.Offer) { o.GPUs = some("8") })
	market, _ := candidate.NewMarket(snapshot(t, eight, offer("one", nil)), catalog.USD)
	found := candidate.ForStage(market, &train, candidate.Demand{
		Constraints: &candidate.Constraints{}, Now: now, Pin: candidate.Pin{GPUCount: 8, MaxNodes: 1},
	})
	if len(found.Candidates) != 1 || found.Candidates[0].Offer.SKU != "eight" {
		t.Errorf("got %d candidates, want the machine of eight", len(found.Candidates))
	}
}

// TestLatency: users in Frankfurt reach Dublin within 20 ms and not Tokyo, by
// great circle at 2/3 c times 1.5; an unknown place is out unless allowed.
func TestLatency(t *testing.T) {
	frankfurt := catalog.Region{Latitude: 50.11, Longitude: 8.68, Precision: catalog.PreciseCity}
	dublin := catalog.Region{Latitude: 53.35, Longitude: -6.26, Precision: catalog.PreciseCity}
	tokyo := catalog.Region{Latitude: 35.68, Longitude: 139.69, Precision: catalog.PreciseCity}
	if got := candidate.RTTMs(frankfurt, dublin); got < 16 || got > 17 { // 1,087 km
		t.Errorf("Frankfurt to Dublin: got %g ms", got)
	}
	if got := candidate.RTTMs(frankfurt, tokyo); got < 139 || got > 142 { // 9,340 km
		t.Errorf("Frankfurt to Tokyo: got %g ms", got)
	}
	_, train, _ := stages(t)
	near := candidate.Constraints{Near: &candidate.Locality{Users: frankfurt, MaxRTTMs: 20}}
	if found := find(t, train, near, offer("sku", nil)); len(found.Candidates) != 0 || found.Rejected[0].Reason != candidate.TooFar {
		t.Errorf("a place that nobody locates passes: %v", found.Rejected)
	}
	near.AllowUnknown = candidate.SetOf(candidate.UnknownLatency)
	if found := find(t, train, near, offer("sku", nil)); len(found.Candidates) == 0 {
		t.Errorf("an unknown place is refused though allowed: %v", found.Rejected)
	}
}

// TestMinimumGPUs: a price per GPU that is sold from eight GPUs buys a node of
// eight, at eight times the price.
func TestMinimumGPUs(t *testing.T) {
	_, train, _ := stages(t)
	quoted := offer("quoted", func(o *catalog.Offer) {
		o.Price.Basis, o.MinGPUs = catalog.PerGPUHour, 8
	})
	c := find(t, train, candidate.Constraints{}, quoted).Candidates[0]
	if c.GPUsPerNode != 8 {
		t.Errorf("got a node of %d GPUs, want 8", c.GPUsPerNode)
	}
	if want := dec("20"); !c.Tariff.Node.Num.Equal(want) {
		t.Errorf("got %s per node-hour, want %s", c.Tariff.Node.Num, want)
	}
}

// TestUnknownsNeverWin: an unknown metering step counts as an hour and an unknown
// storage price as the dearest known.
func TestUnknownsNeverWin(t *testing.T) {
	_, train, _ := stages(t)
	there := offer("sku", func(o *catalog.Offer) { o.Place = catalog.Place{Provider: "peers", Region: "here"} })
	c := find(t, train, candidate.Constraints{}, there).Candidates[0]
	if c.Tariff.IncrementSeconds != 3600 || !c.IncrementAssumed {
		t.Errorf("got a step of %d s (assumed %v), want an hour", c.Tariff.IncrementSeconds, c.IncrementAssumed)
	}
	if !c.StorageAssumed || !c.Tariff.Storage.Price.Equal(dec("0.08")) {
		t.Errorf("got storage at %s (assumed %v), want 0.08", c.Tariff.Storage.Price, c.StorageAssumed)
	}
}

// TestLocalDisk: a disk that comes with the instance is not paid again.
func TestLocalDisk(t *testing.T) {
	_, train, _ := stages(t)
	with := offer("with", func(o *catalog.Offer) { o.DiskGB = 1000 })
	without := offer("without", nil)
	for _, c := range find(t, train, candidate.Constraints{}, with, without).Candidates {
		paid := c.Lines().Storage.IsPositive()
		if paid == (c.Offer.SKU == "with") {
			t.Errorf("%s: storage line is %s", c.Offer.SKU, c.Lines().Storage)
		}
	}
}

// TestCommitmentIsPaidInFull: hours of a commitment that nobody uses are idle.
func TestCommitmentIsPaidInFull(t *testing.T) {
	_, train, _ := stages(t)
	year := offer("sku", func(o *catalog.Offer) { o.Market = catalog.Reserved1Y })
	c := find(t, train, candidate.Constraints{CommitmentMonths: 12}, year).Candidates[0]
	lines := c.Lines()
	compute := lines.Total().Sub(lines.Storage)
	if want := dec("21900"); !compute.Equal(want) { // 8,760 h x 2.5
		t.Errorf("got %s for the instances, want %s", compute, want)
	}
}

// TestEfficiencyEntersOnce: the same GPU time, divided by the class's prior.
func TestEfficiencyEntersOnce(t *testing.T) {
	_, train, _ := stages(t)
	c := find(t, train, candidate.Constraints{}, offer("sku", nil)).Candidates[0]
	if got, want := c.Useful.Expected*0.92, c.Estimate.Expected; got < want*0.999 || got > want*1.001 {
		t.Errorf("got %g s at reference, want %g", got, want)
	}
	if !(c.Useful.Low < c.Useful.Expected && c.Useful.Expected < c.Useful.High && c.Useful.High < c.Useful.P95) {
		t.Errorf("span out of order: %+v", c.Useful)
	}
}

// TestSpotCostsTime: interruptions lengthen the stage, more so for many nodes.
func TestSpotCostsTime(t *testing.T) {
	_, train, _ := stages(t)
	spot := offer("sku", func(o *catalog.Offer) { o.Market = catalog.Spot })
	found := find(t, train, candidate.Constraints{}, spot).Candidates
	if found[0].Usage.Interruption <= 0 || !found[0].Lines().Interruption.IsPositive() {
		t.Errorf("got no interruption: %+v", found[0].Usage)
	}
	if found[0].InterruptRate.Known {
		t.Error("a band that no source gives is called known")
	}
}

// TestSites: only within a located region is the place the site.
func TestSites(t *testing.T) {
	located, other := offer("a", nil), offer("b", nil)
	if candidate.SiteOf(&located) != candidate.SiteOf(&other) {
		t.Error("two SKUs of one region are at different sites")
	}
	global := func(o *catalog.Offer) { o.Region = "global" }
	located, other = offer("a", global), offer("b", global)
	if candidate.SiteOf(&located) == candidate.SiteOf(&other) {
		t.Error("two SKUs of no stated region are at one site")
	}
}
