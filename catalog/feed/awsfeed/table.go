package awsfeed

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// The columns of a list as a table: a row for every part of a price, with all that
// is said of its product.
const (
	preamble     = 5
	columnSKU    = "SKU"
	columnTerm   = "OfferTermCode"
	columnKind   = "TermType"
	columnUnit   = "Unit"
	columnPrice  = "PricePerUnit"
	columnMoney  = "Currency"
	columnLength = "LeaseContractLength"
	columnOption = "PurchaseOption"
	columnClass  = "OfferingClass"
	columnFamily = "Product Family"
	columnType   = "Instance Type"
	columnRegion = "Region Code"
)

// columns are those that the feed reads.
func columns() feed.Columns {
	return feed.Columns{
		Preamble: preamble,
		Needed: []string{columnSKU, columnTerm, columnKind, columnUnit, columnPrice, columnMoney, columnFamily, columnType, columnRegion,
			"vCPU", "Memory", "Tenancy", "Operating System", "CapacityStatus"},
		Optional: []string{columnLength, columnOption, columnClass, "License Model", "Pre Installed S/W", "operation", "GPU", "GPU Memory", "MarketOption"},
	}
}

// table reads a list in CSV.
func (l *list) table(d *feed.Document) (published catalog.Date, err error) {
	t, err := feed.NewTable(d, columns())
	if err != nil {
		return published, err
	}
	for _, row := range t.Preamble {
		if len(row) > 1 && row[0] == "Publication Date" {
			if published, err = day([]byte(row[1])); err != nil {
				return published, err
			}
		}
	}
	return published, t.Each(l.batch, l.row)
}

// row reads a row. A product is kept with its first.
func (l *list) row(x *feed.Record) error {
	a := attributes{
		Family: x.Text(columnFamily), InstanceType: x.Text(columnType), RegionCode: x.Text(columnRegion), VCPU: x.Text("vCPU"), Memory: x.Text("Memory"),
		GPU: x.Text("GPU"), GPUMemory: x.Text("GPU Memory"), Tenancy: x.Text("Tenancy"), OperatingSystem: x.Text("Operating System"),
		LicenseModel: x.Text("License Model"), PreInstalledSW: x.Text("Pre Installed S/W"), CapacityStatus: x.Text("CapacityStatus"),
		MarketOption: x.Text("MarketOption"), Operation: x.Text("operation"),
	}
	kind := x.Text(columnKind)
	switch why := a.other(); {
	case why != "":
		l.batch.Skip(why)
		return nil
	case kind != "OnDemand" && kind != "Reserved":
		l.batch.Skip("term of type " + kind)
		return nil
	}
	id := termID{x.Required(columnSKU), x.Required(columnTerm)}
	amount := part{x.Text(columnPrice), x.Text(columnMoney)}
	if !x.OK() {
		return nil
	}
	if l.products[id.product] == nil {
		if err := l.keep(id.product, x.Number, &a); err != nil {
			return err
		}
	}
	if l.products[id.product] == nil {
		return nil
	}
	if l.terms[id] == nil {
		l.terms[id] = &term{code: id.code, reserved: kind == "Reserved", length: x.Text(columnLength), class: x.Text(columnClass), payment: x.Text(columnOption)}
	}
	l.terms[id].add(x.Text(columnUnit), amount)
	return nil
}
