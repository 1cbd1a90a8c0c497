package seed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// offer reads an offer. Its id follows from its place, SKU, variant and market.
func (l *loader) offer(x *row) {
	o := catalog.Offer{Place: place(x)}
	key := l.instanceKey(x)
	i := catalog.Instance{SKU: catalog.SKU(x.required()), Variant: x.text(), Service: parse(x, service)}
	o.Market, o.Country = parse(x, catalog.ParsePurchaseModel), x.text()
	i.GPU, i.GPUName, i.GPUs, i.MinGPUs = catalog.GPUID(x.text()), x.text(), x.decimal(), int(x.integer())
	i.VRAMPerGPUGB, i.VCPUs, i.RAMGB, i.DiskGB = x.number(), x.number(), x.number(), x.number()
	o.Price = price(x)
	i.BillingIncrementSeconds = x.integer()
	o.Instance = l.instance(key, i)
	o.AsOf = l.dated(x)
	o.Provenance = &l.cited(x).Provenance
	o.Flags = l.flagged(x)
	o.ID = catalog.NewOfferID(o.Place, o.SKU, o.Variant, o.Market)
	if o.Market == catalog.Spot {
		o.Interruption = l.bands[host{o.Place, o.SKU}]
	}
	l.parts.Offers = append(l.parts.Offers, o)
}

// instanceKey is everything in an offer's row that describes the instance.
func (l *loader) instanceKey(x *row) string {
	l.buffer = l.buffer[:0]
	for _, column := range [...]int{2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 18} {
		l.buffer = append(append(l.buffer, x.fields[column]...), 0)
	}
	return string(l.buffer)
}

// instance is the one copy of equal instances.
func (l *loader) instance(key string, i catalog.Instance) *catalog.Instance {
	known, ok := l.instances[key]
	if !ok {
		known = &i
		l.instances[key] = known
	}
	return known
}

// place reads a provider and a region.
func place(x *row) catalog.Place {
	return catalog.Place{Provider: catalog.ProviderID(x.required()), Region: catalog.RegionID(x.text())}
}

// price reads a price, its unit and its currency; an empty amount is unknown.
func price(x *row) catalog.Price {
	amount := x.decimal()
	return catalog.NewPrice(amount.Decimal, parse(x, catalog.ParseBasis), catalog.Currency(x.required()))
}

// flagged reads flags joined by "|". Offers of equal flags share them.
func (l *loader) flagged(x *row) []catalog.Flag {
	text := x.text()
	if text == "" {
		return nil
	}
	if known, ok := l.flags[text]; ok {
		return known
	}
	var flags []catalog.Flag
	for flag := range strings.SplitSeq(text, "|") {
		flags = append(flags, catalog.Flag(flag))
	}
	l.flags[text] = flags
	return flags
}

// service reads a kind of service by its name.
func service(text string) (catalog.Service, error) {
	return oneOf("service", text, catalog.VirtualMachine, catalog.Marketplace, catalog.Serverless)
}

// oneOf reads one of a few names.
func oneOf[T ~string](what, text string, names ...T) (T, error) {
	if slices.Contains(names, T(text)) {
		return T(text), nil
	}
	return "", fmt.Errorf("parse %s %q: want one of %v", what, text, names)
}
