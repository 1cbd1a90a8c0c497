package catalog

import (
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
)

// Currency is an ISO 4217 code.
type Currency string

// USD is the currency that rates are quoted against.
const USD Currency = "USD"

// PurchaseModel is the market that a price belongs to.
type PurchaseModel string

// The purchase models. Reserved ones bind for one or three years; a capacity
// block is a slot bought ahead.
const (
	OnDemand      PurchaseModel = "on_demand"
	Spot          PurchaseModel = "spot"
	Reserved1Y    PurchaseModel = "reserved_1y"
	Reserved3Y    PurchaseModel = "reserved_3y"
	CapacityBlock PurchaseModel = "capacity_block"
)

// PurchaseModels are all of them, in the order in which ties are broken.
func PurchaseModels() []PurchaseModel {
	return []PurchaseModel{OnDemand, Spot, Reserved1Y, Reserved3Y, CapacityBlock}
}

// ParsePurchaseModel reads a purchase model by its name.
func ParsePurchaseModel(text string) (PurchaseModel, error) {
	m := PurchaseModel(text)
	if slices.Contains(PurchaseModels(), m) {
		return m, nil
	}
	return "", fmt.Errorf("parse purchase model %q: want one of %v", text, PurchaseModels())
}

// TermMonths is how long a purchase binds, in months; 0 if it does not.
func (m PurchaseModel) TermMonths() int {
	switch m {
	case Reserved1Y:
		return 12
	case Reserved3Y:
		return 36
	default:
		return 0
	}
}

// Basis is the unit in which a source states a price.
type Basis string

// The units of prices. A month of a monthly price is HoursPerMonth hours, and a
// year twelve such months: a price of a whole term is one of a year or of three.
const (
	PerInstanceHour   Basis = "per_instance_hour"
	PerGPUHour        Basis = "per_gpu_hour"
	PerInstanceMonth  Basis = "per_instance_month"
	PerInstanceYear   Basis = "per_instance_year"
	PerInstance3Years Basis = "per_instance_3_years"
)

// HoursPerMonth is how many hours a provider's monthly price covers: the
// providers that quote months (GCP commitments, EU clouds) divide by 730.
const HoursPerMonth = 730

// ParseBasis reads a price unit by its name.
func ParseBasis(text string) (Basis, error) {
	b := Basis(text)
	all := []Basis{PerInstanceHour, PerGPUHour, PerInstanceMonth, PerInstanceYear, PerInstance3Years}
	if slices.Contains(all, b) {
		return b, nil
	}
	return "", fmt.Errorf("parse price basis %q: want one of %v", text, all)
}

// Price is what a source says a thing costs, digit for digit, in the source's own
// unit and currency. A price that is missing, zero or negative is unknown
// (Amount.Valid is false); it is never ranked and never counts as free.
type Price struct {
	Amount   decimal.NullDecimal
	Basis    Basis
	Currency Currency
}

// NewPrice is a known price, or an unknown one if the amount is not positive.
func NewPrice(amount decimal.Decimal, basis Basis, currency Currency) Price {
	return Price{
		Amount:   decimal.NullDecimal{Decimal: amount, Valid: amount.IsPositive()},
		Basis:    basis,
		Currency: currency,
	}
}

// Known reports whether there is a price.
func (p Price) Known() bool { return p.Amount.Valid }

// Rate is an exact quotient: Num/Den units of Currency per hour. It exists
// because a monthly price per hour has no finite decimal expansion.
type Rate struct {
	Num, Den decimal.Decimal
	Currency Currency
}

// PerHour is the price of one instance of gpus GPUs per hour. ok is false if the
// price is unknown, or is per GPU and the number of GPUs is unknown or zero.
func (p Price) PerHour(gpus decimal.NullDecimal) (rate Rate, ok bool) {
	if !p.Known() {
		return Rate{}, false
	}
	one := decimal.NewFromInt(1)
	switch p.Basis {
	case PerInstanceHour:
		return Rate{Num: p.Amount.Decimal, Den: one, Currency: p.Currency}, true
	case PerInstanceMonth, PerInstanceYear, PerInstance3Years:
		return Rate{Num: p.Amount.Decimal, Den: decimal.NewFromInt(p.Basis.hours()), Currency: p.Currency}, true
	case PerGPUHour:
		if !gpus.Valid || !gpus.Decimal.IsPositive() {
			return Rate{}, false
		}
		return Rate{Num: p.Amount.Decimal.Mul(gpus.Decimal), Den: one, Currency: p.Currency}, true
	}
	return Rate{}, false
}

// hours is how many hours a price of a time covers.
func (b Basis) hours() int64 {
	switch b {
	case PerInstanceYear:
		return 12 * HoursPerMonth
	case PerInstance3Years:
		return 36 * HoursPerMonth
	default:
		return HoursPerMonth
	}
}
