package candidate

import (
	"cmp"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// sliceEfficiency is what a slice of a GPU gives of its share, where nothing was
// measured.
const sliceEfficiency = 0.9

// EfficiencyOf is the coefficient of an offer's GPU. ok is false if it has none, or
// one that nobody knows.
func EfficiencyOf(s *catalog.Snapshot, o *catalog.Offer) (e Efficiency, ok bool) {
	gpu, ok := s.GPU(o.GPU)
	if !ok {
		return unscaled(), false
	}
	shares := catalog.TuningShares()
	if n, whole := o.WholeGPUs(); whole && n > 1 {
		shares = catalog.TrainingShares()
	}
	e = measured(s, gpu, coefficientOf(s, o), shares)
	if gpus := o.NodeGPUs(); gpus.Valid && gpus.Decimal.LessThan(decimal.NewFromInt(1)) && e.Source == "prior" {
		e.Value, e.Low, e.High = e.Value*sliceEfficiency, e.Low*sliceEfficiency, e.High*sliceEfficiency
	}
	return e, true
}

// PFLOPS is the dense peak of one instance of an offer in 10^15 operations a second,
// in the GPU's best 16-bit format; 0 if a figure is unknown.
func PFLOPS(s *catalog.Snapshot, o *catalog.Offer) decimal.Decimal {
	gpu, _ := s.GPU(o.GPU)
	gpus := o.NodeGPUs()
	if !gpus.Valid {
		return decimal.Zero
	}
	return tco.Factor(cmp.Or(gpu.BF16TFLOPS, gpu.FP16TFLOPS, gpu.FP32TFLOPS)).Mul(gpus.Decimal).Shift(-3)
}
