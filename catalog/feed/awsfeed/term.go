package awsfeed

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// termID names a term of a product.
type termID struct{ product, code string }

// term is one way to pay for a product.
type term struct {
	code                   string
	reserved               bool
	length, class, payment string // of a reservation
	hourly, upfront        part
}

// part is a part of a price.
type part struct {
	text     string
	currency string
}

// The units of the parts.
const (
	perHour = "Hrs"
	atOnce  = "Quantity"
)

// add adds a part of the price.
func (t *term) add(unit string, p part) {
	switch unit {
	case perHour:
		t.hourly = p
	case atOnce:
		t.upfront = p
	}
}

// kind is what a term is that the catalogue has no market for.
func (t *term) kind() string {
	if t.class != "" && t.class != "standard" {
		return t.class + " reservation"
	}
	return "reservation of " + t.length
}

// price makes the product's row that of the term. Its market is "" if the catalogue
// has none for it.
func (t *term) price(row *feed.Row) error {
	if !t.reserved {
		var err error
		if row.Price, err = t.amount(row, t.hourly, catalog.PerInstanceHour); err != nil {
			return err
		}
		row.PriceText = t.hourly.text
		return nil
	}
	basis := catalog.PerInstanceYear
	row.Market = ""
	switch {
	case t.class != "" && t.class != "standard":
		return nil
	case t.length == "1yr", t.length == "1 yr":
		row.Market = catalog.Reserved1Y
	case t.length == "3yr", t.length == "3 yr":
		row.Market, basis = catalog.Reserved3Y, catalog.PerInstance3Years
	default:
		return nil
	}
	return t.reservation(row, basis)
}

// hoursOf is how many hours a price of a whole term stands for.
func hoursOf(basis catalog.Basis) decimal.Decimal {
	months := int64(12)
	if basis == catalog.PerInstance3Years {
		months = 36
	}
	return decimal.NewFromInt(months * catalog.HoursPerMonth)
}

// reservation makes the row that of a reservation. What is paid at once is for the
// whole term.
func (t *term) reservation(row *feed.Row, basis catalog.Basis) error {
	hourly, err := t.amount(row, t.hourly, catalog.PerInstanceHour)
	if err != nil {
		return err
	}
	upfront, err := t.amount(row, t.upfront, basis)
	if err != nil {
		return err
	}
	switch t.payment {
	case "No Upfront":
		row.Price, row.PriceText = hourly, t.hourly.text
	case "All Upfront":
		row.Variant, row.Price, row.PriceText = "all-upfront", upfront, t.upfront.text
	case "Partial Upfront":
		row.Variant, row.Price = "partial-upfront", upfront
		row.PriceText = fmt.Sprintf("%s at once and %s an hour", t.upfront.text, t.hourly.text)
		if !upfront.Known() || !hourly.Known() || upfront.Currency != hourly.Currency {
			return &feed.Fault{Row: row.Number, Column: "priceDimensions", Got: row.PriceText, Want: "both parts of the price"}
		}
		row.Price = catalog.NewPrice(upfront.Amount.Decimal.Add(hourly.Amount.Decimal.Mul(hoursOf(basis))), basis, upfront.Currency)
	default:
		return &feed.Fault{Row: row.Number, Column: "PurchaseOption", Got: t.payment, Want: "No Upfront, Partial Upfront or All Upfront"}
	}
	if !row.Price.Known() {
		return &feed.Fault{Row: row.Number, Column: "priceDimensions", Got: row.PriceText, Want: "the price of a reservation, " + t.payment}
	}
	return nil
}

// amount is a part of the price; unknown if it is not there.
func (t *term) amount(row *feed.Row, p part, basis catalog.Basis) (catalog.Price, error) {
	currency := catalog.Currency(p.currency)
	if currency == "" {
		currency = catalog.USD
	}
	price, err := feed.Amount(p.text, basis, currency)
	if err != nil {
		return price, &feed.Fault{Row: row.Number, Column: "pricePerUnit", Got: p.text, Want: "a decimal in digits"}
	}
	return price, nil
}
