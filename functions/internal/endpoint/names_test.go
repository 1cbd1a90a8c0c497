package endpoint

import (
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/seed"
)

func TestNames(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(s)
	for _, c := range []struct {
		what string
		find func(string) (string, bool)
		text string
		want string // "" if it is no name
	}{
		{"family", names.GPU, "a100", "A100"},
		{"memory", names.GPU, "a100 80gb", "A100-80GB"},
		{"variant", names.GPU, "h100 sxm", "H100-80GB-SXM"},
		{"alias", names.GPU, "rtx 4090", "RTX-4090-24GB"},
		{"no GPU", names.GPU, "z100", ""},
		{"model", names.Model, "llama 2 7b", "llama-2-7b"},
		{"size", names.Model, "7b", ""},
		{"provider", names.Provider, "aws", "aws"},
		{"product name", names.Provider, "google cloud", "gcp"},
		{"what people say", names.Provider, "amazon", "aws"},
		{"in Chinese", names.Provider, "阿里云", "alibaba"},
		{"no provider", names.Provider, "acme", ""},
		{"region", names.Region, "us-east-1", "us-east-1"},
		{"spoken region", names.Region, "us east 1", "us-east-1"},
		{"city", names.Region, "frankfurt", "Frankfurt"},
		{"no region", names.Region, "atlantis", ""},
	} {
		got, ok := c.find(c.text)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q is %q, %t, want %q", c.what, c.text, got, ok, c.want)
		}
	}
	for word := range strings.FieldsSeq("in no us eu uk de de-eu global europe asia cheap cheapest fine tune train week hour day spot and for on under 7b 8x gpu gpus best fast cloud") {
		for what, find := range map[string]func(string) (string, bool){"GPU": names.GPU, "model": names.Model, "provider": names.Provider, "region": names.Region} {
			if name, ok := find(word); ok {
				t.Errorf("the word %q is taken for the %s %q", word, what, name)
			}
		}
	}
}

// Every name that a text can be read as is one that a request may have.
func TestNamesAreKnown(t *testing.T) {
	s := smallCatalogue(t)
	for _, name := range regionNames(s) {
		answer := serve(t, routerOver(s), event("POST", RecommendPath, constrained(`"regions": ["`+name+`"]`)))
		if answer.StatusCode != 200 {
			t.Errorf("region %q: got status %d: %s", name, answer.StatusCode, answer.Body)
		}
	}
	for _, name := range providerNames(s) {
		answer := serve(t, routerOver(s), event("POST", RecommendPath, constrained(`"providers": ["`+name+`"]`)))
		if answer.StatusCode != 200 {
			t.Errorf("provider %q: got status %d: %s", name, answer.StatusCode, answer.Body)
		}
	}
}
