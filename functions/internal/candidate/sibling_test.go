package candidate_test

import (
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// TestSibling finds of every offer the same instances under each purchase model, and nothing
// else: those whose id says so.
func TestSibling(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	m, ok := candidate.NewMarket(s, catalog.USD)
	if !ok {
		t.Fatal("no market")
	}
	_, train, _ := stages(t)
	found := 0
	for i := range s.Offers() {
		o := &s.Offers()[i]
		q, _ := m.Quote(o.ID)
		c := candidate.Candidate{Quote: q, Sizing: &candidate.Sizing{Nodes: 1}}
		for _, model := range catalog.PurchaseModels() {
			want, sold := m.Quote(catalog.NewOfferID(o.Place, o.SKU, o.Variant, model))
			other, reason, ok := candidate.Sibling(m, &train, &c, model)
			switch {
			case sold && want.Unpriced == "" && (!ok || other.Quote != want):
				t.Fatalf("%s, %s: got %+v, %q", o.ID, model, other.Quote, reason)
			case sold && want.Unpriced != "" && (ok || reason != want.Unpriced):
				t.Fatalf("%s, %s: got reason %q, want %q", o.ID, model, reason, want.Unpriced)
			case !sold && (ok || reason != ""):
				t.Fatalf("%s is not sold %s: got %s, %q", o.ID, model, other.Offer.ID, reason)
			}
			if sold && want != q {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d siblings among all offers: they were not looked for", found)
	}
}
