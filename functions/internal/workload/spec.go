package workload

import (
	"cmp"
	"math"
)

// Evaluation is the generation that tests a trained model, or all there is to
// Inference. No requests means no evaluation.
type Evaluation struct {
	Requests     int
	InputTokens  int // per request
	OutputTokens int // per request
	// Batch is the requests answered together by each copy; 0 = as many as fit.
	Batch int
	// MaxLatencySeconds bounds the time from a request to the end of its answer, and so
	// the batch; 0 = none.
	MaxLatencySeconds float64
	Weights           Format
	Framework         Framework // "" stands for Compiled: engines that replay captured graphs
}

// Spec is a job: everything the estimate depends on except the hardware. The
// caller has filled in its own defaults.
type Spec struct {
	Kind   Kind
	Method Method // of a fine-tune; "" is Full in pretraining
	Shape  Shape

	Tokens      float64 // processed in all: tokens of the dataset x epochs
	SeqLen      int     // tokens per sequence
	MicroBatch  int     // sequences per GPU and micro-step
	BatchTokens float64 // tokens per optimizer step over all GPUs; 0 if not stated
	LoRARank    int     // of LoRA and QLoRA

	// Packing says that sequences are filled with whole samples instead of padding.
	Packing   bool
	Framework Framework
	Precision Precision // of the matrix products in training
	Optimizer Optimizer
	Quantizer Quantizer
	Sharding  Sharding
	// TensorParallel and PipelineParallel are the GPUs over which each layer's matrices,
	// and the layers, are split; 0 = chosen.
	TensorParallel, PipelineParallel int
	Checkpointing                    Checkpointing
	// ChunkedLoss says that the loss is computed in chunks, so that no logits are kept.
	ChunkedLoss bool
	Offload     bool // optimizer states (full) or frozen weights (LoRA, QLoRA) live in host memory

	// Assumed marks values above that are the caller's defaults, not the tenant's
	// words: they widen the interval.
	Assumed Assumed
	// SteadyState asks for the time between interruptions, as a benchmark measures
	// it: no goodput loss and none of the scatter of whole runs.
	SteadyState bool

	PreprocessCoreHours float64 // CPU work before training, in hours of one core
	Evaluate            Evaluation
	DatasetGB           float64
}

// Assumed says which fields of a Spec were not stated by the tenant.
type Assumed struct {
	SeqLen     bool
	MicroBatch bool
}

// FieldError is a value that no job can have. Field is the name that the request
// gives it ("seq_len"); Want says what is accepted.
type FieldError struct {
	Field string
	Want  string
}

// Error names the field and what it wants.
func (e FieldError) Error() string { return e.Field + ": want " + e.Want }

// Bounds of what is taken for a real job. They are far outside anything published
// and keep every product finite.
const (
	maxParams   = 1e14
	maxTokens   = 1e16
	maxSeqLen   = 10_000_000
	maxCount    = 1_000_000_000 // requests, micro-batch
	maxLayers   = 100_000
	maxWidth    = 10_000_000
	maxGB       = 1e9
	maxCoreHour = 1e9
)

// Check reports the first absurd value as a FieldError. A Spec that passes can be
// sized, and estimated on any hardware, without overflow.
func (s Spec) Check() error {
	s = s.withDefaults()
	for _, check := range []func() error{s.checkWords, s.checkModel, s.checkTraining, s.checkData} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkWords tests the enumerated fields.
func (s Spec) checkWords() error {
	_, kind := ParseKind(string(s.Kind))
	_, method := ParseMethod(string(s.Method))
	_, framework := ParseFramework(string(s.Framework))
	_, precision := ParsePrecision(string(s.Precision))
	_, optimizer := ParseOptimizer(string(s.Optimizer))
	_, quantizer := ParseQuantizer(string(s.Quantizer))
	_, sharding := ParseSharding(string(s.Sharding))
	_, checkpointing := ParseCheckpointing(string(s.Checkpointing))
	_, weights := ParseFormat(string(s.Evaluate.Weights))
	_, engine := parse("evaluate.framework", string(s.Evaluate.Framework), Eager, Flash, Compiled, Tuned)
	if err := cmp.Or(kind, method, framework, precision, optimizer, quantizer, sharding, checkpointing, weights, engine); err != nil {
		return err
	}
	if s.Kind == Pretrain && s.Method != Full {
		return FieldError{"method", "full, the only method of pretraining"}
	}
	return nil
}

// checkModel tests the shape.
func (s Spec) checkModel() error {
	m := &s.Shape
	least := min(m.FFN, m.Heads, m.KVHeads, m.HeadSize, m.Vocabulary, m.Experts)
	most := max(m.FFN, m.Heads, m.KVHeads, m.HeadSize, m.Vocabulary, m.Experts)
	switch {
	case !within(m.Params, 1, maxParams):
		return FieldError{"model.params_b", "from 1 to 1e14 parameters"}
	case !within(m.ActiveParams, 1, m.Params):
		return FieldError{"model.active_params_b", "from 1 to the number of all parameters"}
	case m.Layers < 1 || m.Layers > maxLayers:
		return FieldError{"model.layers", "from 1 to 100,000"}
	case m.Width < 1 || m.Width > maxWidth:
		return FieldError{"model.width", "from 1 to 10,000,000"}
	case least < 0 || most > maxWidth:
		return FieldError{"model", "dimensions from 0 to 10,000,000"}
	}
	return nil
}

// checkTraining tests what is trained on.
func (s Spec) checkTraining() error {
	switch {
	case s.Kind == Inference:
		return nil
	case !(s.Tokens > 0 && s.Tokens <= maxTokens):
		return FieldError{"tokens_b", "more than 0 and at most 1e16 tokens"}
	case s.SeqLen < 1 || s.SeqLen > maxSeqLen:
		return FieldError{"seq_len", "from 1 to 10,000,000 tokens"}
	case s.MicroBatch < 1 || s.MicroBatch > maxCount:
		return FieldError{"micro_batch", "from 1 to 1,000,000,000 sequences"}
	case !within(s.BatchTokens, 0, maxTokens):
		return FieldError{"batch_tokens", "from 0 (not stated) to 1e16 tokens"}
	case min(s.TensorParallel, s.PipelineParallel) < 0 || max(s.TensorParallel, s.PipelineParallel) > maxLayers:
		return FieldError{"tensor_parallel", "from 0 (chosen) to 100,000 GPUs, as pipeline_parallel"}
	case s.LoRARank < 0 || s.Method.adapted() && (s.LoRARank < 1 || s.LoRARank > s.Shape.Width):
		return FieldError{"lora_rank", "from 1 to the width of the model"}
	}
	return nil
}

// checkData tests the work around the training.
func (s Spec) checkData() error {
	e := s.Evaluate
	switch {
	case !within(s.PreprocessCoreHours, 0, maxCoreHour):
		return FieldError{"preprocess.cpu_core_hours", "from 0 to 1e9 hours"}
	case !within(s.DatasetGB, 0, maxGB):
		return FieldError{"data.size_gb", "from 0 to 1e9 GB"}
	case e.Requests < 0 || e.Requests > maxCount:
		return FieldError{"evaluate.requests", "from 0 to 1,000,000,000"}
	case s.Kind == Inference && e.Requests == 0:
		return FieldError{"evaluate.requests", "requests to answer"}
	case e.Batch < 0 || e.Batch > maxCount:
		return FieldError{"evaluate.batch", "from 0 (as many as fit) to 1,000,000,000 requests"}
	case !within(e.MaxLatencySeconds, 0, maxCoreHour):
		return FieldError{"evaluate.max_latency_ms", "from 0 (any) to 1e12 ms"}
	case e.InputTokens < 0 || e.InputTokens > maxSeqLen:
		return FieldError{"evaluate.input_tokens", "from 0 to 10,000,000 tokens"}
	case e.OutputTokens < 0 || e.OutputTokens > maxSeqLen:
		return FieldError{"evaluate.output_tokens", "from 0 to 10,000,000 tokens"}
	case e.Requests > 0 && e.InputTokens+e.OutputTokens == 0:
		return FieldError{"evaluate.output_tokens", "tokens to read or to write in each request"}
	}
	return nil
}

// within reports whether x is a number of [low, high]; NaN is not.
func within(x, low, high float64) bool { return x >= low && x <= high && !math.IsInf(x, 0) }

// withDefaults fills in what "" stands for. Pretraining codes have had fused
// attention for years; fine-tuning scripts are mostly plain PyTorch.
func (s Spec) withDefaults() Spec {
	if s.Kind == Pretrain {
		s.Method = cmp.Or(s.Method, Full)
		s.Framework = cmp.Or(s.Framework, Flash)
	}
	if s.Kind == Inference {
		s.Method = cmp.Or(s.Method, Full)
	}
	s.Evaluate.Weights = cmp.Or(s.Evaluate.Weights, Bits16)
	s.Evaluate.Framework = cmp.Or(s.Evaluate.Framework, Compiled)
	s.Framework = cmp.Or(s.Framework, Eager)
	s.Precision = cmp.Or(s.Precision, PrecisionAuto)
	s.Optimizer = cmp.Or(s.Optimizer, AdamW)
	s.Quantizer = cmp.Or(s.Quantizer, NF4)
	s.Sharding = cmp.Or(s.Sharding, ShardAuto)
	s.Checkpointing = cmp.Or(s.Checkpointing, CheckpointAuto)
	return s
}

// passFLOPs is the operations per token and active parameter of one training
// step, c: 6 for full training (forward 2, backward 4; Kaplan et al. 2020,
// section 2.1), 4 where the base weights are frozen, since the products that make
// weight gradients (2) fall away and the adapters' own are below 1%.
func (s *Spec) passFLOPs() float64 {
	if s.Method.adapted() {
		return 4
	}
	return 6
}

// TrainFLOPs is the floating-point operations of the whole training, without
// recomputation: tokens x (c x N_active + 12 L d s). The second term is attention's
// scores and values, forward and backward (PaLM, Chowdhery et al. 2022, appendix B);
// both operands are activations, so it is the same for every method.
func (s Spec) TrainFLOPs() float64 {
	return s.Tokens * (s.passFLOPs()*s.Shape.ActiveParams + s.attentionFLOPs(12))
}

// attentionFLOPs is k x L d s: the attention operations per token of the passes
// that k counts (12 for a training step, 4 for one forward pass).
func (s *Spec) attentionFLOPs(k float64) float64 {
	return k * float64(s.Shape.Layers) * float64(s.Shape.Width) * float64(s.SeqLen)
}
