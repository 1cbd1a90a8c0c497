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
	micro, step := w.tokens(m)
	t := w.microStep(m, l, micro, step)
	perToken := t.total() / micro * w.padding()
	if w.Kind == Pretrain && !w.SteadyState {
		perToken = w.wholeRun(m, perToken)
	}
	e := Estimate{
		TokensPerSecondPerGPU: 1 / perToken,
		Precision:             m.precision, Sharding: l.sharding, Checkpointed: l.recomp,
		Parallelism: l.words(m), GPUsPerCopy: 1, Shares: t.shares(),
	}
	if l.sharding == Zero3 {
		e.GPUsPerCopy = m.gpus
	}
	e.MFU = w.TrainFLOPs() / w.Tokens / perToken / m.topRate()
	e.Unusual = w.unusual(e.MFU)
	e.remember(parts, memoryMargin, m.memoryGB)
	e.spread(w.Tokens*perToken/float64(m.gpus), w.halfWidth(m, micro))
	return e
}

// words names the layout.
func (l layout) words(m *machine) string {
	switch {
	case m.gpus == 1:
		return "one GPU"
	case l.sharding == Zero3:
		return "data parallel, ZeRO-3"
	case l.sharding == Zero2:
		return "data parallel, ZeRO-2"
	default:
		return "data parallel"
	}
}

// tokens is the tokens per GPU of a micro-step and of an optimizer step.
func (s *Spec) tokens(m *machine) (micro, step float64) {
	micro, gpus := s.microTokens(), float64(m.gpus)
	if s.Assumed.MicroBatch && s.Kind == Pretrain {
		micro = max(micro, unconfiguredTokens)
	}
	if s.BatchTokens > 0 {
		micro = min(micro, s.BatchTokens/gpus)
		return micro, s.BatchTokens / gpus
	}
	if s.Kind == Pretrain {
		return micro, max(micro, min(accumulatedSteps*micro, batchTokensCap/gpus))
	}
	return micro, micro
}

// microStep is the seconds of one micro-step of micro tokens per GPU: what the GPU
// computes, or the launches if those take longer; the step's optimizer; and the
// traffic that does not hide behind it.
func (s *Spec) microStep(m *machine, l layout, micro, step float64) seconds {
	t := seconds{
		compute: micro * (s.matrixSeconds(m, l) + s.attentionSeconds(m, l)),
		memory:  micro*s.elementSeconds(m, l) + s.weightSeconds(m, l) + s.dequantSeconds(m, l),
	}
	busy, launches := t.total(), s.launchSeconds(m, l)
	t.compute += softMaximum(busy, launches) - busy
	t = t.plus(s.optimizerSeconds(m, l, micro/step))
	t.link += s.expertSeconds(m, micro)
	work, traffic := t.total(), s.trafficSeconds(m, l, micro/step)
	t.link += traffic - overlapped*min(work, traffic)
	t.io += s.streamSeconds(m, l)
	t.link += t.total() * nodeOverhead * math.Log2(float64(m.nodes))
	return t
}

// softMaximum is (a^4 + b^4)^(1/4): the GPU and the CPU that feeds it overlap, but
// not perfectly where they are close.
func softMaximum(a, b float64) float64 {
	return math.Sqrt(math.Sqrt(a*a*a*a + b*b*b*b))
}

// recomputed is r: 1 if activations are recomputed, else 0.
func (l layout) recomputed() float64 {
	if l.recomp {
		return 1
	}
	return 0
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
	perParam := s.passFLOPs() + 2*l.recomputed()
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
	return s.attentionFLOPs(12+4*l.recomputed()) / (m.peak * m.clock * m.k.AttentionEfficiency * h)
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
	bytes := m.k.ElementBytes*f*(1+elementRecomputed*l.recomputed())*wide + logitTraffic*float64(s.Shape.Vocabulary)
	return bytes / m.bandwidth
}

// weightSeconds is per micro-step: each of the 3 + r passes reads the 16-bit
// weights once, half of it behind the products: N (3 + r) / B.
func (s *Spec) weightSeconds(m *machine, l layout) float64 {
	return s.matrixParams() * (3 + l.recomputed()) / m.bandwidth
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
	return dequantBase * q * s.matrixParams() * (2 + l.recomputed()) / m.bandwidth
}

// launchSeconds is per micro-step the CPU's time to launch the kernels of L layers
// in 3 + r passes. It does not depend on the GPU.
func (s *Spec) launchSeconds(m *machine, l layout) float64 {
	t := m.k.LaunchPerLayer * float64(s.Shape.Layers) * (3 + l.recomputed())
	switch {
	case s.Framework != Eager:
		t *= launchFused
	case l.sharding == Zero3:
		t *= launchSharded
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
	params := s.Shape.Params
	if l.sharding != ShardNone {
		params /= float64(m.gpus)
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

// wholeRun turns steady-state seconds per token into a pretraining run's: interruptions
// and restarts cost goodput; and where the configuration is not stated the formula
// is averaged (geometric mean) with what such runs reached on the whole.
func (s *Spec) wholeRun(m *machine, perToken float64) float64 {
	perToken /= m.k.Goodput
	if !s.Assumed.MicroBatch {
		return perToken
	}
	usual := s.TrainFLOPs() / s.Tokens / (m.topRate() * unconfiguredMFU)
	return math.Sqrt(perToken * usual)
}
