package workload

import (
	"math"
	"testing"
)

func TestGenerationTimeByHand(t *testing.T) {
	s := loraJob(llama7B())
	s.Method, s.LoRARank = Full, 0
	s.Evaluate = Evaluation{Requests: 1, InputTokens: 512, OutputTokens: 128}
	e := on(t, s, Evaluate, one(a100(), 1))
	matrix := 6_738_415_616.0 - 32000*4096
	prompt := 512 * (2*matrix + 4*32*4096*512) / (312e12 * 0.72)
	// A 100 SXM holds its clocks but for the rounding of 0.78 TFLOPS/W.
	near(t, "prompt seconds", e.Shares.Compute/0.95*e.Expected, prompt, 1.001)
	weights, cache := 2*6_738_415_616.0, 576*4*32*32*128.0
	near(t, "decoding seconds", e.Shares.Memory/0.95*e.Expected, 128*(weights+cache)/(2039e9*0.6), 1.001)
	near(t, "KV cache", e.Memory.KVCache, 640*4*32*32*128/1e9, 1.001)
}

func TestBatchesFillTheCard(t *testing.T) {
	tests := []struct {
		name     string
		requests int
		shape    Shape
		hw       Hardware
		kvGB     float64 // of the batch that was chosen, per GPU
		perCopy  int
	}{
		{"64 at most", 1000, llama7B(), one(a100(), 1), 64 * 640 * 524288 / 1e9, 1},
		{"as many as fit", 1000, llama7B(), one(rtx4090(), 1), 16 * 640 * 524288 / 1e9, 1},
		{"no more than there are", 3, llama7B(), one(a100(), 1), 3 * 640 * 524288 / 1e9, 1},
		{"each copy its share", 16, llama7B(), one(a100(), 8), 2 * 640 * 524288 / 1e9, 1},
		{"split over the fewest GPUs", 1, llama70B(), one(a100(), 8), 640 * 327680 / 4 / 1e9, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(tt.shape)
			s.Evaluate.Requests = tt.requests
			e := on(t, s, Evaluate, tt.hw)
			if e.Fit != Fits || math.Abs(e.Memory.KVCache-tt.kvGB) > 1e-9 || e.GPUsPerCopy != tt.perCopy {
				t.Errorf("%v, cache %.3f GB, %d GPUs per copy (%s); want %.3f GB, %d",
					e.Fit, e.Memory.KVCache, e.GPUsPerCopy, e.Parallelism, tt.kvGB, tt.perCopy)
			}
		})
	}
}

func TestGroupedQueryAttentionKeepsLess(t *testing.T) {
	// Llama 3.1 8B, 128K tokens in 16 bits: 15.62 GiB (Hugging Face, Llama 3.1 release).
	s := Shape{Layers: 32, KVHeads: 8, HeadSize: 128}
	if got := s.kvBytes() * 131072 / (1 << 30); got != 16 {
		t.Errorf("cache of 131,072 tokens = %g GiB, want 16", got)
	}
}

// TestMeasuredServingPeaks compares with published peaks of generating 2,048 tokens
// in BF16 (QwenLM/Qwen README).
func TestMeasuredServingPeaks(t *testing.T) {
	small := ShapeOf(modelOf(1.84e9, 24, 2048))
	large := ShapeOf(modelOf(14.2e9, 40, 5120))
	for _, tt := range []struct {
		shape  Shape
		peakGB float64
	}{{small, 4.23}, {qwen7B(), 16.99}, {large, 30.15}} {
		s := loraJob(tt.shape)
		s.Method, s.LoRARank = Full, 0
		s.Evaluate = Evaluation{Requests: 1, InputTokens: 1, OutputTokens: 2048}
		e := on(t, s, Evaluate, one(a100(), 1))
		if e.RequiredGB < tt.peakGB || e.RequiredGB > 1.45*tt.peakGB {
			t.Errorf("%g parameters: %.2f GB required, %.2f measured", tt.shape.Params, e.RequiredGB, tt.peakGB)
		}
	}
}

func TestSixteenBitsOnSmallCards(t *testing.T) {
	s := loraJob(llama7B())
	if e := on(t, s, Evaluate, one(t4(), 1)); e.Fit == Fits {
		t.Errorf("13.5 GB of weights on 16 GB: %v, want no promise", e.Fit)
	}
	if e := on(t, s, Evaluate, one(t4(), 4)); e.Fit != Fits || e.GPUsPerCopy != 2 {
		t.Errorf("on four cards: %v over %d, want two copies over two cards each", e.Fit, e.GPUsPerCopy)
	}
	s.Shape = llama70B()
	if e := on(t, s, Evaluate, one(t4(), 4)); e.Fit != DoesNotFit || e.LacksGB <= 0 {
		t.Errorf("138 GB on 64 GB: %v, lacks %.1f", e.Fit, e.LacksGB)
	}
}

func TestCopiesShareTheRequests(t *testing.T) {
	s := loraJob(llama7B())
	s.Evaluate.Requests = 64 * 8
	single, eight := on(t, s, Evaluate, one(a100(), 1)), on(t, s, Evaluate, one(a100(), 8))
	near(t, "time on one GPU over time on eight", single.Expected/eight.Expected, 8, 1.000001)
	if eight.Shares.Link != 0 || eight.Parallelism != "independent copies" {
		t.Errorf("copies exchange %.2f (%s), want nothing", eight.Shares.Link, eight.Parallelism)
	}
}
