package convert

import (
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/schemas"
)

// Catalogue reads questions about one snapshot of the catalogue, and writes its
// offers, GPUs and providers. Amounts are in US dollars. It never changes after
// NewCatalogue, so any number of goroutines may use it.
type Catalogue struct {
	snapshot *catalog.Snapshot
	dollars  tco.Converter
	listings map[catalog.ProviderID]listing
	aliases  map[catalog.GPUID]int
}

// listing is what a provider has in the catalogue.
type listing struct {
	offers int
	newest catalog.Date // of a price
}

// NewCatalogue prepares a snapshot.
func NewCatalogue(s *catalog.Snapshot) *Catalogue {
	dollars, _ := tco.NewConverter(s, catalog.USD) // a dollar needs no exchange rate
	c := &Catalogue{snapshot: s, dollars: dollars, listings: make(map[catalog.ProviderID]listing), aliases: make(map[catalog.GPUID]int)}
	for i := range s.Offers() {
		o := &s.Offers()[i]
		l := c.listings[o.Provider]
		l.offers++
		if o.Price.Known() && l.newest.Before(o.AsOf) {
			l.newest = o.AsOf
		}
		c.listings[o.Provider] = l
	}
	for _, id := range s.Parts().GPUAliases {
		c.aliases[id]++
	}
	return c
}

// offer writes an offer.
func (c *Catalogue) offer(o *catalog.Offer, at time.Time) schemas.Offer {
	return writer{snapshot: c.snapshot, currency: catalog.USD, computedAt: at}.offer(o, c.terms(o))
}

// terms are how an offer is charged in dollars.
func (c *Catalogue) terms(o *catalog.Offer) terms {
	t := terms{incrementSeconds: o.BillingIncrementSeconds}
	if t.incrementSeconds == 0 {
		provider, _ := c.snapshot.Provider(o.Provider)
		t.incrementSeconds = provider.BillingIncrementSeconds
	}
	var priced, convertible bool
	t.node, priced = o.NodeRate()
	t.conversion, convertible = c.dollars.From(o.Price.Currency, o.AsOf)
	t.known = priced && convertible
	return t
}

// oldest is the earliest of several dates; unknown if one of them is, or if there
// are none.
type oldest struct {
	date catalog.Date
	any  bool
}

// add takes a date into account.
func (x *oldest) add(d catalog.Date) {
	if !x.any || d.Before(x.date) { // an unknown date is before all others
		x.date, x.any = d, true
	}
}

// wire is the date as answers write it.
func (x *oldest) wire() *string { return known(x.date.String()) }
