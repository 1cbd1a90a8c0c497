package lambdalabsfeed

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the feed.
const Name = "lambdalabs"

// URL is where the instance types are.
const URL = "https://cloud.lambda.ai/api/v1/instance-types"

// provider is the catalogue's name of Lambda.
const provider catalog.ProviderID = "lambda"

// Read reads the instance types.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Provider: provider, Source: catalog.Provenance{Source: "Lambda Cloud API, instance types"}, Direct: true, OnePrice: true}
	err := of.Each(ctx, from, &b, func(d *feed.Document) error { return document(&b, d) })
	return b, err
}

// document reads the answer: the types by name in "data".
func document(b *feed.Batch, d *feed.Document) error {
	j, err := feed.NewJSON(d)
	if err != nil {
		return err
	}
	found := false
	err = j.Object(func(key string) error {
		if key != "data" {
			return j.Skip()
		}
		found = true
		return j.Object(func(string) error {
			return j.Item(b, func(x *feed.Item) { read(b, x) })
		})
	})
	if err == nil {
		err = j.End()
	}
	switch {
	case err != nil:
		return err
	case !found:
		return &feed.Fault{Row: 1, Column: "data", Want: "the instance types"}
	case b.Read == 0:
		return &feed.Fault{Row: 1, Column: "data", Got: "{}", Want: "at least one instance type"}
	}
	return nil
}

// read reads a type into an offer for every region that has it.
func read(b *feed.Batch, x *feed.Item) {
	x.Needs("instance_type", "regions_with_capacity_available")
	kind := x.Item("instance_type")
	kind.Needs("name", "price_cents_per_hour", "specs")
	specs := kind.Item("specs")
	specs.Needs("vcpus", "memory_gib", "gpus")
	row := feed.Row{
		Number: x.Number, SKU: catalog.SKU(kind.Required("name")), Service: catalog.VirtualMachine, Market: catalog.OnDemand,
		VCPUs: specs.Figure("vcpus"), RAMGB: specs.Figure("memory_gib"), DiskGB: specs.Figure("storage_gib"),
	}
	row.Price, row.PriceText = cents(kind)
	if count := specs.Count("gpus"); count.Decimal.IsPositive() {
		row.GPU = gpu(kind)
		row.GPU.Count = count
	}
	var regions []catalog.RegionID
	for _, r := range x.Items("regions_with_capacity_available") {
		regions = append(regions, catalog.RegionID(r.Required("name")))
	}
	row.Availability = catalog.Available
	if len(regions) == 0 {
		regions, row.Availability = []catalog.RegionID{feed.Anywhere}, catalog.NoneAvailable
	}
	if !x.OK() {
		return
	}
	for _, region := range regions {
		row.Place = catalog.Place{Provider: provider, Region: region}
		b.Rows = append(b.Rows, row)
	}
}

// cents is the price in dollars, which the API gives in whole cents.
func cents(kind *feed.Item) (catalog.Price, string) {
	text := kind.Literal("price_cents_per_hour")
	if text == "" {
		return catalog.Price{Basis: catalog.PerInstanceHour, Currency: catalog.USD}, ""
	}
	amount, err := feed.Decimal(text)
	if err != nil || !amount.IsInteger() {
		kind.Fail("price_cents_per_hour", text, "a whole number of cents")
		return catalog.Price{}, text
	}
	return catalog.NewPrice(amount.Mul(decimal.New(1, -2)), catalog.PerInstanceHour, catalog.USD), text + " cents"
}

// memoryOf finds the memory in "A100 (40 GB SXM4)", and what stands beside it.
var memoryOf = regexp.MustCompile(`^(.*?)\s*\((\d+) GB\s*([A-Za-z]*)\d*\)$`)

// gpu is the GPU that a description names.
func gpu(kind *feed.Item) feed.GPU {
	text := kind.Text("gpu_description")
	parts := memoryOf.FindStringSubmatch(text)
	if parts == nil {
		if text == "" {
			kind.Fail("gpu_description", text, "a description of the GPU, since there is one")
		}
		return feed.GPU{Name: text}
	}
	gb, err := strconv.ParseFloat(parts[2], 64)
	if err != nil {
		kind.Fail("gpu_description", text, "a number of GB")
	}
	name := strings.TrimPrefix(parts[1], "Tesla ")
	if parts[3] != "" {
		name += " " + parts[3]
	}
	return feed.GPU{Name: name, MemoryGB: []float64{gb}}
}
