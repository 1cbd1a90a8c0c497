package candidate

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// node is the hardware of one node of an offer, as stages see it.
type node struct {
	card      *card   // its GPUs; nil if it has none
	gpus      int     // how many; 0 if they are not whole
	part      float64 // of a GPU that it has, if it is known; else 0
	vcpus     float64 // 0 if unknown
	fabricGBs float64 // GB/s between nodes, per node and direction; 0 if no source gives it
	alone     bool    // a box of a marketplace, which shares no network with others
	spread    bool    // its GPUs meet others over the internet
	hardware  int32   // numbers what the time of work on GPUs depends on
}

// card is a GPU with what was measured of it at a provider, if anything was.
type card struct {
	catalog.GPUModel // no more than its id if the catalogue does not know it
	efficiency       [mixes]Efficiency
}

// cardKey is which card it is.
type cardKey struct {
	gpu      catalog.GPUID
	measured *catalog.Coefficient
}

// nodeOf is a node of an offer.
func (m *Market) nodeOf(q *Quote) node {
	o := q.Offer
	n := node{vcpus: nodeVCPUs(o), fabricGBs: q.SourcedFabricGBs, alone: o.Service == catalog.Marketplace}
	if !o.HasGPU() {
		return n
	}
	n.card, n.spread = m.cards[cardKey{o.GPU, q.Coefficient}], m.spread(o)
	n.gpus, _ = o.WholeGPUs()
	if gpus := o.NodeGPUs(); gpus.Valid && gpus.Decimal.IsPositive() {
		n.part = gpus.Decimal.InexactFloat64()
	}
	return n
}

// nodeVCPUs is the number of vCPUs of one rentable node; 0 if unknown.
func nodeVCPUs(o *catalog.Offer) float64 {
	n, ok := o.WholeGPUs()
	if !ok || o.Price.Basis != catalog.PerGPUHour {
		return o.VCPUs
	}
	return o.VCPUs * float64(n) / o.GPUs.Decimal.InexactFloat64()
}

// deal makes the cards of all offers.
func (m *Market) deal() {
	m.cards = make(map[cardKey]*card)
	for i := range m.quotes {
		key := cardKey{m.quotes[i].Offer.GPU, m.quotes[i].Coefficient}
		if key.gpu != "" && m.cards[key] == nil {
			m.cards[key] = m.newCard(key)
		}
	}
}

// newCard looks a card up.
func (m *Market) newCard(key cardKey) *card {
	c := new(card)
	c.GPUModel, _ = m.Snapshot.GPU(key.gpu)
	c.ID = key.gpu
	for x := range mixes {
		c.efficiency[x] = measured(m.Snapshot, c.GPUModel, key.measured, x.shares())
	}
	return c
}

// mix is how a stage's time is divided between resources.
type mix uint8

// The mixes.
const (
	tuning mix = iota
	training
	decoding
	rendering
	mixes
)

// mixOf is the mix of a stage on a number of GPUs.
func mixOf(stage *workload.Stage, gpus int) mix {
	switch {
	case stage.Name == workload.Render:
		return rendering
	case stage.Name == workload.Evaluate:
		return decoding
	case gpus > 1:
		return training
	default:
		return tuning
	}
}

// shares are the shares of the resources.
func (x mix) shares() catalog.Shares {
	switch x {
	case rendering:
		return catalog.RenderingShares()
	case decoding:
		return catalog.DecodingShares()
	case training:
		return catalog.TrainingShares()
	default:
		return catalog.TuningShares()
	}
}
