package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// listed is a catalogue of three offers.
func listed(t *testing.T) *catalog.Snapshot {
	t.Helper()
	offer := func(id catalog.OfferID, region catalog.RegionID, market catalog.PurchaseModel, amount string) catalog.Offer {
		return catalog.Offer{
			ID: id, Place: catalog.Place{Provider: "p", Region: region}, Instance: &catalog.Instance{SKU: "s"},
			Provenance: &catalog.Provenance{}, Market: market, Price: catalog.NewPrice(dec(amount), catalog.PerInstanceHour, "USD"),
			Flags: []catalog.Flag{"STALE"},
		}
	}
	s, err := catalog.NewSnapshot(catalog.Parts{
		Version: "v1", Providers: []catalog.Provider{{ID: "p"}, {ID: "q"}},
		Offers: []catalog.Offer{offer("a", "north", catalog.OnDemand, "3.67300"), offer("b", "south", catalog.Spot, "1"), offer("c", "south", catalog.OnDemand, "0")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNegotiate(t *testing.T) {
	discount := func(pct string) catalog.Override { return catalog.Override{Provider: "p", DiscountPct: some(pct)} }
	south := catalog.Override{Provider: "p", Region: "south", Price: catalog.NewPrice(dec("0.5"), catalog.PerGPUHour, "EUR")}
	for name, row := range map[string]struct {
		rules []catalog.Override
		want  map[catalog.OfferID]string // "" is unknown
	}{
		"a discount, exact":           {[]catalog.Override{discount("12.5")}, map[catalog.OfferID]string{"a": "3.213875", "b": "0.875", "c": ""}},
		"the last of equals":          {[]catalog.Override{discount("10"), discount("50")}, map[catalog.OfferID]string{"a": "1.8365", "b": "0.5", "c": ""}},
		"the one that says most":      {[]catalog.Override{south, discount("10")}, map[catalog.OfferID]string{"a": "3.3057", "b": "0.5", "c": "0.5"}},
		"of another provider":         {[]catalog.Override{{Provider: "q", DiscountPct: some("10")}}, nil},
		"of a market":                 {[]catalog.Override{{Provider: "p", Market: catalog.Spot, DiscountPct: some("10")}}, map[catalog.OfferID]string{"b": "0.9"}},
		"of a SKU that is not listed": {[]catalog.Override{{Provider: "p", SKU: "t", DiscountPct: some("10")}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			base := listed(t)
			n, err := base.Negotiate(catalog.Overrides{Tenant: "acme", Rules: row.rules})
			if err != nil {
				t.Fatal(err)
			}
			for _, before := range base.Offers() {
				after, _ := n.Offer(before.ID)
				list, changed := n.ListPrice(before.ID)
				want, ours := row.want[before.ID]
				if changed != ours || after.HasFlag(catalog.NegotiatedPrice) != ours || before.HasFlag(catalog.NegotiatedPrice) {
					t.Errorf("%s: changed %v, flags %v, want changed %v", before.ID, changed, after.Flags, ours)
				}
				if !ours {
					want = before.Price.Amount.Decimal.String()
				} else if !list.Amount.Decimal.Equal(before.Price.Amount.Decimal) {
					t.Errorf("%s: the list price is %s, want %s", before.ID, list.Amount.Decimal, before.Price.Amount.Decimal)
				}
				if after.Price.Known() != (want != "" && want != "0") || after.Price.Known() && after.Price.Amount.Decimal.String() != want {
					t.Errorf("%s costs %s (known %v), want %q", before.ID, after.Price.Amount.Decimal, after.Price.Known(), want)
				}
			}
			if own := strings.HasPrefix(string(n.Version()), "v1+own-"); own != (len(row.want) > 0) {
				t.Errorf("version is %q", n.Version())
			}
		})
	}
}

func TestNegotiatedVersionFollowsThePrices(t *testing.T) {
	version := func(pct string, tenant catalog.TenantID) catalog.Version {
		n, err := listed(t).Negotiate(catalog.Overrides{Tenant: tenant, Rules: []catalog.Override{{Provider: "p", DiscountPct: some(pct)}}})
		if err != nil {
			t.Fatal(err)
		}
		return n.Version()
	}
	if a, b, c := version("10", "x"), version("10", "y"), version("11", "x"); a != b || a == c {
		t.Errorf("versions are %q, %q and of other prices %q", a, b, c)
	}
}

func TestOverrideCheck(t *testing.T) {
	price := catalog.NewPrice(dec("1"), catalog.PerGPUHour, "USD")
	for name, row := range map[string]struct {
		rule catalog.Override
		want string // "" if it is fine
	}{
		"a discount":         {catalog.Override{Provider: "p", DiscountPct: some("99.9")}, ""},
		"a price":            {catalog.Override{Provider: "p", Price: price}, ""},
		"of nobody":          {catalog.Override{SKU: "s", Price: price}, "want a provider"},
		"neither":            {catalog.Override{Provider: "p"}, "discount or a price"},
		"both":               {catalog.Override{Provider: "p", Price: price, DiscountPct: some("1")}, "not both"},
		"everything free":    {catalog.Override{Provider: "p", DiscountPct: some("100")}, "below 100"},
		"a surcharge":        {catalog.Override{Provider: "p", DiscountPct: some("-5")}, "above 0"},
		"a discount of zero": {catalog.Override{Provider: "p", DiscountPct: some("0")}, "above 0"},
	} {
		if err := row.rule.Check(); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
}

func TestParseTenantID(t *testing.T) {
	for _, good := range []string{"a", "acme", "acme-2", "0"} {
		if id, err := catalog.ParseTenantID(good); err != nil || string(id) != good {
			t.Errorf("%q: got %q, %v", good, id, err)
		}
	}
	for _, bad := range []string{"", "-a", "a-", "A", "a_b", "é", strings.Repeat("a", 41), "a b"} {
		if _, err := catalog.ParseTenantID(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

func TestPartsDependOnContentAlone(t *testing.T) {
	parts := listed(t).Parts()
	parts.Offers = slices.Clone(parts.Offers)
	slices.Reverse(parts.Offers)
	again, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Parts().Offers[0].ID; got != "a" {
		t.Errorf("the first offer is %q, want a", got)
	}
}
