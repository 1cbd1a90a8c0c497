package workload

import "math"

// answerSeconds is the time until the busiest copy has answered its requests: full
// batches and the rest.
func (s *Spec) answerSeconds(m *machine, v serving) seconds {
	requests := math.Ceil(float64(s.Evaluate.Requests) / float64(v.copies))
	batch := float64(v.batch)
	full := math.Floor(requests / batch)
	t := s.batchSeconds(m, v, batch).times(full)
	if rest := requests - full*batch; rest > 0 {
		t = t.plus(s.batchSeconds(m, v, rest))
	}
	return t
}

// batchSeconds is one batch: its prompts, then one step per output token.
func (s *Spec) batchSeconds(m *machine, v serving, batch float64) seconds {
	steps := s.stepSeconds(m, v, batch).times(float64(s.Evaluate.OutputTokens))
	return s.promptSeconds(m, v, batch).plus(steps)
}

// promptSeconds is the prompts of batch requests, in chunks: limited by compute, or by
// the launches of each chunk's pass. A token attends to those before it, half of the
// prompt on average.
func (s *Spec) promptSeconds(m *machine, v serving, batch float64) seconds {
	in := float64(s.Evaluate.InputTokens)
	tokens := batch * in
	if tokens == 0 {
		return seconds{}
	}
	passes := math.Ceil(tokens / prefillChunk)
	together := s.together(v)
	busy := tokens * s.forwardFLOPs(in/2) / (m.servingRate(v.format) * together)
	t := seconds{compute: softMaximum(busy, passes*s.passSeconds(m, v))}
	if together > 1 {
		t.link = passes * s.reduceSeconds(m, v.width, tokens/passes)
	}
	return t
}

// stepSeconds is one step, which makes a token for each of batch requests: the
// weights are read once while the products run, whichever takes longer; then every
// request's keys and values are read. Programs that launch kernels one by one may
// take longer still to launch them; replayed graphs leave a gap per layer.
func (s *Spec) stepSeconds(m *machine, v serving, batch float64) seconds {
	split := s.together(v)
	bandwidth := m.bandwidth * decodeEfficiency * split
	reading := s.Shape.stepBytes(v.format, batch) / bandwidth
	computing := batch * s.forwardFLOPs(0) / (m.servingRate(v.format) * split)
	cache := batch * s.heldTokens() * s.kvBytes(v.format) / bandwidth
	t := seconds{compute: computing, memory: cache}
	if reading > computing {
		t.compute, t.memory = 0, cache+reading
	}
	t.memory += softMaximum(reading, computing) - max(reading, computing)
	busy := t.total()
	t.compute += softMaximum(busy, s.passSeconds(m, v)) - busy
	if s.Evaluate.Framework == Compiled || s.Evaluate.Framework == Tuned {
		t.compute += decodeGap * float64(s.Shape.Layers)
	}
	if split > 1 {
		t.link = s.reduceSeconds(m, v.width, batch)
	}
	return t
}

// together is the GPUs of a copy that work at the same time: all of them under tensor
// parallelism, one where plain PyTorch spreads the layers over them.
func (s *Spec) together(v serving) float64 {
	if s.Evaluate.Framework == Eager {
		return 1
	}
	return float64(v.width)
}

// passSeconds is the CPU's time to launch one forward pass: as in training for
// programs in plain or fused PyTorch, more where each matrix is dequantised by a
// kernel of its own; none where captured graphs are replayed.
func (s *Spec) passSeconds(m *machine, v serving) float64 {
	t := m.k.LaunchPerLayer * decodeLaunches * float64(s.Shape.Layers)
	switch s.Evaluate.Framework {
	case Eager:
		if v.format != Bits16 {
			t *= launchDequant
		}
	case Flash:
		t *= launchFused
	default:
		return 0
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

// stepBytes is the weights that one step of batch requests reads (Pope et al. 2022,
// section 2.1): all of them but an input embedding of its own; of a mixture those
// that the tokens reach, which of E experts of which each token takes k is
// 1 - (1 - k/E)^batch of them.
func (x *Shape) stepBytes(f Format, batch float64) float64 {
	stored := x.storedBytes(f)
	if !x.TiedHead {
		stored -= weightBytes * min(float64(x.Vocabulary)*float64(x.Width), 0.1*x.Params)
	}
	if !x.mixture() {
		return stored
	}
	idle := math.Pow(1-x.ActiveParams/x.Params, batch)
	return stored * (1 - idle)
}

// reduceSeconds is one forward pass's two all-reduces per layer of 16-bit
// activations of tokens (Shoeybi et al. 2019, Megatron-LM, section 3), as rings.
func (s *Spec) reduceSeconds(m *machine, width int, tokens float64) float64 {
	w := float64(width)
	bytes := weightBytes * tokens * float64(s.Shape.Width) * 2 * (w - 1) / w
	return 2 * float64(s.Shape.Layers) * (reduceLatency + bytes/m.nodeLink())
}
