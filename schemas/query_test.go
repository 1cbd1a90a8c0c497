package schemas

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeQuery(t *testing.T) {
	limit := 10
	for _, c := range []struct {
		name, query string
		want        OffersQuery
		problem     string
	}{
		{"nothing", "", OffersQuery{}, ""},
		{"one of a list", "gpu=A100", OffersQuery{GPU: []string{"A100"}}, ""},
		{"several", "gpu=A100&gpu=L4&gpu_count=8", OffersQuery{GPU: []string{"A100", "L4"}, GPUCount: []string{"8"}}, ""},
		{"numbers and truth", "limit=10&ecc=true&nvlink=false&min_vram_gb=24", OffersQuery{Limit: &limit, ECC: true, MinVRAMGB: &[]string{"24"}[0]}, ""},
		{"zeros before", "limit=010", OffersQuery{Limit: &limit}, ""},
		{"spaces and plus", "q=a+b%2Bc", OffersQuery{Q: "a b+c"}, ""},
		{"list beyond its bound", strings.Repeat("gpu=a&", 101), OffersQuery{}, "/gpu want a list of at most 100, each a text that is not empty of at most 100 characters; got a list of 101\n"},
		{"given twice", "sort=as_of&sort=as_of", OffersQuery{}, "/sort the query parameter is given twice\n"},
		{"no UTF-8", "q=%ff", OffersQuery{}, "/q the query parameter is not valid UTF-8\n"},
		{"no UTF-8 in a list", "gpu=a&gpu=%ff", OffersQuery{}, "/gpu the query parameter is not valid UTF-8\n"},
		{"no number", "limit=ten", OffersQuery{}, "/limit want a whole number from 1 to 500; got \"ten\"\n"},
		{"number with an exponent", "limit=1e2", OffersQuery{}, "/limit want a whole number from 1 to 500; got \"1e2\"\n"},
		{"number of many digits", "limit=" + strings.Repeat("9", 400), OffersQuery{}, "/limit want a whole number from 1 to 500; got \"" + strings.Repeat("9", 80) + "\"...\n"},
		{"empty", "limit=&cursor=", OffersQuery{}, "/cursor want a text that is not empty of at most 200 characters; got \"\"\n/limit want a whole number from 1 to 500; got \"\"\n"},
		{"truth of another kind", "ecc=1", OffersQuery{}, "/ecc want true or false; got \"1\"\n"},
		{"case of a name", "GPU=A100", OffersQuery{}, "/GPU unknown field \"GPU\"; the fields here are computed_at, country, cursor, ecc, gpu, gpu_count, limit, max_price_per_gpu_hour, min_vram_gb, nvlink, provider, provider_class, purchase_model, q, region, sort\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, err := url.ParseQuery(c.query)
			if err != nil {
				t.Fatal(err)
			}
			var got OffersQuery
			problem := describe(DecodeQuery(OffersQuerySchema, values, &got))
			if problem != c.problem {
				t.Errorf("got problem %q, want %q", problem, c.problem)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeQueryOfNoParameters(t *testing.T) {
	for _, name := range []Name{"nothing", commonSchema} {
		err := DecodeQuery(name, url.Values{}, &struct{}{})
		var invalid *ValidationError
		if err == nil || errors.As(err, &invalid) {
			t.Errorf("%s: got error %v, want one of ours", name, err)
		}
	}
}

// What the schema of a query accepts is what its Go type holds, field by field, and
// what the type writes is what the schema accepts.
func TestQueryTypesHoldEveryField(t *testing.T) {
	for document, c := range map[string]struct {
		name  Name
		query any
	}{
		"offers.query/valid_everything":    {OffersQuerySchema, new(OffersQuery)},
		"gpus.query/valid_two":             {GPUsQuerySchema, new(GPUsQuery)},
		"providers.query/valid_comparison": {ProvidersQuerySchema, new(ProvidersQuery)},
	} {
		roundTrip(t, c.name, read(t, "testdata/"+document+".json"), c.query)
	}
}

// Whatever the query string, DecodeQuery ends with no error or a *ValidationError.
func FuzzDecodeQuery(f *testing.F) {
	for _, query := range []string{"", "gpu=A100&gpu=L4&limit=10&ecc=true", "limit=1e10000000", "limit=99999999999999999999", "q=%00&q=%ff", "min_vram_gb=NaN", "a[]=1&%2f~=2"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		var got OffersQuery
		var invalid *ValidationError
		if err := DecodeQuery(OffersQuerySchema, values, &got); err != nil && (!errors.As(err, &invalid) || len(invalid.Problems) == 0) {
			t.Errorf("got error %v, want a *ValidationError of a problem", err)
		}
		if got.Limit != nil && (*got.Limit < 1 || *got.Limit > 500) {
			t.Errorf("got limit %d", *got.Limit)
		}
	})
}
