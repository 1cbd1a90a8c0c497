package seed

import "github.com/tierwise/tierwise/catalog"

// pricePoint reads an earlier price of an offer.
func (l *loader) pricePoint(x *row) {
	p := catalog.PricePoint{Offer: catalog.OfferID(x.required()), AsOf: l.dated(x)}
	if !p.AsOf.Known() {
		x.fail("", "the date of an earlier price")
	}
	p.Price, p.Source = price(x), l.cited(x).Source
	l.parts.History = append(l.parts.History, p)
}
