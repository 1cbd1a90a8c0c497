package workload

// layout is how a training is laid out on the GPUs.
type layout struct {
	sharding Sharding // never ShardAuto
	recomp   bool
}

// choose settles sharding and recomputation: a whole copy on each GPU if it fits,
// else ZeRO-3; activations recomputed in LoRA and QLoRA (the default of the common
// recipes, and what their published rates were measured with) unless the stack is
// hand-tuned, else only where they do not fit otherwise. What the tenant states is kept.
func (s *Spec) choose(m *machine) (layout, Memory) {
	var l layout
	var parts Memory
	for _, sharding := range [...]Sharding{ShardNone, Zero3} {
		for _, recomp := range [...]bool{false, true} {
			l = s.stated(m, layout{sharding, recomp})
			parts = s.trainMemory(m, l)
			if fitOf(parts, memoryMargin, m.memoryGB) == Fits {
				return l, parts
			}
		}
	}
	return l, parts
}

// stated overrides a layout with what the tenant or the hardware fixes.
func (s *Spec) stated(m *machine, l layout) layout {
	switch {
	case s.Sharding == Zero3: // a tenant may run ZeRO-3 code on one GPU, too
		l.sharding = Zero3
	case m.gpus == 1:
		l.sharding = ShardNone
	case s.Sharding != ShardAuto:
		l.sharding = s.Sharding
	case s.Offload: // the common stacks offload what they shard
		l.sharding = Zero3
	}
	switch {
	case s.Checkpointing == CheckpointOn, s.Checkpointing == CheckpointOff:
		l.recomp = s.Checkpointing == CheckpointOn
	case s.Method.adapted() && s.Framework != Tuned:
		l.recomp = true
	}
	return l
}

// trainMemory is the peak per GPU of one micro-step, in parts.
func (s *Spec) trainMemory(m *machine, l layout) Memory {
	weights, states := 1.0, 1.0 // GPUs over which weights, and gradients and optimizer, are split
	if l.sharding == Zero3 {
		weights = float64(m.gpus)
	}
	if l.sharding == Zero3 || l.sharding == Zero2 {
		states = float64(m.gpus)
	}
	p := Memory{
		Weights:     s.frozenOrFullBytes() / weights,
		Activations: s.activationBytes(l.recomp) / s.sequenceShards(m, l),
		Logits:      s.logitMemory() * s.microTokens() * float64(s.Shape.Vocabulary),
		Overhead:    overheadGB * 1e9,
	}
	if s.Method.adapted() {
		p.Adapters = adapterBytes * s.adapterParams() / states
	} else {
		p.Gradients = s.gradientWidth() * s.Shape.Params / states
		p.Optimizer = optimizerStateBytes * s.Shape.Params / states
	}
	if l.sharding == Zero3 {
		layer := s.Shape.Params / float64(s.Shape.Layers)
		p.Gather = weightBytes * (2*layer + float64(s.Shape.Vocabulary)*float64(s.Shape.Width))
	}
	if s.Offload {
		p.Optimizer = 0
		if l.sharding == Zero3 || s.Method.adapted() {
			p.Weights *= offloadedShare
			p.Gradients *= offloadedShare
		}
	}
	return p.inGB()
}

// frozenOrFullBytes is the weights of one copy: 16 bits each, or 4 bits with the
// embeddings left in 16 under QLoRA.
func (s *Spec) frozenOrFullBytes() float64 {
	if s.Method != QLoRA {
		return weightBytes * s.Shape.Params
	}
	embeddings := s.Shape.embeddingParams()
	return quantizedBytes*(s.Shape.Params-embeddings) + weightBytes*embeddings
}

// activationBytes is what the forward pass keeps for the backward pass: without
// recomputation every layer's, with it each layer's 16-bit input and one layer in
// full, with its gradients.
func (s *Spec) activationBytes(recomp bool) float64 {
	tokens, layers := s.microTokens(), float64(s.Shape.Layers)
	d, layer := float64(s.Shape.Width), s.Shape.layerBytes()
	switch {
	case recomp:
		return tokens * (checkpointBytes*d*layers + workingLayers*(layer+workingExtra*d))
	case s.Method == QLoRA:
		return quantizedActivations * tokens * layer * layers
	default:
		return tokens * layer * layers
	}
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

// sequenceShards is the GPUs over which hand-tuned stacks split activations when a
// copy does not fit on one: those of a node, by tensor and sequence parallelism
// (Korthikanti et al. 2022, section 4.2.2).
func (s *Spec) sequenceShards(m *machine, l layout) float64 {
	if s.Framework == Tuned && l.sharding == Zero3 {
		return float64(min(m.perNode, maxTensorParallel))
	}
	return 1
}

// logitMemory is bytes per token and vocabulary entry: plain PyTorch keeps 16-bit and FP32
// logits, the softmax and their gradient; fused losses work in place.
func (s *Spec) logitMemory() float64 {
	if s.Framework == Eager {
		return logitMemoryEager
	}
	return logitMemoryFused
}

// gradientWidth is bytes per trained parameter: 16 bits, and 16 more where common
// fine-tuning stacks (DeepSpeed, FSDP) add BF16 gradients up in FP32.
func (s *Spec) gradientWidth() float64 {
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

// inGB turns parts in bytes into GB.
func (m Memory) inGB() Memory {
	return Memory{
		Weights: m.Weights / 1e9, Gradients: m.Gradients / 1e9, Optimizer: m.Optimizer / 1e9,
		Adapters: m.Adapters / 1e9, Activations: m.Activations / 1e9, Logits: m.Logits / 1e9,
		KVCache: m.KVCache / 1e9, Gather: m.Gather / 1e9, Overhead: m.Overhead / 1e9,
	}
}

// fitOf compares a peak with a card of cardGB: it fits if it does so with the
// margin, and does not if it does not even without.
func fitOf(parts Memory, margin, cardGB float64) Fit {
	total := parts.Total()
	switch {
	case total*(1+margin) <= fitsBelow*cardGB:
		return Fits
	case total > failsAbove*cardGB:
		return DoesNotFit
	default:
		return MayNotFit
	}
}
