package azurefeed

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// offer is what a price is of.
type offer struct {
	region  catalog.RegionID
	sku     catalog.SKU
	variant string
	market  catalog.PurchaseModel
}

// found is the newest price of an offer, and others as new as that: the importer
// judges whether they contradict it.
type found struct {
	from catalog.Date
	rows []feed.Row
}

// keep keeps a price unless there is a newer one.
func (r *reader) keep(row feed.Row, from catalog.Date) {
	key := offer{row.Region, row.SKU, row.Variant, row.Market}
	have, again := r.at[key]
	switch {
	case !again:
		r.rows = append(r.rows, key)
		r.at[key] = found{from, []feed.Row{row}}
	case from.Before(have.from):
		r.batch.Skip("price that is over")
	case have.from.Before(from):
		r.batch.Skip("price that is over")
		r.at[key] = found{from, []feed.Row{row}}
	case have.rows[0].PriceText == row.PriceText:
		r.batch.Skip("row that came twice")
		r.batch.Partial = true
	default:
		have.rows = append(have.rows, row)
		r.at[key] = have
	}
}

// take puts what was kept into the batch.
func (r *reader) take() {
	for _, key := range r.rows {
		r.batch.Rows = append(r.batch.Rows, r.at[key].rows...)
	}
}
