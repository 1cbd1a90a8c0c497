package gpuhuntfeed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the format.
const Name = "gpuhunt"

// URL is where the version of a provider's newest table is: its name stands where
// %s does.
const URL = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/%s/version"

// The columns that the feed reads.
const (
	instanceName = "instance_name"
	location     = "location"
	price        = "price"
	cpu          = "cpu"
	memory       = "memory"
	gpuCount     = "gpu_count"
	gpuName      = "gpu_name"
	gpuMemory    = "gpu_memory"
	spot         = "spot"
	diskSize     = "disk_size"
	gpuVendor    = "gpu_vendor"
	flags        = "flags"
)

// columns are those of every version.
func columns() feed.Columns {
	return feed.Columns{
		Needed:   []string{instanceName, location, price, cpu, memory, gpuCount, gpuName, gpuMemory, spot},
		Optional: []string{diskSize, gpuVendor, flags},
	}
}

// Read reads the tables of the subject's provider.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Provider: of.Provider, Source: catalog.Provenance{Source: "gpuhunt catalogue, " + string(of.Provider), Licence: "MPL-2.0"}}
	if of.Provider == "" {
		return b, errors.New("read gpuhunt table: want the provider that it is about")
	}
	r := reader{batch: &b, host: hostOf(of.Provider)}
	err := of.Each(ctx, from, &b, func(d *feed.Document) error {
		if !strings.HasSuffix(d.Name, versionFile) {
			return r.table(d)
		}
		return r.newest(ctx, from, of, d)
	})
	return b, err
}

// versionFile ends the address of the text that names the newest version.
const versionFile = "/version"

// newest reads the table of the version that a document names. What the server
// gave with that document tells later whether there is a newer one.
func (r *reader) newest(ctx context.Context, from feed.Source, of feed.Subject, d *feed.Document) error {
	const longest = 100
	text, err := io.ReadAll(io.LimitReader(d, longest))
	if err != nil {
		return err
	}
	version := strings.TrimSpace(string(text))
	if version == "" || strings.ContainsFunc(version, func(c rune) bool {
		return c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	}) {
		return &feed.Fault{Row: 1, Got: version, Want: "the name of a version"}
	}
	at := of.URLs[slices.IndexFunc(of.URLs, func(url string) bool { return strings.HasSuffix(url, versionFile) })]
	return feed.Open(ctx, from, feed.Request{URL: strings.TrimSuffix(at, versionFile) + "/" + version + "/catalog.zip", Limit: of.Limit}, r.table)
}

// reader reads the tables of one provider.
type reader struct {
	batch *feed.Batch
	host  host
}

// table reads a table.
func (r *reader) table(d *feed.Document) error {
	table, err := feed.NewTable(d, columns())
	if err != nil {
		return err
	}
	before := r.batch.Read
	if err := table.Each(r.batch, r.row); err != nil {
		return err
	}
	if r.batch.Read == before {
		return &feed.Fault{Row: 2, Want: "at least one row"}
	}
	return nil
}

// row reads a row, which is one offer.
func (r *reader) row(x *feed.Record) error {
	row := feed.Row{
		Number: x.Number, Place: catalog.Place{Provider: r.batch.Provider, Region: catalog.RegionID(x.Required(location))},
		SKU: catalog.SKU(x.Required(instanceName)), Service: r.host.service, Market: market(x),
		VCPUs: x.Figure(cpu), RAMGB: x.Figure(memory) * r.host.ramGB, DiskGB: x.Figure(diskSize),
	}
	count := x.Count(gpuCount)
	if count.Decimal.IsPositive() {
		row.GPU = feed.GPU{Name: strings.ReplaceAll(x.Required(gpuName), "_", " "), Count: count}
		if gb := x.Figure(gpuMemory); gb > 0 {
			row.GPU.MemoryGB = []float64{gb}
		}
	}
	row.Price, row.PriceText = x.Price(price, catalog.PerInstanceHour)
	marks := strings.Fields(x.Text(flags))
	switch {
	case strings.HasPrefix(row.GPU.Name, "tpu-"), strings.EqualFold(x.Text(gpuVendor), "google"):
		r.batch.Skip("TPU")
		return nil
	case slices.ContainsFunc(marks, func(m string) bool { return strings.HasSuffix(m, "-cluster") }):
		r.batch.Skip("node that is let with others only")
		return nil
	case !x.OK():
		return nil
	}
	if r.host.describe != nil {
		r.host.describe(&row, marks)
	}
	r.batch.Rows = append(r.batch.Rows, row)
	return nil
}

// market is the market of a row: "True" in the column spot, "False", or nothing.
func market(x *feed.Record) catalog.PurchaseModel {
	switch text := x.Text(spot); strings.ToLower(text) {
	case "true":
		return catalog.Spot
	case "false", "":
		return catalog.OnDemand
	default:
		x.Fail(spot, text, fmt.Sprintf("%q or %q", "True", "False"))
		return ""
	}
}
