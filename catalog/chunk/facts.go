package chunk

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

func historyColumns() []column[catalog.PricePoint] {
	return []column[catalog.PricePoint]{
		text("offer", func(p *catalog.PricePoint) *catalog.OfferID { return &p.Offer }),
		date("as_of", func(p *catalog.PricePoint) *catalog.Date { return &p.AsOf }),
		optional("amount", func(p *catalog.PricePoint) *decimal.NullDecimal { return &p.Price.Amount }),
		text("basis", func(p *catalog.PricePoint) *catalog.Basis { return &p.Price.Basis }),
		text("currency", func(p *catalog.PricePoint) *catalog.Currency { return &p.Price.Currency }),
		text("source", func(p *catalog.PricePoint) *string { return &p.Source }),
	}
}

func (d *document) skuBandColumns() []column[catalog.SKUBand] {
	return []column[catalog.SKUBand]{
		text("provider", func(b *catalog.SKUBand) *catalog.ProviderID { return &b.Provider }),
		text("region", func(b *catalog.SKUBand) *catalog.RegionID { return &b.Region }),
		text("sku", func(b *catalog.SKUBand) *catalog.SKU { return &b.SKU }),
		reference("band", func(b *catalog.SKUBand) **catalog.Band { return &b.Band }, &d.bands),
	}
}

func fabricColumns() []column[catalog.Fabric] {
	return []column[catalog.Fabric]{
		text("provider", func(f *catalog.Fabric) *catalog.ProviderID { return &f.Provider }),
		text("sku", func(f *catalog.Fabric) *catalog.SKU { return &f.SKU }),
		number("gb_s", func(f *catalog.Fabric) *float64 { return &f.GBs }),
		text("name", func(f *catalog.Fabric) *string { return &f.Name }),
		date("as_of", func(f *catalog.Fabric) *catalog.Date { return &f.AsOf }),
		text("source", func(f *catalog.Fabric) *string { return &f.Source }),
	}
}

func stoppedColumns() []column[catalog.StoppedRule] {
	return []column[catalog.StoppedRule]{
		text("item", func(r *catalog.StoppedRule) *string { return &r.Item }),
		text("text", func(r *catalog.StoppedRule) *string { return &r.Text }),
		integer("compute_billed", func(r *catalog.StoppedRule) *catalog.Tri { return &r.ComputeBilled }),
		date("as_of", func(r *catalog.StoppedRule) *catalog.Date { return &r.AsOf }),
		text("source", func(r *catalog.StoppedRule) *string { return &r.Source }),
	}
}

func imageColumns() []column[catalog.PreinstalledImage] {
	return []column[catalog.PreinstalledImage]{
		text("item", func(i *catalog.PreinstalledImage) *string { return &i.Item }),
		text("text", func(i *catalog.PreinstalledImage) *string { return &i.Text }),
		date("as_of", func(i *catalog.PreinstalledImage) *catalog.Date { return &i.AsOf }),
		text("source", func(i *catalog.PreinstalledImage) *string { return &i.Source }),
	}
}
