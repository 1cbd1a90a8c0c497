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
	out := schemas.Environment{Notes: layoutNotes(e)}
	gpu, ok := w.snapshot.GPU(id)
	if !ok {
		return out
	}
	advice, err := environment.For(gpu)
	if err != nil {
		return out // the tables are part of the program, whose tests read them
	}
	out.CUDAMin, out.Image = known(advice.MinCUDA), known(advice.Image)
	if advice.Image != "" {
		out.Notes = append(out.Notes, "PyTorch "+advice.Torch+" for CUDA "+advice.CUDA+", driver "+advice.Driver+" or newer")
	}
	out.Notes = append(out.Notes, advice.Notes...)
	return out
}

// layoutNotes say how the work is laid out on the GPUs.
func layoutNotes(e *workload.Estimate) []string {
	notes := []string{}
	for _, note := range []struct{ what, value string }{
		{"precision: ", e.Precision},
		{"weights: ", string(e.Weights)},
		{"parallelism: ", e.Parallelism},
		{"sharding: ", string(e.Sharding)},
	} {
		if note.value != "" {
			notes = append(notes, note.what+note.value)
		}
	}
	if e.Checkpointed {
		notes = append(notes, "activations are recomputed in the backward pass")
	}
	return notes
}
