package workload

import (
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// Hardware is what a stage would run on: equal nodes of equal GPUs.
type Hardware struct {
	GPU         catalog.GPUModel
	GPUsPerNode int
	Nodes       int
	NVLink      bool    // the GPUs of a node are joined by NVLink
	FabricGBs   float64 // GB/s per node and direction between nodes; 0 = unknown, taken as ordinary Ethernet
	// FabricAssumed says that FabricGBs is a guess: it widens the interval.
	FabricAssumed bool
}

// Fit says whether the work fits in the memory of each GPU.
type Fit uint8

// The answers, worst first. MayNotFit is within the error of the estimate and is
// never reported as fitting.
const (
	DoesNotFit Fit = iota
	MayNotFit
	Fits
)

// String is the answer in words.
func (f Fit) String() string {
	switch f {
	case Fits:
		return "fits"
	case MayNotFit:
		return "may not fit"
	default:
		return "does not fit"
	}
}

// Memory is the parts of the peak per GPU, in GB.
type Memory struct {
	Weights     float64
	Gradients   float64
	Optimizer   float64
	Adapters    float64 // with their gradients and optimizer states
	Activations float64
	Logits      float64
	KVCache     float64
	Gather      float64 // weights of the layer at hand, gathered under ZeRO-3
	Overhead    float64 // CUDA context and allocator
}

// Total is the sum of the parts in GB, without margin.
func (m Memory) Total() float64 {
	return m.Weights + m.Gradients + m.Optimizer + m.Adapters + m.Activations +
		m.Logits + m.KVCache + m.Gather + m.Overhead
}

// Shares is where the time goes at reference speed; the four sum to 1.
type Shares struct {
	Compute float64 // tensor cores, and the launches that keep them waiting
	Memory  float64 // memory bandwidth of the GPU
	Link    float64 // between GPUs and between nodes
	IO      float64 // host memory, disks, input
}

// Estimate is a stage on hardware.
type Estimate struct {
	Fit        Fit
	Memory     Memory  // parts per GPU
	RequiredGB float64 // Memory.Total with the margin for what it misses
	PerGPUGB   float64 // memory of the card
	LacksGB    float64 // how much more memory per GPU would make it Fits; 0 if it does

	// Low, Expected and High are seconds on a healthy reference (coefficient 1);
	// [Low, High] is an 80% interval.
	Low, Expected, High float64

	// OnPaper is the seconds of the right FLOPs at paperMFU of the peak: a cross-check of
	// training. 0 for other work.
	OnPaper float64

	// MFU is the model FLOPs utilisation of the precision's peak. Recomputation is not
	// counted; attention is, without its causal mask.
	MFU                   float64
	TokensPerSecondPerGPU float64 // trained tokens, or generated ones
	Precision             string  // "bf16", "fp16", "fp8", "fp32 (no tensor cores)"
	Sharding              Sharding
	Checkpointed          bool   // activations are recomputed
	Parallelism           string // how the GPUs divide the work, in words
	TensorParallel        int    // of training: GPUs that split each layer
	PipelineParallel      int    // of training: groups that split the layers
	GPUsPerCopy           int    // GPUs that hold one copy of the model together
	Shares                Shares

	// Of generation: requests answered together by a copy, the format of its weights,
	// the seconds until a lone request's first token, from one token to the next, and
	// from a full batch's prompts to the end of its answers.
	Batch             int
	Weights           Format
	FirstTokenSeconds float64
	TokenSeconds      float64
	AnswerSeconds     float64

	// Of work counted in time on a reference GPU: how this GPU compares, and the seconds
	// of one of the independent pieces. Its memory is not known: Fit is taken for granted.
	Ratio        Ratio
	PieceSeconds float64

	// OutOfRange says that training's MFU is outside of what published runs of the kind
	// reach: a reason for a warning, seldom an error.
	OutOfRange bool
}

// On estimates a GPU stage other than a Rental on hardware. It is an error if the
// stage is another one, or the GPU's specification lacks a figure that is needed, or
// there is no GPU, and a FieldError if the GPU lacks the precision or the format that
// is asked for. Work that does not fit is estimated all the same: Fit says so.
func (s *Stage) On(h Hardware) (e Estimate, err error) {
	err = s.Estimate(&h, &e)
	return e, err
}

// Estimate is On that puts the estimate into e, which must be zero.
func (s *Stage) Estimate(h *Hardware, e *Estimate) error {
	var m machine
	if err := s.read(h, &m); err != nil {
		return err
	}
	m.clock = m.k.powerFactor(m.peak, h.GPU.TDPWatts)
	switch {
	case s.relative != nil:
		return s.relative.estimate(&m, &h.GPU, e)
	case s.generation != nil:
		s.generation.estimate(&m, e)
	default:
		s.training.estimate(&m, e)
	}
	return nil
}

// read takes in all of h but the clock.
func (s *Stage) read(h *Hardware, m *machine) error {
	precision, k := PrecisionAuto, s.constants
	switch {
	case s.training == nil && s.generation == nil && s.relative == nil:
		return fmt.Errorf("estimate %s on %s: no work for a GPU", s.Name, h.GPU.ID)
	case !h.GPU.Sizable():
		return fmt.Errorf("estimate %s on %s: specification incomplete", s.Name, h.GPU.ID)
	case h.GPUsPerNode < 1 || h.Nodes < 1:
		return fmt.Errorf("estimate %s on %s: %d nodes of %d GPUs", s.Name, h.GPU.ID, h.Nodes, h.GPUsPerNode)
	case s.training != nil:
		precision = s.training.Precision // the tenant's choice is about training
	}
	if err := m.read(h, precision, k); err != nil {
		return err
	}
	if s.generation != nil {
		return m.runs(s.generation.Evaluate.Weights)
	}
	return nil
}
