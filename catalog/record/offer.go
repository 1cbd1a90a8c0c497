package record

import (
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// Offer is an offer on its own, apart from any catalogue version. An interruption
// band is no part of it: that is joined to whatever offer the catalogue has.
type Offer struct {
	ID           string   `json:"id"`
	Provider     string   `json:"provider"`
	Region       string   `json:"region,omitempty"`
	Country      string   `json:"country,omitempty"`
	Market       string   `json:"market"`
	Price        Price    `json:"price"`
	Availability uint8    `json:"availability,omitempty"`
	AsOf         string   `json:"as_of,omitempty"`
	Source       string   `json:"source"`
	Licence      string   `json:"licence,omitempty"`
	Flags        []string `json:"flags,omitempty"`

	SKU       string  `json:"sku"`
	Variant   string  `json:"variant,omitempty"`
	Service   string  `json:"service"`
	GPU       string  `json:"gpu,omitempty"`
	GPUName   string  `json:"gpu_name,omitempty"`
	GPUs      string  `json:"gpus,omitempty"`
	MinGPUs   int     `json:"min_gpus,omitempty"`
	VRAMGB    float64 `json:"vram_gb,omitempty"`
	VCPUs     float64 `json:"vcpus,omitempty"`
	RAMGB     float64 `json:"ram_gb,omitempty"`
	DiskGB    float64 `json:"disk_gb,omitempty"`
	Increment int64   `json:"billing_increment_s,omitempty"`
}

// FromOffer is the stored form of an offer, which has an instance and a source.
func FromOffer(o catalog.Offer) Offer {
	out := Offer{
		ID: string(o.ID), Provider: string(o.Provider), Region: string(o.Region), Country: o.Country, Market: string(o.Market),
		Price: FromPrice(o.Price), Availability: uint8(o.Availability), AsOf: o.AsOf.String(), Source: o.Source, Licence: o.Licence,
		SKU: string(o.SKU), Variant: o.Variant, Service: string(o.Service), GPU: string(o.GPU), GPUName: o.GPUName,
		GPUs: optionalText(o.GPUs), MinGPUs: o.MinGPUs, VRAMGB: o.VRAMPerGPUGB, VCPUs: o.VCPUs, RAMGB: o.RAMGB, DiskGB: o.DiskGB,
		Increment: o.BillingIncrementSeconds,
	}
	for _, f := range o.Flags {
		out.Flags = append(out.Flags, string(f))
	}
	return out
}

// Parse is the offer.
func (o Offer) Parse() (catalog.Offer, error) {
	price, errPrice := o.Price.Parse()
	gpus, errGPUs := parseOptional(o.GPUs)
	asOf, errAsOf := catalog.ParseDate(o.AsOf)
	if err := errors.Join(errPrice, errGPUs, errAsOf); err != nil {
		return catalog.Offer{}, fmt.Errorf("offer %s: %w: %w", o.ID, err, catalog.ErrCorrupt)
	}
	out := catalog.Offer{
		ID: catalog.OfferID(o.ID), Place: catalog.Place{Provider: catalog.ProviderID(o.Provider), Region: catalog.RegionID(o.Region)},
		Instance: &catalog.Instance{
			SKU: catalog.SKU(o.SKU), Variant: o.Variant, Service: catalog.Service(o.Service), GPU: catalog.GPUID(o.GPU), GPUName: o.GPUName,
			GPUs: gpus, MinGPUs: o.MinGPUs, VRAMPerGPUGB: o.VRAMGB, VCPUs: o.VCPUs, RAMGB: o.RAMGB, DiskGB: o.DiskGB,
			BillingIncrementSeconds: o.Increment,
		},
		Provenance: &catalog.Provenance{Source: o.Source, Licence: o.Licence},
		Market:     catalog.PurchaseModel(o.Market), Country: o.Country, Price: price,
		Availability: catalog.Availability(o.Availability), AsOf: asOf,
	}
	for _, f := range o.Flags {
		out.Flags = append(out.Flags, catalog.Flag(f))
	}
	return out, nil
}
