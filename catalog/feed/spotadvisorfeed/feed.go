package spotadvisorfeed

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the feed.
const Name = "spotadvisor"

// URL is where the document is.
const URL = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"

// source says where a band is from.
const source = "AWS Spot Instance Advisor"

// reader reads the document.
type reader struct {
	batch *feed.Batch
	json  *feed.JSON
	bands map[string]*catalog.Band // by the index of the range
	types []kind
}

// kind is an instance type at a place, with the index of its range.
type kind struct {
	at    catalog.Place
	sku   catalog.SKU
	index string
	row   int
}

// Read reads the bands of all regions.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Source: catalog.Provenance{Source: source}}
	err := of.Each(ctx, from, &b, func(d *feed.Document) error {
		j, err := feed.NewJSON(d)
		if err != nil {
			return err
		}
		r := reader{batch: &b, json: j, bands: make(map[string]*catalog.Band)}
		if err := r.document(); err != nil {
			return err
		}
		return r.join()
	})
	return b, err
}

// document reads the ranges and the types, in whatever order.
func (r *reader) document() error {
	err := r.json.Object(func(key string) error {
		switch key {
		case "ranges":
			return r.json.List(func() error { return r.band() })
		case "spot_advisor":
			return r.json.Object(r.region)
		}
		return r.json.Skip()
	})
	if err != nil {
		return err
	}
	return r.json.End()
}

// band reads a range. One that can't be read refuses the document.
func (r *reader) band() error {
	raw, err := r.json.Value()
	if err != nil {
		return err
	}
	x, err := feed.NewItem(len(r.bands)+1, raw)
	if err != nil {
		return err
	}
	index, label := x.Literal("index"), x.Required("label")
	low, high, ok := ends(label)
	if !ok {
		x.Fail("label", label, "a range of percents")
	}
	if index == "" || r.bands[index] != nil {
		x.Fail("index", index, "a number that no other range has")
	}
	r.bands[index] = &catalog.Band{Low: low, High: high, AsOf: r.batch.AsOf, Source: source}
	return x.Err()
}

// ends are the ends of "<5%", "5-10%" or ">20%".
func ends(label string) (low, high decimal.NullDecimal, ok bool) {
	text := strings.TrimSuffix(label, "%")
	if below, found := strings.CutPrefix(text, "<"); found {
		high, ok = percent(below)
		return decimal.NewNullDecimal(decimal.Zero), high, ok
	}
	if above, found := strings.CutPrefix(text, ">"); found {
		low, ok = percent(above)
		return low, high, ok
	}
	from, to, _ := strings.Cut(text, "-")
	low, okLow := percent(from)
	high, okHigh := percent(to)
	return low, high, okLow && okHigh && low.Decimal.LessThan(high.Decimal)
}

// percent is a number of percents.
func percent(text string) (decimal.NullDecimal, bool) {
	d, err := feed.Decimal(text)
	if err != nil || d.IsNegative() || d.GreaterThan(decimal.NewFromInt(100)) {
		return decimal.NullDecimal{}, false
	}
	return decimal.NewNullDecimal(d), true
}

// region reads the types of a region. Prices and interruptions of Windows are
// others, so only those of Linux count.
func (r *reader) region(name string) error {
	at := catalog.Place{Provider: feed.PartitionOfAWS(catalog.RegionID(name)), Region: catalog.RegionID(name)}
	return r.json.Object(func(system string) error {
		if system != "Linux" {
			return r.json.Skip()
		}
		return r.json.Object(func(sku string) error {
			return r.json.Item(r.batch, func(x *feed.Item) { r.kind(at, sku, x) })
		})
	})
}

// kind reads a type.
func (r *reader) kind(at catalog.Place, sku string, x *feed.Item) {
	x.Needs("r", "s")
	if !feed.Name(sku) || !feed.Name(string(at.Region)) || sku == "" {
		x.Fail("type", sku, "a type")
	}
	if _, ok := percent(x.Literal("s")); !ok {
		x.Fail("s", x.Literal("s"), "a percentage")
	}
	index := x.Literal("r")
	if index == "" {
		x.Fail("r", index, "the index of a range")
	}
	if x.OK() {
		r.types = append(r.types, kind{at, catalog.SKU(sku), index, x.Number})
	}
}

// join gives every type its band.
func (r *reader) join() error {
	if len(r.types) == 0 || len(r.bands) == 0 {
		return &feed.Fault{Row: 1, Column: "spot_advisor", Want: "at least one type with its range"}
	}
	for _, t := range r.types {
		band := r.bands[t.index]
		if band == nil {
			r.batch.Faults = append(r.batch.Faults, &feed.Fault{Row: t.row, Column: "r", Got: t.index, Want: "the index of a range"})
			continue
		}
		r.batch.Bands = append(r.batch.Bands, catalog.SKUBand{Place: t.at, SKU: t.sku, Band: band})
	}
	slices.SortFunc(r.batch.Bands, func(a, b catalog.SKUBand) int {
		return cmp.Or(cmp.Compare(a.Place.String(), b.Place.String()), cmp.Compare(a.SKU, b.SKU))
	})
	return nil
}
