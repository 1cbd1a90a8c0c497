package convert

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// The kinds of work that are counted in time on a reference GPU.
const (
	batchKind  = string(workload.Batch)
	renderKind = string(workload.Render)
)

// isRelative reports whether a workload is of such a kind.
func isRelative(w *schemas.Workload) bool {
	return w != nil && (w.Kind == batchKind || w.Kind == renderKind || isEdge(w))
}

// relative reads work that is counted in time on a reference GPU.
func (r *reader) relative(w *schemas.Workload, d *schemas.Data) (*workload.Relative, engine.Data) {
	r.only(w, w.Kind)
	work := workload.Relative{Render: w.Kind == renderKind}
	switch {
	case work.Render:
		r.render(value(w.Render), &work)
	case isEdge(w):
		r.edge(value(w.Edge), &work)
	default:
		r.batch(value(w.Batch), &work)
	}
	places := r.relativeData(value(d), &work)
	r.assume("memory", "enough on any GPU", "how much the work needs is not known: constraints.min_vram_gb rules out what is too small")
	if len(r.problems) > 0 {
		return nil, places
	}
	if err := work.Check(); err != nil {
		r.problems = append(r.problems, asProblems(Blamed(err))...)
	}
	return &work, places
}

// only refuses the fields of a workload that its kind has no use for.
func (r *reader) only(w *schemas.Workload, own ...string) {
	var fields map[string]json.RawMessage
	document, err := json.Marshal(w)
	if err == nil {
		err = json.Unmarshal(document, &fields)
	}
	if err != nil {
		r.fail("/workload", "want fields that go with kind %s", schemas.Quoted(w.Kind))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "kind" && !slices.Contains(own, name) {
			r.fail("/workload/"+name, "nothing of kind %s depends on it: leave it out", schemas.Quoted(w.Kind))
		}
	}
}

// batch reads GPU-hours.
func (r *reader) batch(b schemas.Batch, work *workload.Relative) {
	hours := r.positive(b.GPUHours, "/workload/batch/gpu_hours")
	work.Seconds = hours.Decimal.Mul(decimal.NewFromInt(3600)).InexactFloat64()
	work.GPU = r.reference(b.ReferenceGPU, batchKind)
	work.Tasks = value(b.Tasks)
	if b.Tasks == nil {
		r.assume("workload.batch.tasks", "any number", "the work splits evenly, into tasks of at most six minutes on the reference GPU")
	}
}

// render reads frames.
func (r *reader) render(f schemas.Render, work *workload.Relative) {
	each := r.positive(f.SecondsPerFrame, "/workload/render/seconds_per_frame")
	frames := value(f.Frames)
	work.Seconds = each.Decimal.Mul(decimal.NewFromInt(int64(frames))).InexactFloat64()
	work.GPU = r.reference(f.ReferenceGPU, renderKind)
	work.Tasks = or(r, f.Tasks, preset[int]{"workload.render.tasks", frames, "each frame is a task"})
}

// reference finds the GPU that the time was taken on. Of several that a name stands
// for it is the fastest, of which the work is most; those that were measured come first.
func (r *reader) reference(name, kind string) catalog.GPUModel {
	pointer := "/workload/" + kind + "/reference_gpu"
	ids := r.snapshot.GPUVariants(name)
	var best workload.Relative
	for _, id := range ids {
		g, _ := r.snapshot.GPU(id)
		option := workload.Relative{GPU: g, Seconds: 1, Render: kind == renderKind}
		if option.Check() == nil && (best.GPU.ID == "" || better(&option, &best)) {
			best = option
		}
	}
	switch {
	case len(ids) == 0:
		r.unknown(pointer, "GPU", name, gpuNames(r.snapshot))
	case best.GPU.ID == "":
		r.fail(pointer, "no source gives the speed of %s", joined(ids))
	case len(ids) > 1:
		r.assume("workload."+kind+".reference_gpu", string(best.GPU.ID), "the fastest, or the measured one, of %s", joined(ids))
	}
	return best.GPU
}

// better reports whether a rather than b is what a name for both stands for.
func better(a, b *workload.Relative) bool {
	if a.Render {
		return a.GPU.FP32TFLOPS > b.GPU.FP32TFLOPS
	}
	speed, measured := workload.SpeedOf(&a.GPU)
	other, otherMeasured := workload.SpeedOf(&b.GPU)
	if measured != otherMeasured {
		return measured
	}
	return speed > other
}

// relativeData reads the data of the work, which by default is none.
func (r *reader) relativeData(d schemas.Data, work *workload.Relative) engine.Data {
	size := r.decimalOr(d.SizeGB, preset[string]{"data.size_gb", "0", "GB: no data to bring was stated"})
	work.DatasetGB = size.InexactFloat64()
	if work.DatasetGB == 0 {
		return engine.Data{Place: r.place(d.Place, "/data/place"), ResultsTo: r.place(d.ResultsTo, "/data/results_to")}
	}
	return r.places(d)
}
