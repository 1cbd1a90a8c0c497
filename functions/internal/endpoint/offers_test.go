package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// goods is an offer of the catalogue of cases: on-demand, one instance, dollars an
// hour, unless it says otherwise.
type goods struct {
	provider, sku, gpu, gpus, price string
	market                          catalog.PurchaseModel
	vram                            float64
}

// cases is a catalogue with one of every case that reports of wrong prices are about.
func cases(t testing.TB) *catalog.Snapshot {
	t.Helper()
	parts := catalog.Parts{
		Version: "cases",
		Providers: []catalog.Provider{{ID: "a", Name: "Provider A", Class: catalog.Hyperscaler}, {ID: "b", Name: "Provider B", Class: catalog.Specialist},
			{ID: "old", Name: "Old Prices", Class: catalog.Community}},
		Regions: []catalog.Region{{Place: catalog.Place{Provider: "a", Region: "r"}, Country: "DE"}, {Place: catalog.Place{Provider: "b", Region: "r"}, Country: "IS"},
			{Place: catalog.Place{Provider: "b", Region: "nowhere"}}},
		GPUs: []catalog.GPUModel{
			{ID: "A100-40GB-SXM", Name: "A100", Family: "A100", Form: "SXM", MemoryGB: 40, NVLink: catalog.Yes, ECC: catalog.Yes},
			{ID: "A100-80GB-SXM", Name: "A100", Family: "A100", Form: "SXM", MemoryGB: 80},
			{ID: "A100-80GB-PCIe", Name: "A100", Family: "A100", Form: "PCIe", MemoryGB: 80},
			{ID: "H200-141GB", Name: "H200", Family: "H200", Form: "SXM", MemoryGB: 141},
			{ID: "L4-24GB", Name: "L4", Family: "L4", Form: "PCIe", MemoryGB: 24, ECC: catalog.Yes},
			{ID: "T4-16GB", Name: "T4", Family: "T4", Form: "PCIe", MemoryGB: 16},
		},
	}
	for _, g := range []goods{
		{provider: "a", sku: "a100", gpu: "A100-40GB-SXM", gpus: "8", price: "8.00"}, // cheaper on demand
		{provider: "b", sku: "a100", gpu: "A100-40GB-SXM", gpus: "8", price: "9.60"},
		{provider: "a", sku: "a100", gpu: "A100-40GB-SXM", gpus: "8", price: "4.80", market: catalog.Spot},
		{provider: "b", sku: "a100", gpu: "A100-40GB-SXM", gpus: "8", price: "3.20", market: catalog.Spot}, // cheaper on spot
		{provider: "a", sku: "a100", gpu: "A100-40GB-SXM", gpus: "8", price: "2.40", market: catalog.Reserved3Y},
		{provider: "b", sku: "a100-80", gpu: "A100-80GB-SXM", gpus: "1", price: "1.60"},
		{provider: "a", sku: "a100-80p", gpu: "A100-80GB-PCIe", gpus: "1", price: "1.50"},
		{provider: "a", sku: "p5e", gpu: "H200-141GB", gpus: "8", price: "24", market: catalog.CapacityBlock},
		{provider: "a", sku: "p5e", gpu: "H200-141GB", gpus: "8", price: "0"},
		{provider: "a", sku: "g6", gpu: "L4-24GB", gpus: "1", price: "0.80", vram: 22},
		{provider: "a", sku: "g6f.large", gpu: "L4-24GB", gpus: "0.125", price: "0.05"},
		{provider: "b", sku: "t4", gpu: "T4-16GB", gpus: "1", price: "0.30", vram: 15.8},
		{provider: "b", sku: "cpu", gpus: "0", price: "0.02"},
		{provider: "old", sku: "mystery", gpu: "unmapped", gpus: "1", price: "0.01", vram: 12},
	} {
		parts.Offers = append(parts.Offers, g.offer())
	}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// offer is the offer of the goods.
func (g goods) offer() catalog.Offer {
	market := catalog.OnDemand
	if g.market != "" {
		market = g.market
	}
	o := catalog.Offer{
		Place: catalog.Place{Provider: catalog.ProviderID(g.provider), Region: "r"},
		Instance: &catalog.Instance{SKU: catalog.SKU(g.sku), GPU: catalog.GPUID(g.gpu), VRAMPerGPUGB: g.vram,
			GPUs: decimal.NewNullDecimal(decimal.RequireFromString(g.gpus))},
		Provenance: &catalog.Provenance{Source: "made up"}, Market: market,
		Price: catalog.NewPrice(decimal.RequireFromString(g.price), catalog.PerInstanceHour, catalog.USD),
		AsOf:  catalog.Date{Year: 2026, Month: 10, Day: 1},
	}
	switch g.provider {
	case "a":
		o.Country = "DE"
	case "b":
		o.Country = "IS"
	case "old":
		o.AsOf = catalog.Date{Year: 2025, Month: 1}
		o.GPUName = "MYSTERY-12"
	}
	o.ID = catalog.NewOfferID(o.Place, o.SKU, "", o.Market)
	return o
}

// ask gets a page of offers, which keeps its schema.
func ask(t testing.TB, router *apigw.Router, query string) schemas.OffersResponse {
	t.Helper()
	e := event("GET", OffersPath+"?"+query, "")
	answer := serve(t, router, e)
	var response schemas.OffersResponse
	if answer.StatusCode != 200 {
		t.Fatalf("%s: got status %d: %s", query, answer.StatusCode, answer.Body)
	}
	if err := json.Unmarshal([]byte(answer.Body), &response); err != nil {
		t.Fatal(err)
	}
	return response
}

// skus are what a page offers, in its order.
func skus(r schemas.OffersResponse) string {
	var names []string
	for _, o := range r.Offers {
		names = append(names, o.Provider+":"+o.SKU)
	}
	return strings.Join(names, " ")
}

func TestOffers(t *testing.T) {
	router := routerOver(cases(t))
	for _, c := range []struct{ name, query, want string }{
		{"on demand A is cheaper", "gpu=A100-40GB-SXM&purchase_model=on_demand", "a:a100 b:a100"},
		{"on spot B is", "gpu=A100-40GB-SXM&purchase_model=spot", "b:a100 a:a100"},
		{"a committed price does not answer on-demand", "gpu=A100&gpu_count=8&purchase_model=on_demand&max_price_per_gpu_hour=0.9", ""},
		{"but its own query", "gpu=A100&purchase_model=reserved_3y", "a:a100"},
		{"any of two markets", "gpu=A100-40GB-SXM&purchase_model=spot&purchase_model=reserved_3y", "a:a100 b:a100 a:a100"},
		{"a capacity block is shown", "gpu=H200", "a:p5e a:p5e"},
		{"and is not on demand: what has no price comes without one", "gpu=H200&purchase_model=on_demand", "a:p5e"},
		{"a zero price is not cheap", "gpu=H200&purchase_model=on_demand&max_price_per_gpu_hour=100", ""},
		{"one full L4", "gpu=L4&gpu_count=1", "a:g6"},
		{"an eighth of one", "gpu=L4&gpu_count=0.125", "a:g6f.large"},
		{"an eighth written longer", "gpu=L4&gpu_count=0.1250", "a:g6f.large"},
		{"L4 of whatever size", "gpu=L4", "a:g6f.large a:g6"},
		{"at least 16 GB", "min_vram_gb=16&max_price_per_gpu_hour=1", "a:a100 b:t4 b:a100 a:a100 a:g6 a:a100"},
		{"exactly 24 GB are enough", "min_vram_gb=24&gpu=L4&gpu=T4", "a:g6"},
		{"a bit more is not", "min_vram_gb=24.000001&gpu=L4&gpu=T4", ""},
		{"exactly 80 GB", "min_vram_gb=80&purchase_model=on_demand", "a:a100-80p b:a100-80 a:p5e"},
		{"more than 80 GB", "min_vram_gb=80.5&purchase_model=on_demand", "a:p5e"},
		{"an eighth of 24 GB is 3", "min_vram_gb=3&gpu=L4&gpu_count=0.125", "a:g6f.large"},
		{"and not more", "min_vram_gb=3.01&gpu=L4&gpu_count=0.125", ""},
		{"only that variant", "gpu=A100-80GB-SXM", "b:a100-80"},
		{"CPU only", "gpu=none", "b:cpu"},
		{"CPU or T4", "gpu=none&gpu=t4", "b:t4 b:cpu"},
		{"unmapped", "gpu=unmapped", "old:mystery"},
		{"ECC as far as a source says", "ecc=true&purchase_model=on_demand", "a:g6f.large a:g6 a:a100 b:a100"},
		{"no ECC asked for", "ecc=false&gpu=T4", "b:t4"},
		{"NVLink between several", "nvlink=true&purchase_model=on_demand", "a:a100 b:a100"},
		{"provider by name", "provider=provider+b&gpu=A100&purchase_model=on_demand", "b:a100 b:a100-80"},
		{"class", "provider_class=community", "old:mystery"},
		{"country", "country=de&gpu=L4", "a:g6f.large a:g6"},
		{"EU without Iceland", "country=EU&gpu=A100-40GB-SXM&purchase_model=on_demand", "a:a100"},
		{"EEA with it", "country=EEA&gpu=A100-40GB-SXM&purchase_model=on_demand", "a:a100 b:a100"},
		{"text", "q=G6-F", "a:g6f.large"},
		{"per instance", "gpu=A100&purchase_model=on_demand&sort=price_per_instance_hour", "a:a100-80p b:a100-80 a:a100 b:a100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("GET", OffersPath+"?"+c.query, "")
			checkDocument(t, e, serve(t, router, e))
			got := ask(t, router, c.query)
			if diff := cmp.Diff(c.want, skus(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Total != len(got.Offers) {
				t.Errorf("got total %d of %d offers on one page", got.Total, len(got.Offers))
			}
		})
	}
}

func TestFamilyListsItsVariants(t *testing.T) {
	router := routerOver(cases(t))
	for query, want := range map[string]string{
		"gpu=A100":                 "A100-40GB-SXM A100-80GB-PCIe A100-80GB-SXM",
		"gpu=A100-80GB-SXM":        "A100-80GB-SXM",
		"gpu=nvidia+l4&gpu=none":   "none L4-24GB",
		"gpu=A100-80GB-SXM&gpu=t4": "A100-80GB-SXM T4-16GB",
		"q=a100":                   "",
	} {
		if got := strings.Join(ask(t, router, query).GPUs, " "); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// That nothing is known is not the same as that nothing is left.
func TestWhyThereIsNoOffer(t *testing.T) {
	router := routerOver(cases(t))
	for query, want := range map[string]string{
		"gpu=L4&purchase_model=spot":                            "no_data",
		"gpu=L4&purchase_model=spot&country=DE":                 "no_data",
		"gpu=L4&purchase_model=on_demand&country=US":            "filtered",
		"gpu=L4&purchase_model=spot&purchase_model=on_demand":   "",
		"gpu=A100&gpu_count=3":                                  "filtered",
		"purchase_model=reserved_1y":                            "no_data",
		"purchase_model=on_demand&max_price_per_gpu_hour=0.001": "filtered",
	} {
		if got := text(ask(t, router, query).Reason); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// Regions are searched or hidden, and it is said why.
func TestRegionsSearched(t *testing.T) {
	router := routerOver(cases(t))
	for _, c := range []struct {
		query    string
		searched int
		hidden   []schemas.HiddenRegions
	}{
		{"", 4, []schemas.HiddenRegions{}},
		{"gpu=L4", 4, []schemas.HiddenRegions{}},
		{"provider=a", 1, []schemas.HiddenRegions{{Why: "provider", Regions: 3}}},
		{"country=DE", 1, []schemas.HiddenRegions{{Why: "country", Regions: 1}, {Why: "country_unknown", Regions: 2}}},
		{"provider=b&provider=a&region=r&country=IS", 1, []schemas.HiddenRegions{{Why: "provider", Regions: 1}, {Why: "region", Regions: 1}, {Why: "country", Regions: 1}}},
		{"provider_class=community&provider_class=specialist", 3, []schemas.HiddenRegions{{Why: "provider_class", Regions: 1}}},
	} {
		got := ask(t, router, c.query)
		if got.RegionsSearched != c.searched {
			t.Errorf("%s: got %d searched, want %d", c.query, got.RegionsSearched, c.searched)
		}
		if diff := cmp.Diff(c.hidden, got.RegionsHidden); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}

// What is unknown, stale or derived is said.
func TestOfferSaysWhatItKnows(t *testing.T) {
	router := routerOver(cases(t))
	slice := ask(t, router, "q=g6f.large").Offers[0]
	if slice.GPUCount.String() != "0.125" || *slice.VRAMPerGPUGB != "3" || *slice.VRAMTotalGB != "3" || *slice.PricePerGPUHour != "0.4000000000" {
		t.Errorf("got %s GPUs, %s GB, %s in all, %s a GPU", slice.GPUCount, *slice.VRAMPerGPUGB, *slice.VRAMTotalGB, *slice.PricePerGPUHour)
	}
	whole := ask(t, router, "gpu=L4&gpu_count=1").Offers[0]
	if *whole.VRAMPerGPUGB != "24" { // the source says 22, and a query for 24 finds it
		t.Errorf("got %s GB", *whole.VRAMPerGPUGB)
	}
	eight := ask(t, router, "gpu=A100-40GB-SXM&purchase_model=on_demand").Offers[0]
	if *eight.PricePerInstanceHour != "8.00" || *eight.PricePerGPUHour != "1.0000000000" || !slices.Equal(eight.Derived, []string{"price_per_gpu_hour"}) || *eight.VRAMTotalGB != "320" {
		t.Errorf("got %+v", eight)
	}
	free := ask(t, router, "gpu=H200&purchase_model=on_demand").Offers[0]
	if free.PricePerInstanceHour != nil || free.PricePerGPUHour != nil || free.NativePrice != nil {
		t.Errorf("a price of zero is shown: %+v", free)
	}
	old := ask(t, router, "provider=old")
	if !*old.Offers[0].Stale || !slices.Equal(old.StaleProviders, []string{"old"}) || *old.AsOf != "2025-01" || old.Stale {
		t.Errorf("got %+v", old)
	}
	if fresh := ask(t, router, "provider=a"); len(fresh.StaleProviders) > 0 || *fresh.AsOf != "2026-10-01" {
		t.Errorf("got %v stale, as of %v", fresh.StaleProviders, fresh.AsOf)
	}
}

// follow reads all pages of a query.
func follow(t testing.TB, router *apigw.Router, query string) (ids []string, pages int) {
	t.Helper()
	cursor := ""
	for {
		page := ask(t, router, query+cursor)
		pages++
		for _, o := range page.Offers {
			ids = append(ids, o.ID)
		}
		if page.NextCursor == nil {
			if len(ids) != page.Total {
				t.Fatalf("%s: got %d offers on %d pages, total is %d", query, len(ids), pages, page.Total)
			}
			return ids, pages
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

// Paging visits each offer once and in order, whatever the order and the pages.
func TestPaging(t *testing.T) {
	s := smallCatalogue(t)
	router := routerOver(s)
	rapid.Check(t, func(rt *rapid.T) {
		sort := rapid.SampledFrom(catalog.Sorts()).Draw(rt, "sort")
		filter := rapid.SampledFrom([]string{"", "&gpu=A100", "&purchase_model=on_demand", "&country=US&country=DE", "&min_vram_gb=24"}).Draw(rt, "filter")
		limit := rapid.SampledFrom([]string{"1", "2", "3", "7", "17", "18", "500"}).Draw(rt, "limit")
		query := "sort=" + string(sort) + filter
		got, _ := follow(t, router, query+"&limit="+limit)
		var want []string
		for _, o := range ask(t, router, query+"&limit=500").Offers {
			want = append(want, o.ID)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("pages of %s: got\n%v, want\n%v", limit, got, want)
		}
	})
}

// The same over the whole embedded catalogue, against the catalogue's own answer.
func TestPagingOfTheSeed(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(s)
	for _, sort := range catalog.Sorts() {
		got, pages := follow(t, router, "limit=500&sort="+string(sort))
		if want := (len(s.Offers()) + 499) / 500; pages != want {
			t.Errorf("%s: got %d pages, want %d", sort, pages, want)
		}
		all := s.Query(catalog.Query{Sort: sort}, 0, len(s.Offers())).Offers
		for i, o := range all {
			if string(o.ID) != got[i] {
				t.Fatalf("%s: offer %d is %s, want %s", sort, i, got[i], o.ID)
			}
		}
	}
}

func TestOneOffer(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	const id = "aws.us-east-1.p4d-24xlarge.on_demand"
	e := event("GET", OffersPath+"/"+id, "")
	answer := serve(t, router, e)
	checkDocument(t, e, answer)
	var one schemas.OfferResponse
	if err := json.Unmarshal([]byte(answer.Body), &one); err != nil {
		t.Fatal(err)
	}
	listed := ask(t, router, "q=p4d&purchase_model=on_demand").Offers[0]
	if diff := cmp.Diff(listed, one.Offer); diff != "" {
		t.Errorf("(-listed +alone):\n%s", diff)
	}
	e = event("GET", OffersPath+"/"+id+"/history", "")
	answer = serve(t, router, e)
	checkDocument(t, e, answer)
	var history schemas.HistoryResponse
	if err := json.Unmarshal([]byte(answer.Body), &history); err != nil {
		t.Fatal(err)
	}
	if len(history.History) != 1 || *history.History[0].Price != "21.9570" || *history.History[0].AsOf != "2026-07-30" {
		t.Errorf("got %+v", history)
	}
	unpriced := serve(t, router, event("GET", OffersPath+"/lambda.us-south-1.gpu_1x_a100_old.on_demand/history", ""))
	if !strings.Contains(unpriced.Body, `"history":[]`) {
		t.Errorf("got %s", unpriced.Body)
	}
}

func TestEarlierPrices(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for id, want := range map[string][]string{
		"aws.us-east-1.p4d-24xlarge.reserved_1y": {"2025-11 11000.00", "2026-02-03 10500.00", "2026-07-30 10000.00"},
		"aws.us-east-1.p3-2xlarge.on_demand":     {"2025-11-02 3.06"}, // listed no longer
	} {
		e := event("GET", OffersPath+"/"+id+"/history", "")
		answer := serve(t, router, e)
		checkDocument(t, e, answer)
		var history schemas.HistoryResponse
		if err := json.Unmarshal([]byte(answer.Body), &history); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range history.History {
			got = append(got, *p.AsOf+" "+*p.Price)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		if *history.AsOf != want[0][:len(*history.AsOf)] {
			t.Errorf("%s is as of %s, want the oldest price of %s", id, *history.AsOf, want[0])
		}
	}
}

func TestUnknownOffer(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for id, near := range map[string][]string{
		"aws.us-east-1.p4d-24xlarge.on_demandd": {"aws.us-east-1.p4d-24xlarge.on_demand"},
		"AWS.us-east-1.g4dn-xlarge.on_demand":   {"aws.us-east-1.g4dn-xlarge.on_demand"},
		"nothing":                               nil,
		strings.Repeat("x.", 1000):              nil,
	} {
		for _, suffix := range []string{"", "/history"} {
			e := event("GET", OffersPath+"/"+id+suffix, "")
			answer := serve(t, router, e)
			checkProblem(t, e, answer, 404)
			p := problemIn(t, answer)
			if len(p.Errors) != 1 || len(near) > 0 && (len(p.Errors[0].Near) == 0 || p.Errors[0].Near[0] != near[0]) {
				t.Errorf("%.40s: got %+v", id, p.Errors)
			}
		}
	}
}

func BenchmarkOffers(b *testing.B) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	router := routerOver(s)
	for _, query := range []string{"gpu=A100&gpu_count=4&purchase_model=on_demand", "country=EU&min_vram_gb=24&limit=500", "q=p4d"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				serve(b, router, event("GET", OffersPath+"?"+query, ""))
			}
		})
	}
}

// held is a catalogue that the store could not be asked about.
type held struct{ *catalog.Snapshot }

// Latest is the catalogue, which may be out of date.
func (h held) Latest(context.Context) (mirror.View, error) {
	return mirror.View{Snapshot: h.Snapshot, Stale: true, Age: time.Hour}, nil
}

// Reach fails, as it must.
func (held) Reach(context.Context) error { return errors.New("connection refused") }

// An answer from a catalogue that could not be refreshed says so.
func TestStaleCatalogue(t *testing.T) {
	current := NewCurrent(held{cases(t)}, slog.New(slog.DiscardHandler), routerOver)
	for _, path := range []string{OffersPath, OffersPath + "/b.r.t4.on_demand", OffersPath + "/b.r.t4.on_demand/history"} {
		e := event("GET", path, "")
		answer, err := current.Serve(context.Background(), e)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("got status %d, %v", answer.StatusCode, err)
		}
		checkDocument(t, e, answer)
		if !strings.Contains(answer.Body, `"stale":true}`) {
			t.Errorf("%s: got %s", path, answer.Body)
		}
	}
}
