package convert

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/environment"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// environment writes what a GPU stage needs of its software, and how the estimate took
// the work to be laid out.
func (w writer) environment(id catalog.GPUID, e *workload.Estimate) schemas.Environment {
	out, written := w.environments[id]
	if !written {
		out = w.advice(id)
		w.environments[id] = out
	}
	out.Notes = append(w.layoutNotes(e), out.Notes...)
	return out
}

// advice writes what a GPU needs of its software, whatever the work.
func (w writer) advice(id catalog.GPUID) (out schemas.Environment) {
	gpu, ok := w.snapshot.GPU(id)
	if !ok {
		return out
	}
	advice, err := environment.For(gpu, w.language)
	if err != nil {
		return out // the tables are part of the program, whose tests read them
	}
	out.CUDAMin, out.Image = known(advice.MinCUDA), known(advice.Image)
	if advice.Image != "" {
		out.Notes = append(out.Notes, w.language.Say("PyTorch %s for CUDA %s, driver %s or newer", advice.Torch, advice.CUDA, advice.Driver))
	}
	out.Notes = append(out.Notes, advice.Notes...)
	return out
}

// layoutNotes say how the work is laid out on the GPUs.
func (w writer) layoutNotes(e *workload.Estimate) []string {
	notes, say := []string{}, w.language.Say
	if e.Precision != "" {
		notes = append(notes, say("precision: %s", e.Precision))
	}
	if e.Weights != "" {
		notes = append(notes, say("weights: %s", e.Weights))
	}
	if e.Parallelism != "" {
		notes = append(notes, say("parallelism: %s", w.language.Value(e.Parallelism)))
	}
	if e.Sharding != "" {
		notes = append(notes, say("sharding: %s", e.Sharding))
	}
	if e.Checkpointed {
		notes = append(notes, say("activations are recomputed in the backward pass"))
	}
	return notes
}
