package catalog

import (
	"bytes"
	"strings"

	"github.com/shopspring/decimal"
)

// SKU is a provider's own name of an instance type: "p4d.24xlarge".
type SKU string

// OfferID names an offer for good: provider, region, SKU and market, in lower
// case with everything else folded to "-", joined by ".".
type OfferID string

// Service says what kind of thing is rented.
type Service string

// The kinds of services.
const (
	VirtualMachine Service = "vm"
	Marketplace    Service = "marketplace"
	Serverless     Service = "serverless"
)

// Availability says whether the offer could be provisioned when last looked at.
type Availability uint8

// The states of availability. The zero value is AvailabilityUnknown.
const (
	AvailabilityUnknown Availability = iota
	Available
	NoneAvailable
)

// String is "unknown", "available" or "none".
func (a Availability) String() string {
	return [...]string{"unknown", "available", "none"}[min(a, NoneAvailable)]
}

// Band is a monthly interruption probability in percent, as a source states it.
// High is not valid where the band is open ("above 20%"). A nil band is unknown.
type Band struct {
	Low, High decimal.NullDecimal
	AsOf      Date
	Source    string
}

// Known reports whether a source gives a band.
func (b *Band) Known() bool { return b != nil && b.Low.Valid }

// Flag marks a fact about an offer's price that a reader should know:
// "DATE_UNKNOWN", "MIN_GPUS", "STALE".
type Flag string

// Instance is what is rented: a SKU and the hardware of one priced unit of it.
// Offers of one SKU share it.
type Instance struct {
	SKU     SKU
	Variant string // the provider's own class of service ("secure", "community"), often ""
	Service Service

	GPU     GPUID  // "" for a CPU-only offer
	GPUName string // the source's own name where GPU is "unmapped"

	// GPUs is how many GPUs the priced unit holds: 0 for CPU-only, a fraction for
	// a slice of one, not valid where the source only says "part of".
	GPUs decimal.NullDecimal
	// MinGPUs is the least number of GPUs that can be rented at this price; 0 if
	// the source sets none.
	MinGPUs int

	VRAMPerGPUGB float64 // as the source says, GB; 0 if it does not
	VCPUs        float64 // per priced unit; 0 if unknown
	RAMGB        float64 // per priced unit; 0 if unknown
	DiskGB       float64 // local disk; 0 if unknown

	// BillingIncrementSeconds is the instance's own metering step; 0 if only the
	// provider's rule applies.
	BillingIncrementSeconds int64
}

// Provenance is where a fact comes from. Offers of one source share it.
type Provenance struct {
	Source  string
	Licence string
}

// Offer is one thing that can be rented: an instance at a place under a purchase
// model, at a price.
type Offer struct {
	ID OfferID
	Place
	*Instance
	*Provenance
	Market  PurchaseModel
	Country string // ISO 3166-1 alpha-2, "" if unknown

	Price        Price
	Availability Availability
	AsOf         Date
	Interruption *Band // nil if unknown
	Flags        []Flag
}

// UnmappedGPU is the GPU of an offer whose GPU name no alias knows.
const UnmappedGPU GPUID = "unmapped"

// HasGPU reports whether the offer carries a GPU or a part of one.
func (o *Offer) HasGPU() bool { return o.GPU != "" }

// Units is how many priced units one rentable node takes: 1, or as many as the
// provider's minimum of GPUs forces.
func (i *Instance) Units() int {
	gpus := i.GPUs.Decimal
	if !i.GPUs.Valid || !gpus.IsInteger() || !gpus.IsPositive() || i.MinGPUs == 0 {
		return 1
	}
	n := int(gpus.IntPart())
	return max(1, (i.MinGPUs+n-1)/n)
}

// WholeGPUs is the number of GPUs of one rentable node (see Units). ok is false
// for fractions, unknown fractions and CPU-only offers.
func (i *Instance) WholeGPUs() (n int, ok bool) {
	if !i.GPUs.Valid || !i.GPUs.Decimal.IsInteger() || !i.GPUs.Decimal.IsPositive() {
		return 0, false
	}
	return int(i.GPUs.Decimal.IntPart()) * i.Units(), true
}

// NodeGPUs is the number of GPUs of one rentable node: WholeGPUs where that is
// known, else what the source says of the priced unit.
func (i *Instance) NodeGPUs() decimal.NullDecimal {
	if units := i.Units(); units > 1 {
		return decimal.NewNullDecimal(i.GPUs.Decimal.Mul(decimal.NewFromInt(int64(units))))
	}
	return i.GPUs
}

// NodeRate is the exact hourly price of one rentable node: of all the units that
// it takes.
func (o *Offer) NodeRate() (rate Rate, ok bool) {
	rate, ok = o.Price.PerHour(o.GPUs)
	if units := o.Units(); ok && units > 1 {
		rate.Num = rate.Num.Mul(decimal.NewFromInt(int64(units)))
	}
	return rate, ok
}

// HasFlag reports whether the offer carries the flag.
func (o *Offer) HasFlag(flag Flag) bool {
	for _, f := range o.Flags {
		if f == flag {
			return true
		}
	}
	return false
}

// NewOfferID derives the id of an offer from what identifies it. Two offers that
// differ in these five differ in their ids unless they differ only in
// punctuation; a Snapshot refuses such a pair.
func NewOfferID(p Place, sku SKU, variant string, market PurchaseModel) OfferID {
	parts := [...]string{string(p.Provider), string(p.Region), string(sku), variant, string(market)}
	id := make([]byte, 0, mostIDBytes)
	for i, part := range parts {
		if part == "" && i == variantPart {
			continue
		}
		if i > 0 {
			id = append(id, '.')
		}
		id = fold(id, part)
	}
	return OfferID(id)
}

// The place of the variant among the parts of an id, which is the one that may be
// missing; and the room that few ids exceed.
const (
	variantPart = 3
	mostIDBytes = 128
)

// fold appends text in lower case, with every run of other characters than letters,
// digits and "_" turned into one "-".
func fold(to []byte, text string) []byte {
	start := len(to)
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			to = append(to, byte(r))
		case len(to) > start && to[len(to)-1] != '-':
			to = append(to, '-')
		}
	}
	return bytes.TrimSuffix(to, []byte("-"))
}
