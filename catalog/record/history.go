package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// PricePoint is a price of an offer on a date.
type PricePoint struct {
	Offer  string `json:"offer"`
	AsOf   string `json:"as_of,omitempty"`
	Price  Price  `json:"price"`
	Source string `json:"source,omitempty"`
}

// FromPricePoint is the stored form of a price point.
func FromPricePoint(p catalog.PricePoint) PricePoint {
	return PricePoint{Offer: string(p.Offer), AsOf: p.AsOf.String(), Price: FromPrice(p.Price), Source: p.Source}
}

// Key orders an offer's points by date and makes equal points one.
func (p PricePoint) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", p.Price.Amount, p.Price.Basis, p.Price.Currency, p.Source))
	return p.AsOf + "#" + hex.EncodeToString(sum[:8])
}

// Parse is the price point.
func (p PricePoint) Parse() (catalog.PricePoint, error) {
	asOf, err := catalog.ParseDate(p.AsOf)
	if err != nil {
		return catalog.PricePoint{}, fmt.Errorf("history of %s: %w: %w", p.Offer, err, catalog.ErrCorrupt)
	}
	price, err := p.Price.Parse()
	if err != nil {
		return catalog.PricePoint{}, fmt.Errorf("history of %s: %w", p.Offer, err)
	}
	return catalog.PricePoint{Offer: catalog.OfferID(p.Offer), AsOf: asOf, Price: price, Source: p.Source}, nil
}
