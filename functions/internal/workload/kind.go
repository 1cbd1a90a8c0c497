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
)

// ParseKind reads a kind by its name. This and the other Parse functions answer
// anything else with a FieldError that lists what is accepted.
func ParseKind(text string) (Kind, error) {
	return parse("kind", text, Pretrain, FineTune)
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

// Quantizer is the 4-bit format of QLoRA's frozen weights.
type Quantizer string

// The quantizers; "" stands for NF4.
const (
	NF4  Quantizer = "nf4"
	GPTQ Quantizer = "gptq"
)

// ParseQuantizer reads a quantizer by its name.
func ParseQuantizer(text string) (Quantizer, error) {
	return parse("quantizer", text, NF4, GPTQ)
}

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
