package skypilotfeed

import (
	"context"
	"errors"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the format.
const Name = "skypilot"

// URL is where the table of a cloud is: its name stands where %s does.
const URL = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/%s/vms.csv"

// The columns that the feed reads.
const (
	instanceType     = "InstanceType"
	acceleratorName  = "AcceleratorName"
	acceleratorCount = "AcceleratorCount"
	vCPUs            = "vCPUs"
	memoryGiB        = "MemoryGiB"
	price            = "Price"
	spotPrice        = "SpotPrice"
	region           = "Region"
	zone             = "AvailabilityZone"
	gpuInfo          = "GpuInfo"
	hostingType      = "HostingType"
)

// columns are those of every version, whatever their order.
func columns() feed.Columns {
	return feed.Columns{
		Needed:   []string{instanceType, acceleratorName, acceleratorCount, vCPUs, memoryGiB, price, spotPrice, region},
		Optional: []string{zone, gpuInfo, hostingType},
	}
}

// reader reads the tables of one cloud.
type reader struct {
	batch *feed.Batch
	cloud cloud
	parts hostsAndGPUs // of a cloud that prices them apart
}

// Read reads the tables of the subject's provider.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Provider: of.Provider, Source: catalog.Provenance{Source: "SkyPilot catalogue, " + string(of.Provider), Licence: "Apache-2.0"}}
	if of.Provider == "" {
		return b, errors.New("read SkyPilot table: want the provider that it is about")
	}
	r := reader{batch: &b, cloud: cloudOf(of.Provider)}
	err := of.Each(ctx, from, &b, func(d *feed.Document) error {
		table, err := feed.NewTable(d, columns())
		if err != nil {
			return err
		}
		return table.Each(&b, r.row)
	})
	if err == nil {
		r.join()
	}
	return b, err
}

// row reads one row into the offers that it stands for.
func (r *reader) row(x *feed.Record) error {
	row := feed.Row{
		Number: x.Number, Place: catalog.Place{Provider: r.batch.Provider, Region: catalog.RegionID(x.Required(region))},
		Zone: x.Text(zone), SKU: catalog.SKU(x.Text(instanceType)), Service: r.cloud.service,
		GPU:   feed.GPU{Name: x.Text(acceleratorName), Count: x.Count(acceleratorCount)},
		VCPUs: x.Figure(vCPUs), RAMGB: x.Figure(memoryGiB),
	}
	onDemand, onDemandText := x.Price(price, catalog.PerInstanceHour)
	spot, spotText := x.Price(spotPrice, catalog.PerInstanceHour)
	r.describe(&row, x)
	switch {
	case strings.HasPrefix(row.GPU.Name, "tpu-"):
		r.batch.Skip("TPU")
		return nil
	case !x.OK(), r.parts.takes(row, rates{onDemand, spot}):
		return nil
	case row.SKU == "":
		x.Fail(instanceType, "", "an instance type")
		return nil
	}
	row.Market, row.Price, row.PriceText = catalog.OnDemand, onDemand, onDemandText
	if !onDemand.Known() && capacityBlocksOnly(row) {
		row.Market = catalog.CapacityBlock
	}
	r.batch.Rows = append(r.batch.Rows, row)
	r.spot(row, spot, spotText)
	return nil
}

// spot adds the spot offer of a row, if it has one: zero is none.
func (r *reader) spot(row feed.Row, price catalog.Price, text string) {
	switch {
	case price.Known():
		row.Market, row.Price, row.PriceText = catalog.Spot, price, text
		r.batch.Rows = append(r.batch.Rows, row)
	case text != "":
		r.batch.Skip("spot price of zero")
	}
}

// describe adds what a cloud says in its own way.
func (r *reader) describe(row *feed.Row, x *feed.Record) {
	switch {
	case row.GPU.Name == "":
		row.GPU = feed.GPU{}
	case !row.GPU.Count.Decimal.IsPositive():
		x.Fail(acceleratorCount, x.Raw(acceleratorCount), "a number of GPUs above 0, since there is a GPU")
	default:
		row.GPU.MemoryGB = r.cloud.memory(x.Raw(gpuInfo), row.GPU.Count)
		sixths(row)
	}
	if r.cloud.describe != nil {
		r.cloud.describe(row, x.Text(hostingType))
	}
}
