package workload

import (
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// Fabric is a kind of network between nodes.
type Fabric string

// The fabrics: InfiniBand or RoCE with an adapter per GPU, AWS's EFA, Intel's
// Omni-Path, ordinary Ethernet, the open internet. "" is unknown.
const (
	InfiniBand Fabric = "infiniband"
	EFA        Fabric = "efa"
	OmniPath   Fabric = "omnipath"
	Ethernet   Fabric = "ethernet"
	Internet   Fabric = "internet"
)

// ParseFabric reads a fabric by its name; "" is unknown.
func ParseFabric(text string) (Fabric, error) {
	if text == "" {
		return "", nil
	}
	return parse("fabric", text, InfiniBand, EFA, OmniPath, Ethernet, Internet)
}

// FindFabric finds a fabric in a free text such as "nvlink+ib", in lower case.
func FindFabric(text string) (f Fabric, ok bool) {
	for _, known := range [...]struct {
		part   string
		fabric Fabric
	}{
		{"infiniband", InfiniBand}, {"ib", InfiniBand}, {"roce", InfiniBand}, {"efa", EFA}, {"omni", OmniPath},
		{"internet", Internet}, {"ethernet", Ethernet}, {"eth", Ethernet}, {"tcp", Ethernet}, {"socket", Ethernet},
	} {
		if strings.Contains(text, known.part) {
			return known.fabric, true
		}
	}
	return "", false
}

// GBs is the GB/s per node and direction that nodes of a GPU are sold with: eight
// adapters of 400 Gbit/s with Hopper and Blackwell, of 200 with Ampere (NVIDIA DGX
// H100 and A100 system guides), four of 100 before; EFA 3,200 Gbit/s on p5, 400 on
// p4d and 100 before (AWS instance specifications); Omni-Path four ports of 100.
// Ethernet is 100 Gbit/s. The internet is 1 Gbit/s. 0 is unknown.
func (f Fabric) GBs(g catalog.GPUModel) float64 {
	recent := g.Architecture == "Hopper" || g.Architecture == "Blackwell"
	switch {
	case (f == InfiniBand || f == EFA) && recent:
		return 400
	case f == InfiniBand && g.Architecture == "Ampere":
		return 200
	case f == InfiniBand, f == EFA && g.Architecture == "Ampere", f == OmniPath:
		return 50
	case f == EFA, f == Ethernet:
		return ordinaryFabric / 1e9
	case f == Internet:
		return 0.125
	default:
		return 0
	}
}
