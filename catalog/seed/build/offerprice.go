package main

import (
	"regexp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

var (
	currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)
	monthPrice   = regexp.MustCompile(`month_[13]y ([0-9.]+) ([A-Z]{3})/month / 730 h`)
)

// readPrice reads the price in the source's own unit and currency. Where the row
// states a month's price divided by 730, the month's price is the source's.
func (o *offer) readPrice() error {
	o.amount = o.row.get("price_native")
	stated, err := exact(o.amount)
	if err != nil {
		return o.row.with("price_native", err)
	}
	if !currencyCode.MatchString(o.currency) {
		return o.row.fault("currency", "a code of three capital letters")
	}
	switch o.row.get("price_basis") {
	case "instance":
		o.basis = catalog.PerInstanceHour
	case "per_gpu":
		o.basis = catalog.PerGPUHour
	default:
		return o.row.fault("price_basis", "instance, per_gpu or per_gpu_addon")
	}
	if o.has("MONTH_DERIVED") {
		err = o.readMonth(stated)
	}
	// What is kept is the source's own price: nothing about it is derived.
	o.flags = slices.DeleteFunc(o.flags, func(flag string) bool { return flag == "MONTH_DERIVED" || flag == "FX_DERIVED" })
	if !stated.IsPositive() {
		o.amount = ""
		o.flags = append(o.flags, "PRICE_UNKNOWN")
	}
	return err
}

// readMonth replaces an hourly price by the month's price that the note gives,
// if the two agree.
func (o *offer) readMonth(hourly decimal.Decimal) error {
	m := monthPrice.FindStringSubmatch(o.row.get("price_unit_note"))
	if m == nil || o.basis != catalog.PerInstanceHour {
		return o.row.fault("price_unit_note", "a price of an instance as in \"month_1y 12.34 USD/month / 730 h\"")
	}
	month, err := exact(m[1])
	if err != nil {
		return o.row.with("price_unit_note", err)
	}
	if m[2] != o.currency || !roundsTo(month, hourly) {
		return o.row.fault("price_native", "the month's price "+m[1]+" "+m[2]+" divided by 730")
	}
	o.amount, o.basis = m[1], catalog.PerInstanceMonth
	return nil
}

// roundsTo reports whether hourly is month/730 rounded to the digits of hourly.
func roundsTo(month, hourly decimal.Decimal) bool {
	hours := decimal.NewFromInt(catalog.HoursPerMonth)
	unit := decimal.New(1, hourly.Exponent())
	off := month.Sub(hourly.Mul(hours)).Abs()
	return off.Mul(decimal.NewFromInt(2)).LessThanOrEqual(unit.Mul(hours))
}
