package seed

import "github.com/tierwise/tierwise/catalog"

// stoppedRule reads a statement of what a stopped instance costs.
func (l *loader) stoppedRule(x *row) {
	provider := catalog.ProviderID(x.required())
	l.stopped[provider] = append(l.stopped[provider], catalog.StoppedRule{
		Item: x.required(), Text: x.required(), ComputeBilled: x.tri(), AsOf: l.dated(x), Source: l.cited(x).Source,
	})
}

// image reads a statement of what is installed beforehand.
func (l *loader) image(x *row) {
	provider := catalog.ProviderID(x.required())
	l.images[provider] = append(l.images[provider], catalog.PreinstalledImage{
		Item: x.required(), Text: x.required(), AsOf: l.dated(x), Source: l.cited(x).Source,
	})
}

// fabric reads the network between the nodes of a SKU.
func (l *loader) fabric(x *row) {
	f := catalog.Fabric{
		Provider: catalog.ProviderID(x.required()), SKU: catalog.SKU(x.required()), GBs: x.number(), Name: x.text(),
		AsOf: l.dated(x), Source: l.cited(x).Source,
	}
	l.parts.Fabrics = append(l.parts.Fabrics, f)
}
