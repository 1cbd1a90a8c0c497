package accuracy

import (
	"math"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// What stands in for inputs that a row does not give; a request has the same
// defaults, or asks. Lengths and counts in tokens, sequences and GPUs.
const (
	assumedLength         = 2048
	assumedPretrainLength = 4096
	assumedInput          = 128 // of a speed test that states none
	assumedOutput         = 128
	assumedFineTuneBatch  = 2
	assumedRank           = 32  // of the QLoRA paper, and the dearest in common use
	largeModel            = 5e9 // parameters from which an unstated pretraining uses many GPUs
	assumedLargeCluster   = 64
	usualNode             = 8  // GPUs of a node where the number of nodes is not given
	rackNode              = 72 // the same for rack-wide NVLink domains
	endlessRequests       = 1 << 20
)

// Job is a row as a user would have asked for it.
type Job struct {
	Spec     workload.Spec
	Hardware workload.Hardware
	said     said
}

// reason says why a row is skipped; "" if it is not.
type reason string

// jobOf turns a row into a job. method is what a row's kind or name says is trained.
func jobOf(snapshot *catalog.Snapshot, r *Row, method string) (Job, reason) {
	if r.unreadable {
		return Job{}, "unreadable number"
	}
	if !known(r.ParamsB) && !known(r.ActiveParamsB) || or(r.ParamsB, r.ActiveParamsB) == 0 {
		return Job{}, "no model size"
	}
	gpu, why := gpuOf(snapshot, r)
	if why != "" {
		return Job{}, why
	}
	shape, context := shapeOf(snapshot, r)
	j := Job{said: readNotes(r), Spec: workload.Spec{Shape: shape, LoRARank: assumedRank, Packing: true}}
	j.method(method)
	j.hardware(r, gpu)
	if j.Spec.Kind == workload.Inference {
		j.requests(r)
		return j, ""
	}
	j.lengths(r, context)
	j.stack(r)
	j.memory(r)
	return j, ""
}

// method sets kind and method.
func (j *Job) method(name string) {
	j.Spec.Kind = workload.FineTune
	switch name {
	case "pretrain":
		j.Spec.Kind, j.Spec.Method = workload.Pretrain, workload.Full
	case "lora":
		j.Spec.Method = workload.LoRA
	case "qlora":
		j.Spec.Method = workload.QLoRA
	case "inference":
		j.Spec.Kind = workload.Inference
	default:
		j.Spec.Method = workload.Full
	}
}

// hardware sets GPUs, nodes and links.
func (j *Job) hardware(r *Row, gpu catalog.GPUModel) {
	gpus := or(r.GPUs, j.usualGPUs())
	node := float64(usualNode)
	if strings.HasPrefix(string(gpu.ID), "GB") {
		node = rackNode
	}
	nodes := max(1, or(r.Nodes, math.Ceil(gpus/node)))
	if node == rackNode { // rows count trays as nodes
		nodes = max(1, math.Ceil(gpus/node))
	}
	link := strings.ToLower(r.Interconnect)
	j.Hardware = workload.Hardware{
		GPU: gpu, Nodes: int(nodes), GPUsPerNode: max(1, int(math.Ceil(gpus/nodes))),
		NVLink: gpu.NVLinkGBs > 0 && gpu.NVLink == catalog.Yes && !strings.HasPrefix(link, "pcie"),
	}
	if nodes > 1 {
		j.Hardware.FabricGBs = j.fabric(link, gpu)
	}
}

// usualGPUs is the number of GPUs where a row gives none.
func (j *Job) usualGPUs() float64 {
	switch {
	case j.Spec.Kind != workload.Pretrain:
		return 1
	case j.Spec.Shape.ActiveParams > largeModel:
		return assumedLargeCluster
	default:
		return usualNode
	}
}

// fabric is the GB/s per node between nodes. A pretraining over several nodes of
// data-centre GPUs that names no fabric has what such clusters are built with.
func (j *Job) fabric(link string, gpu catalog.GPUModel) float64 {
	if gbits := j.said.number(fieldFabric); gbits > 0 {
		return gbits / 8
	}
	fabric, ok := workload.FindFabric(link)
	if !ok && j.Spec.Kind == workload.Pretrain && gpu.NVLink == catalog.Yes {
		fabric = workload.InfiniBand
	}
	return fabric.GBs(gpu)
}

// lengths sets tokens, sequence length and batches; context is the longest sequence
// of the model, 0 if unknown.
func (j *Job) lengths(r *Row, context int) {
	s, gpus := &j.Spec, float64(j.Hardware.GPUsPerNode*j.Hardware.Nodes)
	s.Tokens = or(r.TokensB, 1) * 1e9
	length := r.SeqLen
	if stated := j.said.number(fieldSeqLen); !known(length) && stated > 0 {
		length = stated
	}
	s.Assumed.SeqLen = !known(length) || length < 1
	if s.Assumed.SeqLen {
		length = assumedLength
		if s.Kind == workload.Pretrain {
			length = assumedPretrainLength
		}
		if context > 0 {
			length = min(length, float64(context))
		}
	}
	s.SeqLen = int(length)
	s.BatchTokens = or(r.BatchTokens, 0)
	micro, steps := j.said.number(fieldMicroBatch), j.said.number(fieldGradAcc)
	switch {
	case micro > 0:
	case s.BatchTokens > 0 && steps > 0:
		micro = math.Round(s.BatchTokens / gpus / steps / length)
	default:
		s.Assumed.MicroBatch, micro = true, 1
		if s.Kind == workload.FineTune {
			micro = assumedFineTuneBatch
		}
	}
	s.MicroBatch = int(max(1, micro))
	if s.BatchTokens == 0 && steps > 0 {
		s.BatchTokens = length * float64(s.MicroBatch) * steps * gpus
	}
	if rank := j.said.number(fieldRank); rank > 0 {
		s.LoRARank = int(rank)
	}
	s.LoRARank = min(s.LoRARank, s.Shape.Width)
}

// stack sets how the training program works.
func (j *Job) stack(r *Row) {
	s, precision := &j.Spec, strings.ToLower(r.Precision)
	s.Framework = workload.Framework(j.said[fieldFramework])
	s.Packing = j.said[fieldPacking] != "off"
	s.Checkpointing = workload.Checkpointing(j.said[fieldCheckpointing])
	s.Quantizer = workload.Quantizer(j.said[fieldQuantizer])
	switch {
	case strings.Contains(precision, "gptq"), strings.Contains(precision, "int4"), strings.Contains(precision, "awq"):
		s.Quantizer = workload.GPTQ
	case strings.Contains(precision, "nf4"):
		s.Quantizer = workload.NF4
	case strings.Contains(precision, "int8"), precision == "8-bit":
		s.Quantizer = workload.Int8
	}
	if s.Method == workload.LoRA && s.Quantizer == workload.Int8 && (strings.Contains(precision, "int8") || precision == "8-bit") {
		s.Method = workload.QLoRA // adapters beside 8-bit weights
	}
	switch {
	case strings.Contains(precision, "fp8") && j.Hardware.GPU.FP8TFLOPS > 0:
		s.Precision = workload.FP8
	case precision == "fp32" || precision == "32-bit" || precision == "tf32":
		s.Precision = workload.FP32
	}
}

// memory sets how the training state is kept.
func (j *Job) memory(r *Row) {
	s := &j.Spec
	s.Optimizer = workload.Optimizer(j.said[fieldOptimizer])
	if s.Optimizer == "" && strings.Contains(strings.ToLower(r.Precision), "true") {
		s.Optimizer = workload.AdamW16 // "bf16-true": the only weights are 16-bit
	}
	s.ChunkedLoss = j.said.is(fieldLoss)
	s.Offload = j.said.is(fieldOffload)
	s.Sharding = workload.Sharding(j.said[fieldSharding])
	s.TensorParallel = int(j.said.number(fieldTensor))
	s.PipelineParallel = int(j.said.number(fieldPipeline))
}

// requests sets what an inference row generates: endless requests, of which the
// stated number are answered at a time.
func (j *Job) requests(r *Row) {
	e := &j.Spec.Evaluate
	e.InputTokens, e.OutputTokens = assumedInput, assumedOutput
	if in := j.said.number(fieldInput); in > 0 {
		e.InputTokens = int(in)
	}
	if out := j.said.number(fieldOutput); out > 0 {
		e.OutputTokens = int(out)
	}
	at := or(r.BatchTokens, j.said.number(fieldRequests))
	if batch := j.said.number(fieldMicroBatch); at == 0 && batch > 0 {
		at = batch
	}
	e.Requests = endlessRequests
	e.Batch = int(at)
	e.Framework = workload.Framework(j.said[fieldFramework])
	e.Weights = formatOf(r.Precision, j.said[fieldQuantizer])
	if eight := j.Hardware.GPU.FP8TFLOPS > 0; !eight && e.Weights == workload.FormatFP8 {
		e.Weights = workload.Bits8 // stored so, and turned into 16 bits
	} else if !eight && e.Weights == workload.FormatFP4 {
		e.Weights = workload.Bits4
	}
}

// formatOf reads the weights' format from the precision, or else the notes.
func formatOf(precision, quantizer string) workload.Format {
	p := strings.ToLower(precision)
	for _, f := range []struct {
		part   string
		format workload.Format
	}{
		{"fp8", workload.FormatFP8}, {"fp4", workload.FormatFP4}, {"int8", workload.Bits8}, {"8-bit", workload.Bits8}, {"q8", workload.Bits8},
		{"exl2-2", workload.Bits2}, {"q2", workload.Bits2}, {"exl2-3", workload.Bits3}, {"q3", workload.Bits3},
		{"gptq", workload.Bits4}, {"awq", workload.Bits4}, {"exl2", workload.Bits4}, {"int4", workload.Bits4}, {"nf4", workload.Bits4},
		{"4-bit", workload.Bits4}, {"q4", workload.Bits4}, {"q5", workload.Bits4},
	} {
		if strings.Contains(p, f.part) {
			return f.format
		}
	}
	switch {
	case p == "" && (quantizer == "gptq" || quantizer == "nf4"):
		return workload.Bits4
	case p == "" && quantizer == "int8":
		return workload.Bits8
	}
	return workload.Bits16
}
