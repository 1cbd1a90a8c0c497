package workload

import (
	"errors"
	"testing"
)

func TestGenerationTimeByHand(t *testing.T) {
	s := loraJob(llama7B())
	s.Method, s.LoRARank = Full, 0
	s.Evaluate = Evaluation{Requests: 1, InputTokens: 512, OutputTokens: 128}
	e := on(t, s, Evaluate, one(a100(), 1))
	embedding := 32000 * 4096.0
	matrix := 6_738_415_616.0 - embedding
	prompt := 512 * (2*matrix + 4*32*4096*256) / (312e12 * 0.73)
	// An A100 SXM holds its clocks but for the rounding of 0.78 TFLOPS/W.
	near(t, "seconds to the first token", e.FirstTokenSeconds, prompt, 1.001)
	weights, cache := 2*matrix, 576*4*32*32*128.0
	reading := softMaximum(weights/(2039e9*0.85), 2*matrix/(312e12*0.73))
	step := reading + cache/(2039e9*0.85) + 32*30e-6
	near(t, "seconds per token", e.TokenSeconds, step, 1.001)
	near(t, "all", e.Expected, prompt+128*step, 1.001)
	near(t, "KV cache", e.Memory.KVCache, 640*4*32*32*128/1e9, 1.001)
}

func TestBatchesFillTheCard(t *testing.T) {
	tests := []struct {
		name     string
		requests int
		batch    int // asked for
		shape    Shape
		hw       Hardware
		want     int
		perCopy  int
	}{
		{"all at once where they fit", 48, 0, llama7B(), one(a100(), 1), 48, 1},
		{"as many as fit", 1000, 0, llama7B(), one(rtx4090(), 1), 18, 1},
		{"no more than there are", 3, 0, llama7B(), one(a100(), 1), 3, 1},
		{"what is asked for", 1000, 4, llama7B(), one(a100(), 1), 4, 1},
		{"a lone request over all GPUs", 1, 0, llama70B(), one(a100(), 8), 1, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(tt.shape)
			s.Evaluate.Requests, s.Evaluate.Batch = tt.requests, tt.batch
			e := on(t, s, Evaluate, tt.hw)
			if e.Fit != Fits || e.Batch != tt.want || e.GPUsPerCopy != tt.perCopy {
				t.Errorf("%v, %d at a time, %d GPUs per copy (%s); want %d, %d",
					e.Fit, e.Batch, e.GPUsPerCopy, e.Parallelism, tt.want, tt.perCopy)
			}
		})
	}
}

func TestGroupedQueryAttentionKeepsLess(t *testing.T) {
	// Llama 3.1 8B, 128K tokens in 16 bits: 15.62 GiB (Hugging Face, Llama 3.1 release).
	s := Spec{Shape: Shape{Layers: 32, KVHeads: 8, HeadSize: 128}}
	if got := s.kvBytes(Bits16) * 131072 / (1 << 30); got != 16 {
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
	s.Evaluate.Requests, s.Evaluate.Batch = 32*64*8, 64
	single, eight := on(t, s, Evaluate, one(a100(), 1)), on(t, s, Evaluate, one(a100(), 8))
	near(t, "time on one GPU over time on eight", single.Expected/eight.Expected, 8, 1.3)
	if eight.Expected*8 > single.Expected*1.000001 {
		t.Errorf("eight GPUs take %.0f GPU-seconds, one %.0f", eight.Expected*8, single.Expected)
	}
}

// TestQuantizedWeightsMakeRoom evaluates a 7B model on cards that 16 bits do not fit.
func TestQuantizedWeightsMakeRoom(t *testing.T) {
	s := loraJob(llama7B())
	for _, tt := range []struct {
		asked Format
		want  Format
		fit   Fit
	}{{"", Bits16, DoesNotFit}, {Bits8, Bits8, Fits}, {Bits4, Bits4, Fits}, {FormatAuto, Bits8, Fits}} {
		s.Evaluate.Weights = tt.asked
		e := on(t, s, Evaluate, one(t4(), 1))
		if e.Weights != tt.want || tt.fit == Fits != (e.Fit == Fits) {
			t.Errorf("asked for %q: %s, %v; want %s, %v", tt.asked, e.Weights, e.Fit, tt.want, tt.fit)
		}
	}
	s.Evaluate.Weights = FormatAuto
	if e := on(t, s, Evaluate, one(a100(), 1)); e.Weights != Bits16 {
		t.Errorf("on 80 GB: %s, want 16 bits", e.Weights)
	}
}

func TestFormatThatTheGPULacksIsRefused(t *testing.T) {
	s := loraJob(llama7B())
	for format, gpu := range map[Format]Hardware{FormatFP8: one(a100(), 1), FormatFP4: one(h100(), 1)} {
		s.Evaluate.Weights = format
		_, err := stage(t, s, Evaluate).On(gpu)
		if wrong, ok := errors.AsType[FieldError](err); !ok || wrong.Field != "evaluate.weights" {
			t.Errorf("%s on %s: error %v, want one about the weights", format, gpu.GPU.ID, err)
		}
	}
}

// TestMeasuredDecoding compares with published rates of single streams
// (turboderp-org/exllamav2 README on an RTX 4090, Lightning-AI/litgpt resource tables
// on one A100 40 GB) and of full batches (NVIDIA/TensorRT-LLM performance overview).
func TestMeasuredDecoding(t *testing.T) {
	llama31 := Shape{
		Params: 8.03e9, ActiveParams: 8.03e9, Layers: 32, Width: 4096, FFN: 14336, GatedFFN: true,
		Heads: 32, KVHeads: 8, HeadSize: 128, Vocabulary: 128256,
	}
	for _, tt := range []struct {
		name  string
		shape Shape
		hw    Hardware
		load  Evaluation
		rate  float64 // tokens per second
	}{
		{"4-bit 7B", llama7B(), one(rtx4090(), 1), Evaluation{Requests: 1, InputTokens: 128, OutputTokens: 128, Batch: 1, Weights: Bits4, Framework: Compiled}, 205},
		{"eager 7B", llama7B(), one(a100Small(), 1), Evaluation{Requests: 1, InputTokens: 128, OutputTokens: 128, Batch: 1, Weights: Bits16, Framework: Eager}, 30.97},
		{"eager 4-bit 7B", llama7B(), one(a100Small(), 1), Evaluation{Requests: 1, InputTokens: 128, OutputTokens: 128, Batch: 1, Weights: Bits4, Framework: Eager}, 19.98},
		{"FP8 8B, short", llama31, one(h100(), 1), Evaluation{Requests: 1 << 20, InputTokens: 128, OutputTokens: 128, Batch: 0, Weights: FormatFP8, Framework: Tuned}, 28312},
		{"FP8 8B, long answers", llama31, one(h100(), 1), Evaluation{Requests: 1 << 20, InputTokens: 128, OutputTokens: 2048, Batch: 0, Weights: FormatFP8, Framework: Tuned}, 22714},
		{"FP8 8B, long prompts", llama31, one(h100(), 1), Evaluation{Requests: 1 << 20, InputTokens: 20000, OutputTokens: 2000, Batch: 0, Weights: FormatFP8, Framework: Tuned}, 1351},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Spec{Kind: Inference, Shape: tt.shape, Evaluate: tt.load}
			near(t, "tokens per second", on(t, s, Evaluate, tt.hw).TokensPerSecondPerGPU, tt.rate, 1.25)
		})
	}
}

func TestInferenceIsOneStage(t *testing.T) {
	s := Spec{Kind: Inference, Shape: llama7B(), Evaluate: Evaluation{Requests: 10, InputTokens: 5, OutputTokens: 5}}
	stages, err := Size(s)
	if err != nil || len(stages) != 1 || stages[0].Name != Evaluate || stages[0].InputGB != 0 || stages[0].DownloadGB == 0 {
		t.Fatalf("stages %+v, %v; want the evaluation of published weights alone", stages, err)
	}
	s.Evaluate.Requests = 0
	if err := s.Check(); err == nil {
		t.Error("inference without requests was accepted")
	}
}

// TestSpreadLayersDoNotSpeedUpAStream compares tensor parallelism with layers that
// plain PyTorch spreads over GPUs.
func TestSpreadLayersDoNotSpeedUpAStream(t *testing.T) {
	s := Spec{Kind: Inference, Shape: llama70B(), Evaluate: Evaluation{Requests: 1, OutputTokens: 100, Framework: Eager}}
	two, four := on(t, s, Evaluate, one(a100(), 4)), on(t, s, Evaluate, one(a100(), 8))
	near(t, "time on eight over time on four", four.Expected/two.Expected, 1, 1.0001)
	s.Evaluate.Framework = Compiled
	if split := on(t, s, Evaluate, one(a100(), 4)); split.Expected > 0.5*two.Expected {
		t.Errorf("tensor parallel %.1f s, layers spread %.1f s", split.Expected, two.Expected)
	}
}
