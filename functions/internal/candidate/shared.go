package candidate

import (
	"math"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// share says how many models of a pool one node holds. Slices of GPUs serve pools, and
// nothing else.
func (f *finder) share(config configuration, n *node) (configuration, Reason, bool) {
	pool, g := f.stage.Pool, &n.card.GPUModel
	switch {
	case n.gpus > 0:
		config.perNode = n.gpus
		config.slots = n.gpus * pool.Slots(g.MemoryGB, g.MIG == catalog.Yes)
	case n.part == 0 || pool.Apart:
		return config, FractionalGPU, false
	default:
		config.perNode, config.fraction = 1, true
		config.slots = pool.Slots(g.MemoryGB*n.part, false)
	}
	if config.slots == 0 {
		return config, TooLittleVRAM, false
	}
	return config, "", true
}

// Of a GPU that is shared: what a slice gives of its share, after NVIDIA's and the
// trade's figures of 5 to 15% lost to virtualisation.
const (
	sharedLow  = 0.85
	sharedHigh = 0.95
)

// sharedEfficiency is the coefficient of models on a GPU: that of slices if they share
// one. It enters no hours, which are those that people work.
func sharedEfficiency(shared bool) Efficiency {
	if !shared {
		return unscaled()
	}
	return Efficiency{Value: sliceEfficiency, Low: sharedLow, High: sharedHigh, Source: "prior", Tier: "P"}
}

// spread reports whether workers on an offer meet over the internet: boxes of a
// community do, those of a data centre stand side by side.
func (m *Market) spread(o *catalog.Offer) bool {
	provider, _ := m.Snapshot.Provider(o.Provider)
	return o.Service == catalog.Marketplace || provider.Class == catalog.Community
}

// rounds makes of the time of all steps on a usual node that of work in rounds: each
// waits for the slowest node and for the exchange.
func (f *finder) rounds(s *Sizing, config configuration) {
	if f.stage.Workers == 0 {
		return
	}
	link := FabricGBs
	if config.spread {
		link = f.stage.UplinkGBs()
	}
	count, exchange := f.stage.Rounds(link)
	s.Slowest = slowest(s.Efficiency, f.stage.Workers)
	s.ExchangeSeconds = exchange * float64(count)
	for _, t := range []*float64{&s.Useful.Low, &s.Useful.Expected, &s.Useful.High, &s.Useful.P95} {
		*t = *t*s.Slowest + s.ExchangeSeconds
	}
	s.RoundSeconds = s.Useful.Expected / float64(count)
	s.Estimate.PieceSeconds = s.RoundSeconds * s.Efficiency.Value // an interruption loses half a round
}

// slowest is how many times as long as the usual one the slowest of several nodes is
// expected to take: the coefficient is taken as lognormal, its interval as one of 80%,
// and the largest of n as the quantile n / (n + 1) (G. Blom, "Statistical estimates and
// transformed beta-variables", 1958, in its simplest form).
func slowest(e Efficiency, nodes int) float64 {
	sigma := math.Log(e.High/e.Low) / 2 / 1.2816
	share := float64(nodes) / float64(nodes+1)
	return math.Exp(sigma * math.Sqrt2 * math.Erfinv(2*share-1))
}

// exchange prices what workers on the internet send to where they meet: each sends its
// part from where it stands. Within a data centre it costs nothing.
func (f *finder) exchange(c *Candidate) {
	if f.stage.ExchangeGB == 0 || !f.market.spread(c.Offer) {
		return
	}
	rate, conversion, assumed := f.market.Egress(c.Offer.Place, catalog.ToInternet)
	amount := tco.Exact(tco.EgressAfter(rate, decimal.Zero, tco.Volume(f.stage.ExchangeGB)))
	c.NetworkAssumed = assumed
	c.Network = conversion.Convert(amount).Round(tco.Places)
	usd := tco.Exact(c.Network).Over(f.market.Converter.UnitsPerUSD())
	c.Bound = c.Bound.Add(tco.BoundOf(usd).Widen())
}
