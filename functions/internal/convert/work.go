package convert

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// work reads a workload and the data around it. What is left out becomes the
// default job of the kind.
func (r *reader) work(w *schemas.Workload, d *schemas.Data) (*workload.Spec, engine.Data) {
	shape, ok := r.shape(w.Model)
	if !ok {
		return nil, engine.Data{}
	}
	spec := &workload.Spec{Kind: workload.Kind(w.Kind), Shape: shape}
	r.relativeOnly(w)
	var tokens decimal.Decimal
	if spec.Kind == workload.Inference {
		r.inference(w, spec)
	} else {
		r.method(w, spec)
		tokens = r.tokens(w, spec)
		r.training(w, spec)
		r.parallelism(w, spec)
		r.around(w, spec)
	}
	data := r.data(d, spec, tokens)
	if err := spec.Check(); err != nil {
		for _, p := range asProblems(Blamed(err)) {
			r.fail(inferencePointer(p.Pointer, spec.Kind), "%s", p.Message)
		}
	}
	return spec, data
}

// relativeOnly refuses what only other kinds of work have.
func (r *reader) relativeOnly(w *schemas.Workload) {
	if w.Batch != nil {
		r.fail("/workload/batch", "only kind batch has it: leave it out")
	}
	if w.Render != nil {
		r.fail("/workload/render", "only kind render has it: leave it out")
	}
	if w.Edge != nil {
		r.fail("/workload/edge_incremental", "only kind edge_incremental has it: leave it out")
	}
	if w.DevTest != nil {
		r.fail("/workload/devtest", "only kind devtest has it: leave it out")
	}
}

// asProblems are the problems of an error that Blamed made.
func asProblems(err error) []schemas.Problem {
	if invalid, ok := err.(*schemas.ValidationError); ok {
		return invalid.Problems
	}
	return []schemas.Problem{{Message: "the work can't be estimated"}}
}

// inferencePointer is where a request of a kind states what package workload calls
// evaluation.
func inferencePointer(pointer string, kind workload.Kind) string {
	if rest, ok := strings.CutPrefix(pointer, "/workload/evaluate"); ok && kind == workload.Inference {
		return "/workload/inference" + rest
	}
	return pointer
}

// method reads which parameters are trained.
func (r *reader) method(w *schemas.Workload, spec *workload.Spec) {
	if spec.Kind == workload.Pretrain {
		spec.Method = orWord(r, w.Method, preset[workload.Method]{"workload.method", workload.Full, "pretraining changes all parameters"})
		return
	}
	spec.Method = orWord(r, w.Method, preset[workload.Method]{"workload.method", workload.LoRA, "the usual way to fine-tune"})
}

// tokens reads how much is trained on and gives the dataset's size in tokens.
func (r *reader) tokens(w *schemas.Workload, spec *workload.Spec) decimal.Decimal {
	p := preset[string]{"workload.tokens_b", "0.05", "50 million tokens, a usual size for a fine-tune"}
	if spec.Kind == workload.Pretrain {
		p.value = inBillions(20 * spec.Shape.ActiveParams)
		p.why = "20 tokens per parameter (Hoffmann et al. 2022)"
	}
	perEpoch := r.decimalOr(w.TokensB, p).Shift(9)
	epochs := or(r, w.Epochs, preset[int]{"workload.epochs", 1, "the dataset is seen once"})
	spec.Tokens = perEpoch.Mul(decimal.NewFromInt(int64(epochs))).InexactFloat64()
	return perEpoch
}

// inBillions writes a count as a request would, in units of 10^9, to nine decimals.
func inBillions(count float64) string { return trimmed(count/1e9, 9) }

// training reads how it is trained.
func (r *reader) training(w *schemas.Workload, spec *workload.Spec) {
	framework := preset[workload.Framework]{"workload.framework", workload.Eager, "most fine-tuning scripts are plain PyTorch"}
	if spec.Kind == workload.Pretrain {
		framework.value, framework.why = workload.Flash, "pretraining codes have fused attention"
	}
	spec.SeqLen = or(r, w.SeqLen, preset[int]{"workload.seq_len", 2048, "tokens per sequence, the usual length"})
	spec.MicroBatch = or(r, w.MicroBatch, preset[int]{"workload.micro_batch", 1, "sequences per GPU: the least memory"})
	spec.Assumed = workload.Assumed{SeqLen: w.SeqLen == nil, MicroBatch: w.MicroBatch == nil}
	spec.Packing = or(r, w.Packing, preset[bool]{"workload.packing", true, "sequences are filled with whole samples"})
	spec.Framework = orWord(r, w.Framework, framework)
	spec.Checkpointing = orWord(r, w.Checkpointing,
		preset[workload.Checkpointing]{"workload.checkpointing", workload.CheckpointAuto, "activations are recomputed where memory forces it or scripts do it anyway"})
	spec.Sharding = orWord(r, w.Sharding,
		preset[workload.Sharding]{"workload.sharding", workload.ShardAuto, "the training state is split where it does not fit otherwise"})
	spec.Offload = or(r, w.Offload, preset[bool]{"workload.offload", false, "everything stays in GPU memory"})
	r.adapters(w, spec)
}

// parallelism reads how the training is spread over GPUs and kept in their memory.
// What is not stated is chosen, or zero.
func (r *reader) parallelism(w *schemas.Workload, spec *workload.Spec) {
	if w.Inference != nil {
		r.fail("/workload/inference", "only kind inference answers requests: leave it out")
	}
	spec.Precision = orWord(r, w.Precision,
		preset[workload.Precision]{"workload.precision", workload.PrecisionAuto, "the best 16-bit format of the GPU"})
	if spec.Optimizer = workload.Optimizer(w.Optimizer); spec.Method == workload.Full {
		spec.Optimizer = orWord(r, w.Optimizer,
			preset[workload.Optimizer]{"workload.optimizer", workload.AdamW, "32-bit master weights and moments"})
	}
	spec.TensorParallel, spec.PipelineParallel = value(w.TensorParallel), value(w.PipelineParallel)
	spec.BatchTokens = float64(value(w.BatchTokens))
	spec.ChunkedLoss = value(w.ChunkedLoss)
}

// adapters reads what only LoRA and QLoRA have.
func (r *reader) adapters(w *schemas.Workload, spec *workload.Spec) {
	switch {
	case spec.Method == workload.LoRA || spec.Method == workload.QLoRA:
		spec.LoRARank = or(r, w.LoRARank, preset[int]{"workload.lora_rank", 16, "the usual rank of the adapters"})
	case w.LoRARank != nil:
		r.assume("workload.lora_rank", "unused", "training of all parameters has no adapters")
	}
	switch {
	case spec.Method == workload.QLoRA:
		spec.Quantizer = orWord(r, w.Quantizer, preset[workload.Quantizer]{"workload.quantizer", workload.NF4, "the usual format"})
	case w.Quantizer != "":
		r.assume("workload.quantizer", "unused", "only QLoRA quantizes the frozen weights")
	}
}

// around reads the work before and after the training.
func (r *reader) around(w *schemas.Workload, spec *workload.Spec) {
	hours := preset[string]{"workload.preprocess.cpu_core_hours", "4", "core-hours to clean and tokenise"}
	if spec.Kind == workload.Pretrain {
		hours.value, hours.why = "0", "a corpus is bought or built once, ahead of the job"
	}
	preprocess, evaluate := value(w.Preprocess), value(w.Evaluate)
	spec.PreprocessCoreHours = r.decimalOr(preprocess.CPUCoreHours, hours).InexactFloat64()
	spec.Evaluate.Requests = or(r, evaluate.Requests, preset[int]{"workload.evaluate.requests", 1000, "requests that the trained model is tried on"})
	if spec.Evaluate.Requests == 0 {
		return
	}
	spec.Evaluate.InputTokens = or(r, evaluate.InputTokens, preset[int]{"workload.evaluate.input_tokens", 512, "tokens per request"})
	spec.Evaluate.OutputTokens = or(r, evaluate.OutputTokens, preset[int]{"workload.evaluate.output_tokens", 128, "tokens per request"})
	spec.Evaluate.Batch = value(evaluate.Batch)
	spec.Evaluate.Weights, spec.Evaluate.Framework = workload.Format(evaluate.Weights), workload.Framework(evaluate.Framework)
}

// inference reads the requests that a published model answers.
func (r *reader) inference(w *schemas.Workload, spec *workload.Spec) {
	i := value(w.Inference)
	e := &spec.Evaluate
	e.Requests = r.requests(&i)
	e.InputTokens = or(r, i.InputTokens, preset[int]{"workload.inference.input_tokens", 512, "tokens per request"})
	e.OutputTokens = or(r, i.OutputTokens, preset[int]{"workload.inference.output_tokens", 128, "tokens per request"})
	e.Batch, e.MaxLatencySeconds = value(i.Batch), float64(value(i.MaxLatencyMS))/1000
	e.Weights = orWord(r, i.Weights, preset[workload.Format]{"workload.inference.weights", workload.Bits16, "as published"})
	e.Framework = orWord(r, i.Framework, preset[workload.Framework]{"workload.inference.framework", workload.Compiled, "serving engines replay captured graphs"})
}

// requests is how many requests there are: stated, or so many a second.
func (r *reader) requests(i *schemas.Inference) int {
	const pointer = "/workload/inference/qps"
	if i.QPS == nil {
		if i.Hours != nil {
			r.fail("/workload/inference/hours", "want qps with it: so many requests a second for these hours")
		}
		return or(r, i.Requests, preset[int]{"workload.inference.requests", 1000, "requests to answer"})
	}
	if i.Requests != nil {
		r.fail(pointer, "want either requests or qps and hours, not both")
	}
	qps := r.positive(i.QPS, pointer)
	hours := r.decimalOr(i.Hours, preset[string]{"workload.inference.hours", "1", "how long requests come"})
	count := qps.Decimal.Mul(hours).Mul(decimal.NewFromInt(3600)).Ceil()
	if qps.Valid && (!count.IsPositive() || count.GreaterThan(decimal.NewFromInt(1_000_000_000))) {
		r.fail(pointer, "want from 1 to 1,000,000,000 requests in all; got %s", count)
		return 1
	}
	return int(count.IntPart())
}

// shape reads a model. ok is false if there is none; the reason is recorded.
func (r *reader) shape(m *schemas.Model) (shape workload.Shape, ok bool) {
	switch {
	case m == nil || m.Name == "" && m.ParamsB == nil:
		r.fail("/workload/model", "want the name of a model or its size, params_b")
		return shape, false
	case m.Name != "":
		return r.named(m)
	}
	params := r.positive(m.ParamsB, "/workload/model/params_b")
	active := r.positive(m.ActiveParamsB, "/workload/model/active_params_b")
	if !params.Valid {
		return shape, false
	}
	if active.Valid && active.Decimal.GreaterThan(params.Decimal) {
		r.fail("/workload/model/active_params_b", "want at most params_b, %s; got %s", params.Decimal, active.Decimal)
		return shape, false
	}
	total := params.Decimal.Shift(9).InexactFloat64()
	shape = workload.FitShape(total, active.Decimal.Shift(9).InexactFloat64(), value(m.Layers), value(m.Width))
	if m.Layers == nil || m.Width == nil {
		r.assumeShape(&shape)
	}
	return shape, true
}

// named finds a model by its name.
func (r *reader) named(m *schemas.Model) (shape workload.Shape, ok bool) {
	if m.ParamsB != nil || m.ActiveParamsB != nil || m.Layers != nil || m.Width != nil {
		r.fail("/workload/model", "want either the name of a model or its size and shape, not both")
		return shape, false
	}
	model, ok := r.snapshot.Model(m.Name)
	if !ok {
		r.unknownNear("/workload/model/name", "model "+schemas.Quoted(m.Name), nearModels(r.snapshot, m.Name))
		return shape, false
	}
	if model.Kind == "diffusion" || model.Kind == "vit" {
		r.fail("/workload/model/name", "%s is a model of images: not supported yet", model.Name)
		return shape, false
	}
	shape = workload.ShapeOf(model)
	if shape.Fitted {
		r.assumeShape(&shape)
	}
	return shape, true
}

// assumeShape notes dimensions that no source gives.
func (r *reader) assumeShape(s *workload.Shape) {
	r.assume("workload.model", r.language.Say("%d layers of width %d", s.Layers, s.Width),
		"typical of published models of that size")
}

// nearModels are the models that a misspelt name may have meant: by their names,
// or else by their aliases.
func nearModels(s *catalog.Snapshot, name string) []string {
	var names, aliases []string
	for _, m := range s.Models() {
		names, aliases = append(names, m.Name), append(aliases, m.Aliases...)
	}
	if found := near.Names(name, names); len(found) > 0 {
		return found
	}
	var found []string
	for _, alias := range near.Names(name, aliases) {
		if m, ok := s.Model(alias); ok && !slices.Contains(found, m.Name) {
			found = append(found, m.Name)
		}
	}
	return found
}
