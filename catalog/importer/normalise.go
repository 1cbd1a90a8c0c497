package importer

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// sourcePrefix begins the source of every offer that a feed gave, so that it can
// be told from the baseline's.
const sourcePrefix = "feed: "

// skuOf is a provider's SKU.
type skuOf struct {
	provider catalog.ProviderID
	sku      catalog.SKU
}

// candidate is a row as an offer.
type candidate struct {
	catalog.Offer
	row    int
	zone   string
	stated string // the price as the source writes it
	notes  []note
}

// note is what a reader should know of a candidate, or what speaks against it.
type note struct {
	reason catalog.HoldReason
	detail string
}

// normaliser turns rows into offers.
type normaliser struct {
	base      *catalog.Snapshot
	bands     map[bandAt]*catalog.Band
	batch     *feed.Batch
	source    *catalog.Provenance
	known     map[skuOf]*catalog.Instance
	instances map[instanceID]*catalog.Instance // one copy of every instance
}

// newNormaliser is a normaliser of a batch for a catalogue in the making.
func newNormaliser(d *draft, batch *feed.Batch) *normaliser {
	base := d.base
	n := &normaliser{
		base: base, bands: d.bands, batch: batch, known: knownSKUs(base), instances: make(map[instanceID]*catalog.Instance),
		source: &catalog.Provenance{Source: sourcePrefix + batch.Source.Source, Licence: batch.Source.Licence},
	}
	for i := range base.Offers() {
		if o := &base.Offers()[i]; o.Provenance != nil && *o.Provenance == *n.source {
			n.source = o.Provenance
			n.instances[keyOf(o.Instance)] = o.Instance
		}
	}
	return n
}

// knownSKUs are the instances of a catalogue by provider and SKU.
func knownSKUs(s *catalog.Snapshot) map[skuOf]*catalog.Instance {
	known := make(map[skuOf]*catalog.Instance)
	for i := range s.Offers() {
		o := &s.Offers()[i]
		known[skuOf{o.Provider, o.SKU}] = o.Instance
	}
	return known
}

// instanceID is everything that an instance says, so that equal ones are equal.
type instanceID struct {
	catalog.Instance        // without GPUs, since a decimal has many forms
	gpus             string // "" if the count is not known
}

// keyOf is everything that an instance says.
func keyOf(i *catalog.Instance) instanceID {
	id := instanceID{Instance: *i}
	if id.GPUs = (decimal.NullDecimal{}); i.GPUs.Valid {
		id.gpus = i.GPUs.Decimal.String()
	}
	return id
}

// instanceKey is everything that an instance says, as text.
func instanceKey(i *catalog.Instance) string {
	gpus := ""
	if i.GPUs.Valid {
		gpus = i.GPUs.Decimal.String()
	}
	return fmt.Sprintf("%q %q %q %q %q %s %d %g %g %g %g %d", i.SKU, i.Variant, i.Service, i.GPU, i.GPUName, gpus, i.MinGPUs,
		i.VRAMPerGPUGB, i.VCPUs, i.RAMGB, i.DiskGB, i.BillingIncrementSeconds)
}

// candidate is a row as an offer. ok is false if nothing says what hardware it is.
func (n *normaliser) candidate(row *feed.Row, id catalog.OfferID) (c *candidate, ok bool) {
	known := n.known[skuOf{row.Provider, row.SKU}]
	i := catalog.Instance{SKU: row.SKU, Variant: row.Variant, Service: row.Service, MinGPUs: row.MinGPUs,
		VCPUs: row.VCPUs, RAMGB: row.RAMGB, DiskGB: row.DiskGB, BillingIncrementSeconds: row.BillingStep}
	c = &candidate{row: row.Number, zone: row.Zone, stated: row.PriceText}
	ok = true
	switch {
	case row.KnownOnly && known != nil:
		i.GPU, i.GPUName, i.GPUs, i.VRAMPerGPUGB = known.GPU, known.GPUName, known.GPUs, known.VRAMPerGPUGB
	case row.GPU.Name != "":
		n.addGPU(c, &i, row, known)
	case row.KnownOnly:
		ok = false
	}
	if !ok || row.GPU.Name == "" && !row.KnownOnly {
		i.GPUs = zero()
	}
	complete(&i, known)
	c.Offer = catalog.Offer{
		ID: id, Place: row.Place, Instance: n.shared(i), Provenance: n.source,
		Market: row.Market, Country: row.Country, Price: row.Price, Availability: row.Availability, AsOf: row.AsOf, Flags: row.Flags,
	}
	if c.Country == "" {
		c.Country = n.base.Country(row.Place)
	}
	if !c.AsOf.Known() {
		c.AsOf = n.batch.AsOf
	}
	for _, note := range c.notes {
		if note.reason == catalog.VRAMOff {
			c.flag(flagVRAMOff)
		}
	}
	if c.Market == catalog.Spot {
		c.Interruption = n.bands[bandAt{c.Place, c.SKU}]
	}
	return c, ok
}

// addGPU says what GPU an instance has.
func (n *normaliser) addGPU(c *candidate, i *catalog.Instance, row *feed.Row, known *catalog.Instance) {
	h := n.gpu(row, known)
	i.GPU, i.GPUName, i.GPUs, i.VRAMPerGPUGB = h.id, h.name, row.GPU.Count, h.vramGB
	if h.id == catalog.UnmappedGPU {
		c.notes = append(c.notes, note{catalog.GPUUnmapped, fmt.Sprintf("no GPU of the catalogue is called %q", h.name)})
	}
	if h.offBy != 0 {
		c.notes = append(c.notes, note{catalog.VRAMOff, fmt.Sprintf("%.4g GB for a GPU of %.4g GB (%s)", h.vramGB, h.modelGB, h.id)})
	}
}

// complete takes what a source leaves out of an instance from the same SKU in the
// catalogue.
func complete(i, known *catalog.Instance) {
	if known == nil {
		return
	}
	for _, figure := range [][2]*float64{{&i.VCPUs, &known.VCPUs}, {&i.RAMGB, &known.RAMGB}, {&i.DiskGB, &known.DiskGB}} {
		if *figure[0] == 0 {
			*figure[0] = *figure[1]
		}
	}
	if i.GPU == known.GPU && i.VRAMPerGPUGB == 0 {
		i.VRAMPerGPUGB = known.VRAMPerGPUGB
	}
	if i.BillingIncrementSeconds == 0 {
		i.BillingIncrementSeconds = known.BillingIncrementSeconds
	}
}

// shared is the one copy of equal instances.
func (n *normaliser) shared(i catalog.Instance) *catalog.Instance {
	key := keyOf(&i)
	one, ok := n.instances[key]
	if !ok {
		one = &i
		n.instances[key] = one
	}
	return one
}

// FromFeed reports whether an offer is one that a feed gave.
func FromFeed(o *catalog.Offer) bool { return strings.HasPrefix(o.Source, sourcePrefix) }
