package workload

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// machine is Hardware as the formulas read it: plain SI units, choices made.
type machine struct {
	k         *constants
	precision string
	peak      float64 // dense FLOP/s of the 16-bit (or FP32) matrix products
	fp8       float64 // dense FP8 FLOP/s, 0 if the GPU has none
	eight     float64 // the same if training's products run in FP8, else 0
	clock     float64 // factor on peak that the power limit leaves
	bandwidth float64 // B/s of GPU memory
	memoryGB  float64 // per GPU

	gpus    int
	nodes   int
	perNode int

	nvlink float64 // B/s per GPU and direction; 0 without NVLink
	fabric float64 // B/s per node and direction

	plainScores bool // no fused attention kernels exist for it in plain PyTorch
	fabricKnown bool
	unproven    bool // an architecture with few published runs

	// Of a training: the work, and the layout, that were worked out last, and whether that is
	// whole copies on several GPUs, which then are what any number but one of them holds.
	last   work
	laid   layout
	copies bool
}

// read takes in all of h but the clock. A precision that the GPU lacks is a FieldError.
func (m *machine) read(h *Hardware, p Precision, k *constants) error {
	g := &h.GPU
	m.k = k
	m.bandwidth, m.fp8, m.memoryGB = g.BandwidthGBs*1e9, g.FP8TFLOPS*1e12, g.MemoryGB
	m.gpus, m.nodes, m.perNode = h.GPUsPerNode*h.Nodes, h.Nodes, h.GPUsPerNode
	switch g.Architecture {
	case "Pascal", "Volta", "Turing": // FlashAttention needs Ampere (its README, requirements)
		m.plainScores = true
	case "Blackwell":
		m.unproven = true
	}
	if h.NVLink {
		m.nvlink = g.NVLinkGBs / 2 * 1e9
	}
	m.fabric, m.fabricKnown = ordinaryFabric, h.FabricGBs > 0 && !h.FabricAssumed
	if h.FabricGBs > 0 && !math.IsInf(h.FabricGBs, 0) {
		m.fabric = h.FabricGBs * 1e9
	}
	return m.compute(g, p)
}

// compute sets the dense peak and the precision. FP32 products run as TF32, at half
// the BF16 rate, from Ampere on (NVIDIA A100 whitepaper, table 1; the same ratio on
// its successors).
func (m *machine) compute(g *catalog.GPUModel, p Precision) error {
	switch {
	case p == BF16 && g.BF16TFLOPS == 0, p == FP16 && g.FP16TFLOPS == 0, p == FP8 && g.FP8TFLOPS == 0, p == FP32 && g.FP32TFLOPS == 0:
		return FieldError{"precision", "one that " + string(g.ID) + " has, not " + string(p)}
	case p == FP32 && g.BF16TFLOPS > 0:
		m.peak, m.precision = g.BF16TFLOPS/2*1e12, "tf32"
	case p == FP32:
		m.peak, m.precision = g.FP32TFLOPS*1e12, "fp32"
	case p == FP16:
		m.peak, m.precision = g.FP16TFLOPS*1e12, "fp16"
	default:
		m.peak, m.precision = peakOf(g)
	}
	if p == FP8 {
		m.eight, m.precision = m.fp8, "fp8"
	}
	return nil
}

// peakOf is the dense peak in FLOP/s of the best 16-bit precision of g: BF16 tensor
// cores; before Ampere FP16 ones; without tensor cores the FP32 figure, with values
// still stored in 16 bits.
func peakOf(g *catalog.GPUModel) (flops float64, precision string) {
	switch {
	case g.BF16TFLOPS > 0:
		return g.BF16TFLOPS * 1e12, "bf16"
	case g.FP16TFLOPS > 0:
		return g.FP16TFLOPS * 1e12, "fp16"
	default:
		return g.FP32TFLOPS * 1e12, "fp32 (no tensor cores)"
	}
}

// powerFactor is how a card's power budget changes what matrix products reach:
// ((peak per watt) / reference)^-PowerExponent, at most what no budget exceeds. A100 SXM
// is 1; so is a card whose power is not known.
func (k *constants) powerFactor(peak, watts float64) float64 {
	switch {
	case watts <= 0:
		return 1
	case peak <= k.coolFLOPsPerWatt*watts:
		return k.mostFactor
	}
	return min(k.mostFactor, k.powers.at(peak, watts, k.power))
}

// power is ((peak per watt) / reference)^-PowerExponent.
func (k *constants) power(peak, watts float64) float64 {
	return 1 / math.Exp(k.PowerExponent*math.Log(peak/1e12/watts/referenceTFLOPSPerWatt))
}

// matrixRate is the FLOP/s that 16-bit matrix products reach.
func (m *machine) matrixRate() float64 { return m.peak * m.k.MatrixEfficiency * m.clock }

// topRate is the peak that utilisation is counted against, FLOP/s.
func (m *machine) topRate() float64 {
	if m.eight > m.peak {
		return m.eight
	}
	return m.peak
}

// nodeLink is the B/s per GPU and direction that collectives inside a node reach.
func (m *machine) nodeLink() float64 {
	if m.nvlink > 0 {
		return m.nvlink * m.k.BusEfficiency
	}
	return m.k.PCIeLink
}

// link is the same over all GPUs, of which split exchange side by side: the slower of
// the node's links and, over several nodes, the fabric.
func (m *machine) link(split float64) float64 {
	if m.nodes > 1 {
		return min(m.nodeLink()*split, m.fabric*m.k.BusEfficiency)
	}
	return m.nodeLink() * split
}

// expertLink is the B/s per GPU of the all-to-all that routes tokens to experts:
// within a node, or a rack-wide NVLink domain, that; over nodes each GPU's part of
// the fabric.
func (m *machine) expertLink() float64 {
	switch {
	case m.nodes > 1 && m.perNode < expertGroup:
		return m.fabric / float64(m.perNode)
	case m.nvlink > 0:
		return m.nvlink * expertLinkShare
	default:
		return m.k.PCIeLink
	}
}
