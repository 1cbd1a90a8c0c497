package forecast

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// FocusVersion is a version of the FinOps Open Cost and Usage Specification.
type FocusVersion string

// The versions that can be written.
const (
	Focus12 FocusVersion = "1.2"
	Focus13 FocusVersion = "1.3"
)

// Places names what a row of FOCUS is about in words.
type Places interface {
	Provider(catalog.ProviderID) (catalog.Provider, bool)
	Region(catalog.Place) (catalog.Region, bool)
}

// Focus is a row for every cell of the forecast with a cost, in the columns of FOCUS:
// first the specification's, in order, then ours, which begin with "x_". Nothing of it
// was billed: x_Forecast says so in every row.
//
// What commitments take over is billed by their purchases, a row a month, and costs
// something where it is used, or not used: so BilledCost and EffectiveCost each add up
// to the forecast. A tenant's own price is a credit beside the list price.
func Focus(f *Forecast, version FocusVersion, names Places) File {
	columns := focusColumns(version)
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rows := [][]string{columns}
	for m := range f.Months {
		for _, row := range f.focusMonth(m, names) {
			cells := make([]string, len(columns))
			for i, column := range columns {
				cells[i] = row[column]
			}
			rows = append(rows, cells)
		}
	}
	_ = w.WriteAll(rows) // a buffer takes everything
	return File{Name: "focus.csv", MediaType: CSVType, Content: b.Bytes()}
}

// focusRow is a row by its columns. A column that it lacks is null, which is written
// as nothing.
type focusRow map[string]string

// focusColumns are the columns of a version: the specification's by name, then ours.
func focusColumns(version FocusVersion) []string {
	columns := []string{
		"AvailabilityZone", "BilledCost", "BillingAccountId", "BillingAccountName", "BillingAccountType", "BillingCurrency",
		"BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency",
		"ChargePeriodEnd", "ChargePeriodStart", "CommitmentDiscountCategory", "CommitmentDiscountId", "CommitmentDiscountName",
		"CommitmentDiscountQuantity", "CommitmentDiscountStatus", "CommitmentDiscountType", "CommitmentDiscountUnit",
		"ConsumedQuantity", "ConsumedUnit", "ContractedCost", "ContractedUnitPrice", "EffectiveCost", "InvoiceId",
		"InvoiceIssuerName", "ListCost", "ListUnitPrice", "PricingCategory", "PricingQuantity", "PricingUnit", "ProviderName",
		"PublisherName", "RegionId", "RegionName", "ResourceId", "ResourceName", "ResourceType", "ServiceCategory", "ServiceName",
		"ServiceSubcategory", "SkuId", "SkuMeter", "SkuPriceId", "SubAccountId", "SubAccountName", "Tags",
	}
	if version == Focus13 {
		columns = append(columns, "HostProviderName", "ServiceProviderName")
	}
	slices.Sort(columns)
	return append(columns, "x_CatalogVersion", "x_ComputedAt", "x_Forecast", "x_Line", "x_Workload")
}

// focusMonth are the rows of a month.
func (f *Forecast) focusMonth(m int, names Places) []focusRow {
	var rows []focusRow
	for i := range f.Cells[m] {
		if c := &f.Cells[m][i]; !c.Amount.IsZero() {
			rows = append(rows, f.focusRows(c, m, names)...)
		}
	}
	return rows
}

// focusRows are the rows of a cell: one, or of a commitment two, its purchase too.
func (f *Forecast) focusRows(c *Cell, m int, names Places) []focusRow {
	row := f.focusRow(c, m, names)
	switch {
	case c.Line == tco.Discount:
		credit(row, c)
		return []focusRow{row}
	case !c.Commits || c.Line == tco.Storage || c.Line == tco.Network:
		c.priced(row, c.hourly(c.Quote))
		row["BilledCost"], row["EffectiveCost"] = short(c.Amount.Decimal()), short(c.Amount.Decimal())
		return []focusRow{row}
	}
	bought := f.focusRow(c, m, names)
	quantity := c.priced(row, c.hourly(c.Quote))
	c.commit(row, quantity)
	c.priced(bought, c.hourly(c.Quote))
	c.purchase(bought, quantity)
	return []focusRow{row, bought}
}

// focusRow is what all rows of a cell have.
func (f *Forecast) focusRow(c *Cell, m int, names Places) focusRow {
	provider, _ := names.Provider(c.Place.Provider)
	name := provider.Name
	if name == "" {
		name = string(c.Place.Provider)
	}
	workload := f.Workloads[c.Workload].Name
	begin, end := instant(f.Months[m].Begin), instant(f.Months[m].End)
	row := focusRow{
		"BillingAccountId": "forecast", "BillingAccountName": "Forecast", "BillingAccountType": "Forecast",
		"BillingCurrency": string(f.Currency), "BillingPeriodStart": begin, "BillingPeriodEnd": end,
		"ChargePeriodStart": begin, "ChargePeriodEnd": end, "ChargeCategory": "Usage", "ChargeFrequency": "Usage-Based",
		"ChargeDescription": Safe(string(c.Line) + " of " + c.Of + " in " + workload), "InvoiceIssuerName": name,
		"ProviderName": name, "PublisherName": name, "HostProviderName": name, "ServiceProviderName": name,
		"SubAccountId": Safe(workload), "SubAccountName": Safe(workload), "Tags": tagsOf(workload, c),
		"ResourceId": Safe(workload + "/" + c.Of), "ResourceName": Safe(c.Of),
		"x_CatalogVersion": string(f.CatalogVersion), "x_ComputedAt": instant(f.ComputedAt), "x_Forecast": "true",
		"x_Line": string(c.Line), "x_Workload": Safe(workload),
	}
	c.where(row, names)
	c.service(row)
	return row
}

// instant writes a time as FOCUS does: in UTC, to the second.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// tagsOf are the tags of a cell, as an object of JSON.
func tagsOf(workload string, c *Cell) string {
	text, err := json.Marshal(map[string]string{"line": string(c.Line), "workload": workload})
	if err != nil { // texts always encode
		return "{}"
	}
	return string(text)
}

// where writes the place.
func (c *Cell) where(row focusRow, names Places) {
	if c.Place.Region == "" {
		return
	}
	region, _ := names.Region(c.Place)
	row["RegionId"], row["RegionName"] = string(c.Place.Region), string(c.Place.Region)
	if region.City != "" {
		row["RegionName"] = region.City
	}
}

// service writes what is rented, and how it is priced.
func (c *Cell) service(row focusRow) {
	row["PricingCategory"] = "Standard"
	switch c.Line {
	case tco.Storage:
		row["ServiceCategory"], row["ServiceSubcategory"], row["ServiceName"], row["ResourceType"] = "Storage", "Block Storage", "Block storage", "Volume"
		row["SkuId"], row["SkuMeter"], row["SkuPriceId"] = "block-storage", "Storage", string(c.Place.Provider)+".block-storage"
		return
	case tco.Network:
		row["ServiceCategory"], row["ServiceSubcategory"], row["ServiceName"], row["ResourceType"] = "Networking", "Other (Networking)", "Data transfer", "Transfer"
		row["SkuId"], row["SkuMeter"], row["SkuPriceId"] = "data-transfer", "Transfer", string(c.Place.Provider)+".data-transfer"
		return
	}
	row["ServiceCategory"], row["ServiceSubcategory"], row["ServiceName"], row["ResourceType"] = "Compute", "Virtual Machines", "GPU instances", "Instance"
	o := c.Quote.Offer
	if !o.HasGPU() {
		row["ServiceName"] = "CPU instances"
	}
	if o.Service == catalog.Marketplace {
		row["ServiceSubcategory"] = "Other (Compute)"
	}
	row["SkuId"], row["SkuMeter"], row["SkuPriceId"] = string(o.SKU), "Compute", string(o.ID)
	if o.Market == catalog.Spot {
		row["PricingCategory"] = "Dynamic"
	}
}

// focusUnits are the units of quantities as FOCUS writes them.
func focusUnits(unit tco.Unit) string {
	switch unit {
	case tco.InstanceHours:
		return "Hours"
	case tco.Runs:
		return "Runs"
	default:
		return string(unit) // GB, GB-month
	}
}
