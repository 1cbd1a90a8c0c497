package seed

import (
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// host is what an interruption band is about.
type host struct {
	catalog.Place
	sku catalog.SKU
}

// band reads a monthly interruption probability, which the spot offers of that
// SKU at that place then carry. Equal bands share memory.
func (l *loader) band(x *row) {
	at := host{place(x), catalog.SKU(x.required())}
	if _, twice := l.bands[at]; twice {
		x.fail(string(at.sku), "a place and SKU that have no band yet")
	}
	key := strings.Join(x.fields[x.next:], ",")
	b := catalog.Band{Low: x.decimal(), High: x.decimal(), AsOf: l.dated(x), Source: l.cited(x).Source}
	known, ok := l.banded[key]
	if !ok {
		known = &b
		l.banded[key] = known
	}
	l.bands[at] = known
	l.parts.Bands = append(l.parts.Bands, catalog.SKUBand{Place: at.Place, SKU: at.sku, Band: known})
}
