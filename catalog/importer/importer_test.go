package importer_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/importer"
	"github.com/tierwise/tierwise/catalog/seed"
)

// noon is when tests import.
func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// stub is a feed that says one thing.
type stub struct {
	name  catalog.FeedName
	batch feed.Batch
	err   error
}

func (s stub) Name() catalog.FeedName { return s.name }

func (s stub) Read(context.Context, importer.Known) (feed.Batch, error) { return s.batch, s.err }

// bench is an importer over an empty store.
type bench struct {
	t     *testing.T
	store *bolt.Store
	*importer.Importer
}

// newBench imports into an empty store, on a part of the embedded baseline.
func newBench(t *testing.T) bench {
	t.Helper()
	s := bolt.New(filepath.Join(t.TempDir(), "c.db"), noon, bolt.Options{})
	return bench{t, s, importer.New(importer.Config{Store: s, Baseline: small, Now: noon})}
}

// small is the embedded baseline without most of its offers.
var small = sync.OnceValues(func() (*catalog.Snapshot, error) {
	s, err := seed.Load()
	if err != nil {
		return nil, err
	}
	parts := s.Parts()
	parts.Offers = slices.DeleteFunc(slices.Clone(parts.Offers), func(o catalog.Offer) bool {
		return !slices.Contains([]catalog.ProviderID{"lambda", "hyperstack"}, o.Provider) && !(o.Provider == "aws" && o.Region == "us-east-1")
	})
	parts.Models, parts.History = nil, nil
	return catalog.NewSnapshot(parts)
})

// imports imports feeds and fails the test if the store does.
func (b bench) imports(o importer.Options, feeds ...importer.Feed) importer.Result {
	b.t.Helper()
	result, err := b.Import(b.t.Context(), o, feeds...)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// current is the current catalogue.
func (b bench) current() *catalog.Snapshot {
	b.t.Helper()
	p, err := b.store.Current(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := b.store.Load(b.t.Context(), p.Version)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// dec is a decimal.
func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// row is an on-demand row of a provider that the baseline knows.
func row(region, sku, price string) feed.Row {
	r := feed.Row{
		Number: 2, Place: catalog.Place{Provider: "lambda", Region: catalog.RegionID(region)}, SKU: catalog.SKU(sku), Service: catalog.VirtualMachine,
		Market: catalog.OnDemand, VCPUs: 16, RAMGB: 64, PriceText: price,
	}
	r.Price, _ = feed.Dollars(price, catalog.PerInstanceHour)
	return r
}

// with changes a row.
func with(r feed.Row, change func(*feed.Row)) feed.Row {
	change(&r)
	return r
}

// gpus puts GPUs into a row.
func gpus(r feed.Row, count, name string, memory ...float64) feed.Row {
	r.GPU = feed.GPU{Name: name, Count: decimal.NewNullDecimal(dec(count)), MemoryGB: memory}
	return r
}

// spot makes a row a spot row.
func spot(r feed.Row) feed.Row {
	r.Market = catalog.Spot
	return r
}

// on is a day of November 2026.
func on(day int8) catalog.Date { return catalog.Date{Year: 2026, Month: 11, Day: day} }

// says is a feed of rows as of a day.
func says(day int8, rows ...feed.Row) stub {
	return stub{name: "test/lambda", batch: feed.Batch{
		Provider: "lambda", Source: catalog.Provenance{Source: "made up", Licence: "MIT"}, AsOf: on(day), Rows: rows, Read: len(rows),
	}}
}

// price is the price and date of an offer, "" if there is no such offer.
func (b bench) price(id catalog.OfferID) string {
	b.t.Helper()
	o, ok := b.current().Offer(id)
	switch {
	case !ok:
		return ""
	case !o.Price.Known():
		return "unknown " + o.AsOf.String()
	}
	return o.Price.Amount.Decimal.String() + " " + o.AsOf.String()
}

// reasonsOf are the reasons of rows in quarantine.
func reasonsOf(rows []catalog.Held) string {
	var all []string
	for _, h := range rows {
		text := string(h.Reason)
		if h.Noted {
			text = "(" + text + ")"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
