package seed

import "github.com/tierwise/tierwise/catalog"

// provider reads a provider; the statements about it were read before it.
func (l *loader) provider(x *row) {
	p := catalog.Provider{
		ID: catalog.ProviderID(x.required()), Name: x.required(), Class: parse(x, catalog.ParseProviderClass),
		BillingIncrementSeconds: x.integer(), BillingMinimumSeconds: x.integer(), BillingSource: l.cited(x).Source,
	}
	p.Compliance, p.Stopped, p.Images = l.attested[p.ID], l.stopped[p.ID], l.images[p.ID]
	l.parts.Providers = append(l.parts.Providers, p)
}

// attestation reads a compliance statement about a provider.
func (l *loader) attestation(x *row) {
	provider := catalog.ProviderID(x.required())
	l.attested[provider] = append(l.attested[provider], catalog.Attestation{
		Name: x.required(), Scope: x.text(), AsOf: l.dated(x), Source: l.cited(x).Source,
	})
}

// region reads a region.
func (l *loader) region(x *row) {
	l.parts.Regions = append(l.parts.Regions, catalog.Region{
		Place: place(x), Country: x.text(), City: x.text(), Jurisdiction: x.text(),
		Latitude: x.degrees(90), Longitude: x.degrees(180), Precision: catalog.Precision(x.text()), Source: l.cited(x).Source,
	})
}
