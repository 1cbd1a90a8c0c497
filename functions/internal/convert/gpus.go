package convert

import (
	"maps"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// Why a purchase model of a GPU has no price.
const (
	noData       = "no_data"
	priceUnknown = "price_unknown"
)

// GPUs answers a valid query of GPUs as of an instant. The error is a
// *schemas.ValidationError.
func (c *Catalogue) GPUs(wire schemas.GPUsQuery, at time.Time) (schemas.GPUsResponse, error) {
	r := &reader{snapshot: c.snapshot}
	ids := r.namedGPUs(wire.GPU)
	if err := r.refused(); err != nil {
		return schemas.GPUsResponse{}, err
	}
	out := schemas.GPUsResponse{
		GPUs:           []schemas.GPU{},
		Unmapped:       []schemas.UnmappedGPU{},
		Currency:       string(catalog.USD),
		CatalogVersion: string(c.snapshot.Version()),
		ComputedAt:     instant(at),
	}
	if len(wire.GPU) == 0 {
		ids, out.Unmapped = c.snapshot.GPUIDs(), c.unmapped()
	}
	var dates oldest
	for _, id := range ids {
		model, _ := c.snapshot.GPU(id)
		gpu := c.gpu(model)
		for _, market := range catalog.PurchaseModels() {
			m := c.market(id, market, &dates)
			gpu.Offers += m.Offers
			gpu.Markets = append(gpu.Markets, m)
		}
		out.GPUs = append(out.GPUs, gpu)
	}
	out.AsOf = dates.wire()
	return out, nil
}

// namedGPUs reads GPUs and families of them.
func (r *reader) namedGPUs(names []string) []catalog.GPUID {
	var ids []catalog.GPUID
	for i, name := range names {
		ids = append(ids, r.gpus(name, item("/gpu", i))...)
	}
	return distinct(ids)
}

// gpu writes the specification of a GPU.
func (c *Catalogue) gpu(g catalog.GPUModel) schemas.GPU {
	out := schemas.GPU{
		ID: string(g.ID), Name: g.Name, Family: g.Family,
		Vendor: known(g.Vendor), Form: known(g.Form), Architecture: known(g.Architecture), Class: known(string(g.Class)),
		ComputeCapability: known(g.ComputeCapability), MinCUDA: known(g.MinCUDA),
		MemoryGB:   gigabytes(g.MemoryGB),
		BF16TFLOPS: figure(g.BF16TFLOPS), FP16TFLOPS: figure(g.FP16TFLOPS), FP32TFLOPS: figure(g.FP32TFLOPS),
		FP64TFLOPS: figure(g.FP64TFLOPS), FP8TFLOPS: figure(g.FP8TFLOPS),
		BandwidthGBs: figure(g.BandwidthGBs), TDPWatts: figure(g.TDPWatts), NVLinkGBs: figure(g.NVLinkGBs),
		NVLink: yesNo(g.NVLink), ECC: yesNo(g.ECC), MIG: yesNo(g.MIG),
		SpecOf: known(string(g.SpecOf)), Source: known(g.Source), Sized: g.Sizable(), Aliases: c.aliases[g.ID],
		Markets: make([]schemas.GPUMarket, 0, len(catalog.PurchaseModels())),
	}
	if g.Tier != catalog.TierUnknown {
		tier := int(g.Tier)
		out.Tier = &tier
	}
	return out
}

// figurePlaces is how many decimals a figure of a specification may have.
const figurePlaces = 6

// figure writes a figure of a specification; nil if it is zero, which is unknown.
func figure(x float64) *string {
	if x <= 0 {
		return nil
	}
	return known(trimmed(x, figurePlaces))
}

// market writes what a GPU rents for: its lowest price per GPU and hour is the one
// that a query of offers finds first. The date of the price is added to dates.
func (c *Catalogue) market(id catalog.GPUID, market catalog.PurchaseModel, dates *oldest) schemas.GPUMarket {
	out := schemas.GPUMarket{PurchaseModel: string(market)}
	page := c.snapshot.Query(catalog.Query{GPUs: []catalog.GPUID{id}, Markets: []catalog.PurchaseModel{market}}, 0, 1)
	out.Offers = page.Total
	if page.Total == 0 {
		out.Reason = known(noData)
		return out
	}
	first := page.Offers[0]
	var offer schemas.Offer
	writer{snapshot: c.snapshot, currency: catalog.USD}.prices(&offer, first, c.terms(first))
	if offer.PricePerGPUHour == nil {
		out.Reason = known(priceUnknown)
		return out
	}
	dates.add(first.AsOf)
	out.LowestPricePerGPUHour, out.OfferID, out.AsOf = offer.PricePerGPUHour, known(string(first.ID)), known(first.AsOf.String())
	return out
}

// unmapped counts the offers of GPUs whose names are not known.
func (c *Catalogue) unmapped() []schemas.UnmappedGPU {
	counts := make(map[string]int)
	for i := range c.snapshot.Offers() {
		if o := &c.snapshot.Offers()[i]; o.GPU == catalog.UnmappedGPU {
			counts[o.GPUName]++
		}
	}
	out := make([]schemas.UnmappedGPU, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, schemas.UnmappedGPU{GPUName: name, Offers: counts[name]})
	}
	return out
}
