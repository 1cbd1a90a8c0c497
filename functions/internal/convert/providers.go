package convert

import (
	"cmp"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// Providers answers a valid query of providers as of an instant. The error is a
// *schemas.ValidationError.
func (c *Catalogue) Providers(wire schemas.ProvidersQuery, at time.Time) (schemas.ProvidersResponse, error) {
	r := &reader{snapshot: c.snapshot}
	asked, classes := r.providers(wire.Provider, "/provider"), words[catalog.ProviderClass](wire.ProviderClass)
	for _, given := range []struct {
		parameter string
		values    []string
	}{{"gpu", wire.GPU}, {"purchase_model", wire.PurchaseModel}} {
		if len(given.values) > 0 {
			r.fail("/"+given.parameter, "want it only with compare=class")
		}
	}
	if err := r.refused(); err != nil {
		return schemas.ProvidersResponse{}, err
	}
	out := schemas.ProvidersResponse{
		Providers:      []schemas.Provider{},
		CatalogVersion: string(c.snapshot.Version()),
		ComputedAt:     instant(at),
	}
	var dates oldest
	rates := c.rates()
	for _, id := range c.snapshot.ProviderIDs() {
		p, _ := c.snapshot.Provider(id)
		if len(asked) > 0 && !slices.Contains(asked, id) || len(classes) > 0 && !slices.Contains(classes, p.Class) {
			continue
		}
		provider := c.provider(p)
		provider.Egress, provider.Storage = rates.of(id, &dates)
		out.Providers = append(out.Providers, provider)
	}
	out.AsOf = dates.wire()
	return out, nil
}

// provider writes a provider without its rates.
func (c *Catalogue) provider(p catalog.Provider) schemas.Provider {
	out := schemas.Provider{
		ID: string(p.ID), Name: cmp.Or(p.Name, string(p.ID)), Class: string(p.Class),
		Offers:            c.listings[p.ID].offers,
		NewestAsOf:        known(c.listings[p.ID].newest.String()),
		Places:            []schemas.ProviderPlace{},
		BillingIncrementS: seconds(p.BillingIncrementSeconds),
		BillingMinimumS:   seconds(p.BillingMinimumSeconds),
		BillingSource:     known(p.BillingSource),
		Compliance:        make([]schemas.Attestation, 0, len(p.Compliance)),
		Stopped:           stopped(p.Stopped),
		Images:            images(p.Images),
	}
	for _, a := range p.Compliance {
		out.Compliance = append(out.Compliance, schemas.Attestation{Name: a.Name, Scope: known(a.Scope), Source: a.Source, AsOf: known(a.AsOf.String())})
	}
	for _, place := range c.snapshot.Places() {
		if place.Provider != p.ID {
			continue
		}
		region, _ := c.snapshot.Region(place)
		out.Places = append(out.Places, schemas.ProviderPlace{
			Region: string(place.Region), Country: known(c.snapshot.Country(place)), City: known(region.City), Jurisdiction: known(region.Jurisdiction),
		})
	}
	return out
}

// seconds writes a duration; nil if it is zero, which is unknown.
func seconds(s int64) *int64 {
	if s <= 0 {
		return nil
	}
	return &s
}

// ratesByProvider are what providers ask for traffic and storage.
type ratesByProvider struct {
	egress  map[catalog.ProviderID][]catalog.EgressRate
	storage map[catalog.ProviderID][]catalog.StorageRate
}

// rates groups the rates of the catalogue.
func (c *Catalogue) rates() ratesByProvider {
	x := ratesByProvider{make(map[catalog.ProviderID][]catalog.EgressRate), make(map[catalog.ProviderID][]catalog.StorageRate)}
	parts := c.snapshot.Parts()
	for _, r := range parts.Egress {
		x.egress[r.Provider] = append(x.egress[r.Provider], r)
	}
	for _, r := range parts.Storage {
		x.storage[r.Provider] = append(x.storage[r.Provider], r)
	}
	return x
}

// of writes a provider's rates, nil where there are none, and adds their dates.
func (x ratesByProvider) of(id catalog.ProviderID, dates *oldest) (egress []schemas.EgressRate, storage []schemas.BlockStorageFee) {
	for _, r := range x.egress[id] {
		dates.add(r.AsOf)
		egress = append(egress, egressRate(r))
	}
	for _, r := range x.storage[id] {
		dates.add(r.AsOf)
		storage = append(storage, schemas.BlockStorageFee{
			Region: known(string(r.Region)), Item: r.Item, Price: amount(r.Price), Unit: string(r.Unit),
			Currency: string(r.Currency), AsOf: known(r.AsOf.String()), Source: r.Source,
		})
	}
	return egress, storage
}

// egressRate writes a transfer rate.
func egressRate(r catalog.EgressRate) schemas.EgressRate {
	out := schemas.EgressRate{
		Region: known(string(r.Region)), Scope: string(r.Scope), Unit: string(r.Unit), Currency: string(r.Currency),
		FreePerMonth: amount(r.FreePerMonth), Tiers: make([]schemas.EgressTier, 0, len(r.Tiers)),
		AsOf: known(r.AsOf.String()), Source: r.Source,
	}
	for _, t := range r.Tiers {
		out.Tiers = append(out.Tiers, schemas.EgressTier{UpTo: maybe(t.UpTo), Price: amount(t.Price)})
	}
	return out
}
