package accuracy

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/workload"
)

// field is what a phrase of a row's notes sets. A request states each of them.
type field string

// The fields. grad_acc and lengths only serve to work out others.
const (
	fieldMicroBatch    field = "micro_batch"
	fieldGradAcc       field = "grad_acc" // micro-steps per optimizer step
	fieldRank          field = "lora_rank"
	fieldSeqLen        field = "seq_len"
	fieldCheckpointing field = "checkpointing"
	fieldPacking       field = "packing"
	fieldOffload       field = "offload"
	fieldSharding      field = "sharding"
	fieldFramework     field = "framework"
	fieldOptimizer     field = "optimizer"
	fieldLoss          field = "chunked_loss"
	fieldQuantizer     field = "quantizer"
	fieldFabric        field = "fabric"
	fieldTensor        field = "tensor_parallel"
	fieldPipeline      field = "pipeline_parallel"
	fieldRequests      field = "requests at a time"
	fieldInput         field = "input_tokens"
	fieldOutput        field = "output_tokens"
	fieldSteady        field = "steady"      // the row is a benchmark, not a whole run
	fieldTotalMemory   field = "total_gb"    // the measured peak is a sum over GPUs
	fieldOutOfMemory   field = "did_not_fit" // the measurement is that memory ran out
)

// phrase says that where the pattern is found in the notes, in lower case, the field
// has the value; $1 is the pattern's group. The first phrase of a field wins.
type phrase struct {
	field   field
	value   string
	pattern *regexp.Regexp
}

// phrases is the table by which notes become fields. Nothing measured is read. Notes
// may state the enumerated fields by their own names; the rest is how people write.
var phrases = []phrase{
	{fieldFramework, "$1", regexp.MustCompile(`\bframework[ =:]+(eager|flash|compiled|tuned)\b`)},
	{fieldOptimizer, "$1", regexp.MustCompile(`\boptimizer[ =:]+(adamw|adamw_16bit|adamw_8bit|adafactor)\b`)},
	{fieldQuantizer, "$1", regexp.MustCompile(`\bquantizer[ =:]+(nf4|gptq|int8)\b`)},
	{fieldSharding, "$1", regexp.MustCompile(`\bsharding[ =:]+(none|zero2|zero3)\b`)},
	{fieldCheckpointing, "$1", regexp.MustCompile(`\bcheckpointing[ =:]+(on|off)\b`)},

	{fieldMicroBatch, "$1", regexp.MustCompile(`micro[- _]?batch(?:[- _]size)?(?: of)? ?[=:]? ?(\d+)`)},
	{fieldMicroBatch, "$1", regexp.MustCompile(`per[-_ ](?:device|gpu)[-_ ](?:train[-_ ])?batch(?:[-_ ]size)?(?: of)? ?[=:]? ?(\d+)`)},
	{fieldMicroBatch, "$1", regexp.MustCompile(`\bm?bs ?[=:]? ?(\d+)`)},
	{fieldMicroBatch, "$1", regexp.MustCompile(`\bbatch(?:[- _]size)? ?[=:]? ?(\d+) ?(?:per|/) ?(?:gpu|device)`)},
	{fieldMicroBatch, "$1", regexp.MustCompile(`(?:^|[;,( ])batch(?:[- _]size)? ?[=:]? ?(\d+)\b(?: ?x ?(?:ga|grad))?`)},
	{fieldGradAcc, "$1", regexp.MustCompile(`\bgrad(?:ient)?[-_. ]?acc(?:um(?:ulation)?)?(?:[-_ ]steps)?(?: of)? ?[=:x]? ?(\d+)`)},
	{fieldGradAcc, "$1", regexp.MustCompile(`\b(?:ga|accum(?:ulation)?) ?[=:x]? ?(\d+)`)},
	{fieldRank, "$1", regexp.MustCompile(`\b(?:rank ?[=:]? ?|r ?[=:] ?)(\d+)\b`)},
	{fieldSeqLen, "$1", regexp.MustCompile(`longest ~?(?:[\d,]+-)?([\d,]+) tokens`)},
	{fieldSeqLen, "$1", regexp.MustCompile(`\b(?:max[-_ ])?(?:seq(?:uence)?[-_ ]?len(?:gth)?|seq|cutoff[-_ ]len|context(?: length)?) ?[=:]? ?(\d{2,})\b`)},

	{fieldCheckpointing, "off", regexp.MustCompile(`act_ckpt ?= ?false|(?:no|without|not) (?:grad(?:ient)?|act(?:ivation)?)[- ]?(?:ckpt|checkpoint)|no (?:ckpt|checkpointing|recompute)|checkpointing[ =:]*(?:off|false|disabled)`)},
	{fieldCheckpointing, "on", regexp.MustCompile(`act_ckpt ?= ?true|(?:grad(?:ient)?|act(?:ivation)?)[-_ ]?(?:ckpt|checkpoint(?:ing)?)|full recompute|recomputation|\bac=true`)},
	{fieldPacking, "off", regexp.MustCompile(`unpacked|no packing|not packed|without packing|\bpadded\b|padding to|packing[ =:]*(?:off|false)`)},
	{fieldPacking, "on", regexp.MustCompile(`packed|packing`)},
	{fieldOffload, "off", regexp.MustCompile(`(?:no|without) (?:cpu )?offload|offload[ =:]*(?:off|false|none)`)},
	{fieldOffload, "on", regexp.MustCompile(`cpu ?\+ ?act(?:ivation)?s? offload|cpu[- _]?offload|zero-?offload|optimi[sz]er offload|offload(?:ed|ing)? (?:to|optimi)|offload[ =:]*(?:on|true|cpu)`)},

	{fieldSharding, "zero3", regexp.MustCompile(`full_shard|\bfsdp|zero[- _]?(?:stage )?3|stage[- _]?3|\bhsdp`)},
	{fieldSharding, "zero2", regexp.MustCompile(`shard_grad_op|zero[- _]?(?:stage )?[12]\b|stage[- _]?[12]\b`)},
	{fieldSharding, "none", regexp.MustCompile(`\bddp\b|data[- ]parallel only|no sharding`)},
	{fieldTensor, "$1", regexp.MustCompile(`\b(?:tp|tensor[- ]parallel(?:ism)?) ?[=:]? ?(\d+)`)},
	{fieldPipeline, "$1", regexp.MustCompile(`\b(?:pp|pipeline[- ]parallel(?:ism)?) ?[=:]? ?(\d+)`)},

	{fieldFramework, "tuned", regexp.MustCompile(`nemo|container \d\d\.\d\d|megatron|transformer engine|\bte\b.*fp8|unsloth|tensorrt|trt-llm`)},
	{fieldFramework, "compiled", regexp.MustCompile(`torch\.compile|\+compile|, compile|\bcompiled?\b|llm\.c|liger|exllama|vllm|lmdeploy|sglang|cuda graphs?|llama\.cpp|gpt-fast`)},
	{fieldFramework, "flash", regexp.MustCompile(`flash[- _]?att|\bfa[- ]?2\b|\bfa[- ]?3\b|xformers|sdpa|\btgi\b`)},
	{fieldFramework, "eager", regexp.MustCompile(`\beager\b|no flash|without flash|\bhf transformers\b|transformers generate`)},

	{fieldOptimizer, "adamw_8bit", regexp.MustCompile(`8[- ]?bit ?(?:paged )?(?:adam|optim)|adam\w*[-_ ]?8[-_ ]?bit|bnb adam|paged_adamw_8bit|pagedadamw8bit`)},
	{fieldOptimizer, "adafactor", regexp.MustCompile(`adafactor|\badalomo|\blomo\b|galore`)},
	{fieldOptimizer, "adamw_16bit", regexp.MustCompile(`pure[- _]?bf16|bf16[- _](?:true|optim)|true[- _]?bf16|opt in bwd|16-bit states`)},
	{fieldLoss, "on", regexp.MustCompile(`chunked ce|chunked (?:cross|loss)|cut[- ]cross|liger|unsloth|fused (?:linear )?(?:ce|cross)`)},
	{fieldQuantizer, "gptq", regexp.MustCompile(`\bgptq|\bawq|int4`)},
	{fieldQuantizer, "int8", regexp.MustCompile(`llm\.int8|load_in_8bit|\bint8\b|8-bit (?:base|weights|lora|quanti)`)},
	{fieldQuantizer, "nf4", regexp.MustCompile(`\bnf4|4-bit|4bit|bitsandbytes`)},

	{fieldFabric, "$1", regexp.MustCompile(`(\d+) ?gb(?:ps|it/s) (?:ethernet|network|node|inter|efa|ib\b|infiniband|roce)`)},
	{fieldRequests, "$1", regexp.MustCompile(`\b(\d+) concurren`)},
	{fieldRequests, "$1", regexp.MustCompile(`concurren(?:cy|t(?: requests)?) ?[=:]? ?(\d+)`)},
	{fieldRequests, "max", regexp.MustCompile(`max(?:imum)?[- ]throughput|offline throughput|saturat`)},
	{fieldInput, "$1", regexp.MustCompile(`isl/osl ?[=:]? ?(\d+)/\d+`)},
	{fieldInput, "$1", regexp.MustCompile(`(?:input|prompt)(?:[- _](?:length|len|tokens))? ?(?:of )?[=:]? ?(\d+)(?: tokens?)?(?:[;,.)/+ ]|$)`)},
	{fieldInput, "$1", regexp.MustCompile(`(\d+)[- ](?:token )?(?:input|prompt)(?: tokens?)?(?:[;,.)+]|$)`)},
	{fieldOutput, "$1", regexp.MustCompile(`isl/osl ?[=:]? ?\d+/(\d+)`)},
	{fieldOutput, "$1", regexp.MustCompile(`generat\w+ (\d+)(?: new)? tokens?(?:[;,.)]|$)`)},
	{fieldOutput, "$1", regexp.MustCompile(`(?:output|new)[- _](?:length|len|tokens) ?(?:of )?[=:]? ?(\d+)(?: tokens?)?(?:[;,.)]|$)`)},
	{fieldOutput, "$1", regexp.MustCompile(`(\d+)[- ](?:output|generated|new) tokens?(?:[;,.)]|$)`)},

	{fieldSteady, "on", regexp.MustCompile(`steady|benchmark|dummy data|synthetic|microbench`)},
	{fieldTotalMemory, "off", regexp.MustCompile(`divided by gpu count`)},
	{fieldTotalMemory, "on", regexp.MustCompile(`total over gpus`)},
	{fieldOutOfMemory, "on", regexp.MustCompile(`\boom\b|does not fit|out of memory|out-of-memory|cuda oom`)},
}

// flags are the words by which a row's author takes it out of a comparison; the
// reason for skipping is "flag " and the word.
var flags = []string{"EXCLUDE", "ATYPICAL", "IMPLAUSIBLE", "RLHF", "UPPER BOUND", "UNVERIFIED", "ESTIMATE"}

// wholeBatch is a batch over all GPUs, which is not the micro-batch.
var wholeBatch = regexp.MustCompile(`(?:global|total|effective|overall)[-_ ]batch(?:[-_ ]size)? ?(?:of )?[=:]? ?[\d.,]+ ?[km]?`)

// said is what a row's notes say.
type said map[field]string

// readNotes applies the table to notes, and to the words in the model's name, such
// as "Qwen-72B ZeRO3".
func readNotes(r *Row) said {
	text := wholeBatch.ReplaceAllString(strings.ToLower(r.Notes+" ; "+r.Model), "")
	s := make(said)
	for i := range phrases {
		p := &phrases[i]
		if _, done := s[p.field]; done {
			continue
		}
		if m := p.pattern.FindStringSubmatchIndex(text); m != nil {
			s[p.field] = string(p.pattern.ExpandString(nil, p.value, text, m))
		}
	}
	s.ladder(text)
	s.stack(strings.ToLower(r.origin()) + " ; " + text)
	return s
}

// stackDefault says what a training program does unless its user asks for something
// else, from its documentation. It holds where the notes say nothing.
type stackDefault struct {
	pattern *regexp.Regexp
	field   field
	value   string
}

// stackDefaults are the programs that published runs name, or come from.
var stackDefaults = []stackDefault{
	{litgpt, fieldCheckpointing, "off"}, // fine-tuning recipes keep all activations
	{litgpt, fieldSharding, "none"},     // its single-device recipes
	{torchtune, fieldOptimizer, "adamw_16bit"},
	{torchtune, fieldCheckpointing, "on"},
	{torchtune, fieldLoss, "on"},
	{unsloth, fieldCheckpointing, "on"},
	{unsloth, fieldPacking, "on"},
	{unsloth, fieldOptimizer, "adamw_8bit"},
	{tensorRT, fieldFramework, "tuned"},
}

var (
	litgpt    = regexp.MustCompile(`lit-?gpt|lit-llama`)
	torchtune = regexp.MustCompile(`torchtune`)
	unsloth   = regexp.MustCompile(`unsloth`)
	tensorRT  = regexp.MustCompile(`tensorrt`)
)

// stack fills in the defaults of the program that a text names.
func (s said) stack(text string) {
	for i := range stackDefaults {
		d := &stackDefaults[i]
		if _, done := s[d.field]; !done && d.pattern.MatchString(text) {
			s[d.field] = d.value
		}
	}
}

// ladder reads a list of steps of which each adds to those before ("cumulative:"),
// as one source of a tuning recipe gives it.
func (s said) ladder(text string) {
	_, step, ok := strings.Cut(text, "cumulative: ")
	if !ok {
		return
	}
	steps := []string{"baseline", "+packed", "+compile", "+chunked", "+act ckpt", "+opt in", "+act off", "+8bit", "lora", "qlora"}
	at := -1
	for i, name := range steps {
		if strings.HasPrefix(step, name) {
			at = i
		}
	}
	delete(s, fieldFramework)
	s[fieldOptimizer], s[fieldCheckpointing] = string(workload.AdamW16), "off"
	if at >= 1 {
		s[fieldPacking] = "on"
	}
	if at >= 2 {
		s[fieldFramework] = string(workload.Compiled)
	}
	if at >= 3 {
		s[fieldLoss] = "on"
	}
	if at >= 4 {
		s[fieldCheckpointing] = "on"
	}
	if at == 7 {
		s[fieldOptimizer] = string(workload.AdamW8)
	}
}

// is reports whether a field was set to "on".
func (s said) is(f field) bool { return s[f] == "on" }

// number is a field that holds a count; 0 if it was not set.
func (s said) number(f field) float64 {
	x, err := strconv.ParseFloat(strings.ReplaceAll(s[f], ",", ""), 64)
	if err != nil {
		return 0
	}
	return x
}
