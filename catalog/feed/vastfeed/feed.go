package vastfeed

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the feed.
const Name = "vast"

// URL is where the offers are.
const URL = "https://console.vast.ai/api/v0/bundles/"

// provider is the catalogue's name of Vast.
const provider catalog.ProviderID = "vast"

// mbPerGB is the unit of memory in that of the catalogue.
const mbPerGB = 1024

// question asks for boxes that can be rented now by anyone.
const question = `{"rentable":{"eq":true},"rented":{"eq":false},"verified":{"eq":true},"type":"on-demand","order":[["dph_total","asc"]],"limit":20000,"allocated_storage":5}`

// Read reads the offers.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Provider: provider, Source: catalog.Provenance{Source: "Vast.ai API, bundles"}, Direct: true}
	if len(of.URLs) == 0 {
		return b, fmt.Errorf("read %s: want the address of a document", Name)
	}
	for _, url := range of.URLs {
		r := of.Request(url)
		r.Method, r.Body = http.MethodPost, []byte(question)
		r.Header.Set("Content-Type", "application/json")
		err := feed.Open(ctx, from, r, func(d *feed.Document) error {
			b.Took(url, d, of.AsOf)
			return document(&b, d)
		})
		if err != nil {
			return b, err
		}
	}
	if b.Read == 0 {
		return b, &feed.Fault{Row: 1, Column: "offers", Got: "[]", Want: "at least one offer"}
	}
	return b, nil
}

// document reads the answer.
func document(b *feed.Batch, d *feed.Document) error {
	j, err := feed.NewJSON(d)
	if err != nil {
		return err
	}
	found := false
	err = j.Object(func(key string) error {
		if key != "offers" {
			return j.Skip()
		}
		found = true
		return j.Items(b, func(x *feed.Item) { read(b, x) })
	})
	if err == nil {
		err = j.End()
	}
	if err == nil && !found {
		err = &feed.Fault{Row: 1, Column: "offers", Want: "the offers"}
	}
	return err
}

// read reads an offer.
func read(b *feed.Batch, x *feed.Item) {
	x.Needs("gpu_name", "num_gpus", "gpu_ram", "dph_base", "cpu_ram", "cpu_cores_effective", "geolocation")
	taken := x.True("rented") || x.Has("rentable") && !x.True("rentable")
	switch {
	case !x.OK():
		return
	case taken:
		b.Skip("box that is taken")
		return
	case x.Text("verification") == "deverified":
		b.Skip("box that failed its verification")
		return
	}
	row := feed.Row{
		Number: x.Number, Service: catalog.Marketplace, Market: catalog.OnDemand, Availability: catalog.Available,
		VCPUs: x.Figure("cpu_cores_effective"), RAMGB: ram(x), DiskGB: x.Figure("disk_space"),
		GPU: gpu(x), Variant: variant(x),
	}
	row.Place = catalog.Place{Provider: provider, Region: feed.Anywhere}
	if at := x.Text("geolocation"); at != "" {
		row.Region, row.Country = catalog.RegionID(at), country(at)
	}
	row.SKU = sku(row.GPU)
	row.Price, row.PriceText = x.Price("dph_base", catalog.PerInstanceHour, catalog.USD)
	if x.True("is_bid") {
		row.Market = catalog.Spot
	}
	bid, bidText := x.Price("min_bid", catalog.PerInstanceHour, catalog.USD)
	if !x.OK() {
		return
	}
	b.Rows = append(b.Rows, row)
	if row.Market == catalog.Spot || !bid.Known() {
		return
	}
	if x.Figure("gpu_frac") != 1 {
		b.Skip("floor of bids on a machine of which this is a part")
		return
	}
	row.Market, row.Price, row.PriceText = catalog.Spot, bid, bidText
	b.Rows = append(b.Rows, row)
}

// gpu is the GPU of an offer.
func gpu(x *feed.Item) feed.GPU {
	g := feed.GPU{Name: strings.ReplaceAll(x.Required("gpu_name"), "_", " "), Count: x.Count("num_gpus"), MemoryGB: []float64{x.Figure("gpu_ram") / mbPerGB}}
	if !g.Count.Decimal.IsPositive() || !g.Count.Decimal.IsInteger() {
		x.Fail("num_gpus", x.Literal("num_gpus"), "a whole number of GPUs above 0")
	}
	if g.MemoryGB[0] == 0 {
		x.Fail("gpu_ram", x.Literal("gpu_ram"), "the memory of a GPU in MB")
	}
	return g
}

// sku is what alike boxes are called.
func sku(g feed.GPU) catalog.SKU {
	return catalog.SKU(fmt.Sprintf("%sx-%s-%.0fGB", g.Count.Decimal, g.Name, math.Round(g.MemoryGB[0])))
}

// ram is the part of a machine's memory that goes with an offer's cores; 0 where
// nobody knows how many cores the machine has.
func ram(x *feed.Item) float64 {
	cores := x.Figure("cpu_cores")
	if cores == 0 {
		return 0
	}
	return math.Round(x.Figure("cpu_ram")*min(1, x.Figure("cpu_cores_effective")/cores)/mbPerGB*10) / 10
}

// variant tells boxes in data centres, and those that nobody has checked, from the
// rest.
func variant(x *feed.Item) string {
	switch {
	case x.Text("verification") == "unverified":
		return "unverified"
	case x.True("datacenter"), x.True("hosting_type"):
		return "datacenter"
	}
	return ""
}

// country is the two letters that end "Czechia, CZ".
func country(at string) string {
	code := strings.TrimSpace(at[strings.LastIndex(at, ",")+1:])
	if len(code) != 2 || code != strings.ToUpper(code) {
		return ""
	}
	return code
}
