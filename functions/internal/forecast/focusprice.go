package forecast

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// unitPrice is a price with what it is of.
type unitPrice struct {
	price decimal.Decimal // to tco.Places decimals
	unit  string
}

// hourly is the unit price of a cell: of an hour of the offer where it is time, else
// that of its item.
func (c *Cell) hourly(q *candidate.Quote) unitPrice {
	price, unit := c.Item.Price, c.Unit
	if unit == tco.Runs && q != nil && c.Line != tco.Storage && c.Line != tco.Network {
		price, unit = q.Tariff.Hour(), tco.InstanceHours
	}
	return unitPrice{price.Times(c.Factor.Price.Decimal()).Round(tco.Places), focusUnits(unit)}
}

// priced writes what a cell costs as a quantity at a price, and returns the quantity.
// The quantity is the cost over the price, to tco.Places decimals; the list cost is
// the product of the two, in full.
func (c *Cell) priced(row focusRow, u unitPrice) decimal.Decimal {
	quantity := c.Amount.Decimal()
	if !u.price.IsZero() {
		quantity = tco.Quotient{Num: c.Amount.Decimal(), Den: u.price}.Round(tco.Places)
	}
	product := short(quantity.Mul(u.price))
	row["ListUnitPrice"], row["ContractedUnitPrice"] = short(u.price), short(u.price)
	row["ListCost"], row["ContractedCost"] = product, product
	row["PricingQuantity"], row["PricingUnit"] = short(quantity), u.unit
	row["ConsumedQuantity"], row["ConsumedUnit"] = short(quantity), u.unit
	return quantity
}

// commit makes a row one of what a commitment covers: it is paid for by the
// commitment's purchase, and listed at the price on demand.
func (c *Cell) commit(row focusRow, quantity decimal.Decimal) {
	c.discounted(row, quantity)
	row["PricingCategory"], row["CommitmentDiscountStatus"] = "Committed", "Used"
	row["BilledCost"], row["EffectiveCost"] = "0", short(c.Amount.Decimal())
	if c.list != nil {
		listed := c.hourly(c.list)
		if c.Unit != tco.Runs {
			listed.price = c.list.Tariff.Hour().Round(tco.Places)
		}
		row["ListUnitPrice"], row["ListCost"] = short(listed.price), short(quantity.Mul(listed.price))
	}
	if c.Line == tco.Idle {
		row["CommitmentDiscountStatus"] = "Unused"
		delete(row, "ConsumedQuantity")
		delete(row, "ConsumedUnit")
	}
}

// purchase makes a row the purchase of a commitment's hours.
func (c *Cell) purchase(row focusRow, quantity decimal.Decimal) {
	c.discounted(row, quantity)
	row["ChargeCategory"], row["ChargeFrequency"] = "Purchase", "Recurring"
	row["BilledCost"], row["EffectiveCost"] = short(c.Amount.Decimal()), "0"
	delete(row, "ConsumedQuantity")
	delete(row, "ConsumedUnit")
}

// discounted names the commitment of a row.
func (c *Cell) discounted(row focusRow, quantity decimal.Decimal) {
	o := c.Quote.Offer
	row["CommitmentDiscountCategory"], row["CommitmentDiscountType"] = "Usage", fmt.Sprintf("Reserved for %d months", o.Market.TermMonths())
	row["CommitmentDiscountId"], row["CommitmentDiscountName"] = string(o.ID)+"/"+row["ResourceId"], row["ResourceName"]
	row["CommitmentDiscountQuantity"], row["CommitmentDiscountUnit"] = short(quantity), "Hours"
}

// credit makes a row what the tenant's own price saves: it has no price of its own.
func credit(row focusRow, c *Cell) {
	row["ChargeCategory"], row["ChargeFrequency"] = "Credit", "Recurring"
	for _, column := range []string{"BilledCost", "EffectiveCost", "ListCost", "ContractedCost"} {
		row[column] = short(c.Amount.Decimal())
	}
	delete(row, "PricingCategory")
}

// short writes a number without an exponent and without trailing zeros.
func short(d decimal.Decimal) string { return d.String() }
