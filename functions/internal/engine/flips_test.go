package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// TestFlipsFlip reprices the winner just below and just above the price that its
// flip names: it wins below and loses above.
func TestFlipsFlip(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	a := recommend(t, engine.New(s), nil)
	if len(a.Plans) < 2 || len(a.Plans[0].Flips) == 0 {
		t.Fatalf("got %d plans and no flips", len(a.Plans))
	}
	first := a.Plans[0].Choices[a.Plans[0].Main].Offer
	text := regexp.MustCompile(`^above ([0-9.]+) USD`).FindStringSubmatch(a.Plans[0].Flips[0])
	if text == nil {
		t.Fatalf("got %q", a.Plans[0].Flips[0])
	}
	at := decimal.RequireFromString(text[1])
	for name, price := range map[string]decimal.Decimal{
		"below": at.Mul(decimal.New(999, -3)),
		"above": at.Mul(decimal.New(1001, -3)),
	} {
		b := recommend(t, engine.New(repriced(t, s, first.ID, price)), nil)
		won := b.Plans[0].Choices[b.Plans[0].Main].Offer
		same := won.Provider == first.Provider && won.GPU == first.GPU && won.Market == first.Market
		if same != (name == "below") {
			t.Errorf("%s %s the winner is %s", name, at, won.ID)
		}
	}
	if !strings.Contains(strings.Join(a.Plans[0].Flips, "\n"), "efficiency") {
		t.Errorf("no flip names an efficiency: %q", a.Plans[0].Flips)
	}
}

// repriced is the catalogue with one offer at another price per node and hour.
func repriced(t *testing.T, s *catalog.Snapshot, id catalog.OfferID, price decimal.Decimal) *catalog.Snapshot {
	t.Helper()
	parts := s.Parts()
	parts.Offers = append([]catalog.Offer(nil), parts.Offers...)
	for i := range parts.Offers {
		if parts.Offers[i].ID == id {
			parts.Offers[i].Price = catalog.NewPrice(price, catalog.PerInstanceHour, catalog.USD)
		}
	}
	changed, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}
