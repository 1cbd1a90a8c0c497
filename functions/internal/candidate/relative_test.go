package candidate_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// pinned finds what runs a stage on pinned hardware.
func pinned(t *testing.T, stage workload.Stage, pin candidate.Pin, c candidate.Constraints, offers ...catalog.Offer) candidate.Found {
	t.Helper()
	market, ok := candidate.NewMarket(snapshot(t, offers...), catalog.USD)
	if !ok {
		t.Fatal("no market in dollars")
	}
	return candidate.ForStage(market, &stage, candidate.Demand{Constraints: &c, Now: now, Pin: pin})
}

// TestLink has one offer for each answer to a pinned link.
func TestLink(t *testing.T) {
	_, train, _ := stages(t)
	allowed := candidate.Constraints{AllowUnknown: candidate.SetOf(candidate.UnknownInterconnect)}
	two := func(gpu catalog.GPUID) func(*catalog.Offer) {
		return func(o *catalog.Offer) { o.GPU, o.GPUs = gpu, some("2") }
	}
	rental := workload.RentalOf(3600)
	for name, row := range map[string]struct {
		stage       workload.Stage
		offer       func(*catalog.Offer)
		pin         candidate.Pin
		constraints candidate.Constraints
		want        candidate.Reason
	}{
		"NVLink that there is":           {train, two("A100-80GB-SXM"), candidate.Pin{Link: candidate.NVLink}, candidate.Constraints{}, ""},
		"NVLink that there is not":       {train, two("RTX-4090-24GB"), candidate.Pin{Link: candidate.NVLink}, candidate.Constraints{}, candidate.NoNVLink},
		"NVLink of one GPU":              {train, nil, candidate.Pin{Link: candidate.NVLink}, candidate.Constraints{}, candidate.NoNVLink},
		"one GPU, whatever the link":     {train, nil, candidate.Pin{Link: candidate.NVLink, GPUCount: 1}, candidate.Constraints{}, ""},
		"NVLink unknown":                 {rental, two("SMALL-6GB"), candidate.Pin{Link: candidate.NVLink}, candidate.Constraints{}, candidate.NoNVLink},
		"NVLink unknown, allowed":        {rental, two("SMALL-6GB"), candidate.Pin{Link: candidate.NVLink}, allowed, ""},
		"PCIe":                           {train, two("RTX-4090-24GB"), candidate.Pin{Link: candidate.PCIe}, candidate.Constraints{}, ""},
		"PCIe where NVLink joins them":   {train, two("A100-80GB-SXM"), candidate.Pin{Link: candidate.PCIe}, candidate.Constraints{}, candidate.OtherHardware},
		"a GPU that NVLink could join":   {train, nil, candidate.Pin{Link: candidate.PCIe}, candidate.Constraints{}, ""},
		"a rental of GPUs with a bridge": {rental, two("A100-80GB-SXM"), candidate.Pin{Link: candidate.NVLink}, candidate.Constraints{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := pinned(t, row.stage, row.pin, row.constraints, offer("sku", row.offer))
			var want []candidate.Rejection
			if row.want != "" {
				want = []candidate.Rejection{{Reason: row.want, Count: 1}}
			}
			if diff := cmp.Diff(want, found.Rejected); diff != "" {
				t.Errorf("rejections (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFabric: a pinned network sets the time of nodes that work together, and no more.
func TestFabric(t *testing.T) {
	_, train, _ := stages(t)
	eight := offer("eight", func(o *catalog.Offer) { o.GPUs = some("8") })
	hours := func(f workload.Fabric, nodes int) *candidate.Candidate {
		found := pinned(t, train, candidate.Pin{Nodes: nodes, Fabric: f}, candidate.Constraints{}, eight)
		if len(found.Candidates) != 1 {
			t.Fatalf("%s: got %d candidates, want 1", f, len(found.Candidates))
		}
		return &found.Candidates[0]
	}
	open, fast := hours("", 4), hours(workload.InfiniBand, 4)
	if open.FabricGBs != candidate.FabricGBs || !open.FabricAssumed || fast.FabricGBs != 200 || fast.FabricAssumed {
		t.Errorf("got %g GB/s (assumed %t) and %g (%t)", open.FabricGBs, open.FabricAssumed, fast.FabricGBs, fast.FabricAssumed)
	}
	if fast.Useful.Expected >= open.Useful.Expected {
		t.Errorf("InfiniBand takes %g s, ordinary Ethernet %g", fast.Useful.Expected, open.Useful.Expected)
	}
	if a, b := hours("", 1), hours(workload.InfiniBand, 1); a.Useful.Expected != b.Useful.Expected {
		t.Errorf("one node takes %g s without a network and %g with one", a.Useful.Expected, b.Useful.Expected)
	}
}

// TestRelative: work on a reference spreads over many nodes of a cloud and eight boxes
// of a marketplace, and an interruption loses half a task at the box's own speed.
func TestRelative(t *testing.T) {
	on := snapshot(t)
	a100, _ := on.GPU("A100-80GB-SXM")
	stage, err := workload.RelativeTo(workload.Relative{GPU: a100, Seconds: 720_000, Tasks: 1000})
	if err != nil {
		t.Fatal(err)
	}
	spot := func(o *catalog.Offer) { o.Market, o.GPU = catalog.Spot, "RTX-4090-24GB" }
	found := find(t, stage, candidate.Constraints{}, offer("sku", spot)).Candidates
	if last := found[len(found)-1]; len(found) != 7 || last.Nodes != 64 {
		t.Fatalf("got %d candidates up to %d nodes, want 7 up to 64", len(found), last.Nodes)
	}
	c := found[0]
	task := 720 / 0.712 / 0.7 // seconds, by measured speeds and the prior
	if math.Abs(c.Job.TaskSeconds-task) > 1e-6 || c.Job.CheckpointWrite != 0 {
		t.Errorf("a task takes %g s, want %g; a checkpoint %g", c.Job.TaskSeconds, task, c.Job.CheckpointWrite)
	}
	lost := c.Interruptions.Interruptions * (task/2 + candidate.SetupSeconds)
	if math.Abs(c.Interruptions.Expected-lost) > 1e-6 {
		t.Errorf("interruptions take %g s, want half a task and a start each: %g", c.Interruptions.Expected, lost)
	}
	peers := offer("sku", func(o *catalog.Offer) {
		o.Place, o.Service = catalog.Place{Provider: "peers", Region: "global"}, catalog.Marketplace
	})
	if boxes := find(t, stage, candidate.Constraints{}, peers).Candidates; len(boxes) != 4 || boxes[3].Nodes != 8 {
		t.Errorf("got %d candidates of a marketplace, want up to 8 boxes", len(boxes))
	}
}
