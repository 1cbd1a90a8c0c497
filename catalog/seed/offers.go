package seed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// offer reads an offer. Its id follows from its place, SKU, variant and market.
func (l *loader) offer(x *row) {
	o := catalog.Offer{
		Place: place(x), SKU: catalog.SKU(x.required()), Variant: x.text(),
		Service: parse(x, service), Market: parse(x, catalog.ParsePurchaseModel), Country: x.text(),
		GPU: catalog.GPUID(x.text()), GPUName: x.text(), GPUs: x.decimal(), MinGPUs: int(x.integer()),
		VRAMPerGPUGB: x.number(), VCPUs: x.number(), RAMGB: x.number(), DiskGB: x.number(),
		Price:                   price(x),
		BillingIncrementSeconds: x.integer(),
		Availability:            catalog.AvailabilityUnknown,
		AsOf:                    l.dated(x),
	}
	cited := l.cited(x)
	o.Source, o.Licence, o.Flags = cited.text, cited.licence, l.flagged(x)
	o.ID = catalog.NewOfferID(o.Place, o.SKU, o.Variant, o.Market)
	if o.Market == catalog.Spot {
		o.Interruption = l.bands[host{o.Place, o.SKU}]
	}
	l.parts.Offers = append(l.parts.Offers, o)
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

// band reads a monthly interruption probability, which the spot offers of that
// SKU at that place then carry.
func (l *loader) band(x *row) {
	at := host{place(x), catalog.SKU(x.required())}
	b := catalog.Band{Low: x.decimal(), High: x.decimal(), AsOf: l.dated(x), Source: l.cited(x).text}
	l.bands[at] = b
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
