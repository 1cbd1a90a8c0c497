package chunk

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// sections are the tables of a document; one that others refer to comes before
// them. A column's name is part of the stored form: never reuse one for another
// fact.
func (d *document) sections() []section {
	return []section{
		table[named]{"catalogue", &d.versions, []column[named]{
			text("version", func(n *named) *catalog.Version { return &n.version }),
		}},
		table[catalog.GPUModel]{"gpus", &d.parts.GPUs, gpuColumns()},
		table[alias]{"gpu_aliases", &d.aliases, []column[alias]{
			text("name", func(a *alias) *string { return &a.name }),
			text("gpu", func(a *alias) *catalog.GPUID { return &a.gpu }),
		}},
		table[catalog.Provider]{"providers", &d.parts.Providers, providerColumns()},
		table[catalog.Region]{"regions", &d.parts.Regions, regionColumns()},
		table[catalog.EgressRate]{"egress", &d.parts.Egress, egressColumns()},
		table[catalog.StorageRate]{"storage", &d.parts.Storage, storageColumns()},
		table[catalog.FXRate]{"fx", &d.parts.FX, fxColumns()},
		table[catalog.Prior]{"priors", &d.parts.Priors, priorColumns()},
		table[catalog.Model]{"models", &d.parts.Models, modelColumns()},
		table[catalog.Instance]{"instances", &d.instances.rows, instanceColumns()},
		table[catalog.Provenance]{"provenances", &d.provenances.rows, provenanceColumns()},
		table[catalog.Band]{"bands", &d.bands.rows, bandColumns()},
		table[catalog.Offer]{"offers", &d.parts.Offers, d.offerColumns()},
		table[catalog.PricePoint]{"history", &d.parts.History, historyColumns()},
		table[catalog.SKUBand]{"sku_bands", &d.parts.Bands, d.skuBandColumns()},
		table[catalog.Fabric]{"fabrics", &d.parts.Fabrics, fabricColumns()},
		table[catalog.Coefficient]{"coefficients", &d.parts.Coefficients, coefficientColumns()},
		table[catalog.CheckRate]{"checks", &d.parts.Checks, checkRateColumns()},
	}
}

func (d *document) offerColumns() []column[catalog.Offer] {
	return []column[catalog.Offer]{
		text("id", func(o *catalog.Offer) *catalog.OfferID { return &o.ID }),
		text("provider", func(o *catalog.Offer) *catalog.ProviderID { return &o.Provider }),
		text("region", func(o *catalog.Offer) *catalog.RegionID { return &o.Region }),
		reference("instance", func(o *catalog.Offer) **catalog.Instance { return &o.Instance }, &d.instances),
		reference("provenance", func(o *catalog.Offer) **catalog.Provenance { return &o.Provenance }, &d.provenances),
		text("market", func(o *catalog.Offer) *catalog.PurchaseModel { return &o.Market }),
		text("country", func(o *catalog.Offer) *string { return &o.Country }),
		optional("amount", func(o *catalog.Offer) *decimal.NullDecimal { return &o.Price.Amount }),
		text("basis", func(o *catalog.Offer) *catalog.Basis { return &o.Price.Basis }),
		text("currency", func(o *catalog.Offer) *catalog.Currency { return &o.Price.Currency }),
		integer("availability", func(o *catalog.Offer) *catalog.Availability { return &o.Availability }),
		date("as_of", func(o *catalog.Offer) *catalog.Date { return &o.AsOf }),
		reference("interruption", func(o *catalog.Offer) **catalog.Band { return &o.Interruption }, &d.bands),
		texts("flags", func(o *catalog.Offer) *[]catalog.Flag { return &o.Flags }),
	}
}

func instanceColumns() []column[catalog.Instance] {
	return []column[catalog.Instance]{
		text("sku", func(i *catalog.Instance) *catalog.SKU { return &i.SKU }),
		text("variant", func(i *catalog.Instance) *string { return &i.Variant }),
		text("service", func(i *catalog.Instance) *catalog.Service { return &i.Service }),
		text("gpu", func(i *catalog.Instance) *catalog.GPUID { return &i.GPU }),
		text("gpu_name", func(i *catalog.Instance) *string { return &i.GPUName }),
		optional("gpus", func(i *catalog.Instance) *decimal.NullDecimal { return &i.GPUs }),
		integer("min_gpus", func(i *catalog.Instance) *int { return &i.MinGPUs }),
		number("vram_gb", func(i *catalog.Instance) *float64 { return &i.VRAMPerGPUGB }),
		number("vcpus", func(i *catalog.Instance) *float64 { return &i.VCPUs }),
		number("ram_gb", func(i *catalog.Instance) *float64 { return &i.RAMGB }),
		number("disk_gb", func(i *catalog.Instance) *float64 { return &i.DiskGB }),
		integer("billing_increment_s", func(i *catalog.Instance) *int64 { return &i.BillingIncrementSeconds }),
	}
}

func provenanceColumns() []column[catalog.Provenance] {
	return []column[catalog.Provenance]{
		text("source", func(p *catalog.Provenance) *string { return &p.Source }),
		text("licence", func(p *catalog.Provenance) *string { return &p.Licence }),
	}
}

func bandColumns() []column[catalog.Band] {
	return []column[catalog.Band]{
		optional("low", func(b *catalog.Band) *decimal.NullDecimal { return &b.Low }),
		optional("high", func(b *catalog.Band) *decimal.NullDecimal { return &b.High }),
		date("as_of", func(b *catalog.Band) *catalog.Date { return &b.AsOf }),
		text("source", func(b *catalog.Band) *string { return &b.Source }),
	}
}

func providerColumns() []column[catalog.Provider] {
	return []column[catalog.Provider]{
		text("id", func(p *catalog.Provider) *catalog.ProviderID { return &p.ID }),
		text("name", func(p *catalog.Provider) *string { return &p.Name }),
		text("class", func(p *catalog.Provider) *catalog.ProviderClass { return &p.Class }),
		integer("billing_increment_s", func(p *catalog.Provider) *int64 { return &p.BillingIncrementSeconds }),
		integer("billing_minimum_s", func(p *catalog.Provider) *int64 { return &p.BillingMinimumSeconds }),
		text("billing_source", func(p *catalog.Provider) *string { return &p.BillingSource }),
		children("compliance", func(p *catalog.Provider) *[]catalog.Attestation { return &p.Compliance }, []column[catalog.Attestation]{
			text("name", func(a *catalog.Attestation) *string { return &a.Name }),
			text("scope", func(a *catalog.Attestation) *string { return &a.Scope }),
			text("source", func(a *catalog.Attestation) *string { return &a.Source }),
			date("as_of", func(a *catalog.Attestation) *catalog.Date { return &a.AsOf }),
		}),
		children("stopped", func(p *catalog.Provider) *[]catalog.StoppedRule { return &p.Stopped }, stoppedColumns()),
		children("images", func(p *catalog.Provider) *[]catalog.PreinstalledImage { return &p.Images }, imageColumns()),
	}
}

func regionColumns() []column[catalog.Region] {
	return []column[catalog.Region]{
		text("provider", func(x *catalog.Region) *catalog.ProviderID { return &x.Provider }),
		text("region", func(x *catalog.Region) *catalog.RegionID { return &x.Place.Region }),
		text("country", func(x *catalog.Region) *string { return &x.Country }),
		text("city", func(x *catalog.Region) *string { return &x.City }),
		text("jurisdiction", func(x *catalog.Region) *string { return &x.Jurisdiction }),
		number("latitude", func(x *catalog.Region) *float64 { return &x.Latitude }),
		number("longitude", func(x *catalog.Region) *float64 { return &x.Longitude }),
		text("precision", func(x *catalog.Region) *catalog.Precision { return &x.Precision }),
		text("source", func(x *catalog.Region) *string { return &x.Source }),
	}
}
