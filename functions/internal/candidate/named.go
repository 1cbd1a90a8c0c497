package candidate

import (
	"sort"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// SizeOn is a GPU stage on hardware, whether it fits or not, at a coefficient that was
// measured or, if that is nil, at the prior. The error is that of workload.Stage.On.
func SizeOn(s *catalog.Snapshot, stage *workload.Stage, h workload.Hardware, c *catalog.Coefficient) (Sizing, error) {
	estimate, err := stage.On(h)
	if err != nil {
		return Sizing{}, err
	}
	efficiency := measured(s, h.GPU, c, mixOf(stage, h.GPUsPerNode*h.Nodes).shares())
	return Sizing{
		Estimate: estimate, Efficiency: efficiency, Useful: spanOf(&estimate, &efficiency),
		GPUsPerNode: h.GPUsPerNode, Nodes: h.Nodes, HasGPU: true,
		FabricGBs: h.FabricGBs, FabricAssumed: h.FabricAssumed,
	}, nil
}

// Quote finds an offer as it is charged.
func (m *Market) Quote(id catalog.OfferID) (q *Quote, ok bool) {
	i, ok := sort.Find(len(m.quotes), func(i int) int {
		return strings.Compare(string(id), string(m.quotes[i].Offer.ID))
	})
	if !ok {
		return nil, false
	}
	return &m.quotes[i], true
}

// under is the offer of the same instances under another purchase model, nil if there is
// none: their ids differ at the end alone, so that it stands close by.
func (m *Market) under(q *Quote, market catalog.PurchaseModel) *Quote {
	id := strings.TrimSuffix(string(q.Offer.ID), string(q.Offer.Market)) + string(market)
	step := strings.Compare(id, string(q.Offer.ID))
	if step == 0 {
		return q
	}
	for i := int(q.number) + step; i >= 0 && i < len(m.quotes); i += step {
		switch by := strings.Compare(id, string(m.quotes[i].Offer.ID)); by {
		case 0:
			return &m.quotes[i]
		case -step:
			return nil
		}
	}
	return nil
}

// HardwareOf is nodes of an offer as a GPU stage sees them. ok is false with the
// reason if the stage can't be sized on it.
func HardwareOf(m *Market, stage *workload.Stage, q *Quote, nodes int) (h workload.Hardware, reason Reason, ok bool) {
	f := finder{market: m, stage: stage, demand: Demand{Constraints: &Constraints{}}}
	n := m.nodeOf(q)
	config, reason, ok := f.configure(&n)
	if !ok {
		return h, reason, false
	}
	config = config.of(nodes, &n)
	return *f.hardware(&config), "", true
}

// OnOffer prices a sizing on an offer. ok is false with the reason if it has no price.
func OnOffer(m *Market, stage *workload.Stage, q *Quote, s *Sizing) (c Candidate, reason Reason, ok bool) {
	if q.Unpriced != "" {
		return c, q.Unpriced, false
	}
	f := finder{market: m, stage: stage, demand: Demand{Constraints: &Constraints{}}}
	c = f.price(q, s)
	if c.Bound.High > limit {
		return c, BeyondLimits, false
	}
	return c, "", true
}
