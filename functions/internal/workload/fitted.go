package workload

import (
	"math"
	"sync"
)

// Fitted are the few constants of training time that physics gives only roughly. They
// start from what physics expects (the accuracy package says why for each) and move
// only as far as several of the 16 repositories and papers of the published training
// rows gain by it, one weight per source; they are the same for every GPU, model and
// source. The accuracy package refits them.
type Fitted struct {
	// MatrixEfficiency is the share of the dense peak that large matrix products reach
	// at the reference power. The best measured are 0.87 on A100, 0.80 on H100.
	MatrixEfficiency float64
	// AttentionEfficiency is the same for fused attention kernels.
	AttentionEfficiency float64
	// PowerExponent says how much of a shorter power budget is lost.
	PowerExponent float64
	// FP8Efficiency is what FP8 keeps of its higher peak.
	FP8Efficiency float64
	// ElementBytes is the memory traffic of everything that is no matrix product, per
	// token, layer and unit of width, with fused layers; ElementEager is the factor on
	// it for eager programs.
	ElementBytes, ElementEager float64
	// LaunchPerLayer is the seconds of CPU time per layer and pass of an eager program.
	LaunchPerLayer float64
	// LaunchSharded is the factor on it for eager programs that gather each layer's
	// weights, and EagerOverlap the share of that traffic that they hide behind work.
	LaunchSharded, EagerOverlap float64
	// DequantNF4 and DequantGPTQ are the traffic of turning 4-bit weights into 16-bit
	// ones, times the bytes that it takes at least.
	DequantNF4, DequantGPTQ float64
	// BusEfficiency is the share of a link's nominal rate that collectives reach.
	BusEfficiency float64
	// PCIeLink is B/s per GPU and direction of collectives without NVLink.
	PCIeLink float64
	// Goodput is the useful share of a pretraining run's time (0.85-0.98 in reports of
	// healthy runs).
	Goodput float64
}

// Calibrated is the fit that every estimate uses.
func Calibrated() Fitted {
	return Fitted{
		MatrixEfficiency: 0.73, AttentionEfficiency: 0.75, PowerExponent: 1.0 / 3, FP8Efficiency: 0.9,
		ElementBytes: 300, ElementEager: 2, LaunchPerLayer: 1.2e-3, LaunchSharded: 3, EagerOverlap: 0.2,
		DequantNF4: 3, DequantGPTQ: 10, BusEfficiency: 0.6, PCIeLink: 8e9, Goodput: 0.87,
	}
}

// constants are the fitted ones with what follows from them alone.
type constants struct {
	Fitted
	// mostFactor is the factor on matrix products that no power budget exceeds, and
	// coolFLOPsPerWatt the peak per watt up to which a card surely reaches it.
	mostFactor, coolFLOPsPerWatt float64
	// powers are those of the power budgets that were asked for.
	powers memo
}

// calibrated are those of Calibrated, with what any estimate remembers.
var calibrated = sync.OnceValue(func() *constants { return Calibrated().with() })

// with works out what follows from f.
func (f Fitted) with() *constants {
	k := &constants{Fitted: f, mostFactor: bestEfficiency / f.MatrixEfficiency}
	if f.PowerExponent > 0 {
		cool := math.Pow(k.mostFactor, -1/f.PowerExponent)
		k.coolFLOPsPerWatt = cool * referenceTFLOPSPerWatt * 1e12 * roundingDown
	}
	return k
}
