package workload

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// Relative is work whose time on one GPU is known, to be done on others.
type Relative struct {
	GPU     catalog.GPUModel // the reference
	Seconds float64          // of all the work on one of them
	Tasks   int              // equal pieces that it splits into; 0 = any
	Render  bool             // ray tracing; otherwise training-like tensor work
}

// Check reports the first absurd value as a FieldError.
func (r Relative) Check() error {
	switch {
	case !(r.Seconds > 0 && r.Seconds <= maxCoreHour*3600):
		return FieldError{"gpu_hours", "more than 0 and at most 1e9 hours"}
	case r.Tasks < 0 || r.Tasks > maxCount:
		return FieldError{"tasks", "from 0 (any) to 1,000,000,000"}
	case !r.GPU.Sizable() || r.Render && r.GPU.FP32TFLOPS == 0:
		return FieldError{"reference_gpu", "a GPU with a full specification"}
	}
	return nil
}

// RelativeTo is such work as a stage. It moves no data that anyone knows of and is
// taken to fit wherever it runs. The error is a FieldError.
func RelativeTo(r Relative) (Stage, error) {
	if err := r.Check(); err != nil {
		return Stage{}, err
	}
	name := Batch
	if r.Render {
		name = Render
	}
	return Stage{Name: name, Parallel: true, DiskGB: systemDiskGB + imageDiskGB, relative: &r, fitted: Calibrated()}, nil
}

// on estimates the work on other GPUs: the reference's time by the ratio of speeds,
// over as many GPUs as have a piece to work on.
func (r *Relative) on(m *machine, g *catalog.GPUModel) Estimate {
	own, ownKnown := speedOf(&r.GPU)
	other, otherKnown := speedOf(g)
	half := widthRatio
	switch {
	case r.Render:
		own, other, half = r.GPU.FP32TFLOPS, g.FP32TFLOPS, widthRender
	case !ownKnown || !otherKnown:
		half = widthRatioFit
	}
	if r.GPU.ID == g.ID {
		own, other, half = 1, 1, widthBase
	}
	rounds := 1 / float64(m.gpus)
	if tasks := float64(r.Tasks); tasks > 0 {
		rounds = math.Ceil(tasks/float64(m.gpus)) / tasks
	}
	e := Estimate{
		Fit: Fits, PerGPUGB: g.MemoryGB, Precision: m.precision, Sharding: ShardNone,
		Parallelism: "independent pieces", GPUsPerCopy: 1, Shares: Shares{Compute: 1 - ioShare, IO: ioShare},
	}
	e.spread(r.Seconds*own/other*rounds, half)
	return e
}

// speedOf is how fast a GPU trains, A100 80 GB SXM = 1: the geometric mean of five
// measured models (ResNet-50, BERT base and large, GNMT, SSD in 16 bits:
// lambdal/deeplearning-benchmark, single GPUs) or, where none was measured, what fits
// those twelve GPUs to within a factor of 1.32, half of them to within 3%:
// (peak / 312 TFLOPS)^0.25 (bandwidth / 2,039 GB/s)^0.65.
func speedOf(g *catalog.GPUModel) (speed float64, measured bool) {
	switch g.ID {
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
	peak, _ := peakOf(g)
	return math.Pow(peak/312e12, 0.25) * math.Pow(g.BandwidthGBs/2039, 0.65), false
}
