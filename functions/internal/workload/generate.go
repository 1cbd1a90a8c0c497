package workload

import "math"

// serving is how an evaluation is laid out: copies of the model, each over width
// GPUs of one node, each answering batch requests at a time.
type serving struct {
	width, copies, batch int
}

// generate estimates the evaluation: requests are answered in batches by as many
// copies of the model as the GPUs hold.
func (s *Stage) generate(m *machine) Estimate {
	w := &s.spec
	v, parts := w.serve(m)
	share := math.Ceil(float64(w.Evaluate.Requests) / float64(v.copies))
	t := w.answerSeconds(m, v, share)
	expected, gpus := t.total(), float64(m.gpus)
	e := Estimate{
		Precision: m.precision, Sharding: ShardNone, Parallelism: v.words(m),
		GPUsPerCopy: v.width, Shares: t.shares(),
	}
	made := float64(w.Evaluate.Requests) * float64(w.Evaluate.OutputTokens)
	e.TokensPerSecondPerGPU = made / expected / gpus
	e.MFU = w.answerFLOPs() * float64(w.Evaluate.Requests) / (expected * gpus * m.topRate())
	e.remember(parts, servingMargin, m.memoryGB)
	e.spread(expected, math.Sqrt(square(widthGeneration, true)+
		square(widthExperts, w.Shape.mixture())+square(widthNewGPU, m.unproven)))
	return e
}

// words names the layout.
func (v serving) words(m *machine) string {
	switch {
	case m.gpus == 1:
		return "one GPU"
	case v.width == 1:
		return "independent copies"
	case v.copies == 1:
		return "tensor parallel"
	default:
		return "copies, each tensor parallel"
	}
}

// serve chooses the fewest GPUs of a node that hold a copy (a power of two, which
// divides the heads), and the largest batch, a power of two, that fits beside it.
// No copy answers more requests at a time than it has.
func (s *Spec) serve(m *machine) (serving, Memory) {
	width := 1
	for !s.serves(m, width, 1) && 2*width <= m.perNode {
		width *= 2
	}
	batch := 1
	for 2*batch <= maxDecodeBatch && s.serves(m, width, 2*batch) {
		batch *= 2
	}
	copies := m.nodes * (m.perNode / width)
	share := (s.Evaluate.Requests + copies - 1) / copies
	v := serving{width: width, copies: copies, batch: min(batch, share)}
	return v, s.servingMemory(width, v.batch)
}

// serves reports whether batch requests on width GPUs fit.
func (s *Spec) serves(m *machine, width, batch int) bool {
	return fitOf(s.servingMemory(width, batch), servingMargin, m.memoryGB) == Fits
}

// servingMemory is the peak per GPU of a copy over width GPUs that decodes batch
// requests: 16-bit weights, adapters, keys and values of whole requests, the prompt
// chunk at hand, FP32 logits of the last tokens.
func (s *Spec) servingMemory(width, batch int) Memory {
	x, split := &s.Shape, float64(width)
	chunk := min(prefillChunk, float64(batch)*float64(s.Evaluate.InputTokens))
	held := float64(s.Evaluate.InputTokens) + float64(s.Evaluate.OutputTokens)
	p := Memory{
		Weights:     weightBytes * x.Params / split,
		KVCache:     float64(batch) * held * x.kvBytes() / split,
		Activations: weightBytes * chunk * float64(4*x.Width+2*x.FFN) / split,
		Logits:      4 * float64(batch) * float64(x.Vocabulary),
		Overhead:    overheadGB * 1e9,
	}
	if s.Method.adapted() {
		p.Adapters = weightBytes * s.adapterParams() / split
	}
	return p.inGB()
}

// kvBytes is the keys and values of one token in 16 bits: 2 x L x KV heads x head
// size x 2 bytes. Grouped-query attention keeps fewer KV heads (Ainslie et al. 2023).
func (x *Shape) kvBytes() float64 {
	return 4 * float64(x.Layers) * float64(x.KVHeads) * float64(x.HeadSize)
}

// answerSeconds is the time of requests on one copy: full batches and the rest.
func (s *Spec) answerSeconds(m *machine, v serving, requests float64) seconds {
	batch := float64(v.batch)
	full := math.Floor(requests / batch)
	t := s.batchSeconds(m, v.width, batch).times(full)
	if rest := requests - full*batch; rest > 0 {
		t = t.plus(s.batchSeconds(m, v.width, rest))
	}
	return t
}

// batchSeconds is one batch: the prompts by compute, then one step per output token
// that either reads all weights and caches or, in large batches, computes longer.
func (s *Spec) batchSeconds(m *machine, width int, batch float64) seconds {
	rate := m.matrixRate() * float64(width)
	prompt, steps := batch*float64(s.Evaluate.InputTokens), float64(s.Evaluate.OutputTokens)
	t := seconds{compute: prompt * s.forwardFLOPs(float64(s.Evaluate.InputTokens)) / rate}
	computing := batch * s.forwardFLOPs(s.heldTokens()) / rate
	reading := s.stepBytes(batch) / (m.bandwidth * decodeEfficiency * float64(width))
	if computing > reading {
		t.compute += steps * computing
	} else {
		t.memory += steps * reading
	}
	if width > 1 {
		t.link = s.reduceSeconds(m, width, prompt) + steps*s.reduceSeconds(m, width, batch)
	}
	return t
}

// heldTokens is the tokens a request holds in the cache, averaged over its output.
func (s *Spec) heldTokens() float64 {
	return float64(s.Evaluate.InputTokens) + float64(s.Evaluate.OutputTokens)/2
}

// forwardFLOPs is per token at a context: 2 N_active + 4 L d context (Kaplan et al.
// 2020, section 2.1; attention as in PaLM, Chowdhery et al. 2022, appendix B).
func (s *Spec) forwardFLOPs(context float64) float64 {
	return 2*s.matrixParams() + 4*float64(s.Shape.Layers)*float64(s.Shape.Width)*context
}

// answerFLOPs is one request's prompt and output.
func (s *Spec) answerFLOPs() float64 {
	in, out := float64(s.Evaluate.InputTokens), float64(s.Evaluate.OutputTokens)
	return in*s.forwardFLOPs(in) + out*s.forwardFLOPs(s.heldTokens())
}

// stepBytes is what one decoding step reads: the weights, of a mixture those that
// the batch's tokens reach, and every request's cache (Pope et al. 2022, section 2.1).
func (s *Spec) stepBytes(batch float64) float64 {
	weights := weightBytes * min(s.Shape.Params, s.Shape.ActiveParams*batch)
	return weights + batch*s.heldTokens()*s.Shape.kvBytes()
}

// reduceSeconds is one forward pass's two all-reduces per layer of 16-bit
// activations of tokens (Shoeybi et al. 2019, Megatron-LM, section 3), as rings.
func (s *Spec) reduceSeconds(m *machine, width int, tokens float64) float64 {
	w := float64(width)
	bytes := weightBytes * tokens * float64(s.Shape.Width) * 2 * (w - 1) / w
	return 2 * float64(s.Shape.Layers) * (reduceLatency + bytes/m.nodeLink())
}
