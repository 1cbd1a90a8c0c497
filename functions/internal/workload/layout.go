package workload

// layout is how a training is laid out on the GPUs.
type layout struct {
	sharding Sharding // never ShardAuto
	recomp   float64  // share of the layers whose activations are recomputed, r
	tensor   int      // GPUs of a node over which each layer's matrices are split
	pipeline int      // groups of those over which the layers are split
}

// split is the GPUs that work on one micro-batch together.
func (l layout) split() float64 { return float64(l.tensor) * float64(l.pipeline) }

// words names the layout.
func (l layout) words(m *machine) string {
	switch {
	case m.gpus == 1:
		return "one GPU"
	case l.split() == 1:
		return l.dataParallel()
	case l.pipeline == 1:
		return "tensor parallel"
	case l.tensor == 1:
		return "pipeline parallel"
	default:
		return "tensor and pipeline parallel"
	}
}

// dataParallel names a layout without tensor or pipeline parallelism.
func (l layout) dataParallel() string {
	switch l.sharding {
	case Zero3:
		return "data parallel, fully sharded (FSDP, ZeRO-3)"
	case Zero2:
		return "data parallel, gradients and optimizer sharded (ZeRO-2)"
	default:
		return "data parallel"
	}
}

// choose settles parallelism and recomputation: a whole copy on each GPU if it fits;
// else, in hand-tuned stacks, layers split by tensor and pipeline parallelism over few
// GPUs; else ZeRO-3. Activations are recomputed in LoRA and QLoRA (the default of the
// common recipes, and what their published rates were measured with) unless the stack
// is hand-tuned, else only where they do not fit otherwise. What the tenant states is
// kept.
func (s *Spec) choose(m *machine) (layout, Memory) {
	if l, parts, ok := s.chooseRecomputation(m, layout{sharding: ShardNone}); ok {
		return l, parts
	}
	if l, parts, ok := s.chooseSplit(m); ok {
		return l, parts
	}
	l, parts, _ := s.chooseRecomputation(m, layout{sharding: Zero3})
	return l, parts
}

// chooseRecomputation is a layout with as little recomputation as makes it fit; ok is
// false if none does.
func (s *Spec) chooseRecomputation(m *machine, l layout) (_ layout, parts Memory, ok bool) {
	for _, recomp := range [...]float64{0, 1} {
		l.recomp = recomp
		l = s.stated(m, l)
		if parts = s.trainMemory(m, l); fitOf(parts, memoryMargin, m.memoryGB) == Fits {
			return l, parts, true
		}
	}
	return l, parts, false
}

// chooseSplit is the smallest split by tensor and then pipeline parallelism that fits
// with at most worthRecomputing of the layers recomputed, else the one with the least
// recomputation; ok is false if none fits, or the stack or the tenant wants none.
func (s *Spec) chooseSplit(m *machine) (best layout, parts Memory, ok bool) {
	if s.Framework != Tuned || s.Sharding == Zero3 || s.TensorParallel > 0 || s.PipelineParallel > 0 || s.Offload {
		return best, parts, false
	}
	widest := min(m.perNode, maxTensorParallel)
	best.recomp = 2
	for tensor, pipeline := 1, 1; tensor*pipeline <= m.gpus && pipeline <= s.Shape.Layers; {
		l := s.stated(m, layout{sharding: Zero2, tensor: tensor, pipeline: pipeline})
		l, memory, fits := s.leastRecomputation(m, l)
		if fits && l.recomp < best.recomp {
			best, parts, ok = l, memory, true
		}
		if ok && best.recomp <= worthRecomputing {
			break
		}
		if 2*tensor <= widest { // layers are spread over nodes only when a node is used up
			tensor *= 2
		} else {
			pipeline *= 2
		}
	}
	return best, parts, ok
}

// leastRecomputation is l with the share of its layers recomputed that just makes it
// fit.
func (s *Spec) leastRecomputation(m *machine, l layout) (_ layout, parts Memory, ok bool) {
	none := s.trainMemory(m, l)
	room := fitsBelow*m.memoryGB/(1+memoryMargin) - none.Total()
	if room >= 0 {
		return l, none, true
	}
	if s.Checkpointing == CheckpointOff || l.recomp == 1 {
		return l, none, false
	}
	l.recomp = 1
	all := s.trainMemory(m, l)
	saved := none.Activations - all.Activations
	if saved <= 0 || -room > saved {
		return l, all, false
	}
	l.recomp = -room / saved
	parts = s.trainMemory(m, l)
	return l, parts, true
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
	case s.Checkpointing == CheckpointOn, s.Checkpointing == CheckpointAuto && s.Method.adapted() && s.Framework != Tuned:
		l.recomp = 1
	case s.Checkpointing == CheckpointOff:
		l.recomp = 0
	}
	if s.TensorParallel > 0 {
		l.tensor = s.TensorParallel
	}
	if s.PipelineParallel > 0 {
		l.pipeline = s.PipelineParallel
	}
	l.tensor = min(max(l.tensor, 1), m.gpus)
	l.pipeline = min(max(l.pipeline, 1), m.gpus/l.tensor)
	return l
}
