package workload

// memory is the peak per GPU of one micro-step, in parts, and their sum. Tensor
// parallelism splits activations too (with sequence parallelism: Korthikanti et al. 2022,
// section 4.2.2); a pipeline's stage has fewer layers, but keeps as many micro-batches as
// there are stages. The parts may be put into scratch.
func (t *training) memory(m *machine, l *layout, scratch *Memory) (parts *Memory, totalGB float64) {
	a, recomp := t.kindOf(m), int(l.recomp)
	unsplit := l.tensor == 1 && l.recomp == float64(recomp)
	if unsplit && l.whole() {
		return &a.whole[recomp], a.wholeGBs[recomp]
	}
	if unsplit {
		*scratch = a.whole[recomp]
	} else {
		t.setActivations(m, l, scratch)
	}
	t.setStates(m, l, scratch)
	return scratch, scratch.Total()
}

// setActivations sets what a micro-step leaves, if a share of the layers is recomputed.
func (t *training) setActivations(m *machine, l *layout, p *Memory) {
	a := t.kindOf(m)
	p.Activations = t.microBytes * (a.kept + l.recomp*a.saved) / float64(l.tensor) / 1e9
	p.Logits = t.copied.Logits / float64(l.tensor) / 1e9
	p.Overhead = overheadGB
}

// setStates sets what is kept of the model.
func (t *training) setStates(m *machine, l *layout, p *Memory) {
	weights, states := l.split(), l.split() // GPUs over which weights, and gradients and optimizer, are split
	gather, kept := 0.0, 1.0
	switch l.sharding {
	case Zero3:
		weights, states, gather = float64(m.gpus), float64(m.gpus), t.copied.Gather
	case Zero2:
		states = float64(m.gpus)
	}
	if t.Offload && (l.sharding == Zero3 || t.adapted) {
		kept = offloadedShare
	}
	p.Weights = t.copied.Weights / weights * kept / 1e9
	if t.adapted {
		p.Adapters = t.copied.Adapters / states / 1e9
	} else {
		p.Gradients = t.copied.Gradients / states * kept / 1e9
		p.Optimizer = t.copied.Optimizer / states / 1e9
		if l.sharding != ShardNone && t.eager && m.gpus > 1 {
			gather += bucketBytes
		}
	}
	p.Gather = gather / 1e9
}

// frozenOrFullBytes is the weights of one copy: 16 or 32 bits each, or quantised with
// the embeddings left in 16 under QLoRA.
func (s *Spec) frozenOrFullBytes() float64 {
	if s.Method != QLoRA {
		return s.valueBytes() * s.Shape.Params
	}
	stored := s.Shape.storedBytes(s.Quantizer.format())
	if s.Framework == Eager && s.Quantizer != GPTQ {
		// The common preparation for training on quantised weights (PEFT) turns
		// everything that is not quantised into 32 bits.
		stored += (4 - weightBytes) * s.Shape.embeddingParams()
	}
	return stored
}

// valueBytes is the size of a value of training: of weights and activations.
func (s *Spec) valueBytes() float64 {
	if s.Precision == FP32 {
		return 4
	}
	return weightBytes
}

// scoresBytes is the attention scores of one layer per token, where a program has to
// store them: one per head and token attended to.
func (s *Spec) scoresBytes(m *machine) float64 {
	if !m.plainScores || s.Framework != Eager {
		return 0
	}
	return scoreBytes * float64(s.Shape.Heads) * float64(s.SeqLen)
}

// layerBytes is the 16-bit activations of one layer per token: norms, residuals and
// dropout masks 10 d; queries and attention output 4 q; keys and values 4 kv; the
// feed-forward part 4 f, or 8 f if gated (gate, up, activated gate, product). A
// classic layer, q = kv = d and f = 4 d, keeps the 34 d of Korthikanti et al. 2022,
// equation 2, without the attention scores, which fused kernels never store.
func (x *Shape) layerBytes() float64 {
	d, f := float64(x.Width), float64(x.FFN)
	q, kv := float64(x.Heads*x.HeadSize), float64(x.KVHeads*x.HeadSize)
	feedForward := 4 * f
	if x.GatedFFN {
		feedForward = 8 * f
	}
	return 10*d + 4*q + 4*kv + feedForward
}

// logitBytes is the logits of a micro-step: plain PyTorch keeps 16-bit and FP32
// logits, the softmax and their gradient; fused losses work in place; chunked ones hold
// one of eight chunks at a time.
func (s *Spec) logitBytes() float64 {
	perEntry := float64(logitMemoryFused)
	if s.Framework == Eager {
		perEntry = logitMemoryEager
	}
	if s.ChunkedLoss {
		perEntry *= chunkedLogits
	}
	return perEntry * s.microTokens() * float64(s.Shape.Vocabulary)
}

// gradientWidth is bytes per trained parameter: 16 bits, and 16 more where common
// fine-tuning stacks (DeepSpeed, FSDP) add BF16 gradients up in FP32.
func (s *Spec) gradientWidth() float64 {
	if s.Precision == FP32 {
		return 4
	}
	if s.Optimizer.pure() {
		return gradientBytes
	}
	if s.Kind == FineTune && s.Framework == Eager {
		return 2 * gradientBytes
	}
	return gradientBytes
}

// microTokens is the tokens of a micro-step on one GPU.
func (s *Spec) microTokens() float64 { return float64(s.MicroBatch) * float64(s.SeqLen) }

// embeddingParams is the input embedding and, if it is a matrix of its own, the
// output one; at most a fifth of the model, should a stated vocabulary be absurd.
func (x *Shape) embeddingParams() float64 {
	p := float64(x.Vocabulary) * float64(x.Width)
	if !x.TiedHead {
		p *= 2
	}
	if p > 0.6*x.Params {
		return 0.2 * x.Params
	}
	return p
}

// adapterParams is the parameters of rank-r adapters on every linear layer: r x
// (inputs + outputs) of the four attention matrices and of the two or, if gated,
// three feed-forward ones (Hu et al. 2021, LoRA, section 4.1).
func (s *Spec) adapterParams() float64 {
	x := &s.Shape
	d := float64(x.Width)
	q, kv, ffn := float64(x.Heads*x.HeadSize), float64(x.KVHeads*x.HeadSize), float64(x.FFN)
	attention := 2*(d+q) + 2*(d+kv)
	feedForward := 2 * (d + ffn)
	if x.GatedFFN {
		feedForward = 3 * (d + ffn)
	}
	return float64(s.LoRARank) * float64(x.Layers) * (attention + feedForward)
}

// fitOf compares a peak with a card of cardGB: it fits if it does so with the
// margin, and does not if it does not even without.
func fitOf(totalGB, margin, cardGB float64) Fit {
	switch {
	case fits(totalGB, margin, cardGB):
		return Fits
	case totalGB > failsAbove*cardGB:
		return DoesNotFit
	default:
		return MayNotFit
	}
}

// fits reports whether a peak is surely in a card of cardGB.
func fits(totalGB, margin, cardGB float64) bool { return totalGB*(1+margin) <= fitsBelow*cardGB }
