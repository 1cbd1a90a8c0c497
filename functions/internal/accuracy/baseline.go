package accuracy

import (
	"math"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// paperMFU is the utilisation that estimates on paper assume.
const paperMFU = 0.40

// guess is a baseline's seconds per token and GPU.
type guess struct {
	name    string
	seconds float64
}

// baselines are what anyone does on paper, 6 N D over the 16-bit peak, and the same
// with the right FLOPs: 4 N where base weights are frozen, an attention term for a
// typical width of the size (12 L d s with 12 L d^2 = N and d = (10.67 N)^(1/3)), and
// the FP8 peak of data-centre cards where FP8 is used.
func baselines(r *Row, j *Job) []guess {
	n, g := j.Spec.Shape.ActiveParams, &j.Hardware.GPU
	peak := max(g.BF16TFLOPS, g.FP16TFLOPS) * 1e12
	if peak == 0 {
		peak = g.FP32TFLOPS * 1e12
	}
	perParam := 6.0
	if j.Spec.Method == workload.LoRA || j.Spec.Method == workload.QLoRA {
		perParam = 4
	}
	right := perParam*n + n*or(r.SeqLen, assumedLength)/math.Cbrt(10.67*n)
	rightPeak := peak
	if strings.Contains(strings.ToLower(r.Precision), "fp8") && g.Class == catalog.DataCentre && g.FP8TFLOPS > 0 {
		rightPeak = 2 * peak
	}
	return []guess{{"paper", 6 * n / (peak * paperMFU)}, {"right_flops", right / (rightPeak * paperMFU)}}
}
