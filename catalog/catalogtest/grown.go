package catalogtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Grown are the parts of a catalogue with n offers: copies of its own at other
// places, a third of them at prices of their own.
func Grown(s *catalog.Snapshot, n int) catalog.Parts {
	parts := s.Parts()
	parts.Version += "-grown"
	random := rand.New(rand.NewPCG(1, 2))
	base := parts.Offers
	parts.Offers = slices.Clone(base[:min(n, len(base))])
	for i := len(parts.Offers); i < n; i++ {
		o := base[i%len(base)]
		o.Region = catalog.RegionID(fmt.Sprintf("%s-%d", o.Region, i/len(base)))
		o.ID = catalog.NewOfferID(o.Place, o.SKU, o.Variant, o.Market)
		if random.IntN(3) == 0 {
			o.Price.Amount.Decimal = o.Price.Amount.Decimal.Add(decimal.New(random.Int64N(1_000_000), -6))
		}
		parts.Offers = append(parts.Offers, o)
	}
	slices.SortFunc(parts.Offers, func(a, b catalog.Offer) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return parts
}
