package workload

import (
	"math"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

func TestTrainMemoryParts(t *testing.T) {
	s := loraJob(llama7B())
	s.Method, s.LoRARank = Full, 0
	m := machineOf(t, one(a100(), 8))
	got := memoryOf(s, &m, layout{sharding: ShardNone, tensor: 1, pipeline: 1})
	n := 6.738415616
	want := Memory{
		Weights: 2 * n, Gradients: 2 * n, Optimizer: 12 * n, // 16 bytes per parameter
		Activations: (18*4096 + 8*11008) * 2048 * 32 / 1e9, Logits: 6 * 2048 * 32000 / 1e9, Overhead: 1.2,
	}
	if math.Abs(got.Total()-want.Total()) > 1e-9 || got.Optimizer != want.Optimizer {
		t.Errorf("parts = %+v, want %+v", got, want)
	}
	sharded := memoryOf(s, &m, layout{sharding: Zero3, tensor: 1, pipeline: 1})
	if states := sharded.Weights + sharded.Gradients + sharded.Optimizer; math.Abs(states-16*n/8) > 1e-9 {
		t.Errorf("ZeRO-3 over 8: %.2f GB of states, want %.2f", states, 16*n/8)
	}
	if sharded.Gather <= 0 || sharded.Activations != got.Activations {
		t.Errorf("ZeRO-3 = %+v, want gathered layers and whole activations", sharded)
	}
	zero2 := memoryOf(s, &m, layout{sharding: Zero2, tensor: 1, pipeline: 1})
	if zero2.Weights != got.Weights || math.Abs(zero2.Optimizer-12*n/8) > 1e-9 {
		t.Errorf("ZeRO-2 = %+v, want whole weights and an eighth of the states", zero2)
	}
}

func TestMethodsDifferInMemory(t *testing.T) {
	s := loraJob(llama7B())
	m := machineOf(t, one(a100(), 1))
	lora := memoryOf(s, &m, layout{tensor: 1, pipeline: 1})
	if lora.Gradients != 0 || lora.Optimizer != 0 || math.Abs(lora.Adapters-16*0.03997696) > 1e-9 {
		t.Errorf("LoRA = %+v, want only the adapters' 16 bytes per parameter", lora)
	}
	s.Method = QLoRA
	qlora := memoryOf(s, &m, layout{tensor: 1, pipeline: 1})
	embeddings := 2 * 32000 * 4096 / 1e9
	if want := 0.56*(6.738415616-embeddings) + 2*embeddings; math.Abs(qlora.Weights-want) > 1e-9 {
		t.Errorf("QLoRA weights = %.3f GB, want %.3f", qlora.Weights, want)
	}
}

// TestMeasuredPeaks holds the required memory above published peaks, and not far
// above. QwenLM/Qwen README (one sequence per step; rank 64), torchtune README.
func TestMeasuredPeaks(t *testing.T) {
	tests := []struct {
		name   string
		method Method
		seq    int
		peakGB float64
	}{
		{"qwen-7b lora 256", LoRA, 256, 20.1},
		{"qwen-7b lora 2048", LoRA, 2048, 23.8},
		{"qwen-7b lora 8192", LoRA, 8192, 36.6},
		{"qwen-7b qlora 512", QLoRA, 512, 11.5},
		{"qwen-7b qlora 4096", QLoRA, 4096, 16.9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(qwen7B())
			s.Method, s.SeqLen, s.LoRARank, s.Framework, s.Quantizer = tt.method, tt.seq, 64, Eager, GPTQ
			e := on(t, s, Train, one(a100(), 1))
			if e.RequiredGB < 0.95*tt.peakGB || e.RequiredGB > 1.4*tt.peakGB {
				t.Errorf("required %.1f GB, measured %.1f", e.RequiredGB, tt.peakGB)
			}
		})
	}
}

// TestPublishedOutOfMemory holds the estimate to runs that are reported not to fit
// (Lightning-AI/litgpt resource tables: one 40 GB A100, no recomputation).
func TestPublishedOutOfMemory(t *testing.T) {
	falcon := Shape{
		Name: "falcon-40b", Params: 41.8e9, ActiveParams: 41.8e9, Layers: 60, Width: 8192, FFN: 32768,
		Heads: 128, KVHeads: 8, HeadSize: 64, Vocabulary: 65024, TiedHead: true,
	}
	llama13B := Shape{
		Name: "llama-2-13b", Params: 13.02e9, ActiveParams: 13.02e9, Layers: 40, Width: 5120, FFN: 13824,
		GatedFFN: true, Heads: 40, KVHeads: 40, HeadSize: 128, Vocabulary: 32000,
	}
	tests := []struct {
		shape  Shape
		method Method
		micro  int
	}{
		{llama7B(), LoRA, 4},
		{llama13B, LoRA, 2},
		{falcon, QLoRA, 1},
	}
	for _, tt := range tests {
		t.Run(tt.shape.Name, func(t *testing.T) {
			s := loraJob(tt.shape)
			s.Method, s.MicroBatch, s.SeqLen, s.Framework = tt.method, tt.micro, 1304, Eager
			s.Checkpointing = CheckpointOff
			e := on(t, s, Train, one(a100Small(), 1))
			if e.Fit == Fits {
				t.Errorf("said to fit in %.1f of %.0f GB; it is reported not to", e.RequiredGB, e.PerGPUGB)
			}
		})
	}
}

func TestFitBoundaries(t *testing.T) {
	tests := []struct {
		totalGB float64
		want    Fit
	}{
		{0.92*80/1.18 - 0.001, Fits},
		{0.92*80/1.18 + 0.001, MayNotFit},
		{0.97*80 - 0.001, MayNotFit},
		{0.97*80 + 0.001, DoesNotFit},
	}
	for _, tt := range tests {
		parts := Memory{Weights: tt.totalGB}
		if got := fitOf(parts.Total(), memoryMargin, 80); got != tt.want {
			t.Errorf("%.3f of 80 GB: %v, want %v", tt.totalGB, got, tt.want)
		}
	}
}

func TestLackingMemoryIsStated(t *testing.T) {
	s := loraJob(llama70B())
	s.Method = Full
	e := on(t, s, Train, one(rtx4090(), 1))
	if e.Fit != DoesNotFit || e.Fit.String() != "does not fit" {
		t.Fatalf("70B full on one 24 GB card: %v", e.Fit)
	}
	if want := e.RequiredGB - 0.92*24; math.Abs(e.LacksGB-want) > 1e-9 {
		t.Errorf("LacksGB = %g, want %g", e.LacksGB, want)
	}
	if fits := on(t, loraJob(llama7B()), Train, one(a100(), 1)); fits.Fit != Fits || fits.LacksGB != 0 {
		t.Errorf("7B LoRA on 80 GB: %v, lacks %g, want it to fit", fits.Fit, fits.LacksGB)
	}
}

func TestLayoutIsChosenByFit(t *testing.T) {
	full := func(shape Shape) Spec {
		s := loraJob(shape)
		s.Method = Full
		return s
	}
	split := full(llama7B())
	split.TensorParallel, split.PipelineParallel = 2, 2
	pinned := loraJob(llama7B())
	pinned.Sharding, pinned.Checkpointing = Zero2, CheckpointOn
	tunedLoRA := loraJob(llama7B())
	tunedLoRA.Framework = Tuned
	tuned := full(llama70B())
	tuned.Framework = Tuned
	tests := []struct {
		name         string
		spec         Spec
		gpu          func() catalog.GPUModel
		gpus         int
		sharding     Sharding
		checkpointed bool
		perCopy      int
	}{
		{"a copy fits", full(FitShape(1e9, 0, 0, 0)), a100, 8, ShardNone, false, 1},
		{"activations do not fit", full(FitShape(1e9, 0, 0, 0)), rtx4090, 2, ShardNone, true, 1},
		{"adapters recompute", loraJob(llama7B()), a100, 8, ShardNone, true, 1},
		{"hand-tuned ones only where they must", tunedLoRA, a100, 8, ShardNone, false, 1},
		{"no copy fits", full(llama7B()), a100, 8, Zero3, false, 8},
		{"hand-tuned stacks split layers over GPUs of a node", tuned, a100, 64, Zero2, false, 4},
		{"one GPU has nothing to shard", full(llama7B()), a100, 1, ShardNone, true, 1},
		{"stated", pinned, a100, 8, Zero2, true, 1},
		{"stated split", split, a100, 8, ShardNone, false, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := one(tt.gpu(), min(tt.gpus, 8))
			h.Nodes = (tt.gpus + 7) / 8
			e := on(t, tt.spec, Train, h)
			if e.Sharding != tt.sharding || e.Checkpointed != tt.checkpointed || e.GPUsPerCopy != tt.perCopy {
				t.Errorf("%s, checkpointed %v, %d GPUs per copy (%s); want %s, %v, %d",
					e.Sharding, e.Checkpointed, e.GPUsPerCopy, e.Parallelism, tt.sharding, tt.checkpointed, tt.perCopy)
			}
		})
	}
}

func TestOffloadSavesMemoryAndCostsTime(t *testing.T) {
	s := loraJob(llama70B())
	s.Method = Full
	plain := on(t, s, Train, one(a100(), 8))
	s.Offload = true
	offloaded := on(t, s, Train, one(a100(), 8))
	if plain.Fit == Fits || offloaded.Fit != Fits {
		t.Errorf("70B full on 8 x 80 GB: %v, offloaded %v", plain.Fit, offloaded.Fit)
	}
	if offloaded.Expected < 1.5*plain.Expected || offloaded.Shares.IO < 0.3 {
		t.Errorf("offloaded %.0f s (%+v) against %.0f s, want the host to show", offloaded.Expected, offloaded.Shares, plain.Expected)
	}
}

// TestOptimizersKeepWhatTheySay counts the bytes per parameter of full training.
func TestOptimizersKeepWhatTheySay(t *testing.T) {
	m := machineOf(t, one(a100(), 1))
	for _, tt := range []struct {
		optimizer Optimizer
		precision Precision
		bytes     float64 // weights, gradients, states
	}{
		{AdamW, "", 2 + 4 + 12}, // gradients are added up in 32 bits
		{AdamW16, "", 2 + 2 + 4},
		{AdamW8, "", 2 + 2 + 2},
		{Adafactor, "", 2 + 2},
		{AdamW, FP32, 4 + 4 + 12},
	} {
		s := loraJob(llama7B())
		s.Method = Full
		s = s.withDefaults()
		s.Framework, s.Optimizer, s.Precision = Eager, tt.optimizer, tt.precision
		p := memoryOf(s, &m, layout{tensor: 1, pipeline: 1})
		if got, want := p.Weights+p.Gradients+p.Optimizer, tt.bytes*6.738415616; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %s: %.3f GB, want %.3f", tt.optimizer, tt.precision, got, want)
		}
	}
}

// TestScoresNeedMemoryWhereKernelsAreNotFused compares a V100 with an A100.
func TestScoresNeedMemoryWhereKernelsAreNotFused(t *testing.T) {
	s := loraJob(llama7B())
	s.Framework, s.SeqLen = Eager, 8192
	old, recent := on(t, s, Train, one(v100(), 1)), on(t, s, Train, one(a100(), 1))
	scores := 1.5 * 8 * 32 * 8192 * 8192 / 1e9 // of the layer at hand
	near(t, "GB of attention scores", old.Memory.Activations-recent.Memory.Activations, scores, 1.001)
}

// TestChunkedLossKeepsFewLogits holds the loss to one chunk in eight.
func TestChunkedLossKeepsFewLogits(t *testing.T) {
	s := loraJob(qwen7B())
	whole := on(t, s, Train, one(a100(), 1)).Memory.Logits
	s.ChunkedLoss = true
	near(t, "share of the logits", on(t, s, Train, one(a100(), 1)).Memory.Logits/whole, 0.15, 1.001)
}
