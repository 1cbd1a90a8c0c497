package tco

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Line names one of the disjoint cost lines.
type Line string

// The cost lines; Lines says what each holds.
const (
	Instance     Line = "instance"
	Idle         Line = "idle"
	Storage      Line = "storage"
	Network      Line = "network"
	Interruption Line = "interruption"
	Setup        Line = "setup"
	Verification Line = "verification"
	Discount     Line = "discount"
)

// LineNames are all of them, in the order in which they are shown.
func LineNames() []Line {
	return []Line{Instance, Idle, Storage, Network, Interruption, Setup, Verification, Discount}
}

// Unit is what a quantity counts.
type Unit string

// The units of quantities. A month is catalog.HoursPerMonth hours.
const (
	InstanceHours Unit = "instance-hour"
	GBMonths      Unit = "GB-month"
	GiBMonths     Unit = "GiB-month"
	GBs           Unit = "GB"
	GiBs          Unit = "GiB"
	Runs          Unit = "run"
)

// Item is a quantity of one thing in a month at one price, in the answer's currency.
type Item struct {
	Line     Line
	Of       string // the resource, volume or transfer that it belongs to
	Quantity Quotient
	Unit     Unit
	Price    Quotient // of one unit; negative for a discount
	Assumed  bool     // the price is unknown: the dearest stands in

	// Instances is one factor of a quantity of instance-hours, and HoursEach the other;
	// 0 for other quantities.
	Instances int64
	// Native is the price of a unit as its source has it; without a currency the
	// price is the caller's own, or follows from others.
	Native catalog.Rate
}

// HoursEach is how long each of the item's instances takes.
func (i *Item) HoursEach() Quotient { return i.Quantity.Over(decimal.NewFromInt(i.Instances)) }

// Cost is the exact cost of the item.
func (i *Item) Cost() Quotient { return i.Quantity.Mul(i.Price) }

// Ratio is the exact cost of the item, ready to be rounded many times.
func (i *Item) Ratio() Ratio { return NewRatio(i.Quantity).Times(NewRatio(i.Price)) }

// Amounts are what an item, or a sum of items, costs over several spans.
type Amounts struct{ Hour, Month, Year, ThreeYears decimal.Decimal }

// monthsPerYear and monthsPerThreeYears make years of months.
const monthsPerYear, monthsPerThreeYears = 12, 36

// Amounts rounds the item's cost: a month of it once and an hour of it once, to
// Places decimals. Years are whole months of the rounded one, so that months add up.
func (i *Item) Amounts() Amounts {
	cost := i.Cost()
	month := cost.Round(Places)
	return Amounts{
		Hour:       cost.Over(decimal.NewFromInt(catalog.HoursPerMonth)).Round(Places),
		Month:      month,
		Year:       month.Mul(decimal.NewFromInt(monthsPerYear)),
		ThreeYears: month.Mul(decimal.NewFromInt(monthsPerThreeYears)),
	}
}

// Add is the sum of two amounts, span by span.
func (a Amounts) Add(b Amounts) Amounts {
	return Amounts{
		Hour: a.Hour.Add(b.Hour), Month: a.Month.Add(b.Month),
		Year: a.Year.Add(b.Year), ThreeYears: a.ThreeYears.Add(b.ThreeYears),
	}
}

// Of is the line of a name; zero for a name that is none.
func (l Lines) Of(name Line) decimal.Decimal {
	switch name {
	case Instance:
		return l.Instance
	case Idle:
		return l.Idle
	case Storage:
		return l.Storage
	case Network:
		return l.Network
	case Interruption:
		return l.Interruption
	case Setup:
		return l.Setup
	case Verification:
		return l.Verification
	case Discount:
		return l.Discount
	}
	return decimal.Zero
}

// RunItems are the lines of one run of a stage, so many times. Each is rounded
// already, so that a single run costs what the plan says.
func RunItems(of string, l Lines, runs Quotient) []Item {
	var items []Item
	for _, name := range LineNames() {
		if amount := l.Of(name); !amount.IsZero() {
			items = append(items, Item{Line: name, Of: of, Quantity: runs, Unit: Runs, Price: Exact(amount)})
		}
	}
	return items
}

// Sum adds up the amounts of the items that any of the lines holds; of all without
// a line.
func Sum(items []Item, lines ...Line) Amounts {
	var sum Amounts
	for i := range items {
		if len(lines) == 0 || slices.Contains(lines, items[i].Line) {
			sum = sum.Add(items[i].Amounts())
		}
	}
	return sum
}
