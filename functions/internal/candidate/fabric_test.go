package candidate_test

import (
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// TestSourcedFabric: the network that a source states is taken where the request
// states none, and only between nodes.
func TestSourcedFabric(t *testing.T) {
	fast := offer("fast", func(o *catalog.Offer) { o.GPUs = some("8") })
	plain := offer("plain", func(o *catalog.Offer) { o.GPUs = some("8") })
	parts := snapshot(t, fast, plain).Parts()
	parts.Fabrics = []catalog.Fabric{{Provider: "hyper", SKU: "fast*", GBs: 400, Name: "RoCE"}}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := candidate.NewMarket(s, catalog.USD)
	if !ok {
		t.Fatal("no market in dollars")
	}
	_, train, _ := stages(t)
	on := func(id catalog.OfferID, pin candidate.Pin) *candidate.Candidate {
		found := candidate.ForStage(m, &train, candidate.Demand{Constraints: &candidate.Constraints{}, Pin: pin, Now: now})
		for i := range found.Candidates {
			if found.Candidates[i].Offer.ID == id {
				return &found.Candidates[i]
			}
		}
		t.Fatalf("%s: no candidate among %d, rejected %v", id, len(found.Candidates), found.Rejected)
		return nil
	}
	for name, row := range map[string]struct {
		offer   catalog.OfferID
		pin     candidate.Pin
		want    float64
		assumed bool
	}{
		"a source states it":            {fast.ID, candidate.Pin{Nodes: 4}, 400, false},
		"the request states another":    {fast.ID, candidate.Pin{Nodes: 4, Fabric: workload.InfiniBand}, 200, false},
		"one node":                      {fast.ID, candidate.Pin{Nodes: 1}, candidate.FabricGBs, true},
		"no source":                     {plain.ID, candidate.Pin{Nodes: 4}, candidate.FabricGBs, true},
		"no source, the request states": {plain.ID, candidate.Pin{Nodes: 4, Fabric: workload.InfiniBand}, 200, false},
	} {
		if c := on(row.offer, row.pin); c.FabricGBs != row.want || c.FabricAssumed != row.assumed {
			t.Errorf("%s: got %g GB/s (assumed %t), want %g (%t)", name, c.FabricGBs, c.FabricAssumed, row.want, row.assumed)
		}
	}
	four := candidate.Pin{Nodes: 4}
	if a, b := on(fast.ID, four), on(plain.ID, four); a.Useful.Expected >= b.Useful.Expected {
		t.Errorf("over 400 GB/s it takes %g s, over ordinary Ethernet %g", a.Useful.Expected, b.Useful.Expected)
	}
	q, _ := m.Quote(fast.ID)
	for nodes, want := range map[int]float64{1: candidate.FabricGBs, 2: 400} {
		h, reason, ok := candidate.HardwareOf(m, &train, q, nodes)
		if !ok || h.FabricGBs != want || h.FabricAssumed != (nodes == 1) {
			t.Errorf("%d nodes are %+v (%s), want %g GB/s", nodes, h, reason, want)
		}
	}
}
