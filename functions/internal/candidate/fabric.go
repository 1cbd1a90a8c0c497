package candidate

import (
	"github.com/tierwise/tierwise/catalog"
)

// of is the configuration over a number of nodes, with the network that a source states
// between them.
func (c configuration) of(nodes int, n *node) configuration {
	c.nodes = nodes
	if nodes > 1 && c.card != nil {
		c.fabricGBs = n.fabricGBs
	}
	return c
}

// fabricOf is the GB/s per node and direction between nodes of a GPU: what the pin
// says, else the sourced speed, else an assumption.
func (p *Pin) fabricOf(g *catalog.GPUModel, sourced float64) (gbs float64, assumed bool) {
	if p.Fabric != "" {
		gbs = p.Fabric.GBs(*g)
	}
	if gbs > 0 {
		return gbs, false
	}
	if sourced > 0 {
		return sourced, false
	}
	return FabricGBs, true
}
