package workload

import (
	"fmt"
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// Relative is work whose time on one GPU is known, to be done on others.
type Relative struct {
	GPU       catalog.GPUModel // the reference
	Seconds   float64          // of all the work on one of them
	Tasks     int              // equal pieces that it splits into; 0 = any
	Render    bool             // ray tracing; otherwise training-like tensor work
	DatasetGB float64          // that it reads
	Edge      *Edge            // the work is done in rounds by each of several GPUs; nil otherwise
}

// Basis is how the speeds of two GPUs compare.
type Basis string

// The bases: it is the same GPU, both were measured at the same work, the speed of
// one or both follows from peak and bandwidth, or both speeds from FP32 rates.
const (
	SameGPU       Basis = "same_gpu"
	Measured      Basis = "measured"
	Specification Basis = "specification"
	FP32Rates     Basis = "fp32_rates"
)

// Ratio is how fast a GPU does relative work. The zero value is that of other work.
type Ratio struct {
	Reference catalog.GPUID
	Speed     float64 // of this GPU; the reference's is 1
	Basis     Basis
}

// name is the stage of the work, and of a request's fields about it.
func (r *Relative) name() StageName {
	if r.Edge != nil {
		return EdgeRounds
	}
	if r.Render {
		return Render
	}
	return Batch
}

// Check reports the first absurd value as a FieldError.
func (r Relative) Check() error {
	amount, of := "gpu_hours", "more than 0 and at most 1e9 hours on the reference GPU"
	if r.Render {
		amount, of = "frames", "frames that take more than 0 and at most 1e9 hours in all on the reference GPU"
	}
	field := func(name, want string) error { return FieldError{string(r.name()) + "." + name, want} }
	if r.Edge != nil {
		return r.checkEdge()
	}
	switch {
	case !(r.Seconds > 0 && r.Seconds <= maxCoreHour*3600):
		return field(amount, of)
	case r.Tasks < 0 || r.Tasks > maxCount:
		return field("tasks", "from 0 (any) to 1,000,000,000")
	case !within(r.DatasetGB, 0, maxGB):
		return FieldError{"data.size_gb", "from 0 to 1e9 GB"}
	case !r.compares():
		return field("reference_gpu", "a GPU that others can be compared with: measured, or with a full specification")
	}
	return nil
}

// compares reports whether enough is known of the reference.
func (r *Relative) compares() bool {
	if r.Render {
		return r.GPU.FP32TFLOPS > 0
	}
	_, measured := SpeedOf(&r.GPU)
	return measured || r.GPU.Sizable()
}

// RelativeTo is such work as a stage. What results it leaves nobody knows, and it is
// taken to fit wherever it runs. The error is a FieldError.
func RelativeTo(r Relative) (Stage, error) {
	if err := r.Check(); err != nil {
		return Stage{}, err
	}
	if r.Edge != nil {
		return r.edgeStage(), nil
	}
	return Stage{
		Name: r.name(), Parallel: true, InputGB: r.DatasetGB,
		DiskGB:   systemDiskGB + imageDiskGB + r.DatasetGB,
		relative: r.comparison(), constants: calibrated(),
	}, nil
}

// Relative reports whether the stage is work that is counted in time on a reference
// GPU. What memory it needs is not known.
func (s *Stage) Relative() bool { return s.relative != nil }

// comparison is relative work with the speed of its reference, worked out once.
type comparison struct {
	*Relative
	own      float64
	measured bool
	speeds   memo // by specification
}

// comparison looks up the reference.
func (r *Relative) comparison() *comparison {
	own, measured := SpeedOf(&r.GPU)
	return &comparison{Relative: r, own: own, measured: measured}
}

// estimate estimates the work on other GPUs: the reference's time by the ratio of
// speeds, over as many GPUs as have a piece to work on. The error is a FieldError.
func (r *comparison) estimate(m *machine, g *catalog.GPUModel, e *Estimate) error {
	if err := r.comparesWith(g); err != nil {
		return err
	}
	ratio, half := r.ratio(g)
	share, piece := r.divided(m.gpus)
	e.Fit, e.Parallelism, e.GPUsPerCopy = Fits, "independent pieces", 1
	e.Shares = Shares{Compute: 1 - ioShare, IO: ioShare}
	e.Ratio, e.PieceSeconds = ratio, piece/ratio.Speed
	e.spread(share/ratio.Speed, math.Exp(half))
	return nil
}

// comparesWith is a FieldError if the speed of g is not known.
func (r *comparison) comparesWith(g *catalog.GPUModel) error {
	if r.Render && r.GPU.ID != g.ID && g.FP32TFLOPS <= 0 {
		return FieldError{"hardware.gpu", fmt.Sprintf("a GPU whose FP32 rate some source gives; none gives that of %s", g.ID)}
	}
	return nil
}

// divided is the seconds of the reference that the busiest of so many GPUs works for,
// and those of one piece.
func (r *Relative) divided(gpus int) (share, piece float64) {
	if r.Edge != nil {
		return r.Seconds, r.Seconds / float64(r.Edge.Rounds)
	}
	if r.Tasks == 0 {
		share = r.Seconds / float64(gpus)
		return share, min(share, usualPieceSeconds)
	}
	piece = r.Seconds / float64(r.Tasks)
	return piece * math.Ceil(float64(r.Tasks)/float64(gpus)), piece
}

// ratio is how fast a GPU is, and the half-width of the interval.
func (r *comparison) ratio(g *catalog.GPUModel) (ratio Ratio, half float64) {
	ratio = Ratio{Reference: r.GPU.ID, Basis: Specification}
	switch {
	case r.GPU.ID == g.ID:
		ratio.Speed, ratio.Basis = 1, SameGPU
		return ratio, widthBase
	case r.Render:
		ratio.Speed, ratio.Basis = g.FP32TFLOPS/r.GPU.FP32TFLOPS, FP32Rates
		return ratio, widthRender
	}
	other, measured := measuredSpeed(g.ID)
	if !measured {
		peak, _ := peakOf(g)
		other = r.speeds.at(peak, g.BandwidthGBs, specifiedSpeed)
	}
	ratio.Speed = other / r.own
	if measured && r.measured {
		ratio.Basis = Measured
		return ratio, widthRatio
	}
	return ratio, widthRatioFit
}

// SpeedOf is how fast a GPU trains, A100 80 GB SXM = 1, and whether that was measured.
func SpeedOf(g *catalog.GPUModel) (speed float64, measured bool) {
	if speed, measured = measuredSpeed(g.ID); measured {
		return speed, true
	}
	peak, _ := peakOf(g)
	return specifiedSpeed(peak, g.BandwidthGBs), false
}

// specifiedSpeed is what fits the measured GPUs to within a factor of 1.32, half of them
// to within 3%: (peak / 312 TFLOPS)^0.25 (bandwidth / 2,039 GB/s)^0.65.
func specifiedSpeed(peak, bandwidthGBs float64) float64 {
	return math.Pow(peak/312e12, 0.25) * math.Pow(bandwidthGBs/2039, 0.65)
}

// measuredSpeed is the geometric mean of five measured models (ResNet-50, BERT base and
// large, GNMT, SSD in 16 bits: lambdal/deeplearning-benchmark, single GPUs) on twelve GPUs.
func measuredSpeed(id catalog.GPUID) (speed float64, ok bool) {
	switch id {
	case "H100-80GB-SXM":
		return 1.814, true
	case "H100-80GB-PCIe":
		return 1.278, true
	case "A100-80GB-SXM":
		return 1, true
	case "A100-80GB-PCIe":
		return 0.943, true
	case "A100-40GB-PCIe":
		return 0.821, true
	case "RTX-4090-24GB":
		return 0.712, true
	case "RTX-6000-Ada-48GB":
		return 0.639, true
	case "RTX-A6000-48GB":
		return 0.501, true
	case "RTX-3090-24GB":
		return 0.425, true
	case "V100-16GB-SXM":
		return 0.424, true
	case "Quadro-RTX-8000-48GB":
		return 0.365, true
	case "A10-24GB":
		return 0.324, true
	}
	return 0, false
}
