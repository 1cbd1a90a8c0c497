package catalogtest

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// noon is an instant with nanoseconds.
func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC) }

// day is the day of noon.
func day() catalog.Date { return catalog.Date{Year: 2026, Month: 11, Day: 30} }

// collect reads a sequence and fails the test if it ends with an error.
func collect[V any](t *testing.T, all iter.Seq2[V, error]) []V {
	t.Helper()
	var values []V
	for v, err := range all {
		must(t, err)
		values = append(values, v)
	}
	return values
}

// point is a price of the offer "o".
func point(asOf catalog.Date, amount string) catalog.PricePoint {
	return catalog.PricePoint{Offer: "o", AsOf: asOf, Source: "made up", Price: catalog.NewPrice(dec(amount), catalog.PerGPUHour, "CNY")}
}

func testHistory(t *testing.T, s Store) {
	ctx := t.Context()
	if all := collect(t, s.History(ctx, "o")); len(all) != 0 {
		t.Errorf("an offer without history has %v", all)
	}
	undated := point(catalog.Date{}, "7.580")
	gone := catalog.PricePoint{Offer: "o", AsOf: catalog.Date{Year: 2026, Month: 9, Day: 2}}
	want := []catalog.PricePoint{
		undated, point(catalog.Date{Year: 2025, Month: 12, Day: 31}, "7"), point(catalog.Date{Year: 2026, Month: 9}, "0.0000000000001"),
		point(catalog.Date{Year: 2026, Month: 9, Day: 1}, "12345678901234567890.5"), gone,
	}
	other := point(catalog.Date{}, "1")
	other.Offer = "o2" // an id that begins like the other
	mixed := append(slices.Clone(want), other)
	slices.Reverse(mixed)
	must(t, s.AppendHistory(ctx, mixed))
	must(t, s.AppendHistory(ctx, want[:2]))
	same(t, "history", want, collect(t, s.History(ctx, "o")))
	same(t, "history of the other", []catalog.PricePoint{other}, collect(t, s.History(ctx, "o2")))
	for range s.History(ctx, "o") {
		break // a reader may stop
	}
}

// testLongHistory reads more than the 1 MB that one query of DynamoDB answers.
func testLongHistory(t *testing.T, s Store) {
	const points, size = 60, 30_000
	var want []catalog.PricePoint
	for i := range points {
		p := point(catalog.Date{Year: 2026, Month: int8(1 + i/28), Day: int8(1 + i%28)}, "1")
		p.Source = strings.Repeat("x", size)
		want = append(want, p)
	}
	must(t, s.AppendHistory(t.Context(), want))
	got := collect(t, s.History(t.Context(), "o"))
	if len(got) != points {
		t.Fatalf("%d points, want %d", len(got), points)
	}
	same(t, "long history", want, got)
}

// apiKey is a key of a tenant.
func apiKey(tenant catalog.TenantID, id catalog.KeyID) catalog.APIKey {
	return catalog.APIKey{ID: id, Tenant: tenant, Label: "CI", Hash: [32]byte{1, 2, 31: 255}, CreatedAt: noon()}
}

func testKeys(t *testing.T, s Store) {
	ctx := t.Context()
	_, err := s.Key(ctx, "acme", "k1")
	fails(t, "unknown key", err, catalog.ErrNotFound)
	fails(t, "revoke unknown key", s.RevokeKey(ctx, "acme", "k1", noon()), catalog.ErrNotFound)
	for _, k := range []catalog.APIKey{apiKey("acme", "k2"), apiKey("acme", "k1"), apiKey("acme-2", "k1"), apiKey("acme", "k1")} {
		must(t, s.PutKey(ctx, k))
	}
	other := apiKey("acme", "k1")
	other.Hash[0] = 9
	fails(t, "another key of the same id", s.PutKey(ctx, other), catalog.ErrConflict)
	got, err := s.Key(ctx, "acme", "k1")
	must(t, err)
	same(t, "key", apiKey("acme", "k1"), got)
	must(t, s.RevokeKey(ctx, "acme", "k1", noon().Add(time.Hour)))
	must(t, s.RevokeKey(ctx, "acme", "k1", noon().Add(2*time.Hour)))
	revoked := apiKey("acme", "k1")
	revoked.RevokedAt = noon().Add(time.Hour)
	all, err := s.Keys(ctx, "acme")
	must(t, err)
	same(t, "keys", []catalog.APIKey{revoked, apiKey("acme", "k2")}, all)
	tenants, err := s.Tenants(ctx)
	must(t, err)
	same(t, "tenants", []catalog.TenantID{"acme", "acme-2"}, tenants)
}

// ownPrices are some tenant's own prices that nobody has stored yet.
func ownPrices() catalog.Overrides {
	return catalog.Overrides{Tenant: "acme", Rules: []catalog.Override{
		{Provider: "p", Region: "north", GPU: "X1-80GB", Market: catalog.Spot, DiscountPct: decimal.NewNullDecimal(dec("12.50")), Note: "agreement"},
		{Provider: "p", SKU: "x1", Price: catalog.NewPrice(dec("1.10"), catalog.PerGPUHour, "EUR")},
	}}
}

func testOverrides(t *testing.T, s Store) {
	ctx := t.Context()
	none, err := s.Overrides(ctx, "acme")
	must(t, err)
	same(t, "of a tenant without", catalog.Overrides{Tenant: "acme"}, none)
	first, err := s.PutOverrides(ctx, ownPrices())
	must(t, err)
	want := ownPrices()
	want.Revision = 1
	same(t, "as put", want, first)
	_, err = s.PutOverrides(ctx, ownPrices())
	fails(t, "of an old revision", err, catalog.ErrConflict)
	first.Rules = first.Rules[1:]
	second, err := s.PutOverrides(ctx, first)
	must(t, err)
	got, err := s.Overrides(ctx, "acme")
	must(t, err)
	same(t, "as read", second, got)
	if got.Revision != 2 || len(got.Rules) != 1 {
		t.Errorf("revision %d of %d rules, want 2 of 1", got.Revision, len(got.Rules))
	}
}
