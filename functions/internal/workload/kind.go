package workload

import (
	"fmt"
	"slices"
)

// Kind is what sort of job a Spec describes.
type Kind string

// The kinds of jobs that this package sizes.
const (
	Pretrain Kind = "pretrain"
	FineTune Kind = "finetune"
	// Inference answers Spec.Evaluate's requests with a published model.
	Inference Kind = "inference"
)

// ParseKind reads a kind by its name. This and the other Parse functions answer
// anything else with a FieldError that lists what is accepted.
func ParseKind(text string) (Kind, error) {
	return parse("kind", text, Pretrain, FineTune, Inference)
}

// Method is which parameters a fine-tune changes. Pretraining is always Full.
type Method string

// The methods: all parameters, low-rank adapters beside frozen 16-bit weights
// (LoRA), or beside frozen 4-bit weights (QLoRA).
const (
	Full  Method = "full"
	LoRA  Method = "lora"
	QLoRA Method = "qlora"
)

// ParseMethod reads a method by its name.
func ParseMethod(text string) (Method, error) {
	return parse("method", text, Full, LoRA, QLoRA)
}

// adapted reports whether the base weights are frozen and adapters are trained.
func (m Method) adapted() bool { return m == LoRA || m == QLoRA }

// Framework is the class of training program: how well it uses the GPU.
type Framework string

// The framework classes: plain eager PyTorch; with fused attention and fused
// layers; compiled; hand-tuned stacks such as Megatron or NeMo. "" stands for
// Flash in pretraining and Eager in fine-tuning.
const (
	Eager    Framework = "eager"
	Flash    Framework = "flash"
	Compiled Framework = "compiled"
	Tuned    Framework = "tuned"
)

// ParseFramework reads a framework class by its name.
func ParseFramework(text string) (Framework, error) {
	return parse("framework", text, Eager, Flash, Compiled, Tuned)
}

// Quantizer is the format of QLoRA's frozen weights.
type Quantizer string

// The quantizers: 4 bits by bitsandbytes (NF4) or GPTQ, 8 bits by bitsandbytes
// (LLM.int8). "" stands for NF4.
const (
	NF4  Quantizer = "nf4"
	GPTQ Quantizer = "gptq"
	Int8 Quantizer = "int8"
)

// ParseQuantizer reads a quantizer by its name.
func ParseQuantizer(text string) (Quantizer, error) {
	return parse("quantizer", text, NF4, GPTQ, Int8)
}

// format is how the quantizer stores weights.
func (q Quantizer) format() Format {
	if q == Int8 {
		return Bits8
	}
	return Bits4
}

// Precision is the number format of training's matrix products.
type Precision string

// The precisions. PrecisionAuto is the best 16-bit format that the GPU has: BF16,
// before Ampere FP16, without tensor cores FP32 products of 16-bit values; "" stands
// for it. FP32 trains in full precision: products run as TF32 where there is such.
const (
	PrecisionAuto Precision = "auto"
	BF16          Precision = "bf16"
	FP16          Precision = "fp16"
	FP8           Precision = "fp8"
	FP32          Precision = "fp32"
)

// ParsePrecision reads a precision by its name.
func ParsePrecision(text string) (Precision, error) {
	return parse("precision", text, PrecisionAuto, BF16, FP16, FP8, FP32)
}

// Optimizer is the optimizer and how it keeps its states.
type Optimizer string

// The optimizers: Adam with FP32 master weights and moments beside 16-bit weights;
// Adam whose two moments are 16-bit, as are the only weights ("pure" 16-bit
// training); the same with 8-bit moments; Adafactor, whose factored moment takes no
// memory worth counting. "" stands for AdamW.
const (
	AdamW     Optimizer = "adamw"
	AdamW16   Optimizer = "adamw_16bit"
	AdamW8    Optimizer = "adamw_8bit"
	Adafactor Optimizer = "adafactor"
)

// ParseOptimizer reads an optimizer by its name.
func ParseOptimizer(text string) (Optimizer, error) {
	return parse("optimizer", text, AdamW, AdamW16, AdamW8, Adafactor)
}

// stateBytes is what the optimizer keeps per trained parameter beside weights and
// gradients: FP32 master weights and two FP32 moments (Rajbhandari et al. 2020,
// ZeRO, section 3.1), two 16-bit moments, or two 8-bit ones (Dettmers et al. 2022).
func (o Optimizer) stateBytes() float64 {
	switch o {
	case AdamW16:
		return 4
	case AdamW8:
		return 2
	case Adafactor:
		return 0
	default:
		return 12
	}
}

// pure reports whether the 16-bit weights are the only ones, so that gradients stay
// 16-bit too.
func (o Optimizer) pure() bool { return o != AdamW }

// Sharding is what of the training state is split over the GPUs.
type Sharding string

// The shardings: chosen by fit; a whole copy per GPU; gradients and optimizer
// states split (ZeRO-2); weights split too (ZeRO-3, FSDP). "" stands for ShardAuto.
const (
	ShardAuto Sharding = "auto"
	ShardNone Sharding = "none"
	Zero2     Sharding = "zero2"
	Zero3     Sharding = "zero3"
)

// ParseSharding reads a sharding by its name.
func ParseSharding(text string) (Sharding, error) {
	return parse("sharding", text, ShardAuto, ShardNone, Zero2, Zero3)
}

// Checkpointing says whether activations are recomputed in the backward pass.
type Checkpointing string

// The checkpointing modes: chosen by fit; always; never. "" stands for CheckpointAuto.
const (
	CheckpointAuto Checkpointing = "auto"
	CheckpointOn   Checkpointing = "on"
	CheckpointOff  Checkpointing = "off"
)

// ParseCheckpointing reads a checkpointing mode by its name.
func ParseCheckpointing(text string) (Checkpointing, error) {
	return parse("checkpointing", text, CheckpointAuto, CheckpointOn, CheckpointOff)
}

// parse accepts text if it is one of the accepted names of a field.
func parse[T ~string](field, text string, accepted ...T) (T, error) {
	if slices.Contains(accepted, T(text)) {
		return T(text), nil
	}
	return "", FieldError{field, fmt.Sprintf("one of %q, not %q", accepted, text)}
}
