package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Transfer is data that leaves a provider every month.
type Transfer struct {
	Name       string
	Provider   catalog.ProviderID // whose volumes of a month are summed
	GB         decimal.Decimal    // a month
	Rate       catalog.EgressRate
	Conversion Conversion
	Assumed    bool // the rate is unknown: the dearest stands in
}

// Part is the part of a volume that one tier of a rate holds, in the rate's unit.
type Part struct{ Volume, Price decimal.Decimal }

// PartsAfter splits gb gigabytes that leave after used ones by tiers, the free
// allowance first. The parts add up to the volume, and their costs to EgressAfter.
func PartsAfter(rate catalog.EgressRate, used, gb decimal.Decimal) []Part {
	var parts []Part
	at := InUnit(used, rate.Unit)
	end := InUnit(used.Add(gb), rate.Unit)
	take := func(upTo decimal.NullDecimal, price decimal.Decimal) {
		to := end
		if upTo.Valid {
			to = decimal.Min(end, upTo.Decimal)
		}
		if to.GreaterThan(at) {
			parts = append(parts, Part{Volume: to.Sub(at), Price: price})
			at = to
		}
	}
	take(decimal.NewNullDecimal(rate.FreePerMonth), decimal.Zero)
	for _, tier := range rate.Tiers {
		upTo := tier.UpTo
		if upTo.Valid {
			upTo.Decimal = upTo.Decimal.Add(rate.FreePerMonth)
		}
		take(upTo, tier.Price)
	}
	take(decimal.NullDecimal{}, decimal.Zero) // a rate without tiers charges nothing
	return parts
}

// TransferItems are what each of some transfers costs in a month: a line for each tier
// that it reaches, the volumes of one provider summed in order.
func TransferItems(transfers []Transfer, m Month) [][]Item {
	used := make(map[catalog.ProviderID]decimal.Decimal)
	items := make([][]Item, len(transfers))
	for i, t := range transfers {
		for _, part := range PartsAfter(t.Rate, used[t.Provider], t.GB) {
			items[i] = append(items[i], t.item(part, m))
		}
		used[t.Provider] = used[t.Provider].Add(t.GB)
	}
	return items
}

// ItemsAfter are what the transfer costs in a whole month after so many gigabytes left
// its provider.
func (t *Transfer) ItemsAfter(used decimal.Decimal) []Item {
	var items []Item
	for _, part := range PartsAfter(t.Rate, used, t.GB) {
		items = append(items, t.item(part, AverageMonth()))
	}
	return items
}

// item is a part of a transfer.
func (t *Transfer) item(part Part, m Month) Item {
	unit := GBs
	if t.Rate.Unit == catalog.GiB {
		unit = GiBs
	}
	return Item{
		Line: Network, Of: t.Name, Unit: unit, Assumed: t.Assumed,
		Quantity: m.Share.Times(part.Volume), Price: t.Conversion.Convert(Exact(part.Price)),
		Native: catalog.Rate{Num: part.Price, Den: one, Currency: t.Rate.Currency},
	}
}
