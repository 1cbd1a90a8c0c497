package catalog

// PricePoint is a price that an offer had on a date, as one source says it. It is
// a fact of its own: when the catalogue learnt it does not matter. A price that is
// not known says that the offer was no longer listed.
type PricePoint struct {
	Offer  OfferID
	AsOf   Date
	Price  Price
	Source string
}
