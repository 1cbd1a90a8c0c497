package catalog

import "github.com/shopspring/decimal"

// VolumeUnit is the unit in which a provider meters volumes.
type VolumeUnit string

// The volume units: 10^9 and 2^30 bytes.
const (
	GB  VolumeUnit = "GB"
	GiB VolumeUnit = "GiB"
)

// Scope says which traffic a transfer rate applies to.
type Scope string

// The scopes of traffic leaving a place: to anywhere outside the provider, and
// to another region of the same provider.
const (
	ToInternet    Scope = "internet"
	ToOtherRegion Scope = "inter_region"
)

// EgressTier is one step of a tiered transfer price. UpTo is the volume per
// month at which it ends, counted in the rate's unit after the free allowance;
// the last tier's is not valid.
type EgressTier struct {
	UpTo  decimal.NullDecimal
	Price decimal.Decimal // per unit of volume
}

// EgressRate is what a provider charges for traffic that leaves a place. Region
// "" applies to every region without a rate of its own.
type EgressRate struct {
	Place
	Scope        Scope
	FreePerMonth decimal.Decimal // volume per month without charge, in Unit
	Tiers        []EgressTier
	Unit         VolumeUnit
	Currency     Currency
	AsOf         Date
	Source       string
}

// StorageRate is what a provider charges for block storage, per unit of volume
// and month of HoursPerMonth hours. Region "" applies everywhere.
type StorageRate struct {
	Place
	Item     string // the provider's name of the volume type
	Price    decimal.Decimal
	Unit     VolumeUnit
	Currency Currency
	AsOf     Date
	Source   string
}

// FXRate says how many units of a currency one US dollar bought on average in a month.
type FXRate struct {
	Currency    Currency
	Month       Date // Day 0
	UnitsPerUSD decimal.Decimal
	Source      string
}

// Prior is an efficiency coefficient before anything was measured on a class of
// GPUs: useful work per paid hour against a healthy reference of the same GPU.
type Prior struct {
	Class     GPUClass
	Value     float64
	Low, High float64 // the interval that the source gives
	Source    string
}
