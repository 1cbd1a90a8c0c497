package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
)

// Override is a tenant's own price of some offers: a discount off the list price,
// or a price instead of it. "" in what selects the offers means any.
type Override struct {
	Provider ProviderID // required
	Region   RegionID
	SKU      SKU
	GPU      GPUID
	Market   PurchaseModel

	DiscountPct decimal.NullDecimal // above 0 and below 100
	Price       Price
	Note        string // "enterprise agreement 2026"
}

// Overrides are all of a tenant's own prices.
type Overrides struct {
	Tenant TenantID
	// Revision counts the changes; a store refuses a change of another revision
	// than the one it holds. 0 is what nobody has stored yet.
	Revision int64
	Rules    []Override
}

// NegotiatedPrice is the flag of an offer at a tenant's own price.
const NegotiatedPrice Flag = "NEGOTIATED_PRICE"

// Check says what is wrong with an override, if anything.
func (o *Override) Check() error {
	switch {
	case o.Provider == "":
		return fmt.Errorf("override of SKU %q: want a provider", o.SKU)
	case o.DiscountPct.Valid == o.Price.Known():
		return fmt.Errorf("override of %s: want a discount or a price, and not both", o.Provider)
	case o.DiscountPct.Valid && !(o.DiscountPct.Decimal.IsPositive() && o.DiscountPct.Decimal.LessThan(decimal.New(100, 0))):
		return fmt.Errorf("override of %s: a discount is %s%%, want above 0 and below 100", o.Provider, o.DiscountPct.Decimal)
	}
	return nil
}

// matches reports whether the override is about the offer, and how many of its
// selectors say so.
func (o *Override) matches(offer *Offer) (selectors int, ok bool) {
	for _, s := range [][2]string{
		{string(o.Provider), string(offer.Provider)}, {string(o.Region), string(offer.Region)}, {string(o.SKU), string(offer.SKU)},
		{string(o.GPU), string(offer.GPU)}, {string(o.Market), string(offer.Market)},
	} {
		if s[0] == "" {
			continue
		}
		if s[0] != s[1] {
			return 0, false
		}
		selectors++
	}
	return selectors, true
}

// own is the tenant's price of the offer: exact, in the list price's unit and
// currency if it is a discount. A discount of an unknown price is unknown.
func (o *Override) own(list Price) Price {
	if !o.DiscountPct.Valid {
		return o.Price
	}
	if !list.Known() {
		return list
	}
	paid := decimal.New(100, 0).Sub(o.DiscountPct.Decimal)
	return NewPrice(list.Amount.Decimal.Mul(paid).Shift(-2), list.Basis, list.Currency)
}

// Price is the tenant's own price of an offer, by the override with the most
// selectors, the last of several. ok is false if none is about it.
func (x Overrides) Price(offer *Offer) (own Price, ok bool) {
	most := 0
	var best *Override
	for i := range x.Rules {
		if n, matches := x.Rules[i].matches(offer); matches && n >= most {
			most, best = n, &x.Rules[i]
		}
	}
	if best == nil {
		return Price{}, false
	}
	return best.own(offer.Price), true
}

// Negotiated is a snapshot with a tenant's own prices layered over the list
// prices, which it remembers. Like a Snapshot it never changes.
type Negotiated struct {
	*Snapshot
	list map[OfferID]Price
}

// Negotiate layers a tenant's own prices over the snapshot. An offer whose price
// they change carries the flag NegotiatedPrice. The version names the snapshot
// and the prices, so that an answer can be replayed; it is the snapshot's own
// where no offer's price changes.
func (s *Snapshot) Negotiate(x Overrides) (*Negotiated, error) {
	n := &Negotiated{Snapshot: s, list: make(map[OfferID]Price)}
	parts := s.Parts()
	parts.Offers = slices.Clone(parts.Offers)
	for i := range parts.Offers {
		o := &parts.Offers[i]
		if own, ok := x.Price(o); ok {
			n.list[o.ID] = o.Price
			o.Price = own
			o.Flags = append(slices.Clip(slices.Clone(o.Flags)), NegotiatedPrice)
		}
	}
	if len(n.list) == 0 {
		return n, nil
	}
	parts.Version = Version(fmt.Sprintf("%s+own-%s", s.version, x.digest()))
	own, err := NewSnapshot(parts)
	if err != nil {
		return nil, fmt.Errorf("layer prices of tenant %q: %w", x.Tenant, err)
	}
	n.Snapshot = own
	return n, nil
}

// digest is the start of a hash of the rules: equal digests mean equal prices.
func (x Overrides) digest() string {
	h := sha256.New()
	for _, r := range x.Rules {
		fmt.Fprintf(h, "%q %q %q %q %q %v %s %v %s %q %q\n", r.Provider, r.Region, r.SKU, r.GPU, r.Market,
			r.DiscountPct.Valid, r.DiscountPct.Decimal, r.Price.Known(), r.Price.Amount.Decimal, r.Price.Basis, r.Price.Currency)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// ListPrice is the list price of an offer whose price is the tenant's own. ok is
// false if the offer's price is the list price.
func (n *Negotiated) ListPrice(id OfferID) (list Price, ok bool) {
	list, ok = n.list[id]
	return list, ok
}
