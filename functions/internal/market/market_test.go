package market_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/market"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// small is a market of three classes around one GPU.
func small(t *testing.T) *catalog.Snapshot {
	t.Helper()
	parts := catalog.Parts{
		GPUs: []catalog.GPUModel{{ID: "X"}},
		Providers: []catalog.Provider{
			{ID: "big", Class: catalog.Hyperscaler}, {ID: "bigger", Class: catalog.Hyperscaler},
			{ID: "lab", Class: catalog.Specialist}, {ID: "peers", Class: catalog.Community},
		},
	}
	add := func(provider, sku string, m catalog.PurchaseModel, gpus, price string) {
		o := catalog.Offer{
			Place:      catalog.Place{Provider: catalog.ProviderID(provider), Region: "r"},
			Instance:   &catalog.Instance{SKU: catalog.SKU(sku), GPU: "X", GPUs: decimal.NewNullDecimal(dec(gpus))},
			Provenance: &catalog.Provenance{}, Market: m,
			Price: catalog.NewPrice(dec(price), catalog.PerInstanceHour, catalog.USD),
		}
		o.ID = catalog.NewOfferID(o.Place, o.SKU, "", m)
		parts.Offers = append(parts.Offers, o)
	}
	add("big", "one", catalog.OnDemand, "1", "4")
	add("big", "eight", catalog.OnDemand, "8", "40") // 5 a GPU: the provider's median is 4.5
	add("big", "slice", catalog.OnDemand, "0.125", "0.1")
	add("big", "eight", catalog.Spot, "8", "12")
	add("big", "one", catalog.Reserved1Y, "1", "2.52")
	add("bigger", "one", catalog.OnDemand, "1", "5.5")
	add("lab", "one", catalog.OnDemand, "1", "2")
	add("peers", "one", catalog.OnDemand, "1", "1.5")
	add("peers", "free", catalog.OnDemand, "1", "0")
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestClasses(t *testing.T) {
	facts := market.Classes(small(t))
	if len(facts) != 3 || facts[0].Market != catalog.OnDemand {
		t.Fatalf("got %v, want on-demand, spot and one year of X", facts)
	}
	for i, want := range []struct {
		class             catalog.ProviderClass
		providers, offers int
		median, ratio     string
	}{
		{catalog.Hyperscaler, 2, 3, "5", "1"},
		{catalog.Specialist, 1, 1, "2", "0.4"},
		{catalog.Community, 1, 1, "1.5", "0.3"},
	} {
		got := facts[0].Classes[i]
		if got.Class != want.class || got.Providers != want.providers || got.Offers != want.offers ||
			!got.Median.Equal(dec(want.median)) || !got.ToHyperscaler.Decimal.Equal(dec(want.ratio)) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestDiscounts(t *testing.T) {
	found := market.DiscountsOf(small(t))
	if len(found) != 2 {
		t.Fatalf("got %v, want spot and one year of hyperscalers", found)
	}
	for i, want := range []struct {
		market catalog.PurchaseModel
		share  string
	}{{catalog.Spot, "0.7"}, {catalog.Reserved1Y, "0.37"}} {
		if got := found[i]; got.Market != want.market || got.Pairs != 1 || !got.Median.Equal(dec(want.share)) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestArticleAgainstData holds the article's claims against the embedded
// catalogue: they are true for some classes and false for others.
func TestArticleAgainstData(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range market.DiscountsOf(s) {
		if d.Class == catalog.Hyperscaler && d.Market == catalog.Spot && d.Pairs >= 20 &&
			(d.Median.LessThan(dec("0.4")) || d.Median.GreaterThan(dec("0.85"))) {
			t.Errorf("hyperscalers' spot saves %s, the sources say between 0.4 and 0.85", d.Median)
		}
		if d.Median.GreaterThanOrEqual(dec("1")) {
			t.Errorf("%s %s saves %s", d.Class, d.Market, d.Median)
		}
	}
	for _, f := range market.Classes(s) {
		for _, c := range f.Classes {
			if c.Lowest.GreaterThan(c.Median) || !c.Median.IsPositive() || c.Providers > c.Offers {
				t.Errorf("%s %s: %+v does not hold together", f.GPU, f.Market, c)
			}
		}
	}
}
