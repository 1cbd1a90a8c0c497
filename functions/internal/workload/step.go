package workload

import "math"

// seconds is where the time of a micro-step goes.
type seconds struct {
	compute, memory, link, io float64
}

// total is the whole.
func (t seconds) total() float64 { return t.compute + t.memory + t.link + t.io }

// plus is the sum, part by part.
func (t seconds) plus(u seconds) seconds {
	return seconds{t.compute + u.compute, t.memory + u.memory, t.link + u.link, t.io + u.io}
}

// times is k of them.
func (t seconds) times(k float64) seconds {
	return seconds{t.compute * k, t.memory * k, t.link * k, t.io * k}
}

// shares are the parts of the whole, with the time that any stage spends on input
// set aside.
func (t seconds) shares() Shares {
	k := (1 - ioShare) / t.total()
	return Shares{Compute: t.compute * k, Memory: t.memory * k, Link: t.link * k, IO: t.io*k + ioShare}
}

// train estimates the training.
func (s *Stage) train(m *machine) Estimate {
	w := &s.spec
	l, parts := w.choose(m)
	micro, step := w.tokens(m, l)
	t := w.microStep(m, l, micro, step)
	perToken := t.total() / micro * l.split() * w.padding()
	if !w.SteadyState {
		perToken = w.wholeRun(m, perToken)
	}
	e := Estimate{
		TokensPerSecondPerGPU: 1 / perToken,
		Precision:             m.precision, Sharding: l.sharding, Checkpointed: l.recomp > 0,
		Parallelism: l.words(m), GPUsPerCopy: int(l.split()), Shares: t.shares(),
		TensorParallel: l.tensor, PipelineParallel: l.pipeline,
	}
	if l.sharding == Zero3 {
		e.GPUsPerCopy = m.gpus
	}
	e.MFU = w.TrainFLOPs() / w.Tokens / perToken / m.topRate()
	e.OutOfRange = w.outOfRange(e.MFU)
	e.OnPaper = w.TrainFLOPs() / (float64(m.gpus) * m.topRate() * paperMFU)
	e.remember(parts, memoryMargin, m.memoryGB)
	e.spread(w.Tokens*perToken/float64(m.gpus), w.halfWidth(m, micro))
	return e
}

// tokens is the tokens of a micro-step, and of an optimizer step, of the GPUs that
// work together on one micro-batch.
func (s *Spec) tokens(m *machine, l layout) (micro, step float64) {
	micro = s.microTokens()
	groups := float64(m.gpus) / l.split()
	if s.Assumed.MicroBatch && s.Kind == Pretrain {
		micro = max(micro, unconfiguredTokens)
	}
	if s.BatchTokens > 0 {
		micro = min(micro, s.BatchTokens/groups)
		return micro, s.BatchTokens / groups
	}
	steps := float64(accumulatedSteps * l.pipeline)
	if s.Kind == Pretrain {
		return micro, max(micro, min(steps*micro, batchTokensCap/groups))
	}
	if l.split() > 1 {
		return micro, steps * micro
	}
	return micro, micro
}

// microStep is the seconds of one micro-step of micro tokens: what each GPU computes
// of it, or the launches if those take longer; the step's optimizer; and the traffic
// that does not hide behind it.
func (s *Spec) microStep(m *machine, l layout, micro, step float64) seconds {
	split, part := l.split(), micro/step
	t := seconds{
		compute: micro * (s.matrixSeconds(m, l) + s.attentionSeconds(m, l)),
		memory:  micro*s.elementSeconds(m, l) + s.weightSeconds(m, l) + s.dequantSeconds(m, l),
	}.times(1 / split)
	busy, launches := t.total(), s.launchSeconds(m, l)
	t.compute += softMaximum(busy, launches) - busy
	one := t.total()
	t.compute += l.idleSeconds(one, part)
	t.link += s.splitSeconds(m, l, micro, one)
	t = t.plus(s.optimizerSeconds(m, l, part))
	t.link += s.expertSeconds(m, micro/split)
	work, traffic := t.total(), s.trafficSeconds(m, l, part)
	t.link += traffic - s.overlap(m, l)*min(work, traffic)
	t.io += s.streamSeconds(m, l)
	t.link += t.total() * nodeOverhead * math.Log2(float64(m.nodes))
	return t
}

// splitSeconds is what tensor and pipeline parallelism send in a micro-step of work
// seconds. Tensor parallelism exchanges the activations of every layer twice in each
// pass (Shoeybi et al. 2019, Megatron-LM, section 3); a pipeline's stages hand them on.
func (s *Spec) splitSeconds(m *machine, l layout, micro, work float64) (link float64) {
	activations := weightBytes * micro * float64(s.Shape.Width)
	if tensor := float64(l.tensor); tensor > 1 {
		layers := float64(s.Shape.Layers) / float64(l.pipeline)
		exchange := layers * (4 + 2*l.recomp) * 2 * activations * (tensor - 1) / tensor / m.nodeLink()
		link = exchange - overlapped*min(work, exchange)
	}
	if l.pipeline > 1 {
		link += 2 * activations / float64(l.tensor) / m.expertLink()
	}
	return link
}

// idleSeconds is one micro-step's part of the time in which a pipeline of p stages
// fills and drains: (p - 1) micro-steps of work seconds per optimizer step, over the
// interleaving (Narayanan et al. 2021, section 2.2).
func (l layout) idleSeconds(work, part float64) float64 {
	return work * float64(l.pipeline-1) * part / pipelineInterleaving
}

// overlap is the share of the shorter of work and traffic that hides behind the
// other: eager programs gather each layer's weights when they come to it.
func (s *Spec) overlap(m *machine, l layout) float64 {
	if s.Framework == Eager && l.sharding == Zero3 {
		return m.k.EagerOverlap
	}
	return overlapped
}

// softMaximum is (a^4 + b^4)^(1/4): the GPU and the CPU that feeds it overlap, but
// not perfectly where they are close.
func softMaximum(a, b float64) float64 {
	return math.Sqrt(math.Sqrt(a*a*a*a + b*b*b*b))
}

// matrixParams is the parameters that a token is multiplied with: all active ones
// without an input embedding of its own, which is a look-up.
func (s *Spec) matrixParams() float64 {
	n := s.Shape.ActiveParams
	if !s.Shape.TiedHead {
		n -= float64(s.Shape.Vocabulary) * float64(s.Shape.Width)
	}
	return max(n, s.Shape.ActiveParams/2)
}

// matrixSeconds is per token: (c + 2r) N / (P e): recomputation repeats the forward
// pass. FP8 raises the rate of all but the output layer, at 0.86 of its efficiency.
func (s *Spec) matrixSeconds(m *machine, l layout) float64 {
	perParam := s.passFLOPs() + 2*l.recomp
	flops, rate := perParam*s.matrixParams(), m.matrixRate()
	if m.eight == 0 {
		return flops / rate
	}
	head := min(flops, perParam*float64(s.Shape.Vocabulary)*float64(s.Shape.Width))
	return (flops-head)/(m.eight/m.peak*m.k.FP8Efficiency*rate) + head/rate
}

// attentionSeconds is per token: (12 + 4r) L d s / (P e h). Common kernels fall
// behind the matrix products as those get faster, h = sqrt(312 / P); tuned ones do not.
func (s *Spec) attentionSeconds(m *machine, l layout) float64 {
	h := min(1, math.Sqrt(attentionReference*1e12/m.peak))
	if s.Framework == Tuned {
		h = tunedAttention
	}
	return s.attentionFLOPs(12+4*l.recomp) / (m.peak * m.clock * m.k.AttentionEfficiency * h)
}

// elementSeconds is per token: norms, activations, residuals, rotary embeddings and
// the softmax over the vocabulary move (E f (1 + .2r) L d + 24 V) bytes.
func (s *Spec) elementSeconds(m *machine, l layout) float64 {
	f := 1.0
	switch s.Framework {
	case Eager:
		f = m.k.ElementEager
	case Compiled, Tuned:
		f = elementCompiled
	}
	wide := float64(s.Shape.Layers) * float64(s.Shape.Width)
	bytes := m.k.ElementBytes*f*(1+elementRecomputed*l.recomp)*wide + logitTraffic*float64(s.Shape.Vocabulary)
	// Scores that are stored are written or read about once in each of three passes.
	bytes += 3 * s.scoresBytes(m) * float64(s.Shape.Layers)
	return bytes / m.bandwidth
}

// weightSeconds is per micro-step: each of the 3 + r passes reads the 16-bit
// weights once, half of it behind the products: N (3 + r) / B.
func (s *Spec) weightSeconds(m *machine, l layout) float64 {
	return s.matrixParams() * (3 + l.recomp) / m.bandwidth
}

// dequantSeconds is per micro-step of QLoRA: each of the 2 + r passes over frozen
// weights turns them into 16-bit values first.
func (s *Spec) dequantSeconds(m *machine, l layout) float64 {
	if s.Method != QLoRA {
		return 0
	}
	q := m.k.DequantNF4
	if s.Quantizer == GPTQ {
		q = m.k.DequantGPTQ
	}
	return dequantBase * q * s.matrixParams() * (2 + l.recomp) / m.bandwidth
}

// launchSeconds is per micro-step the CPU's time to launch the kernels of L layers
// in 3 + r passes. It does not depend on the GPU.
func (s *Spec) launchSeconds(m *machine, l layout) float64 {
	t := m.k.LaunchPerLayer * float64(s.Shape.Layers) / float64(l.pipeline) * (3 + l.recomp)
	switch {
	case s.Framework != Eager:
		t *= launchFused
	case l.sharding == Zero3:
		t *= m.k.LaunchSharded
	}
	if s.Shape.mixture() {
		t *= launchExperts
	}
	return t
}

// optimizerSeconds is one micro-step's part of the Adam step: 30 bytes per parameter
// of this GPU's shard over the memory bandwidth, and 1 s per billion on the CPU when
// its states are offloaded. Adapters are too few to count.
func (s *Spec) optimizerSeconds(m *machine, l layout, part float64) seconds {
	if s.Method.adapted() {
		return seconds{}
	}
	params := s.Shape.Params / l.split()
	if l.sharding != ShardNone {
		params = s.Shape.Params / float64(m.gpus)
	}
	t := seconds{memory: optimizerBytes * params / m.bandwidth * part}
	if s.Offload {
		t.io = cpuAdamSeconds * params * part
	}
	return t
}

// padding is the factor on time when samples are padded to the longest of a batch
// instead of packed. Pretraining always packs.
func (s *Spec) padding() float64 {
	if s.Packing || s.Kind == Pretrain {
		return 1
	}
	return paddedFactor
}

// wholeRun turns steady-state seconds per token into a run's: start, evaluations,
// saves, interruptions and restarts cost goodput; and where the configuration of a
// pretraining is not stated the formula is averaged (geometric mean) with what such
// runs reached on the whole.
func (s *Spec) wholeRun(m *machine, perToken float64) float64 {
	perToken /= m.k.Goodput
	if s.Kind != Pretrain || !s.Assumed.MicroBatch {
		return perToken
	}
	usual := s.TrainFLOPs() / s.Tokens / (m.topRate() * unconfiguredMFU)
	return math.Sqrt(perToken * usual)
}
