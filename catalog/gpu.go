package catalog

import "fmt"

// GPUID is the canonical name of a kind of GPU. It carries memory and form
// factor where they differ: "A100-80GB-SXM", "RTX-4090-24GB". "" means no GPU.
type GPUID string

// Tier ranks GPU hardware into the three steps that buyers think in.
type Tier uint8

// The hardware tiers. Tier 1 is a data-centre GPU of at least 9 TFLOPS FP64 (or a
// named relative of one), tier 2 a current consumer flagship, tier 3 the rest:
// previous generations, entry and workstation cards. TierUnknown is an unmapped GPU.
const (
	TierUnknown Tier = iota
	TierFlagship
	TierConsumer
	TierEntry
)

// ParseTier reads "1", "2", "3" or "" (unknown).
func ParseTier(text string) (Tier, error) {
	switch text {
	case "":
		return TierUnknown, nil
	case "1":
		return TierFlagship, nil
	case "2":
		return TierConsumer, nil
	case "3":
		return TierEntry, nil
	}
	return TierUnknown, fmt.Errorf("parse tier %q: want 1, 2, 3 or nothing", text)
}

// GPUClass says what kind of machine a GPU is built for. It decides the prior
// of the efficiency coefficient.
type GPUClass string

// The GPU classes.
const (
	DataCentre  GPUClass = "datacenter"
	Workstation GPUClass = "workstation"
	Consumer    GPUClass = "consumer"
)

// GPUModel is a kind of GPU with its specification. A figure of 0 is one that no
// source gives: such a GPU is listed, and never sized where the figure is needed.
// Peaks are dense (no sparsity), in TFLOPS, with FP32 accumulation.
type GPUModel struct {
	ID                GPUID
	Name              string // product name, for people
	Family            string // "A100": what a user asks for without naming the variant
	Vendor            string
	Form              string // "SXM", "PCIe", "OAM", "" if the source does not say
	Architecture      string // "Ampere"
	Class             GPUClass
	Tier              Tier
	ComputeCapability string // CUDA compute capability, "8.0"
	MinCUDA           string // first CUDA release that knows the architecture

	MemoryGB float64 // per GPU, as sold

	BF16TFLOPS float64
	FP16TFLOPS float64
	FP32TFLOPS float64
	FP64TFLOPS float64
	FP8TFLOPS  float64

	BandwidthGBs float64 // memory bandwidth, GB/s
	TDPWatts     float64
	NVLinkGBs    float64 // both directions together, GB/s per GPU

	// What a healthy card is held to: the SM clock that the peaks are defined at, the
	// best matrix multiplication that anyone measured in BF16, and the memory copy that
	// NVIDIA's diagnostics expect.
	PeakClockMHz float64
	GEMMTFLOPS   float64
	CopyGBs      float64
	PCIDevices   []string // the device's half of its PCI ids, in hex
	NVLink       Tri
	ECC          Tri
	MIG          Tri

	// SpecOf names the variant whose specification stands in for this one where
	// the source leaves the form factor open: always the slower variant.
	SpecOf GPUID
	Source string
}

// Sizable reports whether enough is known to estimate time and memory on it.
func (g *GPUModel) Sizable() bool {
	return g.Vendor == "nvidia" && g.MemoryGB > 0 && g.BandwidthGBs > 0 &&
		(g.BF16TFLOPS > 0 || g.FP16TFLOPS > 0 || g.FP32TFLOPS > 0)
}
