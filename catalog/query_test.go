package catalog_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// key is what the naive sort below compares: ok is false for what comes last.
func key(s *catalog.Snapshot, o *catalog.Offer, by catalog.Sort) (value *big.Rat, ok bool) {
	rate, ok := o.NodeRate()
	fx, okFX := s.FX(rate.Currency, o.AsOf)
	if !ok || !okFX {
		return nil, false
	}
	value = new(big.Rat).Quo(rate.Num.Rat(), new(big.Rat).Mul(rate.Den.Rat(), fx.UnitsPerUSD.Rat()))
	if by == catalog.ByInstanceHour {
		return value, true
	}
	gpus := o.NodeGPUs()
	if !gpus.Valid || !gpus.Decimal.IsPositive() {
		return nil, false
	}
	return value.Quo(value, gpus.Decimal.Rat()), true
}

// naive answers a query by looking at every offer.
func naive(s *catalog.Snapshot, q catalog.Query) []catalog.OfferID {
	var found []*catalog.Offer
	for i := range s.Offers() {
		o := &s.Offers()[i]
		gpus := o.NodeGPUs()
		switch {
		case len(q.GPUs) > 0 && !slices.Contains(q.GPUs, o.GPU),
			len(q.Markets) > 0 && !slices.Contains(q.Markets, o.Market),
			len(q.GPUCounts) > 0 && !(gpus.Valid && slices.ContainsFunc(q.GPUCounts, gpus.Decimal.Equal)),
			len(q.Providers) > 0 && !slices.Contains(q.Providers, o.Provider),
			q.Text != "" && !strings.Contains(catalog.FoldName(string(o.SKU)), catalog.FoldName(q.Text)):
			continue
		}
		if q.MinVRAMGB > 0 {
			if gb, ok := s.VRAMPerGPU(o); !ok || gb < q.MinVRAMGB {
				continue
			}
		}
		if q.MaxGPUHour.Valid {
			price, ok := key(s, o, catalog.ByGPUHour)
			if !ok || price.Cmp(q.MaxGPUHour.Decimal.Rat()) > 0 {
				continue
			}
		}
		found = append(found, o)
	}
	slices.SortFunc(found, func(a, b *catalog.Offer) int {
		if q.Sort == catalog.ByAsOf {
			return cmp.Or(b.AsOf.Time().Compare(a.AsOf.Time()), cmp.Compare(a.ID, b.ID))
		}
		x, okX := key(s, a, q.Sort)
		y, okY := key(s, b, q.Sort)
		switch {
		case okX && okY:
			return cmp.Or(x.Cmp(y), cmp.Compare(a.ID, b.ID))
		case okX:
			return -1
		case okY:
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	ids := make([]catalog.OfferID, len(found))
	for i, o := range found {
		ids[i] = o.ID
	}
	return ids
}

// randomSnapshot has offers of coarse prices, so that ties and near ties abound.
func randomSnapshot(t *rapid.T) *catalog.Snapshot {
	parts := catalog.Parts{
		Providers: []catalog.Provider{{ID: "p"}, {ID: "q"}},
		GPUs:      []catalog.GPUModel{{ID: "X", MemoryGB: 24}, {ID: "Y", MemoryGB: 80}},
		FX:        []catalog.FXRate{{Currency: "EUR", Month: catalog.Date{Year: 2026, Month: 1}, UnitsPerUSD: dec("0.9")}},
	}
	for i := range rapid.IntRange(0, 40).Draw(t, "offers") {
		counts := []decimal.NullDecimal{some("0.125"), some("1"), some("4"), some("3"), some("8"), {}}
		instance := catalog.Instance{
			SKU: catalog.SKU(fmt.Sprintf("sku%d", i)), Service: catalog.VirtualMachine,
			GPU:          rapid.SampledFrom([]catalog.GPUID{"X", "Y", ""}).Draw(t, "gpu"),
			GPUs:         rapid.SampledFrom(counts).Draw(t, "gpus"),
			VRAMPerGPUGB: rapid.SampledFrom([]float64{0, 3, 22, 24, 80}).Draw(t, "vram"),
		}
		if instance.GPU == "" {
			instance.GPUs = some("0")
		}
		o := catalog.Offer{
			Place:    catalog.Place{Provider: rapid.SampledFrom([]catalog.ProviderID{"p", "q"}).Draw(t, "provider"), Region: "r"},
			Instance: &instance, Provenance: &catalog.Provenance{},
			Market: rapid.SampledFrom([]catalog.PurchaseModel{catalog.OnDemand, catalog.Spot}).Draw(t, "market"),
			AsOf:   catalog.Date{Year: 2026, Month: int8(rapid.IntRange(1, 2).Draw(t, "month")), Day: 1},
			Price: catalog.NewPrice(decimal.New(rapid.Int64Range(0, 6).Draw(t, "price"), -rapid.Int32Range(0, 11).Draw(t, "exp")),
				rapid.SampledFrom([]catalog.Basis{catalog.PerInstanceHour, catalog.PerGPUHour, catalog.PerInstanceMonth, catalog.PerInstanceYear}).Draw(t, "basis"),
				rapid.SampledFrom([]catalog.Currency{"USD", "EUR", "XAU"}).Draw(t, "currency")),
		}
		o.ID = catalog.NewOfferID(o.Place, o.SKU, "", o.Market)
		parts.Offers = append(parts.Offers, o)
	}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestQueryEqualsNaive compares every page of random queries with a scan and sort
// in exact arithmetic.
func TestQueryEqualsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSnapshot(t)
		q := catalog.Query{
			GPUs:    rapid.SampledFrom([][]catalog.GPUID{nil, {"X"}, {"Y", "X"}, {""}}).Draw(t, "q gpus"),
			Markets: rapid.SampledFrom([][]catalog.PurchaseModel{nil, {catalog.OnDemand}, {catalog.Spot}, {catalog.Spot, catalog.OnDemand}}).Draw(t, "q market"),
			Sort:    rapid.SampledFrom([]catalog.Sort{"", catalog.ByGPUHour, catalog.ByInstanceHour, catalog.ByAsOf}).Draw(t, "q sort"),
		}
		if rapid.Bool().Draw(t, "q count") {
			q.GPUCounts = rapid.SampledFrom([][]decimal.Decimal{{dec("1")}, {dec("8.0")}, {dec("0.125")}, {dec("4"), dec("1")}}).Draw(t, "q count value")
		}
		switch rapid.IntRange(0, 4).Draw(t, "q filter") {
		case 1:
			q.Providers = []catalog.ProviderID{"q"}
		case 2:
			q.MinVRAMGB = rapid.SampledFrom([]float64{16, 24, 80}).Draw(t, "q vram")
		case 3:
			q.MaxGPUHour = some("0.5")
		case 4:
			q.Text = "SKU 1"
		}
		want := naive(s, q)
		limit := rapid.IntRange(1, 7).Draw(t, "limit")
		var got []catalog.OfferID
		for skip := 0; ; skip += limit {
			page := s.Query(q, skip, limit)
			if page.Total != len(want) {
				t.Fatalf("total: got %d, want %d", page.Total, len(want))
			}
			for _, o := range page.Offers {
				got = append(got, o.ID)
			}
			if len(page.Offers) < limit {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	})
}

// TestFractionIsNoWholeGPU: "1 full GPU" never returns an eighth of one, and its
// memory is the slice's.
func TestFractionIsNoWholeGPU(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	q := catalog.Query{GPUs: s.GPUVariants("L4"), GPUCounts: []decimal.Decimal{dec("1")}}
	for _, o := range s.Query(q, 0, 10_000).Offers {
		if n, ok := o.WholeGPUs(); !ok || n != 1 {
			t.Errorf("%s has %s GPUs", o.ID, o.GPUs.Decimal)
		}
	}
	q.GPUCounts = []decimal.Decimal{dec("0.125")}
	eighths := s.Query(q, 0, 10_000).Offers
	if len(eighths) == 0 {
		t.Fatal("no eighth of an L4 in the catalogue")
	}
	for _, o := range eighths {
		if gb, ok := s.VRAMPerGPU(o); ok && gb > 3 {
			t.Errorf("%s: an eighth of an L4 has %g GB", o.ID, gb)
		}
	}
}

// TestEffectiveOrder: a dearer GPU that does more work per dollar comes first.
func TestEffectiveOrder(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	checkEffectiveOrder(t, s)
	parts := s.Parts() // and as boxes measured it, of a provider and of one SKU
	cheapest := s.Query(effective(), 0, 1).Offers[0]
	parts.Coefficients = []catalog.Coefficient{
		{GPU: cheapest.GPU, Provider: cheapest.Provider, Value: 0.5}, {GPU: cheapest.GPU, Provider: cheapest.Provider, SKU: cheapest.SKU, Value: 0.06},
	}
	measured, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	checkEffectiveOrder(t, measured)
	first := measured.Query(effective(), 0, 1)
	if was := s.Query(effective(), 0, 1); first.Offers[0].ID == cheapest.ID || first.Total != was.Total {
		t.Errorf("%s is first of %d though it is slow, before of %d", first.Offers[0].ID, first.Total, was.Total)
	}
}

// effective asks for all that can be had on demand, by what it does for its price.
func effective() catalog.Query {
	return catalog.Query{Markets: []catalog.PurchaseModel{catalog.OnDemand}, Sort: catalog.ByEffectivePFLOP}
}

func checkEffectiveOrder(t *testing.T, s *catalog.Snapshot) {
	t.Helper()
	last := 0.0
	for _, o := range s.Query(effective(), 0, 500).Offers {
		price, ok := key(s, o, catalog.ByGPUHour)
		gpu, _ := s.GPU(o.GPU)
		prior, _ := s.Prior(gpu.Class)
		if !ok {
			t.Fatalf("%s has no price and is among the first", o.ID)
		}
		efficiency := prior.Value
		if c, known := s.Coefficient(o.GPU, o.Provider, o.SKU); known {
			efficiency = c.Value
		}
		usd, _ := price.Float64()
		value := usd / (cmp.Or(gpu.BF16TFLOPS, gpu.FP16TFLOPS, gpu.FP32TFLOPS) / 1000 * efficiency)
		if value < last*(1-1e-6) {
			t.Fatalf("%s at %g per PFLOP/s-hour comes after %g", o.ID, value, last)
		}
		last = value
	}
}

// multiplied is the embedded catalogue blown up to n offers: the same offers in
// more regions at prices a little apart.
func multiplied(tb testing.TB, n int) catalog.Parts {
	s, err := seed.Load()
	if err != nil {
		tb.Fatal(err)
	}
	parts := catalog.Parts{Version: "bench"}
	for _, id := range s.GPUIDs() {
		gpu, _ := s.GPU(id)
		parts.GPUs = append(parts.GPUs, gpu)
	}
	for _, id := range s.ProviderIDs() {
		p, _ := s.Provider(id)
		parts.Providers = append(parts.Providers, p)
	}
	parts.FX = []catalog.FXRate{{Currency: "EUR", UnitsPerUSD: dec("0.9"), Month: catalog.Date{Year: 2020, Month: 1}}}
	parts.Priors = []catalog.Prior{{Class: catalog.DataCentre, Value: 0.92}, {Class: catalog.Consumer, Value: 0.7}}
	for copies := 0; len(parts.Offers) < n; copies++ {
		for _, o := range s.Offers()[:min(len(s.Offers()), n-len(parts.Offers))] {
			o.Region = catalog.RegionID(fmt.Sprintf("%s-%d", o.Region, copies))
			o.Price.Amount.Decimal = o.Price.Amount.Decimal.Add(decimal.New(int64(copies), -4))
			o.ID = catalog.NewOfferID(o.Place, o.SKU, o.Variant, o.Market)
			parts.Offers = append(parts.Offers, o)
		}
	}
	return parts
}

// fourA100 is "4 x A100 on-demand, by price".
func fourA100(s *catalog.Snapshot) catalog.Query {
	return catalog.Query{GPUs: s.GPUVariants("A100"), Markets: []catalog.PurchaseModel{catalog.OnDemand}, GPUCounts: []decimal.Decimal{dec("4")}}
}

// BenchmarkOffersQuery asks for the first hundred of fourA100.
func BenchmarkOffersQuery(b *testing.B) {
	for _, n := range []int{0, 1_000_000} {
		name, s := "seed", (*catalog.Snapshot)(nil)
		var err error
		if n == 0 {
			s, err = seed.Load()
		} else {
			name = fmt.Sprint(n)
			s, err = catalog.NewSnapshot(multiplied(b, n))
		}
		if err != nil {
			b.Fatal(err)
		}
		q := fourA100(s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Query(q, 0, 100)
			}
		})
	}
}

// BenchmarkSnapshotIndex1M indexes a million offers.
func BenchmarkSnapshotIndex1M(b *testing.B) {
	parts := multiplied(b, 1_000_000)
	for b.Loop() {
		if _, err := catalog.NewSnapshot(parts); err != nil {
			b.Fatal(err)
		}
	}
}
