package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Disk is storage that is held whether or not anything runs.
type Disk struct {
	Name       string
	GB         decimal.Decimal
	Tariff     StorageTariff
	Conversion Conversion
	Assumed    bool // the price is unknown: the dearest stands in
}

// Item is what the disk costs in a month.
func (d *Disk) Item(m Month) Item { return d.item(Exact(decimal.NewFromInt(m.Seconds))) }

// item is what the disk costs for so many seconds.
func (d *Disk) item(seconds Quotient) Item {
	unit := GBMonths
	if d.Tariff.Unit == catalog.GiB {
		unit = GiBMonths
	}
	return Item{
		Line: Storage, Of: d.Name, Unit: unit, Assumed: d.Assumed,
		Quantity: seconds.Mul(inUnit(d.GB, d.Tariff.Unit)).Over(monthLength),
		Price:    d.Conversion.Convert(Exact(d.Tariff.Price)),
		Native:   catalog.Rate{Num: d.Tariff.Price, Den: one, Currency: d.Conversion.From.Currency},
	}
}

// inUnit is InUnit as a quotient of few digits: 10^9 / 2^30 is 5^9 / 2^21.
func inUnit(gb decimal.Decimal, unit catalog.VolumeUnit) Quotient {
	if unit == catalog.GiB {
		return Quotient{Num: gb.Mul(decimal.NewFromInt(1953125)), Den: decimal.NewFromInt(1 << 21)}
	}
	return Exact(gb)
}
