package workload

import (
	"errors"
	"math"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// prototypeRow is a published run as an independent prototype of the same formulas
// estimates it: seconds per token and GPU.
type prototypeRow struct {
	name    string
	spec    Spec
	hw      Hardware
	seconds float64
}

// prototypeRows are twelve runs over methods, lengths, links and frameworks.
func prototypeRows() []prototypeRow {
	dense := func(params float64, layers, width, vocabulary int, tied bool) Shape {
		return ShapeOf(catalog.Model{Params: params, Layers: layers, Width: width, Vocabulary: vocabulary, TiedHead: tied})
	}
	routed := func(s Shape, active float64) Shape { s.ActiveParams = active; return s }
	run := func(kind Kind, method Method, shape Shape, seq, micro int) Spec {
		return Spec{
			Kind: kind, Method: method, Shape: shape, Tokens: 1e9, SeqLen: seq, MicroBatch: micro,
			LoRARank: 64, Packing: true, SteadyState: true,
		}
	}
	with := func(s Spec, edit func(*Spec)) Spec { edit(&s); return s }
	nodes := func(g catalog.GPUModel, n int, fabricGBs float64) Hardware {
		h := one(g, 8)
		h.Nodes, h.FabricGBs = n, fabricGBs
		return h
	}
	unstated := func(s *Spec) { s.Assumed.MicroBatch = true }
	wholeRun := func(s *Spec) { s.Assumed.MicroBatch, s.SteadyState = true, false }
	return []prototypeRow{
		{
			"MPT-70B, 512 H100", with(run(Pretrain, Full, dense(64.86e9, 80, 8192, 50368, true), 2048, 8), func(s *Spec) {
				s.BatchTokens, s.Sharding, s.Checkpointing = 8388608, Zero3, CheckpointOn
			}), nodes(h100(), 64, 400), 0.0011293150528421054,
		},
		{
			"MPT-1B, 8 A100", with(run(Pretrain, Full, dense(1.32e9, 24, 2048, 50368, true), 4096, 7), func(s *Spec) {
				s.BatchTokens, s.Sharding, s.Checkpointing = 917504, Zero3, CheckpointOff
			}), one(a100(), 8), 5.478094603026588e-05,
		},
		{"Qwen-7B LoRA at 256", run(FineTune, LoRA, dense(7.72e9, 32, 4096, 151936, false), 256, 1), one(a100(), 1), 0.0006574016093763472},
		{
			"Qwen-14B QLoRA GPTQ at 1024", with(run(FineTune, QLoRA, dense(14.2e9, 40, 5120, 152064, false), 1024, 1), func(s *Spec) { s.Quantizer = GPTQ }),
			one(a100(), 1), 0.001014964453122235,
		},
		{
			"Qwen-72B LoRA ZeRO-3", with(run(FineTune, LoRA, dense(72.3e9, 80, 8192, 152064, false), 2048, 1), func(s *Spec) { s.Sharding = Zero3 }),
			one(a100(), 4), 0.0024513299937690557,
		},
		{
			"Llama-2-70B QLoRA on two RTX 4090, offloaded", with(run(FineTune, QLoRA, dense(69e9, 80, 8192, 32000, false), 2048, 2), func(s *Spec) {
				s.Sharding, s.Offload = Zero3, true
			}), one(rtx4090(), 2), 0.005278502034612752,
		},
		{
			"Qwen3-235B-A22B, 256 H100, FP8, tuned", with(run(Pretrain, Full, routed(dense(235e9, 94, 4096, 151936, false), 22e9), 4096, 1), func(s *Spec) {
				unstated(s)
				s.Framework, s.Precision = Tuned, FP8
			}), nodes(h100(), 32, 400), 0.0007105802753065153,
		},
		{
			"Llama-3-8B, 8 H100, FP8, tuned", with(run(Pretrain, Full, dense(8.03e9, 32, 4096, 128256, false), 8192, 1), func(s *Spec) {
				unstated(s)
				s.Framework, s.Precision = Tuned, FP8
			}), one(h100(), 8), 7.433368947615146e-05,
		},
		{
			"LLaMA-65B, 2048 A100", with(run(Pretrain, Full, dense(65.2e9, 80, 8192, 32000, false), 2048, 1), func(s *Spec) {
				wholeRun(s)
				s.BatchTokens = 4e6
			}), nodes(a100(), 256, 200), 0.0031359353991013954,
		},
		{
			"Llama-3.1-70B full, offloaded, compiled", with(run(FineTune, Full, dense(70.6e9, 80, 8192, 128256, false), 2048, 2), func(s *Spec) {
				s.BatchTokens, s.Framework, s.Offload = 32768, Compiled, true
			}), one(a100(), 8), 0.00493498799075921,
		},
		{
			"nanochat d26, 8 H100, FP8", with(run(Pretrain, Full, dense(0.918e9, 26, 1664, 32768, false), 2048, 1), func(s *Spec) {
				wholeRun(s)
				s.BatchTokens, s.Framework, s.Precision = 524288, Compiled, FP8
			}), one(h100(), 8), 1.078196937524629e-05,
		},
		{
			"DeepSeek-V2, H800", with(run(Pretrain, Full, routed(dense(236e9, 60, 5120, 102400, false), 21e9), 4096, 1), wholeRun),
			nodes(h800(), 8, 400), 0.0005356100312487533,
		},
	}
}

func TestAgreesWithPrototype(t *testing.T) {
	for _, row := range prototypeRows() {
		t.Run(row.name, func(t *testing.T) {
			e := on(t, row.spec, Train, row.hw)
			near(t, "seconds per token and GPU", 1/e.TokensPerSecondPerGPU, row.seconds, 1.25)
			if gpus := float64(row.hw.GPUsPerNode * row.hw.Nodes); math.Abs(e.Expected*gpus*e.TokensPerSecondPerGPU/1e9-1) > 1e-9 {
				t.Errorf("%g s on %g GPUs at %g tokens/s each is not 1e9 tokens", e.Expected, gpus, e.TokensPerSecondPerGPU)
			}
		})
	}
}

// TestMeasuredRates compares with published steady rates in tokens per second and
// GPU (QwenLM/Qwen README, one sequence per step; pytorch/torchtune README).
func TestMeasuredRates(t *testing.T) {
	qwen18 := ShapeOf(modelOf(1.84e9, 24, 2048))
	tests := []struct {
		name   string
		shape  Shape
		method Method
		seq    int
		shard  Sharding
		rate   float64
	}{
		{"7B LoRA", qwen7B(), LoRA, 2048, "", 3150.8},
		{"7B LoRA, long", qwen7B(), LoRA, 8192, "", 3076.8},
		{"7B LoRA, short: launches", qwen7B(), LoRA, 256, "", 1706.7},
		{"1.8B full under ZeRO-3, short: launches", qwen18, Full, 512, Zero3, 1861.8},
		{"1.8B full under ZeRO-3, long", qwen18, Full, 8192, Zero3, 11702.9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(tt.shape)
			s.Method, s.SeqLen, s.LoRARank, s.Framework, s.Sharding = tt.method, tt.seq, 64, Eager, tt.shard
			e := on(t, s, Train, one(a100(), 1))
			near(t, "tokens per second", e.TokensPerSecondPerGPU, tt.rate, 1.31)
		})
	}
}

func TestPrecisionIsWhatTheGPUHas(t *testing.T) {
	s := loraJob(FitShape(1e9, 0, 0, 0))
	fp8 := s
	fp8.Precision = FP8
	tests := []struct {
		name string
		spec Spec
		gpu  catalog.GPUModel
		want string
	}{
		{"BF16 from Ampere on", s, a100(), "bf16"},
		{"FP16 before", s, v100(), "fp16"},
		{"FP16 before, Turing", s, t4(), "fp16"},
		{"no tensor cores", s, p100(), "fp32 (no tensor cores)"},
		{"FP8 only when asked for", s, h100(), "bf16"},
		{"FP8 asked for", fp8, h100(), "fp8"},
		{"FP8 on a consumer card", fp8, rtx4090(), "fp8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if e := on(t, tt.spec, Train, one(tt.gpu, 1)); e.Precision != tt.want {
				t.Errorf("precision %q, want %q", e.Precision, tt.want)
			}
		})
	}
	slow, fast := on(t, s, Train, one(p100(), 1)), on(t, s, Train, one(v100(), 1))
	if slow.Expected < 4*fast.Expected {
		t.Errorf("P100 %.0f s against V100 %.0f s, want it slower by the missing tensor cores", slow.Expected, fast.Expected)
	}
}

func TestWhatSlowsTraining(t *testing.T) {
	base := loraJob(llama7B())
	tests := []struct {
		name     string
		edit     func(*Spec)
		low, top float64 // factor on time
	}{
		{"padding", func(s *Spec) { s.Packing = false }, 2.5, 2.5},
		{"no recomputation: 4/6 of the products", func(s *Spec) { s.Checkpointing = CheckpointOff }, 0.66, 0.8},
		{"full: 8/6 of the products", func(s *Spec) { s.Method, s.Checkpointing = Full, CheckpointOn }, 1.2, 2},
		{"plain PyTorch", func(s *Spec) { s.Framework = Eager }, 1.05, 1.4},
		{"compiled", func(s *Spec) { s.Framework = Compiled }, 0.8, 0.99},
		{"four-bit weights", func(s *Spec) { s.Method = QLoRA }, 1.02, 1.4},
		{"slow four-bit kernels", func(s *Spec) { s.Method, s.Quantizer = QLoRA, GPTQ }, 1.2, 2},
		{"short sequences", func(s *Spec) { s.SeqLen, s.Framework = 128, Eager }, 4, 9},
		{"experts of no more active parameters", func(s *Spec) { s.Shape.Params *= 4 }, 1, 1.2},
	}
	want := on(t, base, Train, one(a100(), 1)).Expected
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := base
			tt.edit(&s)
			got := on(t, s, Train, one(a100(), 1)).Expected / want
			if got < tt.low-1e-9 || got > tt.top+1e-9 {
				t.Errorf("time x%.3f, want x%.2f to x%.2f", got, tt.low, tt.top)
			}
		})
	}
}

func TestLinksBetweenGPUs(t *testing.T) {
	s := loraJob(llama70B())
	s.Method = Full
	nvlink := one(a100(), 8)
	pcie := nvlink
	pcie.NVLink = false
	ordinary, fast := nvlink, nvlink
	ordinary.Nodes, fast.Nodes, fast.FabricGBs = 4, 4, 200
	at := func(h Hardware) Estimate { return on(t, s, Train, h) }
	if a, b := at(nvlink), at(pcie); a.Expected >= b.Expected || a.Shares.Link >= b.Shares.Link {
		t.Errorf("NVLink %.0f s (link %.2f), PCIe %.0f s (link %.2f)", a.Expected, a.Shares.Link, b.Expected, b.Shares.Link)
	}
	if a, b := at(fast), at(ordinary); 2*a.Expected >= b.Expected || b.High/b.Expected <= a.High/a.Expected {
		t.Errorf("InfiniBand %.0f s, unknown fabric %.0f s, want it slower and less certain", a.Expected, b.Expected)
	}
	if e := on(t, s, Train, one(a100(), 1)); e.Shares.Link != 0 {
		t.Errorf("one GPU spends %.2f on links", e.Shares.Link)
	}
}

func TestIntervalWidensWithWhatIsUnknown(t *testing.T) {
	half := func(edit func(*Spec), h Hardware) float64 {
		s := loraJob(llama7B())
		s.SteadyState = true
		edit(&s)
		e := on(t, s, Train, h)
		if math.Abs(e.Expected*e.Expected/e.Low/e.High-1) > 1e-9 {
			t.Errorf("[%g, %g] is not centred on %g", e.Low, e.High, e.Expected)
		}
		return math.Log(e.High / e.Expected)
	}
	plain := half(func(*Spec) {}, one(a100(), 1))
	if want := math.Hypot(widthBase, widthTeam); math.Abs(plain-want) > 1e-12 {
		t.Errorf("half-width %g, want %g", plain, want)
	}
	tests := []struct {
		name string
		edit func(*Spec)
		hw   Hardware
		add  float64
	}{
		{"eager", func(s *Spec) { s.Framework = Eager }, one(a100(), 1), 0.24},
		{"whole run", func(s *Spec) { s.SteadyState = false }, one(a100(), 1), 0.23},
		{"assumed micro-batch", func(s *Spec) { s.Assumed.MicroBatch = true }, one(a100(), 1), 0.12},
		{"assumed length", func(s *Spec) { s.Assumed.SeqLen = true }, one(a100(), 1), math.Hypot(0.12, 0.35)},
		{"short steps", func(s *Spec) { s.SeqLen = 512 }, one(a100(), 1), 0.60},
		{"PCIe", func(*Spec) {}, one(rtx4090(), 2), 0.50},
		{"offload", func(s *Spec) { s.Offload = true }, one(a100(), 1), 0.21},
		{"experts", func(s *Spec) { s.Shape = mixtral() }, one(a100(), 1), 0.17},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := half(tt.edit, tt.hw), math.Hypot(plain, tt.add); math.Abs(got-want) > 1e-12 {
				t.Errorf("half-width %g, want %g", got, want)
			}
		})
	}
}

func TestUnusualUtilisationIsFlagged(t *testing.T) {
	s := loraJob(llama7B())
	if e := on(t, s, Train, one(a100(), 1)); e.OutOfRange || e.MFU < 0.3 || e.MFU > 0.6 {
		t.Errorf("packed LoRA: MFU %.2f, out of range %v", e.MFU, e.OutOfRange)
	}
	s.SeqLen, s.Framework = 64, Eager
	if e := on(t, s, Train, one(a100(), 1)); !e.OutOfRange {
		t.Errorf("64 tokens a step: MFU %.2f is not flagged", e.MFU)
	}
}

func TestOnRefusesWhatItCannotSize(t *testing.T) {
	unsized := a100()
	unsized.BandwidthGBs = 0
	tests := []struct {
		name  string
		stage StageName
		hw    Hardware
	}{
		{"CPU stage", Preprocess, one(a100(), 1)},
		{"no bandwidth known", Train, one(unsized, 1)},
		{"no GPUs", Train, one(a100(), 0)},
		{"no nodes", Evaluate, Hardware{GPU: a100(), GPUsPerNode: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := stage(t, loraJob(llama7B()), tt.stage).On(tt.hw); err == nil {
				t.Error("On: no error")
			}
		})
	}
	rental := RentalOf(3600)
	if _, err := rental.On(one(a100(), 1)); err == nil {
		t.Error("a rental was estimated")
	}
}

func TestPrecisionThatTheGPULacksIsRefused(t *testing.T) {
	for _, tt := range []struct {
		precision Precision
		gpu       catalog.GPUModel
		want      string // "" = refused
	}{
		{FP8, a100(), ""}, {BF16, v100(), ""}, {FP16, p100(), ""},
		{FP16, a100(), "fp16"}, {FP32, a100(), "tf32"}, {FP32, v100(), "fp32"}, {BF16, h100(), "bf16"},
	} {
		s := loraJob(llama7B())
		s.Precision = tt.precision
		e, err := stage(t, s, Train).On(one(tt.gpu, 1))
		wrong, isField := errors.AsType[FieldError](err)
		switch {
		case tt.want == "" && (!isField || wrong.Field != "precision"):
			t.Errorf("%s on %s: error %v, want one about the precision", tt.precision, tt.gpu.ID, err)
		case tt.want != "" && (err != nil || e.Precision != tt.want):
			t.Errorf("%s on %s: %q, %v; want %q", tt.precision, tt.gpu.ID, e.Precision, err, tt.want)
		}
	}
}

// TestSplittingCosts compares hand-tuned training of one model on one machine under
// stated splits: exchanging activations costs something, and a pipeline idles.
func TestSplittingCosts(t *testing.T) {
	h := one(a100(), 8)
	h.Nodes, h.FabricGBs = 8, 200
	at := func(tensor, pipeline int) float64 {
		s := loraJob(llama7B())
		s.Method = Full
		s.Kind, s.Framework, s.Sharding, s.SteadyState = Pretrain, Tuned, Zero2, true
		s.BatchTokens, s.TensorParallel, s.PipelineParallel = 4e6, tensor, pipeline
		return on(t, s, Train, h).Expected
	}
	if whole, tensor, deep := at(1, 1), at(4, 1), at(1, 8); tensor < 1.01*whole || tensor > 1.5*whole || deep < 1.01*whole || deep > 1.5*whole {
		t.Errorf("whole copies %.0f s, tensor parallel %.0f s, pipeline %.0f s; want both a little slower", whole, tensor, deep)
	}
}

func TestEagerShardingHidesLittle(t *testing.T) {
	s := loraJob(llama70B())
	s.Sharding = Zero3
	shares := func(f Framework) float64 {
		s.Framework = f
		return on(t, s, Train, one(a100(), 8)).Shares.Link
	}
	if eager, flash := shares(Eager), shares(Flash); eager < 2*flash {
		t.Errorf("link shares: eager %.2f, prefetching %.2f", eager, flash)
	}
}
