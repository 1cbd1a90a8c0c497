package catalog

import (
	"fmt"
	"slices"
)

// ProviderID names a provider: "aws", "lambda", "runpod".
type ProviderID string

// RegionID is a provider's own name of a region: "us-east-1".
type RegionID string

// Place is where an instance runs or data lies: a provider and its region.
// It is written "aws/us-east-1".
type Place struct {
	Provider ProviderID
	Region   RegionID
}

// String writes the place as ParsePlace reads it.
func (p Place) String() string { return string(p.Provider) + "/" + string(p.Region) }

// ProviderClass is one of the three kinds of provider that the market has.
type ProviderClass string

// The classes of providers: the large clouds, the GPU specialists, and
// peer-to-peer marketplaces.
const (
	Hyperscaler ProviderClass = "hyperscaler"
	Specialist  ProviderClass = "specialist"
	Community   ProviderClass = "community"
)

// ParseProviderClass reads a class by its name.
func ParseProviderClass(text string) (ProviderClass, error) {
	c := ProviderClass(text)
	if slices.Contains([]ProviderClass{Hyperscaler, Specialist, Community}, c) {
		return c, nil
	}
	return "", fmt.Errorf("parse provider class %q: want hyperscaler, specialist or community", text)
}

// Attestation is one compliance statement about a provider, with the page or
// report that makes it. Scope says what was read: often only a trust page.
type Attestation struct {
	Name   string
	Scope  string
	Source string
	AsOf   Date
}

// Provider is what is known of a provider besides its offers.
type Provider struct {
	ID    ProviderID
	Name  string // product name, for people
	Class ProviderClass

	// BillingIncrementSeconds is the metering step and BillingMinimumSeconds the
	// least that one start is billed; 0 means that no source states it.
	BillingIncrementSeconds int64
	BillingMinimumSeconds   int64
	BillingSource           string

	Compliance []Attestation
	Stopped    []StoppedRule
	Images     []PreinstalledImage
}

// Region is one region of a provider. Latitude and Longitude are degrees and
// mean something only as far as Precision says.
type Region struct {
	Place
	Country      string // ISO 3166-1 alpha-2, "" if unknown
	City         string
	Jurisdiction string
	Latitude     float64
	Longitude    float64
	Precision    Precision
	Source       string
}

// Precision says what a region's point stands for.
type Precision string

// The precisions that are good enough to measure distances from: a city, an
// airport, the largest city of a state, or the capital of a small country. Any
// other, "" included, is not.
const (
	PreciseCity      Precision = "region-city"
	PreciseZone      Precision = "zone-city"
	PreciseAirport   Precision = "zone-airport"
	PreciseStateCity Precision = "state-largest-city"
	PreciseCapital   Precision = "country-capital"
	// LargeCountryCapital stands for a region somewhere in a large country.
	LargeCountryCapital Precision = "large-country-capital"
)

// Located reports whether distances from the region's point mean something.
func (r Region) Located() bool {
	return slices.Contains([]Precision{PreciseCity, PreciseZone, PreciseAirport, PreciseStateCity, PreciseCapital}, r.Precision)
}
