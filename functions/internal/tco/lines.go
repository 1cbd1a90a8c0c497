package tco

import "github.com/shopspring/decimal"

// Lines are the disjoint cost lines of a stage, in the answer's currency, each
// rounded to Places decimals. Discount is negative or zero.
type Lines struct {
	Instance     decimal.Decimal // useful time
	Idle         decimal.Decimal // billed but not occupied: increments, minimums, unused commitment
	Storage      decimal.Decimal // capacity x time
	Network      decimal.Decimal // moving data to the stage, and results from the last one
	Interruption decimal.Decimal // lost work, checkpoint writes, restarts
	Setup        decimal.Decimal // starting instances
	Verification decimal.Decimal // trying the hardware before a large order
	Discount     decimal.Decimal
}

// Total is the exact sum of the lines.
func (l Lines) Total() decimal.Decimal {
	if total, exact := l.Units(); exact {
		return total.Decimal()
	}
	return decimal.Sum(l.Instance, l.Idle, l.Storage, l.Network, l.Interruption, l.Setup, l.Verification, l.Discount)
}

// Units is the total in units. It is exact of lines that are rounded, as lines are.
func (l *Lines) Units() (total Units, exact bool) {
	exact = true
	for _, line := range [...]*decimal.Decimal{&l.Instance, &l.Idle, &l.Storage, &l.Network, &l.Interruption, &l.Setup, &l.Verification, &l.Discount} {
		units, ok := UnitsOf(*line)
		total, exact = total.Plus(units), exact && ok
	}
	return total, exact
}

// Add is the sum of two stages, line by line.
func (l Lines) Add(m Lines) Lines {
	return Lines{
		Instance:     l.Instance.Add(m.Instance),
		Idle:         l.Idle.Add(m.Idle),
		Storage:      l.Storage.Add(m.Storage),
		Network:      l.Network.Add(m.Network),
		Interruption: l.Interruption.Add(m.Interruption),
		Setup:        l.Setup.Add(m.Setup),
		Verification: l.Verification.Add(m.Verification),
		Discount:     l.Discount.Add(m.Discount),
	}
}
