package feed

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Row is what a source says of one thing to rent under one purchase model. What it
// does not say is zero, or not valid.
type Row struct {
	Number int // of the row in its table, whose header is row 1, or of the item in its list

	catalog.Place
	Zone    string // within the region; an offer of a region is that of its cheapest zone
	Country string // ISO 3166-1 alpha-2
	SKU     catalog.SKU
	Variant string
	Service catalog.Service
	Market  catalog.PurchaseModel

	GPU    GPU
	VCPUs  float64
	RAMGB  float64 // in GiB, as machines are sold
	DiskGB float64
	// KnownOnly says that the source gives no hardware: it is that of the same SKU in
	// the catalogue, or else what GPU says.
	KnownOnly bool

	Price        catalog.Price
	PriceText    string // as it stands in the source
	AsOf         catalog.Date
	Availability catalog.Availability
	BillingStep  int64 // seconds
	MinGPUs      int
	Flags        []catalog.Flag
}

// GPU is an accelerator as its source names it. The zero value is none.
type GPU struct {
	Name  string
	Count decimal.NullDecimal // a fraction for a slice; not valid where the source says only "part of"
	// MemoryGB is the memory of one GPU in GB as sold (2^30 bytes), every way in which
	// the source may mean it, the likeliest first: the same field is the memory of one
	// GPU in one file and of all of them in another, in MiB here and in GB there.
	MemoryGB []float64
}

// Fault is a row that can't be read: the others of its document can.
type Fault struct {
	Row    int
	Column string
	Got    string
	Want   string
}

// longestGot is how much of a cell a fault quotes.
const longestGot = 60

// Error names row, column and what was expected.
func (f *Fault) Error() string {
	got := f.Got
	if len(got) > longestGot {
		got = got[:longestGot] + "..."
	}
	if f.Column == "" {
		return fmt.Sprintf("row %d: got %q, want %s", f.Row, got, f.Want)
	}
	return fmt.Sprintf("row %d, column %s: got %q, want %s", f.Row, f.Column, got, f.Want)
}

// Batch is all that one reading of a feed gives.
type Batch struct {
	Provider catalog.ProviderID // whose prices these are; "" for rates
	// Source begins the source of every offer and names the feed: offers of the same
	// source that a later batch lacks are gone.
	Source catalog.Provenance
	AsOf   catalog.Date // of rows without a date of their own
	// Direct says that the provider itself publishes this: on the same day it counts
	// more than what others say of it.
	Direct bool
	// OnePrice says that a SKU costs the same in all regions and the source lists those
	// that have some left: a region that is listed no longer has none.
	OnePrice bool
	// Partial says that the source was not read to its end: what is missing is not gone.
	Partial bool

	Rows      []Row
	Bands     []catalog.SKUBand
	Rates     []catalog.FXRate
	Faults    []*Fault
	Read      int            // rows or items in all
	Skipped   map[string]int // rows that are about something else, by what
	Documents map[string]catalog.Validators
}

// Skip counts a row that is about something else.
func (b *Batch) Skip(what string) {
	if b.Skipped == nil {
		b.Skipped = make(map[string]int)
	}
	b.Skipped[what]++
}

// Fault keeps a row that can't be read. Any other error is returned.
func (b *Batch) Fault(err error) error {
	fault, ok := err.(*Fault)
	if !ok {
		return err
	}
	b.Faults = append(b.Faults, fault)
	return nil
}

// PartitionOfAWS is whose region of AWS one is: China's and the US government's are
// sold apart.
func PartitionOfAWS(region catalog.RegionID) catalog.ProviderID {
	switch {
	case strings.HasPrefix(string(region), "cn-"):
		return "aws-cn"
	case strings.HasPrefix(string(region), "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}

// Anywhere is the region of an offer whose source names none.
const Anywhere catalog.RegionID = "global"
