package workload

import "math"

// generation is a job's generation with all that depends on nothing but the job, worked
// out once: a search asks about hundreds of machines.
type generation struct {
	*Spec

	spread bool // plain PyTorch spreads layers over GPUs, which work in turn
	routed bool // a mixture of experts

	requests       float64
	in, out, held  float64 // tokens of a request: read, made, in the cache on average
	layers         float64
	prompt, token  float64 // FLOPs of a token of the prompt, on average, and of one that is made
	perAnswer      float64 // FLOPs of a request
	idle           float64 // share of a mixture that a token does not reach
	adaptersGB     float64
	chunkValues    float64 // 16-bit values per token of the prompt at hand
	vocabulary     float64
	reduced        float64 // bytes per token and all-reduce over many GPUs
	usual          float64 // requests answered together, if there are as many and memory for them
	gap            float64 // seconds between the kernels of a step
	stores         []store // the formats that may be chosen, the widest first
	factor, newGPU float64 // between the expected seconds and the ends of the interval
}

// store is a model's weights in a format.
type store struct {
	format Format
	gb     float64
	fixed  float64 // GB that any number of requests needs, split over the GPUs of a copy
	each   float64 // GB that each more needs, split alike
	step   float64 // bytes that a step reads, of a mixture if it reached all experts
	cache  float64 // bytes of a token's keys and values
	pass   float64 // seconds to launch a pass
	fp8    float64 // times the FP8 rate that it computes at; 0 if in 16 bits
}

// generationOf works out what s alone decides.
func generationOf(s *Spec, k *constants) *generation {
	g := &generation{
		Spec: s, spread: s.Evaluate.Framework == Eager, routed: s.Shape.mixture(),
		requests: float64(s.Evaluate.Requests),
		in:       float64(s.Evaluate.InputTokens), out: float64(s.Evaluate.OutputTokens), held: s.heldTokens(),
		layers: float64(s.Shape.Layers), perAnswer: s.answerFLOPs(), idle: 1 - s.Shape.ActiveParams/s.Shape.Params,
		chunkValues: float64(4*s.Shape.Width + 2*s.Shape.FFN), vocabulary: float64(s.Shape.Vocabulary),
		reduced: 2 * weightBytes * float64(s.Shape.Width),
	}
	g.prompt, g.token = s.forwardFLOPs(g.in/2), s.forwardFLOPs(0)
	if g.usual = usualDecodeBatch; s.Evaluate.Batch > 0 {
		g.usual = float64(s.Evaluate.Batch)
	}
	if s.Method.adapted() {
		g.adaptersGB = weightBytes * s.adapterParams() / 1e9
	}
	if s.Evaluate.Framework == Compiled || s.Evaluate.Framework == Tuned {
		g.gap = decodeGap * g.layers
	}
	formats := []Format{s.Evaluate.Weights}
	if s.Evaluate.Weights == FormatAuto {
		formats = []Format{Bits16, Bits8, Bits4}
	}
	for _, f := range formats {
		gb, cache := s.Shape.storedBytes(f)/1e9, s.kvBytes(f)
		g.stores = append(g.stores, store{
			format: f, gb: gb, fixed: gb + g.adaptersGB + 0.5*g.out*cache/1e9, each: g.held * cache / 1e9,
			step: s.Shape.readBytes(f), cache: cache, pass: s.passSeconds(f, k), fp8: f.fp8(),
		})
	}
	width := square(widthGeneration, true) + square(widthExperts, g.routed)
	g.factor, g.newGPU = math.Exp(math.Sqrt(width)), math.Exp(math.Sqrt(width+square(widthNewGPU, true)))
	return g
}
