package candidate

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Traffic is what a volume that leaves a place costs.
type Traffic struct {
	Rate       catalog.EgressRate
	Conversion tco.Conversion
	Assumed    bool // the dearest rate stands in for an unknown one
	// Ladder encloses the same, if its figures fit.
	Ladder tco.Ladder
	Fits   bool
}

// Way is what traffic out of a place costs: to another region of its provider, and to
// the internet. Places at the same rates share one.
type Way struct{ Region, Internet Traffic }

// WayOut is the way out of a place.
func (m *Market) WayOut(from catalog.Place) *Way {
	if n, known := m.wayOf[from]; known {
		return &m.ways[n]
	}
	return m.wayOut(from)
}

// wayOut is the same of a place that the market need not have.
func (m *Market) wayOut(from catalog.Place) *Way {
	return &Way{Region: m.traffic(from, catalog.ToOtherRegion), Internet: m.traffic(from, catalog.ToInternet)}
}

// traffic is Egress as one value.
func (m *Market) traffic(from catalog.Place, scope catalog.Scope) Traffic {
	var t Traffic
	t.Rate, t.Conversion, t.Assumed = m.Egress(from, scope)
	t.Ladder, t.Fits = tco.NewLadder(t.Rate, t.Conversion)
	return t
}

// steadyGB is the volume up to which no way out gets cheaper by the GB, so that moving
// less never makes what moves later dearer; ok is false if there is no such limit.
func steadyGB(ways []Way) (gb decimal.Decimal, ok bool) {
	for i := range ways {
		for _, t := range []*Traffic{&ways[i].Region, &ways[i].Internet} {
			if falls, some := fallsAt(t.Rate); some && (!ok || falls.LessThan(gb)) {
				gb, ok = falls, true
			}
		}
	}
	return gb, ok
}

// Steady reports whether moving less of so much in all never makes what moves later
// dearer.
func (m *Market) Steady(gb decimal.Decimal) bool { return !m.falls || gb.LessThanOrEqual(m.steadyGB) }

// fallsAt is the volume at which a rate's price first falls, at least: units of GiB are
// larger than GB.
func fallsAt(rate catalog.EgressRate) (volume decimal.Decimal, ok bool) {
	for i := 1; i < len(rate.Tiers); i++ {
		if rate.Tiers[i].Price.LessThan(rate.Tiers[i-1].Price) {
			return rate.FreePerMonth.Add(rate.Tiers[i-1].UpTo.Decimal), true
		}
	}
	return volume, false
}

// ways numbers the ways out of places.
type ways struct {
	market  *Market
	list    []Way
	places  map[catalog.Place]int
	numbers map[wayKey]int
}

// wayKey is what traffic over a way costs, in words: places whose rates say the same share it.
type wayKey struct{ region, internet string }

// figures are all that the cost of traffic depends on.
func (t *Traffic) figures() string {
	return fmt.Sprint(t.Rate.FreePerMonth, t.Rate.Unit, t.Rate.Tiers, t.Conversion.From.Currency, t.Conversion.From.UnitsPerUSD, t.Assumed)
}

// newWays numbers none yet.
func newWays(m *Market) ways {
	return ways{market: m, places: make(map[catalog.Place]int), numbers: make(map[wayKey]int)}
}

// number is the number of the way out of a place.
func (w *ways) number(from catalog.Place) int {
	if n, seen := w.places[from]; seen {
		return n
	}
	way := w.market.wayOut(from)
	n := numberOf(w.numbers, wayKey{way.Region.figures(), way.Internet.figures()})
	if n == len(w.list) {
		w.list = append(w.list, *way)
	}
	w.places[from] = n
	return n
}
