package workload

import "math"

// answering is the seconds until the busiest copy has answered its requests, those of a
// full batch, and of a step of it.
type answering struct {
	all, batch, step seconds
}

// answer sets those: of full batches and the rest.
func (g *generation) answer(m *machine, v *serving, t *answering) {
	batch := float64(v.batch)
	full := math.Floor(v.requests / batch)
	t.batch, t.step = g.batchSeconds(m, v, batch)
	t.all = t.batch.times(full)
	if rest := v.requests - full*batch; rest > 0 {
		u, _ := g.batchSeconds(m, v, rest)
		t.all = t.all.plus(u)
	}
}

// batchSeconds is one batch, its prompts, then one step per output token; and one step.
func (g *generation) batchSeconds(m *machine, v *serving, batch float64) (all, step seconds) {
	step = g.stepSeconds(m, v, batch)
	prompts := g.promptSeconds(m, v, batch)
	return prompts.plus(step.times(g.out)), step
}

// promptSeconds is the prompts of batch requests, in chunks: limited by compute, or by
// the launches of each chunk's pass. A token attends to those before it, half of the
// prompt on average.
func (g *generation) promptSeconds(m *machine, v *serving, batch float64) (t seconds) {
	tokens := batch * g.in
	if tokens == 0 {
		return t
	}
	passes := math.Ceil(tokens / prefillChunk)
	busy := tokens * g.prompt / (v.rate * v.together)
	t.compute = softMaximum(busy, passes*v.store.pass)
	if v.together > 1 {
		t.link = passes * g.reduceSeconds(m, v, tokens/passes)
	}
	return t
}

// stepSeconds is one step, which makes a token for each of batch requests: the
// weights are read once while the products run, whichever takes longer; then every
// request's keys and values are read. Programs that launch kernels one by one may
// take longer still to launch them; replayed graphs leave a gap per layer.
func (g *generation) stepSeconds(m *machine, v *serving, batch float64) seconds {
	bandwidth := v.bandwidth * v.together
	reading := g.stepBytes(v.store, batch) / bandwidth
	computing := batch * g.token / (v.rate * v.together)
	cache := batch * g.held * v.store.cache / bandwidth
	t := seconds{compute: computing, memory: cache}
	if reading > computing {
		t.compute, t.memory = 0, cache+reading
	}
	t.memory += softMaximum(reading, computing) - max(reading, computing)
	busy := t.total()
	t.compute += softMaximum(busy, v.store.pass) - busy
	t.compute += g.gap
	if v.together > 1 {
		t.link = g.reduceSeconds(m, v, batch)
	}
	return t
}

// passSeconds is the CPU's time to launch one forward pass: as in training for
// programs in plain or fused PyTorch, more where each matrix is dequantised by a
// kernel of its own; none where captured graphs are replayed.
func (s *Spec) passSeconds(f Format, k *constants) float64 {
	t := k.LaunchPerLayer * decodeLaunches * float64(s.Shape.Layers)
	switch s.Evaluate.Framework {
	case Eager:
		if f != Bits16 {
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

// readBytes is the weights that one step reads (Pope et al. 2022, section 2.1): all of
// them but an input embedding of its own.
func (x *Shape) readBytes(f Format) float64 {
	stored := x.storedBytes(f)
	if !x.TiedHead {
		stored -= weightBytes * min(float64(x.Vocabulary)*float64(x.Width), 0.1*x.Params)
	}
	return stored
}

// stepBytes is readBytes of a step of batch requests: of a mixture those that the tokens
// reach, which of E experts of which each token takes k is 1 - (1 - k/E)^batch of them.
func (g *generation) stepBytes(from *store, batch float64) float64 {
	if !g.routed {
		return from.step
	}
	return from.step * (1 - math.Pow(g.idle, batch))
}

// reduceSeconds is one forward pass's two all-reduces per layer of 16-bit
// activations of tokens (Shoeybi et al. 2019, Megatron-LM, section 3), as rings.
func (g *generation) reduceSeconds(m *machine, v *serving, tokens float64) float64 {
	w := float64(v.width)
	bytes := weightBytes * tokens * float64(g.Shape.Width) * 2 * (w - 1) * v.share
	return 2 * g.layers * (reduceLatency + bytes/m.nodeLink())
}
