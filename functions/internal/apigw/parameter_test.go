package apigw

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/schemas"
)

// asked is a request of a query.
func asked(t *testing.T, query string) *Request {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return &Request{Query: values}
}

// problemsOf are what an error blames on a request.
func problemsOf(t *testing.T, err error) []schemas.Problem {
	t.Helper()
	var invalid *schemas.ValidationError
	if err == nil {
		return nil
	}
	if !errors.As(err, &invalid) {
		t.Fatalf("got error %v, want a *schemas.ValidationError", err)
	}
	return invalid.Problems
}

func TestDecodeQueryBlamesParameters(t *testing.T) {
	for _, c := range []struct {
		name, query string
		want        []schemas.Problem
	}{
		{"nothing wrong", "gpu=A100&limit=3", nil},
		{"a value", "limit=none", []schemas.Problem{{Pointer: "/query/limit", Parameter: "limit", Message: `want a whole number from 1 to 500; got "none"`}}},
		{"the only value of a list", "gpu_count=x", []schemas.Problem{{Pointer: "/query/gpu_count", Parameter: "gpu_count", Message: `want a number of GPUs, such as 8 or 0.125; got "x"`}}},
		{"one of several", "gpu_count=8&gpu_count=x", []schemas.Problem{{Pointer: "/query/gpu_count/1", Parameter: "gpu_count", Message: `want a number of GPUs, such as 8 or 0.125; got "x"`}}},
		{"given twice", "limit=1&limit=1", []schemas.Problem{{Pointer: "/query/limit", Parameter: "limit", Message: "the query parameter is given twice"}}},
		{"two misspelt", "ofset=1&sorted=as_of&limit=x", []schemas.Problem{
			{Pointer: "/query/ofset", Parameter: "ofset", Message: `unknown query parameter "ofset"; want computed_at or country or cursor or ecc or gpu or gpu_count or limit or max_price_per_gpu_hour or min_vram_gb or nvlink or provider or provider_class or purchase_model or q or region or sort`},
			{Pointer: "/query/sorted", Parameter: "sorted", Message: `unknown query parameter "sorted"; did you mean sort?`, Near: []string{"sort"}}}},
		{"a name to escape", "a/~b=1", []schemas.Problem{{Pointer: "/query/a~1~0b", Parameter: "a/~b", Message: `unknown query parameter "a/~b"; want computed_at or country or cursor or ecc or gpu or gpu_count or limit or max_price_per_gpu_hour or min_vram_gb or nvlink or provider or provider_class or purchase_model or q or region or sort`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var query schemas.OffersQuery
			got := problemsOf(t, asked(t, c.query).DecodeQuery(schemas.OffersQuerySchema, &query))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A name too long to repeat is not repeated, and many names make few problems.
func TestUnknownParametersAreBounded(t *testing.T) {
	query := strings.Repeat("x", 60_000) + "=1"
	for i := range 100 {
		query += "&y" + strings.Repeat("y", i) + "=1"
	}
	problems := problemsOf(t, asked(t, query).DecodeQuery(schemas.OffersQuerySchema, new(schemas.OffersQuery)))
	if len(problems) != mostProblems || problems[0].Pointer != "" || problems[0].Parameter != "" || len(problems[0].Message) > 500 {
		t.Errorf("got %d problems, first of %d bytes", len(problems), len(problems[0].Message))
	}
}

func TestBlameLeavesOtherErrors(t *testing.T) {
	err := errors.New("disk full")
	if got := asked(t, "gpu=x").Blame(err); got != err {
		t.Errorf("got %v", got)
	}
	if got := asked(t, "").Blame(nil); got != nil {
		t.Errorf("got %v", got)
	}
}
