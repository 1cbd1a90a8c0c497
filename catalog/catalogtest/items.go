package catalogtest

import (
	"fmt"
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

// box is a box.
func box(id catalog.BoxID) catalog.Box {
	return catalog.Box{ID: id, Tenant: "acme", PublicKey: []byte{1, 0, 255}, Hardware: "hash", EnrolledAt: noon()}
}

// report is a report of a box.
func report(from catalog.BoxID, id catalog.ReportID) catalog.Report {
	return catalog.Report{
		ID: id, Box: from, Tenant: "acme", Sequence: 7, ReceivedAt: noon(), ClockOffset: -40 * time.Minute,
		GPU: "X1-80GB", Provider: "p", SKU: "x1", Payload: []byte(`{"quantity": 1}`),
	}
}

func testBoxes(t *testing.T, s Store) {
	ctx := t.Context()
	_, err := s.Box(ctx, "b")
	fails(t, "unknown box", err, catalog.ErrNotFound)
	fails(t, "revoke unknown box", s.RevokeBox(ctx, "b", noon()), catalog.ErrNotFound)
	must(t, s.PutBox(ctx, box("b")))
	must(t, s.PutBox(ctx, box("b")))
	other := box("b")
	other.PublicKey = []byte{2}
	fails(t, "another box of the same id", s.PutBox(ctx, other), catalog.ErrConflict)
	got, err := s.Box(ctx, "b")
	must(t, err)
	same(t, "box", box("b"), got)
	must(t, s.RevokeBox(ctx, "b", noon().Add(time.Hour)))
	must(t, s.RevokeBox(ctx, "b", noon().Add(2*time.Hour)))
	if got, err = s.Box(ctx, "b"); err != nil || !got.RevokedAt.Equal(noon().Add(time.Hour)) {
		t.Errorf("the box was revoked at %s (%v), want the first time", got.RevokedAt, err)
	}
	must(t, s.DeleteBox(ctx, "b"))
	must(t, s.DeleteBox(ctx, "b"))
	_, err = s.Box(ctx, "b")
	fails(t, "deleted box", err, catalog.ErrNotFound)
}

func testReports(t *testing.T, s Store) {
	ctx := t.Context()
	must(t, s.PutBox(ctx, box("b")))
	want := map[catalog.ReportID]catalog.Report{}
	for i := range 30 {
		r := report("b", catalog.ReportID(fmt.Sprintf("%02x", i*8)))
		stored, err := s.PutReport(ctx, r)
		if err != nil || !stored {
			t.Fatalf("report %s: stored %v, %v", r.ID, stored, err)
		}
		want[r.ID] = r
	}
	late := report("b", "00")
	late.ReceivedAt = noon().Add(24 * time.Hour)
	if stored, err := s.PutReport(ctx, late); stored || err != nil {
		t.Errorf("a repeat on another day: stored %v, %v", stored, err)
	}
	elsewhere := report("b2", "00")
	if stored, err := s.PutReport(ctx, elsewhere); !stored || err != nil {
		t.Errorf("of another box: stored %v, %v", stored, err)
	}
	got := map[catalog.ReportID]catalog.Report{}
	for _, r := range collect(t, s.Reports(ctx, day())) {
		if r.Box == "b" {
			got[r.ID] = r
		}
	}
	same(t, "reports", want, got)
	if next := collect(t, s.Reports(ctx, catalog.Date{Year: 2026, Month: 12, Day: 1})); len(next) != 0 {
		t.Errorf("the next day has %d reports, want none", len(next))
	}
	must(t, s.DeleteBox(ctx, "b"))
	same(t, "what is left", []catalog.Report{elsewhere}, collect(t, s.Reports(ctx, day())))
}

func testCoefficients(t *testing.T, s Store) {
	ctx := t.Context()
	if all, err := s.Coefficients(ctx); len(all) != 0 || err != nil {
		t.Errorf("coefficients are %v, %v, want none", all, err)
	}
	a := catalog.Coefficient{
		GPU: "A", Provider: "p", Value: 0.1 + 0.2, Interval: catalog.Interval{Low: 1e-9, High: 1}, Prior: 0.7, Measured: 2.0 / 3,
		MeasuredInterval: catalog.Interval{Low: 0.6, High: 0.7}, Terms: []catalog.Term{{Name: "compute", Ratio: 0.9, Measured: true}, {Name: "io", Ratio: 1}},
		Evidence: catalog.Active, Tenants: 3, Boxes: 5, Reports: 80, Frozen: true, ComputedAt: noon(),
	}
	b := catalog.Coefficient{GPU: "B", Provider: "p", SKU: "x1", Value: 0.5, Evidence: catalog.PriorOnly, ComputedAt: noon().Add(100 * time.Millisecond)}
	must(t, s.PutCoefficients(ctx, []catalog.Coefficient{b, a}))
	older, newer := b, b
	older.Value, older.ComputedAt = 0.1, noon()
	newer.Value, newer.ComputedAt = 0.6, noon().Add(time.Second)
	must(t, s.PutCoefficients(ctx, []catalog.Coefficient{older}))
	got, err := s.Coefficients(ctx)
	must(t, err)
	same(t, "coefficients", []catalog.Coefficient{a, b}, got)
	must(t, s.PutCoefficients(ctx, []catalog.Coefficient{newer, older}))
	got, err = s.Coefficients(ctx)
	must(t, err)
	same(t, "coefficients after a newer one", []catalog.Coefficient{a, newer}, got)
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
