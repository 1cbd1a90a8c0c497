package candidate

import (
	"fmt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Link is what joins the GPUs of a node.
type Link string

// The links. "" leaves it open.
const (
	NVLink Link = "nvlink"
	PCIe   Link = "pcie"
)

// ParseLink reads a link by its name; "" leaves it open.
func ParseLink(text string) (Link, error) {
	switch l := Link(text); l {
	case "", NVLink, PCIe:
		return l, nil
	default:
		return "", fmt.Errorf("parse link %q: want nvlink or pcie", text)
	}
}

// Pin fixes the hardware of the main stage. Zero values leave a part open.
type Pin struct {
	GPUs     Set[catalog.GPUID]
	GPUCount int // over all nodes
	Nodes    int
	MaxNodes int // "8 x H100" means one machine unless the tenant says otherwise
	Link     Link
	// Fabric is the network between nodes that the tenant knows or will see to: no
	// offer is ruled out by it, the time is that over it.
	Fabric workload.Fabric
}

// admits tests nodes of perNode GPUs of a kind against the pin.
func (p *Pin) admits(gpu catalog.GPUID, perNode, nodes int) bool {
	return p.GPUs.admits(gpu) &&
		(p.GPUCount == 0 || p.GPUCount == perNode*nodes) &&
		(p.Nodes == 0 || p.Nodes == nodes) &&
		(p.MaxNodes == 0 || nodes <= p.MaxNodes)
}

// Open reports whether the pin fixes nothing.
func (p Pin) Open() bool {
	return p.GPUs == nil && p.GPUCount == 0 && p.Nodes == 0 && p.MaxNodes == 0 && p.Link == "" && p.Fabric == ""
}

// oneGPU reports whether the pin asks for a single GPU, which no link joins to another.
func (p Pin) oneGPU() bool { return p.GPUCount == 1 }
