package candidate

import "github.com/tierwise/tierwise/catalog"

// Pin fixes the hardware of the main stage. Zero values leave a part open.
type Pin struct {
	GPUs     Set[catalog.GPUID]
	GPUCount int // over all nodes
	Nodes    int
	MaxNodes int // "8 x H100" means one machine unless the tenant says otherwise
}

// admits tests nodes of perNode GPUs of a kind against the pin.
func (p Pin) admits(gpu catalog.GPUID, perNode, nodes int) bool {
	return p.GPUs.admits(gpu) &&
		(p.GPUCount == 0 || p.GPUCount == perNode*nodes) &&
		(p.Nodes == 0 || p.Nodes == nodes) &&
		(p.MaxNodes == 0 || nodes <= p.MaxNodes)
}

// Open reports whether the pin fixes nothing.
func (p Pin) Open() bool { return p.GPUs == nil && p.GPUCount == 0 && p.Nodes == 0 && p.MaxNodes == 0 }
