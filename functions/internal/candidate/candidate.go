package candidate

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Sizing is a stage on one hardware configuration, shared by every offer of it.
type Sizing struct {
	Estimate    workload.Estimate // zero for a CPU stage
	Efficiency  Efficiency
	Useful      Span // seconds of work, interruptions apart
	GPUsPerNode int
	Nodes       int
	HasGPU      bool
	// FabricGBs is the network between several nodes, GB/s per node and direction;
	// FabricAssumed says that neither a source nor the request gives it.
	FabricGBs     float64
	FabricAssumed bool
	// Slots is how many models share a node; 0 unless the stage is a pool of them.
	Slots int
	// Slowest is how many times as long as the usual node the slowest of those that
	// work in rounds is expected to take, RoundSeconds what a round takes with it, and
	// ExchangeSeconds the part of all rounds that no GPU shortens; 0 for other work.
	Slowest, RoundSeconds, ExchangeSeconds float64
}

// Candidate is one way to run a stage: an offer, a number of nodes, and what
// follows from them. Network traffic is not part of it; moves belong to the plan.
type Candidate struct {
	*Quote
	*Sizing
	Usage         tco.Usage
	Job           spot.Job // zero unless the offer is spot
	Interruptions spot.Outcome
	InterruptRate spot.Rate // zero unless the offer is spot

	// Network is what the stage's own traffic costs, in the answer's currency; traffic
	// between stages is no part of it. NetworkAssumed says that the dearest rate stands in.
	Network        decimal.Decimal
	NetworkAssumed bool

	Seconds int64     // expected wall time of the stage
	P95     int64     // its 95th percentile
	Bound   tco.Bound // encloses the total of Lines, in dollars
}

// Copy is a copy of the candidate that shares nothing but its quote with it.
func (c *Candidate) Copy() *Candidate {
	both := struct {
		Candidate
		sizing Sizing
	}{*c, *c.Sizing}
	both.Sizing = &both.sizing
	return &both.Candidate
}

// Lines prices the candidate exactly.
func (c *Candidate) Lines() tco.Lines {
	lines := c.Meter.Lines(&c.Tariff, c.Usage)
	lines.Network = c.Network
	return lines
}

// Total is the exact sum of Lines.
func (c *Candidate) Total() tco.Units { return c.withNetwork(c.Apart()) }

// Apart is the total without network.
func (c *Candidate) Apart() tco.Units { return c.Meter.Total(&c.Tariff, c.Usage) }

// withNetwork is a total with the candidate's own traffic.
func (c *Candidate) withNetwork(total tco.Units) tco.Units {
	if c.Network.IsZero() {
		return total
	}
	network, _ := tco.UnitsOf(c.Network) // a line has no more decimals
	return total.Plus(network)
}

// Compare orders candidates of equal cost and time: by provider, region, SKU,
// purchase model, number of nodes, then id.
func Compare(a, b *Candidate) int {
	for _, by := range []int{
		strings.Compare(string(a.Offer.Provider), string(b.Offer.Provider)),
		strings.Compare(string(a.Offer.Region), string(b.Offer.Region)),
		strings.Compare(string(a.Offer.SKU), string(b.Offer.SKU)),
		marketRank(a.Offer.Market) - marketRank(b.Offer.Market),
		a.Nodes - b.Nodes,
		strings.Compare(string(a.Offer.ID), string(b.Offer.ID)),
	} {
		if by != 0 {
			return by
		}
	}
	return 0
}

// marketRank is a purchase model's place in the order of ties.
func marketRank(m catalog.PurchaseModel) int {
	for i, other := range catalog.PurchaseModels() {
		if m == other {
			return i
		}
	}
	return len(catalog.PurchaseModels())
}
