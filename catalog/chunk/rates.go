package chunk

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

func egressColumns() []column[catalog.EgressRate] {
	return []column[catalog.EgressRate]{
		text("provider", func(e *catalog.EgressRate) *catalog.ProviderID { return &e.Provider }),
		text("region", func(e *catalog.EgressRate) *catalog.RegionID { return &e.Region }),
		text("scope", func(e *catalog.EgressRate) *catalog.Scope { return &e.Scope }),
		amount("free_per_month", func(e *catalog.EgressRate) *decimal.Decimal { return &e.FreePerMonth }),
		children("tiers", func(e *catalog.EgressRate) *[]catalog.EgressTier { return &e.Tiers }, []column[catalog.EgressTier]{
			optional("up_to", func(t *catalog.EgressTier) *decimal.NullDecimal { return &t.UpTo }),
			amount("price", func(t *catalog.EgressTier) *decimal.Decimal { return &t.Price }),
		}),
		text("unit", func(e *catalog.EgressRate) *catalog.VolumeUnit { return &e.Unit }),
		text("currency", func(e *catalog.EgressRate) *catalog.Currency { return &e.Currency }),
		date("as_of", func(e *catalog.EgressRate) *catalog.Date { return &e.AsOf }),
		text("source", func(e *catalog.EgressRate) *string { return &e.Source }),
	}
}

func storageColumns() []column[catalog.StorageRate] {
	return []column[catalog.StorageRate]{
		text("provider", func(s *catalog.StorageRate) *catalog.ProviderID { return &s.Provider }),
		text("region", func(s *catalog.StorageRate) *catalog.RegionID { return &s.Region }),
		text("item", func(s *catalog.StorageRate) *string { return &s.Item }),
		amount("price", func(s *catalog.StorageRate) *decimal.Decimal { return &s.Price }),
		text("unit", func(s *catalog.StorageRate) *catalog.VolumeUnit { return &s.Unit }),
		text("currency", func(s *catalog.StorageRate) *catalog.Currency { return &s.Currency }),
		date("as_of", func(s *catalog.StorageRate) *catalog.Date { return &s.AsOf }),
		text("source", func(s *catalog.StorageRate) *string { return &s.Source }),
	}
}

func fxColumns() []column[catalog.FXRate] {
	return []column[catalog.FXRate]{
		text("currency", func(f *catalog.FXRate) *catalog.Currency { return &f.Currency }),
		date("month", func(f *catalog.FXRate) *catalog.Date { return &f.Month }),
		amount("units_per_usd", func(f *catalog.FXRate) *decimal.Decimal { return &f.UnitsPerUSD }),
		text("source", func(f *catalog.FXRate) *string { return &f.Source }),
	}
}

func priorColumns() []column[catalog.Prior] {
	return []column[catalog.Prior]{
		text("class", func(p *catalog.Prior) *catalog.GPUClass { return &p.Class }),
		number("value", func(p *catalog.Prior) *float64 { return &p.Value }),
		number("low", func(p *catalog.Prior) *float64 { return &p.Low }),
		number("high", func(p *catalog.Prior) *float64 { return &p.High }),
		text("source", func(p *catalog.Prior) *string { return &p.Source }),
	}
}
