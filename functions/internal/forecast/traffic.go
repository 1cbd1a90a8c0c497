package forecast

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// carrier is a transfer with its tiers.
type carrier struct {
	transfer *tco.Transfer
	gb       tco.Ratio
	steps    tco.Steps
	exact    bool    // the tiers end on whole bytes
	parts    []*Part // a byte of each tier
}

// traffic is what left every provider so far in one month, of all workloads.
type traffic struct {
	bytes map[catalog.ProviderID]int64
	gb    map[catalog.ProviderID]decimal.Decimal // instead, where bytes are too many
}

// newTraffic begins a month.
func newTraffic() traffic {
	return traffic{make(map[catalog.ProviderID]int64), make(map[catalog.ProviderID]decimal.Decimal)}
}

// carriers prepares the transfers of a workload.
func (f *forecaster) carriers(w int) []carrier {
	bill := &f.bills[w]
	all := make([]carrier, len(bill.Transfers))
	for i := range bill.Transfers {
		c := carrier{transfer: &bill.Transfers[i], gb: tco.NewRatio(tco.Exact(bill.Transfers[i].GB))}
		c.steps, c.exact = c.transfer.Steps()
		for _, item := range c.steps.Tiers {
			c.parts = append(c.parts, f.carried(w, i, item))
		}
		all[i] = c
	}
	return all
}

// carried is a part of a transfer, whose cost is in units.
func (f *forecaster) carried(w, transfer int, item tco.Item) *Part {
	from := &source{Workload: w, Place: f.r.Workloads[w].Transfers[transfer].From, resource: -1}
	p := &Part{Item: &item, source: from, position: position(item.Line)}
	p.cost = item.Ratio().Times(tco.Exact(decimal.NewFromInt(1)).InUnits())
	return p
}

// move appends the cells of a workload's transfers in a month. Volumes grow and take
// the month's share, and the tiers are those that they then reach.
func (f *forecaster) move(cells []Cell, w int, s *shaped, maker cellMaker) []Cell {
	for i := range f.traffic[w] {
		c := &f.traffic[w][i]
		provider := c.transfer.Provider
		bytes, few := tco.Bytes(s.share.Times(c.gb).Times(maker.growth.Ratio()))
		if _, left := maker.traffic.gb[provider]; left || !few || !c.exact {
			volume := s.month.Share.Times(c.transfer.GB).Times(maker.growth.Decimal())
			cells = append(cells, f.moveMuch(w, i, volume, maker)...)
			continue
		}
		c.steps.Split(maker.traffic.bytes[provider], bytes, func(tier int, n int64) {
			cells = append(cells, times(n).cell(c.parts[tier]))
		})
		maker.traffic.bytes[provider] += bytes
	}
	return cells
}

// moveMuch is a transfer in decimals: of volumes beyond any that bytes count, and of
// tiers that end within a byte.
func (f *forecaster) moveMuch(w, i int, volume tco.Quotient, maker cellMaker) []Cell {
	t := f.traffic[w][i].transfer
	gb := tco.KilobytesUp(volume)
	used, seen := maker.traffic.gb[t.Provider]
	if !seen {
		used = decimal.New(maker.traffic.bytes[t.Provider], -9)
	}
	month := *t
	month.GB = gb
	var cells []Cell
	for _, item := range month.ItemsAfter(used) {
		cells = append(cells, times(1).cell(f.carried(w, i, item)))
	}
	maker.traffic.gb[t.Provider] = used.Add(gb)
	return cells
}

// times is the factor of a number of bytes, or of anything counted.
func times(n int64) *Factor {
	return &Factor{count: n, Price: tco.Once, ratio: tco.NewRatio(tco.Exact(decimal.NewFromInt(n)))}
}
