package tco

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// Tariff is how an offer charges for one node.
type Tariff struct {
	Node       catalog.Rate // per node and hour, native currency
	Conversion Conversion

	// IncrementSeconds is the metering step (at least 1); MinimumSeconds is the
	// least that one start is billed, a commitment's whole term included.
	IncrementSeconds, MinimumSeconds int64

	Storage           StorageTariff
	StorageConversion Conversion
}

// StorageTariff is a block storage price per volume unit and month. The zero
// value charges nothing.
type StorageTariff struct {
	Price decimal.Decimal
	Unit  catalog.VolumeUnit
}

// Usage is how long each of a number of nodes is occupied, and what for, in
// seconds, and the block storage that each holds meanwhile.
type Usage struct {
	Nodes                                     int64
	Useful, Interruption, Setup, Verification int64
	DiskGB                                    int64 // per node, whole GB
	Stopped                                   int64 // that the disks stay while the nodes are switched off
}

// Occupied is the time that a node is held.
func (u Usage) Occupied() int64 { return u.Useful + u.Interruption + u.Setup + u.Verification }

// Billed is the time that is charged for one node held for so long.
func (t *Tariff) Billed(seconds int64) int64 {
	return Billed(seconds, t.IncrementSeconds, t.MinimumSeconds)
}

// Billed is the time that is charged for seconds with a metering step and a minimum:
// max(minimum, ceil(seconds / step) x step).
func Billed(seconds, step, minimum int64) int64 {
	if step > 1 {
		seconds = (seconds + step - 1) / step * step
	}
	return max(minimum, seconds)
}

// Price is what the usage costs under the tariff, without network: traffic
// belongs to the moves between places.
func (t Tariff) Price(u Usage) Lines {
	m := t.Meter()
	return m.Lines(&t, u)
}

// Second is what all nodes of a usage and their disks cost per second, in the answer's
// currency, metering steps apart.
func (t Tariff) Second(u Usage) Quotient {
	node := t.Conversion.Convert(Quotient{Num: t.Node.Num, Den: t.Node.Den.Mul(hourSeconds)}).Times(decimal.NewFromInt(u.Nodes))
	if t.Storage.Price.IsZero() || u.DiskGB == 0 {
		return node
	}
	volume := InUnit(decimal.NewFromInt(u.DiskGB*u.Nodes), t.Storage.Unit)
	disk := t.StorageConversion.Convert(Exact(t.Storage.Price).Times(volume).Over(monthLength))
	return Quotient{Num: node.Num.Mul(disk.Den).Add(disk.Num.Mul(node.Den)), Den: node.Den.Mul(disk.Den)}
}

// time is the price of nodes held for so many seconds, of any size.
func (t *Tariff) time(seconds, nodes int64) decimal.Decimal {
	q := Quotient{Num: t.Node.Num, Den: t.Node.Den.Mul(hourSeconds)}
	q = q.Times(decimal.NewFromInt(seconds).Mul(decimal.NewFromInt(nodes)))
	return t.Conversion.Convert(q).Round(Places)
}

// storage is the price of the nodes' volumes for so many seconds, of any size.
func (t *Tariff) storage(u *Usage, seconds int64) decimal.Decimal {
	volume := InUnit(decimal.NewFromInt(u.DiskGB*u.Nodes), t.Storage.Unit)
	q := Exact(t.Storage.Price).Times(volume).Times(decimal.NewFromInt(seconds))
	return t.StorageConversion.Convert(q.Over(monthLength)).Round(Places)
}

// InUnit is a volume in GB counted in another unit. 1 GB is exactly
// 0.931322574615478515625 GiB (10^9 / 2^30).
func InUnit(gb decimal.Decimal, unit catalog.VolumeUnit) decimal.Decimal {
	if unit == catalog.GiB {
		return gb.Mul(decimal.New(931322574615478515, -18).Add(decimal.New(625, -21)))
	}
	return gb
}
