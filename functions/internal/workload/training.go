package workload

import "math"

// training is a job's training with all that depends on nothing but the job, worked out
// once: a search asks about hundreds of machines.
type training struct {
	*Spec
	k *constants

	adapted  bool // only adapters are trained
	eager    bool
	tuned    bool
	routed   bool // a mixture of experts
	divides  bool // a split by tensor and pipeline parallelism is looked for
	settled  bool // whether activations are recomputed is stated, or usual
	recomp   float64
	sharding Sharding // over GPUs, as stated or usual; "" if it is chosen
	alone    Sharding // on one GPU
	streams  bool     // frozen weights come in from host memory
	averaged bool     // with what runs reached whose configuration is not stated either

	layers, width, vocabulary float64
	pass                      float64 // FLOPs per token and parameter of a step without recomputation
	micro                     float64 // tokens of a micro-step, as stated
	matrix                    float64 // parameters that a token is multiplied with
	trained                   float64 // parameters whose gradients are added up
	streamed                  float64 // bytes of one pass over the weights
	element                   float64 // bytes per token, layer and unit of width between matrix products
	logit                     float64 // bytes per token around the loss
	dequant                   float64 // bytes of one pass that turns weights into 16 bits
	launch                    float64 // seconds of one pass in which no weights are gathered
	routing                   float64 // bytes per token that go to experts and back
	flops, perToken           float64 // of all of it, and of a token

	copied     Memory  // a whole copy but for activations, in bytes
	microBytes float64 // tokens of a micro-step, in units of 16-bit values
	// kinds is what GPUs without and with plain scores need.
	kinds [2]kind
	// spreads is the factor between the expected seconds and the ends of the interval.
	spreads [circumstances]float64
}

// kind is what depends on how a GPU runs attention.
type kind struct {
	kept, saved float64 // bytes of a token's activations, and those that recomputation adds (less than 0)
	scores      float64 // bytes per token of scores that go to memory and back
	// Of a whole copy on each GPU, without and with recomputation.
	whole    [2]Memory
	wholeGBs [2]float64
}

// trainingOf works out what s alone decides.
func trainingOf(s *Spec, k *constants) *training {
	t := &training{
		Spec: s, k: k,
		adapted: s.Method.adapted(), eager: s.Framework == Eager, tuned: s.Framework == Tuned, routed: s.Shape.mixture(),
		layers: float64(s.Shape.Layers), width: float64(s.Shape.Width), vocabulary: float64(s.Shape.Vocabulary),
		micro: s.microTokens(), matrix: s.matrixParams(), trained: s.Shape.Params, streamed: s.streamedBytes(),
		pass: s.passFLOPs(), flops: s.TrainFLOPs(), microBytes: s.microTokens() * s.valueBytes() / weightBytes,
	}
	t.perToken = t.flops / s.Tokens
	t.divides = t.tuned && s.Sharding != Zero3 && s.TensorParallel == 0 && s.PipelineParallel == 0 && !s.Offload
	t.streams = s.Offload && t.adapted
	t.averaged = s.Kind == Pretrain && s.Assumed.MicroBatch
	switch {
	case s.Checkpointing == CheckpointOn, s.Checkpointing == CheckpointAuto && t.adapted && !t.tuned:
		t.settled, t.recomp = true, 1
	case s.Checkpointing == CheckpointOff:
		t.settled = true
	}
	t.alone = ShardNone
	switch {
	case s.Sharding == Zero3: // a tenant may run ZeRO-3 code on one GPU, too
		t.sharding, t.alone = Zero3, Zero3
	case s.Sharding != ShardAuto:
		t.sharding = s.Sharding
	case s.Offload: // the common stacks offload what they shard
		t.sharding = Zero3
	}
	t.setTraffic()
	t.setMemory()
	for i := range t.spreads {
		t.spreads[i] = math.Exp(s.halfWidth(i))
	}
	return t
}

// setTraffic sets what costs time beside matrix products and attention.
func (t *training) setTraffic() {
	t.element, t.logit = t.k.ElementBytes, logitTraffic*t.vocabulary
	switch t.Framework {
	case Eager:
		t.element *= t.k.ElementEager
	case Compiled, Tuned:
		t.element *= elementCompiled
	}
	if t.Method == QLoRA {
		t.dequant = dequantBase * t.k.DequantNF4 * t.matrix
		if t.Quantizer == GPTQ {
			t.dequant = dequantBase * t.k.DequantGPTQ * t.matrix
		}
	}
	t.launch = t.k.LaunchPerLayer * t.layers
	if t.routed && !t.adapted {
		t.routing = t.layers * t.Shape.activeExperts() * t.width * 8
	}
}

// setMemory sets what a copy needs.
func (t *training) setMemory() {
	t.copied = Memory{
		Weights: t.frozenOrFullBytes(), Logits: t.logitBytes(),
		Gather: 2*(t.streamed/t.layers) + weightBytes*t.vocabulary*t.width,
	}
	if t.adapted {
		t.trained = t.adapterParams()
		t.copied.Adapters = adapterBytes * t.trained
	} else {
		t.copied.Gradients = t.gradientWidth() * t.Shape.Params
		if !t.Offload {
			t.copied.Optimizer = t.Optimizer.stateBytes() * t.Shape.Params
		}
	}
	for i := range t.kinds {
		one := machine{gpus: 1, plainScores: i == 1}
		a := t.kindOf(&one)
		t.setKind(a, t.scoresBytes(&one))
		for recomp := range a.whole {
			l, p := layout{sharding: ShardNone, tensor: 1, pipeline: 1, recomp: float64(recomp)}, &a.whole[recomp]
			t.setActivations(&one, &l, p)
			t.setStates(&one, &l, p)
			a.wholeGBs[recomp] = p.Total()
		}
	}
}

// setKind sets what the forward pass keeps for the backward pass: without recomputation
// every layer's activations, with it each layer's input and one layer in full, with its
// gradients. scores is the bytes of stored scores per token and layer.
func (t *training) setKind(a *kind, scores float64) {
	layer := t.Shape.layerBytes()
	if t.Framework == Compiled || t.tuned {
		layer *= fusedActivations
	}
	layer += scores
	a.kept = layer * t.layers
	if t.Method == QLoRA {
		a.kept *= quantizedActivations
	}
	inputs := checkpointBytes*t.width*t.layers + workingLayers*(layer+workingExtra*t.width)
	a.saved = min(inputs, a.kept) - a.kept
	// Scores that are stored are written or read about once in each of three passes.
	a.scores = 3 * scores * t.layers
}

// kindOf is what the machine's kind of GPU needs.
func (t *training) kindOf(m *machine) *kind {
	if m.plainScores {
		return &t.kinds[1]
	}
	return &t.kinds[0]
}
