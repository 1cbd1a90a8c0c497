package workload

import (
	"math"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"pgregory.net/rapid"
)

// anySpec draws a job that passes Check.
func anySpec(t *rapid.T) Spec {
	params := math.Pow(10, rapid.Float64Range(6, 12).Draw(t, "log params"))
	shape := FitShape(params, params*rapid.SampledFrom([]float64{1, 1, 0.3, 0.05}).Draw(t, "active"), 0, 0)
	shape.Experts = rapid.SampledFrom([]int{0, 8, 128}).Draw(t, "experts")
	s := Spec{
		Kind: FineTune, Shape: shape,
		Method:        rapid.SampledFrom([]Method{Full, LoRA, QLoRA}).Draw(t, "method"),
		Tokens:        math.Pow(10, rapid.Float64Range(3, 13).Draw(t, "log tokens")),
		SeqLen:        rapid.IntRange(1, 100_000).Draw(t, "seq"),
		MicroBatch:    rapid.IntRange(1, 64).Draw(t, "micro"),
		BatchTokens:   rapid.SampledFrom([]float64{0, 1, 65536, 4e6}).Draw(t, "batch"),
		LoRARank:      rapid.IntRange(1, 64).Draw(t, "rank"),
		Packing:       rapid.Bool().Draw(t, "packing"),
		Framework:     rapid.SampledFrom([]Framework{"", Eager, Flash, Compiled, Tuned}).Draw(t, "framework"),
		Quantizer:     rapid.SampledFrom([]Quantizer{"", NF4, GPTQ, Int8}).Draw(t, "quantizer"),
		Sharding:      rapid.SampledFrom([]Sharding{ShardAuto, ShardNone, Zero2, Zero3}).Draw(t, "sharding"),
		Checkpointing: rapid.SampledFrom([]Checkpointing{CheckpointAuto, CheckpointOn, CheckpointOff}).Draw(t, "checkpointing"),
		Precision:     rapid.SampledFrom([]Precision{"", FP32}).Draw(t, "precision"),
		Optimizer:     rapid.SampledFrom([]Optimizer{"", AdamW, AdamW16, AdamW8, Adafactor}).Draw(t, "optimizer"),
		ChunkedLoss:   rapid.Bool().Draw(t, "chunked"),
		Offload:       rapid.Bool().Draw(t, "offload"),
		Assumed:       Assumed{MicroBatch: rapid.Bool().Draw(t, "assumed")},
		SteadyState:   rapid.Bool().Draw(t, "steady"),
		Evaluate: Evaluation{
			Requests:     rapid.IntRange(1, 5000).Draw(t, "requests"),
			InputTokens:  rapid.IntRange(0, 4096).Draw(t, "input"),
			OutputTokens: rapid.IntRange(1, 2048).Draw(t, "output"),
			Batch:        rapid.SampledFrom([]int{0, 1, 64}).Draw(t, "served together"),
			Weights:      rapid.SampledFrom([]Format{"", FormatAuto, Bits16, Bits8, Bits4}).Draw(t, "weights"),
			Framework:    rapid.SampledFrom([]Framework{"", Eager, Flash, Compiled, Tuned}).Draw(t, "engine"),
		},
	}
	if rapid.Bool().Draw(t, "pretrain") {
		s.Kind, s.Method = Pretrain, Full
	}
	return s
}

// anyHardware draws nodes of one of the GPUs.
func anyHardware(t *rapid.T) Hardware {
	gpus := []catalog.GPUModel{a100(), a100Small(), h100(), rtx4090(), t4(), v100(), p100()}
	h := Hardware{
		GPU:         rapid.SampledFrom(gpus).Draw(t, "gpu"),
		GPUsPerNode: rapid.IntRange(1, 16).Draw(t, "gpus"),
		Nodes:       rapid.SampledFrom([]int{1, 1, 2, 7, 64}).Draw(t, "nodes"),
		NVLink:      rapid.Bool().Draw(t, "nvlink"),
		FabricGBs:   rapid.SampledFrom([]float64{0, 12.5, 400}).Draw(t, "fabric"),
	}
	if rapid.Bool().Draw(t, "unknown power") {
		h.GPU.TDPWatts = 0
	}
	return h
}

// anyStage draws a GPU stage and the job it is of.
func anyStage(t *rapid.T) (Spec, StageName) {
	return anySpec(t), rapid.SampledFrom([]StageName{Train, Evaluate}).Draw(t, "stage")
}

// must estimates, or fails.
func must(t *rapid.T, s Spec, name StageName, h Hardware) Estimate {
	stages, err := Size(s)
	if err != nil {
		t.Fatalf("Size: %v", err)
	}
	for i := range stages {
		if stages[i].Name == name {
			e, err := stages[i].On(h)
			if err != nil {
				t.Fatalf("On: %v", err)
			}
			return e
		}
	}
	t.Fatalf("no stage %s", name)
	return Estimate{}
}

// slack forgives rounding.
const slack = 1 + 1e-9

func TestEstimatesAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, name := anyStage(t)
		h := anyHardware(t)
		e := must(t, s, name, h)
		x := e.Shares
		if sum := x.Compute + x.Memory + x.Link + x.IO; math.Abs(sum-1) > 1e-9 || min(x.Compute, x.Memory, x.Link, x.IO) < 0 {
			t.Errorf("shares %+v sum to %g", x, sum)
		}
		if !(e.Low > 0 && e.Low < e.Expected && e.Expected < e.High) || math.IsInf(e.High, 0) {
			t.Errorf("interval [%g, %g, %g]", e.Low, e.Expected, e.High)
		}
		// Attention is counted without the causal mask, which good kernels skip: at lengths
		// where it is nearly all of the work, utilisation can pass 1 on paper.
		if !(e.MFU > 0 && e.MFU < 1.5) || !(e.TokensPerSecondPerGPU > 0) {
			t.Errorf("MFU %g, %g tokens/s", e.MFU, e.TokensPerSecondPerGPU)
		}
		if (e.Fit == Fits) != (e.LacksGB == 0) || e.RequiredGB <= 0 {
			t.Errorf("%v, requires %g, lacks %g", e.Fit, e.RequiredGB, e.LacksGB)
		}
		if e.GPUsPerCopy < 1 || e.GPUsPerCopy > h.GPUsPerNode*h.Nodes || e.Parallelism == "" || e.Precision == "" {
			t.Errorf("%d GPUs per copy, %q, %q", e.GPUsPerCopy, e.Parallelism, e.Precision)
		}
	})
}

func TestMoreTokensTakeLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		h := anyHardware(t)
		less := must(t, s, Train, h)
		s.Tokens *= rapid.Float64Range(1.001, 100).Draw(t, "more")
		if more := must(t, s, Train, h); more.Expected <= less.Expected {
			t.Errorf("%g s for more tokens, %g s for fewer", more.Expected, less.Expected)
		}
	})
}

func TestMoreRequestsTakeNoLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		h := anyHardware(t)
		fewer := must(t, s, Evaluate, h)
		s.Evaluate.Requests += rapid.IntRange(1, 200).Draw(t, "more")
		if more := must(t, s, Evaluate, h); more.Expected*slack < fewer.Expected {
			t.Errorf("%g s for more requests, %g s for fewer", more.Expected, fewer.Expected)
		}
	})
}

func TestMoreMemoryNeverFitsWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, name := anyStage(t)
		h := anyHardware(t)
		small := must(t, s, name, h)
		h.GPU.MemoryGB *= rapid.Float64Range(1, 8).Draw(t, "more")
		if large := must(t, s, name, h); large.Fit < small.Fit {
			t.Errorf("%.0f GB: %v, less: %v", h.GPU.MemoryGB, large.Fit, small.Fit)
		}
	})
}

func TestFasterGPUIsNeverSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, name := anyStage(t)
		h := anyHardware(t)
		base := must(t, s, name, h)
		more := rapid.Float64Range(1, 5).Draw(t, "factor")
		if rapid.Bool().Draw(t, "bandwidth") {
			h.GPU.BandwidthGBs *= more
		} else {
			h.GPU.BF16TFLOPS *= more
			h.GPU.FP16TFLOPS *= more
			h.GPU.FP32TFLOPS *= more
		}
		if faster := must(t, s, name, h); faster.Expected > base.Expected*slack {
			t.Errorf("%g s on the faster GPU, %g s on the slower", faster.Expected, base.Expected)
		}
	})
}

func TestFasterLinksAreNeverSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, name := anyStage(t)
		h := anyHardware(t)
		h.NVLink, h.FabricGBs = false, 12.5
		base := must(t, s, name, h)
		h.NVLink, h.FabricGBs = true, 400
		if faster := must(t, s, name, h); faster.Expected > base.Expected*slack {
			t.Errorf("%g s on the faster links, %g s on the slower", faster.Expected, base.Expected)
		}
	})
}
