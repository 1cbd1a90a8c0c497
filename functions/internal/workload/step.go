package workload

import (
	"math"
	"math/bits"
)

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

// estimate estimates the training.
func (t *training) estimate(m *machine, e *Estimate) {
	var l layout
	parts, _ := t.choose(m, &l, &e.Memory)
	micro, step := t.tokens(m, &l)
	one := t.microStep(m, &l, micro, step)
	perToken := t.secondsPerToken(m, &l, one.total()/micro)
	e.TokensPerSecondPerGPU = 1 / perToken
	e.Precision, e.Sharding, e.Checkpointed = m.precision, l.sharding, l.recomp > 0
	e.Parallelism, e.GPUsPerCopy, e.Shares = l.words(m), int(l.split()), one.shares()
	e.TensorParallel, e.PipelineParallel = l.tensor, l.pipeline
	if l.sharding == Zero3 {
		e.GPUsPerCopy = m.gpus
	}
	e.MFU = t.perToken / perToken / m.topRate()
	e.OutOfRange = t.outOfRange(e.MFU)
	e.OnPaper = t.flops / (float64(m.gpus) * m.topRate() * paperMFU)
	e.remember(parts, memoryMargin, m.memoryGB)
	e.spread(t.Tokens*perToken/float64(m.gpus), t.spreads[m.circumstance(micro)])
}

// secondsPerToken is the whole run's seconds per token and GPU, of GPUs that take
// together seconds for one in steady state.
func (t *training) secondsPerToken(m *machine, l *layout, together float64) float64 {
	perToken := together * l.split() * t.padding()
	if t.SteadyState {
		return perToken
	}
	return t.wholeRun(perToken, t.perToken/(m.topRate()*unconfiguredMFU))
}

// tokens is the tokens of a micro-step, and of an optimizer step, of the GPUs that
// work together on one micro-batch.
func (t *training) tokens(m *machine, l *layout) (micro, step float64) {
	micro = t.micro
	if t.averaged {
		micro = max(micro, unconfiguredTokens)
	}
	if t.BatchTokens > 0 {
		step = t.BatchTokens / l.groups(m)
		return min(micro, step), step
	}
	steps := float64(accumulatedSteps * l.pipeline)
	if t.Kind == Pretrain {
		return micro, max(micro, min(steps*micro, batchTokensCap/l.groups(m)))
	}
	if l.split() > 1 {
		return micro, steps * micro
	}
	return micro, micro
}

// microStep is the seconds of one micro-step of micro tokens: what each GPU computes
// of it, or the launches if those take longer; the step's optimizer; and the traffic
// that does not hide behind it.
func (t *training) microStep(m *machine, l *layout, micro, step float64) seconds {
	split, part := l.split(), micro/step
	u := t.workSeconds(m, l, micro)
	if split > 1 {
		one := u.total()
		u.compute += l.idleSeconds(one, part)
		u.link += t.splitSeconds(m, l, micro, one)
	}
	if !t.adapted {
		u = u.plus(t.optimizerSeconds(m, l, part))
	}
	if m.gpus > 1 {
		u.link += t.expertSeconds(m, micro/split)
		work, traffic := u.total(), t.trafficSeconds(m, l, part)
		u.link += exposed(work, traffic, t.overlap(l))
	}
	if t.streams {
		u.io += t.streamSeconds(m, l)
	}
	if m.nodes > 1 {
		u.link += u.total() * nodeOverhead * doublings(m.nodes)
	}
	return u
}

// work is what a GPU does in a micro-step of so many tokens. The zero value is of no work.
type work struct {
	micro, recomp    float64
	tensor, pipeline int
	sharded          bool
	seconds          seconds
}

// workSeconds is what each GPU computes of a micro-step, or the launches if those take
// longer. It is remembered, as it mostly is the same for any number of nodes.
func (t *training) workSeconds(m *machine, l *layout, micro float64) seconds {
	w := &m.last
	sharded := l.sharding == Zero3
	if w.micro == micro && w.recomp == l.recomp && w.tensor == l.tensor && w.pipeline == l.pipeline && w.sharded == sharded {
		return w.seconds
	}
	u := seconds{
		compute: micro * (t.matrixSeconds(m, l) + t.attentionSeconds(m, l)),
		memory:  micro*t.elementSeconds(m, l) + t.weightSeconds(m, l) + t.dequantSeconds(m, l),
	}
	if split := l.split(); split > 1 {
		u = u.times(1 / split)
	}
	busy, launches := u.total(), t.launchSeconds(l)
	u.compute += softMaximum(busy, launches) - busy
	*w = work{micro, l.recomp, l.tensor, l.pipeline, sharded, u}
	return u
}

// doublings is log2(n), which is found faster of powers of two.
func doublings(n int) float64 {
	if n&(n-1) == 0 {
		return float64(bits.TrailingZeros(uint(n)))
	}
	return math.Log2(float64(n))
}

// splitSeconds is what tensor and pipeline parallelism send in a micro-step of work
// seconds. Tensor parallelism exchanges the activations of every layer twice in each
// pass (Shoeybi et al. 2019, Megatron-LM, section 3); a pipeline's stages hand them on.
func (t *training) splitSeconds(m *machine, l *layout, micro, work float64) (link float64) {
	activations := weightBytes * micro * t.width
	if tensor := float64(l.tensor); tensor > 1 {
		layers := t.layers / float64(l.pipeline)
		exchange := layers * (4 + 2*l.recomp) * 2 * activations * (tensor - 1) / tensor / m.nodeLink()
		link = exposed(work, exchange, overlapped)
	}
	if l.pipeline > 1 {
		link += 2 * activations / float64(l.tensor) / m.expertLink()
	}
	return link
}

// idleSeconds is one micro-step's part of the time in which a pipeline of p stages
// fills and drains: (p - 1) micro-steps of work seconds per optimizer step, over the
// interleaving (Narayanan et al. 2021, section 2.2).
func (l *layout) idleSeconds(work, part float64) float64 {
	return work * float64(l.pipeline-1) * part / pipelineInterleaving
}

// overlap is the share of the shorter of work and traffic that hides behind the
// other: eager programs gather each layer's weights when they come to it.
func (t *training) overlap(l *layout) float64 {
	if t.eager && l.sharding == Zero3 {
		return t.k.EagerOverlap
	}
	return overlapped
}

// exposed is what of traffic does not hide behind work: a share of the shorter of them
// does. (A branch is foreseen where a minimum would have to be waited for.)
func exposed(work, traffic, overlap float64) float64 {
	if work < traffic {
		return traffic - overlap*work
	}
	return traffic - overlap*traffic
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
func (t *training) matrixSeconds(m *machine, l *layout) float64 {
	perParam := t.pass + 2*l.recomp
	flops, rate := perParam*t.matrix, m.matrixRate()
	if m.eight == 0 {
		return flops / rate
	}
	head := min(flops, perParam*t.vocabulary*t.width)
	return (flops-head)/(m.eight/m.peak*m.k.FP8Efficiency*rate) + head/rate
}

// attentionSeconds is per token: (12 + 4r) L d s / (P e h). Common kernels fall
// behind the matrix products as those get faster, h = sqrt(312 / P); tuned ones do not.
func (t *training) attentionSeconds(m *machine, l *layout) float64 {
	h := 1.0
	switch {
	case t.tuned:
		h = tunedAttention
	case m.peak > attentionReference*1e12:
		h = math.Sqrt(attentionReference * 1e12 / m.peak)
	}
	return t.attentionFLOPs(12+4*l.recomp) / (m.peak * m.clock * m.k.AttentionEfficiency * h)
}

// elementSeconds is per token: norms, activations, residuals, rotary embeddings and
// the softmax over the vocabulary move (E f (1 + .2r) L d + 24 V) bytes.
func (t *training) elementSeconds(m *machine, l *layout) float64 {
	bytes := t.element*(1+elementRecomputed*l.recomp)*(t.layers*t.width) + t.logit
	bytes += t.kindOf(m).scores
	return bytes / m.bandwidth
}

// weightSeconds is per micro-step: each of the 3 + r passes reads the 16-bit
// weights once, half of it behind the products: N (3 + r) / B.
func (t *training) weightSeconds(m *machine, l *layout) float64 {
	return t.matrix * (3 + l.recomp) / m.bandwidth
}

// dequantSeconds is per micro-step of QLoRA: each of the 2 + r passes over frozen
// weights turns them into 16-bit values first.
func (t *training) dequantSeconds(m *machine, l *layout) float64 {
	if t.dequant == 0 {
		return 0
	}
	return t.dequant * (2 + l.recomp) / m.bandwidth
}

// launchSeconds is per micro-step the CPU's time to launch the kernels of L layers
// in 3 + r passes. It does not depend on the GPU.
func (t *training) launchSeconds(l *layout) float64 {
	launches := t.launch / float64(l.pipeline) * (3 + l.recomp)
	switch {
	case !t.eager:
		launches *= launchFused
	case l.sharding == Zero3:
		launches *= t.k.LaunchSharded
	}
	if t.routed {
		launches *= launchExperts
	}
	return launches
}

// optimizerSeconds is one micro-step's part of the Adam step: 30 bytes per parameter
// of this GPU's shard over the memory bandwidth, and 1 s per billion on the CPU when
// its states are offloaded. Adapters are too few to count.
func (t *training) optimizerSeconds(m *machine, l *layout, part float64) seconds {
	params := t.Shape.Params / l.split()
	if l.sharding != ShardNone {
		params = t.Shape.Params / float64(m.gpus)
	}
	u := seconds{memory: optimizerBytes * params / m.bandwidth * part}
	if t.Offload {
		u.io = cpuAdamSeconds * params * part
	}
	return u
}

// padding is the factor on time when samples are padded to the longest of a batch
// instead of packed. Pretraining always packs.
func (s *Spec) padding() float64 {
	if s.Packing || s.Kind == Pretrain {
		return 1
	}
	return paddedFactor
}

// wholeRun turns steady-state seconds into a run's: start, evaluations, saves,
// interruptions and restarts cost goodput; and where the configuration of a pretraining
// is not stated the formula is averaged (geometric mean) with what such runs reached on
// the whole, which is the usual.
func (t *training) wholeRun(seconds, usual float64) float64 {
	seconds /= t.k.Goodput
	if !t.averaged {
		return seconds
	}
	return math.Sqrt(seconds * usual)
}
