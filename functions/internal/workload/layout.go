package workload

// layout is how a training is laid out on the GPUs.
type layout struct {
	sharding Sharding // never ShardAuto
	recomp   float64  // share of the layers whose activations are recomputed, r
	tensor   int      // GPUs of a node over which each layer's matrices are split
	pipeline int      // groups of those over which the layers are split
}

// split is the GPUs that work on one micro-batch together.
func (l *layout) split() float64 { return float64(l.tensor) * float64(l.pipeline) }

// groups is how many micro-batches the GPUs work on at a time.
func (l *layout) groups(m *machine) float64 { return float64(m.gpus) / l.split() }

// whole reports whether each GPU holds a copy of its own, with all of its state.
func (l *layout) whole() bool { return l.sharding == ShardNone && l.tensor == 1 && l.pipeline == 1 }

// words names the layout.
func (l *layout) words(m *machine) string {
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
func (l *layout) dataParallel() string {
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
func (t *training) choose(m *machine, l *layout, scratch *Memory) (parts *Memory, fit Fit) {
	if parts, fit = t.chooseRecomputation(m, ShardNone, l, scratch); fit == Fits {
		return parts, fit
	}
	if t.divides && t.chooseSplit(m, l) {
		parts, total := t.memory(m, l, scratch)
		return parts, fitOf(total, memoryMargin, m.memoryGB)
	}
	return t.chooseRecomputation(m, Zero3, l, scratch)
}

// chooseRecomputation is a layout with as little recomputation as makes it fit.
func (t *training) chooseRecomputation(m *machine, sharding Sharding, l *layout, scratch *Memory) (*Memory, Fit) {
	*l = layout{sharding: sharding}
	t.complete(m, l)
	parts, total := t.memory(m, l, scratch)
	if !t.settled && !fits(total, memoryMargin, m.memoryGB) {
		l.recomp = 1
		parts, total = t.memory(m, l, scratch)
	}
	return parts, fitOf(total, memoryMargin, m.memoryGB)
}

// chooseSplit is the smallest split by tensor and then pipeline parallelism that fits
// with at most worthRecomputing of the layers recomputed, else the one with the least
// recomputation; it reports whether any fits.
func (t *training) chooseSplit(m *machine, best *layout) (ok bool) {
	widest := min(m.perNode, maxTensorParallel)
	best.recomp = 2
	for tensor, pipeline := 1, 1; tensor*pipeline <= m.gpus && pipeline <= t.Shape.Layers; {
		l := layout{sharding: Zero2, tensor: tensor, pipeline: pipeline}
		t.complete(m, &l)
		if t.leastRecomputation(m, &l) && l.recomp < best.recomp {
			*best, ok = l, true
		}
		if best.recomp <= worthRecomputing {
			break
		}
		if 2*tensor <= widest { // layers are spread over nodes only when a node is used up
			tensor *= 2
		} else {
			pipeline *= 2
		}
	}
	return ok
}

// leastRecomputation recomputes the share of the layers that just makes l fit; it
// reports whether it can.
func (t *training) leastRecomputation(m *machine, l *layout) bool {
	var scratch Memory
	parts, total := t.memory(m, l, &scratch)
	room := fitsBelow*m.memoryGB/(1+memoryMargin) - total
	if room >= 0 {
		return true
	}
	if t.settled { // without recomputation, or with all of it
		return false
	}
	none := parts.Activations
	l.recomp = 1
	parts, _ = t.memory(m, l, &scratch)
	saved := none - parts.Activations
	if saved <= 0 || -room > saved {
		return false
	}
	l.recomp = -room / saved
	return true
}

// complete sets what the tenant or the hardware fixes of a layout.
func (t *training) complete(m *machine, l *layout) {
	switch {
	case m.gpus == 1:
		l.sharding = t.alone
	case t.sharding != "":
		l.sharding = t.sharding
	}
	if t.settled {
		l.recomp = t.recomp
	}
	if t.TensorParallel > 0 {
		l.tensor = t.TensorParallel
	}
	if t.PipelineParallel > 0 {
		l.pipeline = t.PipelineParallel
	}
	l.tensor = min(max(l.tensor, 1), m.gpus)
	if l.pipeline = max(l.pipeline, 1); l.pipeline > 1 {
		l.pipeline = min(l.pipeline, m.gpus/l.tensor)
	}
}
