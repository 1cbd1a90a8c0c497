package candidate

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Unknown names a kind of unknown value that a caller may let pass.
type Unknown string

// The kinds of unknown values.
const (
	UnknownAge          Unknown = "age"
	UnknownAvailability Unknown = "availability"
	UnknownCompliance   Unknown = "compliance"
	UnknownInterruption Unknown = "interruption"
	UnknownInterconnect Unknown = "interconnect"
	UnknownECC          Unknown = "ecc"
	UnknownEgress       Unknown = "egress"
	UnknownLatency      Unknown = "latency"
)

// Unknowns are all of them.
func Unknowns() []Unknown {
	return []Unknown{UnknownAge, UnknownAvailability, UnknownCompliance, UnknownInterruption,
		UnknownInterconnect, UnknownECC, UnknownEgress, UnknownLatency}
}

// Constraints are what every offer of a plan must meet. A nil set constrains
// nothing; an unknown value fails a constraint unless AllowUnknown names it.
type Constraints struct {
	Classes          Set[catalog.ProviderClass]
	Providers        Set[catalog.ProviderID]
	ExcludeProviders Set[catalog.ProviderID]
	Countries        Set[string] // ISO codes; groups are resolved by the caller
	ExcludeCountries Set[string]
	Regions          Set[catalog.RegionID]
	Compliance       []string
	Attested         bool // the provider must state some attestation
	ECC, NVLink      bool
	Markets          Set[catalog.PurchaseModel]
	GPUs             Set[catalog.GPUID]
	MinVRAMGB        float64   // per GPU
	Near             *Locality // nil asks for none

	MaxInterruptionPct decimal.NullDecimal
	MaxInstanceHour    decimal.NullDecimal // in the answer's currency
	MaxGPUHour         decimal.NullDecimal
	MaxAgeDays         int // 0 = any age
	CommitmentMonths   int
	AllowUnknown       Set[Unknown]
}

// Set is a set of identifiers.
type Set[T comparable] map[T]bool

// SetOf makes a set; no members make a nil set.
func SetOf[T comparable](members ...T) Set[T] {
	if len(members) == 0 {
		return nil
	}
	s := make(Set[T], len(members))
	for _, m := range members {
		s[m] = true
	}
	return s
}

// admits reports whether a set that constrains holds the value.
func (s Set[T]) admits(value T) bool { return len(s) == 0 || s[value] }

// Reason says why an offer can't serve a stage. It is a stable code.
type Reason string

// The reasons of rejection.
const (
	PriceUnknown     Reason = "price_unknown"
	NoExchangeRate   Reason = "no_exchange_rate"
	NoGPU            Reason = "no_gpu"
	NoCPU            Reason = "vcpus_unknown"
	GPUNotSized      Reason = "gpu_not_sized"
	LacksFormat      Reason = "format_missing" // no tensor cores for the precision or the weights' format
	FractionalGPU    Reason = "fractional_gpu"
	NotServed        Reason = "serverless"
	DoesNotFit       Reason = "does_not_fit"
	MayNotFit        Reason = "may_not_fit"
	OtherHardware    Reason = "hardware_differs"
	ClassExcluded    Reason = "provider_class"
	ProviderExcluded Reason = "provider"
	CountryExcluded  Reason = "country"
	RegionExcluded   Reason = "region"
	NotCompliant     Reason = "compliance"
	NoECC            Reason = "ecc"
	NoNVLink         Reason = "nvlink"
	MarketExcluded   Reason = "purchase_model"
	NoCommitment     Reason = "commitment"
	GPUExcluded      Reason = "gpu"
	TooLittleVRAM    Reason = "min_vram"
	Interrupted      Reason = "interruption"
	TooOld           Reason = "age"
	Unavailable      Reason = "availability"
	TooFar           Reason = "latency"
	TooDear          Reason = "max_price"
	BeyondLimits     Reason = "beyond_limits"
)

// allows reports whether unknown values of a kind may pass.
func (c *Constraints) allows(u Unknown) bool { return c.AllowUnknown[u] }

// refuse says why an offer of a provider may not serve any stage; ok is true if it may.
func (c *Constraints) refuse(s *catalog.Snapshot, provider *catalog.Provider, o *catalog.Offer, now time.Time) (reason Reason, ok bool) {
	if reason, ok = c.refuseSource(provider, o); !ok {
		return reason, false
	}
	if reason, ok = c.refusePlace(o); !ok {
		return reason, false
	}
	if reason, ok = c.refuseTerms(o, now, c.compliant(provider)); !ok {
		return reason, false
	}
	if !c.nearEnough(s, o) {
		return TooFar, false
	}
	return "", true
}

// refuseSource says why whoever rents an offer out may not, or not on its terms.
func (c *Constraints) refuseSource(provider *catalog.Provider, o *catalog.Offer) (reason Reason, ok bool) {
	switch {
	case !c.Markets.admits(o.Market):
		return MarketExcluded, false
	case o.Market.TermMonths() > c.CommitmentMonths:
		return NoCommitment, false
	case !c.Classes.admits(provider.Class):
		return ClassExcluded, false
	case !c.Providers.admits(o.Provider) || c.ExcludeProviders[o.Provider]:
		return ProviderExcluded, false
	}
	return "", true
}

// refusePlace says why an offer's place may not be used, wherever users are.
func (c *Constraints) refusePlace(o *catalog.Offer) (reason Reason, ok bool) {
	switch {
	case !c.Countries.admits(o.Country) || c.ExcludeCountries[o.Country]:
		return CountryExcluded, false
	case len(c.ExcludeCountries) > 0 && o.Country == "":
		return CountryExcluded, false
	case !c.Regions.admits(o.Region):
		return RegionExcluded, false
	}
	return "", true
}

// refuseTerms says why an offer itself may not be used, of a provider that is compliant or
// not.
func (c *Constraints) refuseTerms(o *catalog.Offer, now time.Time, compliant bool) (reason Reason, ok bool) {
	switch {
	case o.Service == catalog.Serverless:
		return NotServed, false
	case o.Availability == catalog.NoneAvailable:
		return Unavailable, false
	case !c.youngEnough(o, now):
		return TooOld, false
	case !compliant:
		return NotCompliant, false
	case !c.steady(o):
		return Interrupted, false
	}
	return "", true
}

// youngEnough tests the age of the price.
func (c *Constraints) youngEnough(o *catalog.Offer, now time.Time) bool {
	if c.MaxAgeDays == 0 {
		return true
	}
	days, known := o.AsOf.AgeDays(now)
	if !known {
		return c.allows(UnknownAge)
	}
	return days <= c.MaxAgeDays
}

// compliant tests that the provider states every attestation asked for, and for
// sensitive data some. None sourced is not compliant.
func (c *Constraints) compliant(p *catalog.Provider) bool {
	if c.allows(UnknownCompliance) {
		return true
	}
	if c.Attested && len(p.Compliance) == 0 {
		return false
	}
	for _, want := range c.Compliance {
		if !attests(p, want) {
			return false
		}
	}
	return true
}

// attests reports whether the provider states an attestation, by folded name.
func attests(p *catalog.Provider, want string) bool {
	for _, a := range p.Compliance {
		if catalog.FoldName(a.Name) == catalog.FoldName(want) {
			return true
		}
	}
	return false
}

// steady tests a spot offer's interruption band against the ceiling: the band's
// upper end must not exceed it.
func (c *Constraints) steady(o *catalog.Offer) bool {
	if !c.MaxInterruptionPct.Valid || o.Market != catalog.Spot {
		return true
	}
	if !o.Interruption.Known() {
		return c.allows(UnknownInterruption)
	}
	high := o.Interruption.High
	return high.Valid && high.Decimal.LessThanOrEqual(c.MaxInterruptionPct.Decimal)
}

// refuseGPU says why a GPU may not serve a GPU stage.
func (c *Constraints) refuseGPU(g *catalog.GPUModel) (reason Reason, ok bool) {
	switch {
	case !c.GPUs.admits(g.ID):
		return GPUExcluded, false
	case c.MinVRAMGB > 0 && g.MemoryGB < c.MinVRAMGB:
		return TooLittleVRAM, false
	case c.ECC && g.ECC != catalog.Yes && !(g.ECC == catalog.Unknown && c.allows(UnknownECC)):
		return NoECC, false
	}
	return "", true
}
