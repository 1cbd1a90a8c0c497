package azurefeed

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the feed.
const Name = "azure"

// URL is where the prices of instance types with GPUs are.
const URL = "https://prices.azure.com/api/retail/prices?api-version=2023-01-01-preview&meterRegion='primary'" +
	"&$filter=serviceName%20eq%20'Virtual%20Machines'%20and%20contains(armSkuName,'Standard_N')"

// provider is the catalogue's name of Azure.
const provider catalog.ProviderID = "azure"

// mostPages is how many pages are read: more than there are of everything.
const mostPages = 20000

// reader reads the pages.
type reader struct {
	batch  *feed.Batch
	today  catalog.Date
	wanted func(catalog.ProviderID, catalog.SKU) bool
	at     map[offer]found
	rows   []offer // in the order in which they were met
	next   string  // address of the next page
}

// Read reads all pages.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Provider: provider, Source: catalog.Provenance{Source: "Azure retail prices"}, Direct: true}
	if len(of.URLs) == 0 {
		return b, fmt.Errorf("read %s: want the address of a page", Name)
	}
	r := reader{batch: &b, wanted: of.Wanted, at: make(map[offer]found)}
	seen := make(map[string]bool)
	for queue := of.URLs; len(queue) > 0; queue = queue[1:] {
		page := queue[0]
		seen[page] = true
		r.next = ""
		request := of.Request(page)
		request.Known = catalog.Validators{} // other pages may have changed
		err := feed.Open(ctx, from, request, func(d *feed.Document) error {
			b.Took(page, d, of.AsOf)
			r.today = b.AsOf
			return r.page(d)
		})
		if err != nil {
			return b, err
		}
		switch {
		case r.next == "", len(queue) > 1:
		case seen[r.next] || len(seen) >= mostPages || !sameHost(of.URLs[0], r.next):
			b.Partial = true
		default:
			queue = append(queue, r.next)
		}
	}
	if b.Read == 0 {
		return b, &feed.Fault{Row: 1, Column: "Items", Got: "[]", Want: "at least one price"}
	}
	r.take()
	return b, nil
}

// sameHost reports whether a page leads to one of its own server.
func sameHost(page, next string) bool {
	a, errA := url.Parse(page)
	b, errB := url.Parse(next)
	return errA == nil && errB == nil && a.Host != "" && a.Host == b.Host && a.Scheme == b.Scheme
}

// page reads a page.
func (r *reader) page(d *feed.Document) error {
	j, err := feed.NewJSON(d)
	if err != nil {
		return err
	}
	found := false
	err = j.Object(func(key string) error {
		switch key {
		case "Items":
			found = true
			return j.Items(r.batch, r.item)
		case "NextPageLink":
			raw, err := j.Value()
			if err == nil && json.Unmarshal(raw, &r.next) != nil {
				err = &feed.Fault{Row: r.batch.Read, Column: key, Got: string(raw), Want: "an address or null"}
			}
			return err
		}
		return j.Skip()
	})
	if err == nil {
		err = j.End()
	}
	if err == nil && !found {
		err = &feed.Fault{Row: 1, Column: "Items", Want: "the prices"}
	}
	return err
}

// item reads a row of the list.
func (r *reader) item(x *feed.Item) {
	x.Needs("currencyCode", "retailPrice", "armRegionName", "armSkuName", "productName", "skuName", "meterName", "serviceName", "unitOfMeasure", "type")
	if why := other(x); why != "" || !x.OK() {
		if x.OK() {
			r.batch.Skip(why)
		}
		return
	}
	row := feed.Row{
		Number: x.Number, SKU: catalog.SKU(x.Required("armSkuName")), Service: catalog.VirtualMachine, Market: catalog.OnDemand, KnownOnly: true,
		Place: catalog.Place{Provider: provider, Region: catalog.RegionID(x.Required("armRegionName"))},
	}
	basis := catalog.PerInstanceHour
	switch text := x.Text("skuName") + " " + x.Text("meterName"); {
	case x.Text("type") == "Reservation":
		row.Market, basis = term(x, "reservationTerm")
	case strings.Contains(text, "Low Priority"):
		row.Market, row.Variant = catalog.Spot, "low-priority"
	case strings.Contains(text, "Spot"):
		row.Market = catalog.Spot
	}
	currency := catalog.Currency(x.Required("currencyCode"))
	row.Price, row.PriceText = x.Price("retailPrice", basis, currency)
	from := effective(x)
	switch {
	case !x.OK():
		return
	case r.wanted != nil && !r.wanted(provider, row.SKU) && !strings.HasPrefix(string(row.SKU), "Standard_N"):
		r.batch.Skip("instance type that the catalogue does not know")
		return
	case r.today.Before(from):
		r.batch.Skip("price to come")
		return
	case row.Market == "":
		r.batch.Skip("term of neither one nor three years")
		return
	}
	r.keep(row, from)
	r.plans(x, row, from)
}

// other is why a row is not about a Linux machine that anyone can rent, "" if it is.
func other(x *feed.Item) string {
	product, kind := x.Text("productName"), x.Text("type")
	switch {
	case x.Text("serviceName") != "Virtual Machines":
		return "other service"
	case strings.Contains(product, "Windows"):
		return "Windows"
	case strings.Contains(product, "Dedicated Host"), strings.Contains(product, "Cloud Services"):
		return "dedicated host or cloud service"
	case kind != "Consumption" && kind != "Reservation":
		return "price of type " + kind
	case x.Has("isPrimaryMeterRegion") && !x.True("isPrimaryMeterRegion"):
		return "meter of another region"
	case x.Text("armSkuName") == "":
		return "no instance type"
	case x.Figure("tierMinimumUnits") > 0:
		return "price of large quantities"
	case kind == "Consumption" && x.Text("unitOfMeasure") != "1 Hour":
		x.Fail("unitOfMeasure", x.Text("unitOfMeasure"), `"1 Hour"`)
	}
	return ""
}

// effective is the day since when a price is in force.
func effective(x *feed.Item) catalog.Date {
	text, _, _ := strings.Cut(x.Text("effectiveStartDate"), "T")
	at, err := catalog.ParseDate(text)
	if err != nil {
		x.Fail("effectiveStartDate", text, "a day")
	}
	return at
}

// term is the market of a term, and the unit of a price of all of it; "" if the
// catalogue has no such market.
func term(x *feed.Item, field string) (catalog.PurchaseModel, catalog.Basis) {
	switch text := x.Required(field); text {
	case "1 Year":
		return catalog.Reserved1Y, catalog.PerInstanceYear
	case "3 Years":
		return catalog.Reserved3Y, catalog.PerInstance3Years
	}
	return "", catalog.PerInstanceYear
}

// plans adds the prices under savings plans.
func (r *reader) plans(x *feed.Item, row feed.Row, from catalog.Date) {
	if row.Market != catalog.OnDemand {
		return
	}
	for _, plan := range x.Items("savingsPlan") {
		plan.Needs("term", "retailPrice")
		row.Variant = "savings-plan"
		row.Market, _ = term(plan, "term")
		row.Price, row.PriceText = plan.Price("retailPrice", catalog.PerInstanceHour, row.Price.Currency)
		if row.Market != "" && x.OK() {
			r.keep(row, from)
		}
	}
}
