package endpoint

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// Whatever is wrong with a query, its answer names the parameter and says what was
// expected.
func TestBadQueries(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for _, c := range []struct{ name, target, pointer, message string }{
		{"unknown parameter", OffersPath + "?color=red", "/query/color", `unknown query parameter "color"; want computed_at or country`},
		{"near a parameter", OffersPath + "?max_price_per_gpu=1", "/query/max_price_per_gpu", "did you mean max_price_per_gpu_hour"},
		{"case of a parameter", OffersPath + "?GPU=A100", "/query/GPU", "did you mean gpu, "},
		{"parameter with brackets", OffersPath + "?gpu[]=A100", "/query/gpu[]", "did you mean gpu, "},
		{"no GPU's name", OffersPath + "?gpu=", "/query/gpu", "not empty"},
		{"unknown GPU", OffersPath + "?gpu=RTX+4080", "/query/gpu", "did you mean RTX-4090"},
		{"second GPU unknown", OffersPath + "?gpu=T4&gpu=T44", "/query/gpu/1", "did you mean T4"},
		{"GPU in another script", OffersPath + "?gpu=%E6%98%BE%E5%8D%A1", "/query/gpu", "unknown GPU"},
		{"long name", OffersPath + "?gpu=" + strings.Repeat("A", 101), "/query/gpu", "at most 100 characters"},
		{"not UTF-8", OffersPath + "?region=%ff", "/query/region", "not valid UTF-8"},
		{"NUL", OffersPath + "?provider=%00", "/query/provider", `unknown provider "\x00"`},
		{"negative memory", OffersPath + "?min_vram_gb=-1", "/query/min_vram_gb", "gigabytes with at most 9 digits"},
		{"NaN", OffersPath + "?min_vram_gb=NaN", "/query/min_vram_gb", "gigabytes"},
		{"infinite price", OffersPath + "?max_price_per_gpu_hour=Inf", "/query/max_price_per_gpu_hour", "a price with"},
		{"huge exponent", OffersPath + "?max_price_per_gpu_hour=1e10000000", "/query/max_price_per_gpu_hour", "a price with"},
		{"dollar sign", OffersPath + "?max_price_per_gpu_hour=$2", "/query/max_price_per_gpu_hour", "such as 2.50"},
		{"price twice", OffersPath + "?max_price_per_gpu_hour=1&max_price_per_gpu_hour=2", "/query/max_price_per_gpu_hour", "given twice"},
		{"unknown provider", OffersPath + "?provider=lamda", "/query/provider", "did you mean lambda?"},
		{"part of a provider's name", OffersPath + "?provider=amazon", "/query/provider", "did you mean Amazon Web Services?"},
		{"unknown class", OffersPath + "?provider_class=cloud", "/query/provider_class", `"hyperscaler"`},
		{"unknown region", OffersPath + "?region=us-est-1", "/query/region", "did you mean us-east-1?"},
		{"unknown city", OffersPath + "?region=Frankfrut", "/query/region", "did you mean Frankfurt?"},
		{"country in words", OffersPath + "?country=Germany", "/query/country", "two letters"},
		{"no country", OffersPath + "?country=UK", "/query/country", `"GB"`},
		{"unknown market", OffersPath + "?purchase_model=on-demand", "/query/purchase_model", `"on_demand"`},
		{"number of GPUs in words", OffersPath + "?gpu_count=eight", "/query/gpu_count", "such as 8 or 0.125"},
		{"a fraction as such", OffersPath + "?gpu_count=1/8", "/query/gpu_count", "such as 8 or 0.125"},
		{"yes", OffersPath + "?ecc=yes", "/query/ecc", "true or false"},
		{"a text of no letters", OffersPath + "?q=%E6%98%BE%E5%8D%A1", "/query/q", "Latin letters or digits"},
		{"unknown order", OffersPath + "?sort=cheapest", "/query/sort", `"price_per_gpu_hour"`},
		{"limit of none", OffersPath + "?limit=0", "/query/limit", "from 1 to 500; got 0"},
		{"limit beyond", OffersPath + "?limit=501", "/query/limit", "from 1 to 500; got 501"},
		{"limit with a point", OffersPath + "?limit=10.0", "/query/limit", "a whole number"},
		{"limit out of this world", OffersPath + "?limit=1e12", "/query/limit", "a whole number"},
		{"no cursor", OffersPath + "?cursor=next", "/query/cursor", "damaged"},
		{"cursor of many bytes", OffersPath + "?cursor=" + strings.Repeat("A", 201), "/query/cursor", "at most 200"},
		{"no instant", OffersPath + "?computed_at=2026-13-01T00:00:00Z", "/query/computed_at", "2026-10-01T12:00:00Z"},
		{"empty instant", OffersPath + "/aws.us-east-1.p4d-24xlarge.spot?computed_at=", "/query/computed_at", "want an instant"},
		{"parameter of one offer", OffersPath + "/aws.us-east-1.p4d-24xlarge.spot?gpu=A100", "/query/gpu", "want computed_at"},
		{"parameter of a history", OffersPath + "/aws.us-east-1.p4d-24xlarge.spot/history?limit=1", "/query/limit", "want computed_at"},
		{"none is no kind of GPU", GPUsPath + "?gpu=none", "/query/gpu", "unknown GPU"},
		{"order of GPUs", GPUsPath + "?sort=price", "/query/sort", "want computed_at or gpu"},
		{"other comparison", ProvidersPath + "?compare=gpu", "/query/compare", `want one of "class"`},
		{"GPU without a comparison", ProvidersPath + "?gpu=A100", "/query/gpu", "only with compare=class"},
		{"provider in a comparison", ProvidersPath + "?compare=class&provider=aws", "/query/provider", "only without compare"},
		{"parameter of the contract", ContractPath + "?pretty=1", "/query/pretty", "want none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("GET", c.target, "")
			answer := serve(t, router, e)
			checkProblem(t, e, answer, 400)
			p := problemIn(t, answer)
			if len(p.Errors) == 0 || p.Errors[0].Pointer != c.pointer || !strings.Contains(p.Errors[0].Message, c.message) ||
				!strings.HasPrefix(p.Errors[0].Pointer, "/query/"+p.Errors[0].Parameter) {
				t.Errorf("got %+v, want first %q: ...%s...", p.Errors, c.pointer, c.message)
			}
		})
	}
}

func TestMethodsOfTheCatalogue(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for _, path := range []string{OffersPath, OffersPath + "/x.y.z.spot", OffersPath + "/x.y.z.spot/history", GPUsPath, ProvidersPath, ContractPath} {
		answer := serve(t, router, event("POST", path, "{}"))
		checkProblem(t, event("POST", path, ""), answer, 405)
		if answer.Headers["allow"] != "GET, HEAD" {
			t.Errorf("%s: got allow %q", path, answer.Headers["allow"])
		}
	}
	for _, path := range []string{OffersPath + "/", OffersPath + "/a/b", OffersPath + "/a/history/b", GPUsPath + "/A100"} {
		checkProblem(t, event("GET", path, ""), serve(t, router, event("GET", path, "")), 404)
	}
}

// A cursor answers the query and the catalogue that it came from, and no other.
func TestCursorsAreBound(t *testing.T) {
	s := smallCatalogue(t)
	router := routerOver(s)
	first := ask(t, router, "gpu=A100&country=US&country=DE&limit=1")
	cursor := "&cursor=" + *first.NextCursor
	for _, query := range []string{"gpu=A100&country=US&country=DE&limit=2", "country=DE&country=US&gpu=a100&country=DE", "gpu=A100&country=us&country=de&sort=price_per_gpu_hour&ecc=false"} {
		if got := ask(t, router, query+cursor); got.Offers[0].ID == first.Offers[0].ID || got.Total != first.Total {
			t.Errorf("%s: a page of %d, beginning with %s", query, got.Total, got.Offers[0].ID)
		}
	}
	refused := func(query, message string) {
		t.Helper()
		e := event("GET", OffersPath+"?"+query, "")
		answer := serve(t, router, e)
		checkProblem(t, e, answer, 400)
		if p := problemIn(t, answer); p.Errors[0].Pointer != "/query/cursor" || !strings.Contains(p.Errors[0].Message, message) {
			t.Errorf("%s: got %+v, want ...%s...", query, p.Errors, message)
		}
	}
	for _, query := range []string{"", "gpu=A100", "gpu=A100&country=US", "gpu=A100&country=US&country=DE&sort=as_of", "gpu=A100&country=US&country=DE&min_vram_gb=1"} {
		refused(query+cursor, "of another query")
	}
	parts := s.Parts()
	parts.Version = "another"
	other, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	router = routerOver(other)
	refused("gpu=A100&country=US&country=DE"+cursor, "of another catalogue version")
	raw, err := base64.RawURLEncoding.DecodeString(*first.NextCursor)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		damaged := append([]byte(nil), raw...)
		damaged[i] ^= 1
		refused("gpu=A100&country=US&country=DE&cursor="+base64.RawURLEncoding.EncodeToString(damaged), "damaged")
	}
	refused("gpu=A100&country=US&country=DE&cursor="+base64.RawURLEncoding.EncodeToString(raw[:len(raw)-1]), "damaged")
}

// An error repeats little of a query, wherever it stands in it.
func TestQueryErrorsRepeatLittle(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	long := strings.Repeat("Q", 20_000)
	for _, target := range []string{OffersPath + "?" + long + "=1", OffersPath + "?q=" + long, OffersPath + "?gpu=" + long, OffersPath + "/" + long,
		OffersPath + "?" + strings.Repeat("gpu="+strings.Repeat("Q", 100)+"&", 100), OffersPath + "?computed_at=" + long} {
		answer := serve(t, router, event("GET", target, ""))
		if answer.StatusCode != 400 && answer.StatusCode != 404 || strings.Contains(answer.Body, strings.Repeat("Q", 201)) || len(answer.Body) > 8000 {
			t.Errorf("status %d, %d bytes", answer.StatusCode, len(answer.Body))
		}
	}
}

// Whatever the query, the answer is one of the catalogue or a client's mistake, in
// the form that the schemas give it.
func FuzzOffers(f *testing.F) {
	router := routerOver(smallCatalogue(f))
	for _, query := range []string{"", "gpu=A100&purchase_model=spot&sort=as_of&limit=3", "min_vram_gb=24&max_price_per_gpu_hour=2.5&ecc=true&nvlink=true",
		"country=EU&country=us&region=frankfurt&provider=aws&provider_class=hyperscaler", "q=a.1&gpu_count=0.125&gpu=none&gpu=unmapped", "cursor=AavI9vqiS3uLh4rGKBCPzV0C",
		"computed_at=2026-10-01T12:00:00%2B02:00&limit=500", "gpu=%ff&limit=1e9&x=1&x=2"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		e := event("GET", OffersPath, "")
		e.RawQueryString = query
		answer := serve(t, router, e)
		if answer.StatusCode != 200 && answer.StatusCode != 400 {
			t.Errorf("got status %d: %s", answer.StatusCode, answer.Body)
		}
		checkDocument(t, e, answer)
		checkPage(t, query, answer)
	})
}

// checkPage tests what a page of offers promises.
func checkPage(t *testing.T, query string, answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil || answer.StatusCode != 200 {
		return
	}
	var page schemas.OffersResponse
	if err := json.Unmarshal([]byte(answer.Body), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Offers) > page.Total || (page.Total == 0) != (page.Reason != nil) {
		t.Errorf("got %d of %d offers, reason %v", len(page.Offers), page.Total, page.Reason)
	}
	for _, o := range page.Offers {
		for parameter, value := range map[string]string{"purchase_model": o.PurchaseModel, "provider_class": o.ProviderClass} {
			if asked := values[parameter]; len(asked) > 0 && !strings.Contains(strings.Join(asked, " "), value) {
				t.Errorf("%s is of %s %s", o.ID, parameter, value)
			}
		}
	}
}
