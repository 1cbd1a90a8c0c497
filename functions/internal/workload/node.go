package workload

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// Node is hardware as a stage sees it, with what is the same for any number of its nodes
// worked out once: a search asks about several.
type Node struct {
	machine
	stage *Stage
	speed float64 // of a GPU against the reference, for work relative to one
	// Of generation: the format settled, how many requests there is memory for in copies
	// over 1, 2, 4, ... GPUs, how many of those have none for any, and the fit unless it
	// depends on the number of nodes.
	serving  serving
	rooms    [usualWidths]float64
	tooSmall int
	fit      Fit
}

// usualWidths is how many widths of a copy nearly every node has at most: up to 128 GPUs.
const usualWidths = 8

// Look looks at hardware. The error is that of On.
func (s *Stage) Look(h *Hardware, n *Node) error {
	*n = Node{stage: s}
	if err := s.read(h, &n.machine); err != nil {
		return err
	}
	n.clock = n.k.powerFactor(n.peak, h.GPU.TDPWatts)
	switch {
	case s.relative != nil:
		return n.compare(&h.GPU)
	case s.generation != nil:
		n.prepare(s.generation)
	}
	return nil
}

// compare looks up how fast a GPU is.
func (n *Node) compare(g *catalog.GPUModel) error {
	if err := n.stage.relative.comparesWith(g); err != nil {
		return err
	}
	ratio, _ := n.stage.relative.ratio(g)
	n.speed = ratio.Speed
	return nil
}

// prepare sets what is the same for any number of nodes that generate.
func (n *Node) prepare(g *generation) {
	g.begin(&n.machine, &n.serving)
	for doublings := range min(n.doublings()+1, usualWidths) {
		g.widen(&n.machine, &n.serving, doublings)
		if n.rooms[doublings] = g.holds(&n.machine, &n.serving); n.rooms[doublings] < 1 {
			n.tooSmall = doublings + 1 // wider copies hold more
		}
	}
	if g.Evaluate.Batch == 0 {
		n.fit = g.fit(&n.machine, &n.serving)
	}
}

// Over changes the number of nodes, to at least one.
func (n *Node) Over(nodes int) { n.gpus, n.nodes = n.perNode*nodes, nodes }

// Outline is the Fit that On gives, with a lower bound of the seconds that it expects if the
// stage fits: those of training and of work relative to a GPU, but for rounding, and of
// generation without what batches that are not full lose.
func (n *Node) Outline() (seconds float64, fit Fit) {
	s, m := n.stage, &n.machine
	switch {
	case s.relative != nil:
		share, _ := s.relative.divided(m.gpus)
		return share / n.speed * roundingDown, Fits
	case s.generation != nil:
		return n.generate(s.generation)
	default:
		seconds, fit = s.training.seconds(m)
		return seconds * roundingDown, fit
	}
}

// generate is Outline of generation.
func (n *Node) generate(g *generation) (seconds float64, fit Fit) {
	if fit = n.fit; g.Evaluate.Batch > 0 {
		fit = g.fit(&n.machine, &n.serving)
	}
	if fit == Fits {
		seconds = n.soonest(g)
	}
	return seconds, fit
}

// soonest is the least of atLeast over the widths that can hold a copy; 0 if none can.
func (n *Node) soonest(g *generation) float64 {
	least, widest := math.Inf(1), n.doublings()
	for doublings := n.tooSmall; doublings <= widest; doublings++ {
		g.widen(&n.machine, &n.serving, doublings)
		if t := g.atLeast(&n.machine, &n.serving, n.room(g, doublings)); t < least {
			least = t
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// room is how many requests a copy of the width at hand holds.
func (n *Node) room(g *generation, doublings int) float64 {
	if doublings < usualWidths {
		return n.rooms[doublings]
	}
	return g.holds(&n.machine, &n.serving)
}

// Latest is an upper bound of the seconds that On expects of a stage that fits, whose
// Outline takes so long.
func (n *Node) Latest(outline float64) float64 {
	if g := n.stage.generation; g != nil {
		return g.latest(&n.machine, &n.serving)
	}
	return outline / roundingDown / roundingDown
}
