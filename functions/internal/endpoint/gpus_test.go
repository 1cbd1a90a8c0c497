package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// get asks for a document that keeps its schema, and reads it.
func get(t testing.TB, router *apigw.Router, target string, v any) events.APIGatewayV2HTTPResponse {
	t.Helper()
	answer := serve(t, router, event("GET", target, ""))
	if answer.StatusCode != 200 {
		t.Fatalf("%s: got status %d: %s", target, answer.StatusCode, answer.Body)
	}
	if err := json.Unmarshal([]byte(answer.Body), v); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestGPUs(t *testing.T) {
	router := routerOver(cases(t))
	e := event("GET", GPUsPath, "")
	checkDocument(t, e, serve(t, router, e))
	var all schemas.GPUsResponse
	get(t, router, GPUsPath, &all)
	byID := make(map[string]schemas.GPU)
	for _, g := range all.GPUs {
		byID[g.ID] = g
	}
	for _, c := range []struct {
		gpu, market            string
		offers                 int
		price, offerID, reason string
	}{
		{"A100-40GB-SXM", "on_demand", 2, "1.0000000000", "a.r.a100.on_demand", ""},
		{"A100-40GB-SXM", "spot", 2, "0.4000000000", "b.r.a100.spot", ""},
		{"A100-40GB-SXM", "capacity_block", 0, "", "", "no_data"},
		{"L4-24GB", "on_demand", 2, "0.4000000000", "a.r.g6f-large.on_demand", ""},
		{"L4-24GB", "spot", 0, "", "", "no_data"}, // offered, and nobody says what on spot
		{"H200-141GB", "on_demand", 1, "", "", "price_unknown"},
		{"H200-141GB", "capacity_block", 1, "3.0000000000", "a.r.p5e.capacity_block", ""},
	} {
		var got schemas.GPUMarket
		for _, m := range byID[c.gpu].Markets {
			if m.PurchaseModel == c.market {
				got = m
			}
		}
		if got.Offers != c.offers || text(got.LowestPricePerGPUHour) != c.price || text(got.OfferID) != c.offerID || text(got.Reason) != c.reason {
			t.Errorf("%s %s: got %+v, want %+v", c.gpu, c.market, got, c)
		}
	}
	if len(all.Unmapped) != 1 || all.Unmapped[0] != (schemas.UnmappedGPU{GPUName: "MYSTERY-12", Offers: 1}) {
		t.Errorf("got unmapped %v", all.Unmapped)
	}
	var some schemas.GPUsResponse
	get(t, router, GPUsPath+"?gpu=a100&gpu=t4", &some)
	if len(some.GPUs) != 4 || len(some.Unmapped) != 0 || some.GPUs[3].ID != "T4-16GB" || some.GPUs[3].BF16TFLOPS != nil || some.GPUs[3].Sized {
		t.Errorf("got %+v", some)
	}
}

// text is a text that may be null.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// What a GPU is said to rent for is what a query of offers finds first.
func TestGPUsAgreeWithOffers(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	router := routerOver(s)
	var all schemas.GPUsResponse
	get(t, router, GPUsPath, &all)
	for _, g := range all.GPUs[:20] {
		for _, m := range g.Markets {
			page := ask(t, router, "limit=1&gpu="+g.ID+"&purchase_model="+m.PurchaseModel)
			if len(page.GPUs) > 1 {
				continue // the id stands for several forms
			}
			if page.Total != m.Offers {
				t.Errorf("%s %s: got %d offers, a query finds %d", g.ID, m.PurchaseModel, m.Offers, page.Total)
			}
			if page.Total > 0 && (page.Offers[0].ID != text(m.OfferID) || text(page.Offers[0].PricePerGPUHour) != text(m.LowestPricePerGPUHour)) {
				t.Errorf("%s %s: got %v, a query finds %s", g.ID, m.PurchaseModel, m, page.Offers[0].ID)
			}
		}
	}
}

func TestProviders(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	e := event("GET", ProvidersPath, "")
	checkDocument(t, e, serve(t, router, e))
	var all schemas.ProvidersResponse
	get(t, router, ProvidersPath, &all)
	if len(all.Providers) != 6 || all.Comparison != nil {
		t.Fatalf("got %d providers", len(all.Providers))
	}
	aws, vast := all.Providers[1], all.Providers[5]
	if aws.ID != "aws" || *aws.BillingIncrementS != 1 || *aws.BillingMinimumS != 60 || len(aws.Compliance) != 2 || aws.Compliance[0].Source != "made up for the tests" ||
		len(aws.Egress) != 2 || len(aws.Egress[1].Tiers) != 2 || aws.Egress[1].Tiers[1].UpTo != nil || aws.Storage[0].Price != "0.08" || *aws.NewestAsOf != "2026-07-30" || len(aws.Places) != 2 {
		t.Errorf("got %+v", aws)
	}
	if vast.ID != "vast" || vast.BillingIncrementS != nil || len(vast.Compliance) != 0 || vast.Egress != nil || vast.Storage != nil {
		t.Errorf("got %+v", vast)
	}
	for query, want := range map[string]int{"provider=AWS&provider=vast.ai": 2, "provider_class=specialist": 2, "provider=aws&provider_class=community": 0} {
		var some schemas.ProvidersResponse
		if get(t, router, ProvidersPath+"?"+query, &some); len(some.Providers) != want {
			t.Errorf("%s: got %d providers, want %d", query, len(some.Providers), want)
		}
	}
}

func TestCompareClasses(t *testing.T) {
	router := routerOver(cases(t))
	e := event("GET", ProvidersPath+"?compare=class", "")
	checkDocument(t, e, serve(t, router, e))
	var market schemas.ProvidersResponse
	get(t, router, ProvidersPath+"?compare=class&gpu=A100-40GB-SXM&purchase_model=on_demand", &market)
	if market.Providers != nil || len(market.Comparison.GPUs) != 1 || len(market.Comparison.GPUs[0].Classes) != 2 {
		t.Fatalf("got %+v", market.Comparison)
	}
	specialist := market.Comparison.GPUs[0].Classes[1]
	if specialist.MedianPricePerGPUHour != "1.2000000000" || text(specialist.ToHyperscaler) != "1.2000" || specialist.Providers != 1 {
		t.Errorf("got %+v", specialist)
	}
	get(t, router, ProvidersPath+"?compare=class&purchase_model=spot", &market)
	if len(market.Comparison.Discounts) != 2 || market.Comparison.Discounts[0].Median != "0.4000" || *market.AsOf != "2026-10-01" {
		t.Errorf("got %+v as of %v", market.Comparison.Discounts, market.AsOf)
	}
	var one schemas.ProvidersResponse
	get(t, router, ProvidersPath+"?compare=class&provider_class=hyperscaler", &one)
	for _, g := range one.Comparison.GPUs {
		if len(g.Classes) != 1 || g.Classes[0].ProviderClass != "hyperscaler" {
			t.Errorf("got %+v", g)
		}
	}
}

// What depends on the catalogue alone is not sent twice to who holds it.
func TestTags(t *testing.T) {
	s := cases(t)
	router := routerOver(s)
	for path, tag := range map[string]string{GPUsPath: `W/"cases"`, ProvidersPath: `W/"cases"`, ProvidersPath + "?compare=class": `W/"cases"`, ContractPath: ""} {
		fresh := serve(t, router, event("GET", path, ""))
		if got := fresh.Headers["etag"]; fresh.StatusCode != 200 || got == "" || tag != "" && got != tag {
			t.Fatalf("%s: got status %d, tag %s", path, fresh.StatusCode, got)
		}
		for held, status := range map[string]int{
			fresh.Headers["etag"]: 304, strings.TrimPrefix(fresh.Headers["etag"], "W/"): 304, `"x", ` + fresh.Headers["etag"]: 304, "*": 304, `"other"`: 200, "": 200,
		} {
			for _, method := range []string{"GET", "HEAD"} {
				e := event(method, path, "")
				e.Headers["if-none-match"] = held
				answer := serve(t, router, e)
				if answer.StatusCode != status || status == 304 && (answer.Body != "" || answer.Headers["etag"] == "" || answer.Headers["content-length"] != "") {
					t.Errorf("%s %s holding %s: got %d %v", method, path, held, answer.StatusCode, answer.Headers)
				}
			}
		}
	}
	if answer := serve(t, router, event("GET", OffersPath, "")); answer.Headers["etag"] != "" {
		t.Error("offers have an age, which no tag knows")
	}
}

// The catalogue's answers are the same for equal questions, whoever asks and whenever.
func TestReplayOfTheCatalogue(t *testing.T) {
	first, second := routerOver(smallCatalogue(t)), routerOver(shuffled(t))
	for _, target := range []string{OffersPath + "?", OffersPath + "?sort=as_of&limit=3&", OffersPath + "/aws.us-east-1.p4d-24xlarge.spot?",
		OffersPath + "/aws.us-east-1.p4d-24xlarge.spot/history?", GPUsPath + "?gpu=t4&", ProvidersPath + "?compare=class&"} {
		e := event("GET", target+fixedInstant, "")
		if a, b := serve(t, first, e), serve(t, second, e); a.StatusCode != 200 || a.Body != b.Body {
			t.Errorf("%s: got different answers:\n%s\n%s", target, a.Body, b.Body)
		}
	}
}

func BenchmarkGPUs(b *testing.B) { benchmarkGet(b, GPUsPath) }

func BenchmarkProviders(b *testing.B) { benchmarkGet(b, ProvidersPath) }

func BenchmarkCompare(b *testing.B) { benchmarkGet(b, ProvidersPath+"?compare=class") }

// benchmarkGet asks the embedded catalogue over and over.
func benchmarkGet(b *testing.B, target string) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	router := routerOver(s)
	b.ReportAllocs()
	for b.Loop() {
		serve(b, router, event("GET", target, ""))
	}
}

// BenchmarkNewCatalogue is what a cold start pays besides the catalogue itself.
func BenchmarkNewCatalogue(b *testing.B) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		NewCatalogue(s, noon)
	}
}

func TestConcurrentAnswersOfTheCatalogueAreEqual(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{ProvidersPath + "?compare=class&", GPUsPath + "?gpu=A100&", OffersPath + "?q=p4d&sort=as_of&"} {
		askAll(t, routerOver(s), 50, target+fixedInstant)
	}
}
