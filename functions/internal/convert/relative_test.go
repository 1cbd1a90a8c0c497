package convert

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

func TestRelative(t *testing.T) {
	s := smallCatalogue(t)
	gpu := func(id catalog.GPUID) catalog.GPUModel { g, _ := s.GPU(id); return g }
	for name, row := range map[string]struct {
		document string
		want     workload.Relative
		assumed  map[string]string // "" is not assumed
	}{
		"batch": {
			`{"workload": {"kind": "batch", "batch": {"gpu_hours": "0.1", "reference_gpu": "RTX 4090"}}}`,
			workload.Relative{GPU: gpu("RTX-4090-24GB"), Seconds: 360},
			map[string]string{"workload.batch.tasks": "any number", "data.size_gb": "0", "memory": "enough on any GPU",
				"workload.batch.reference_gpu": "", "data.place": "", "workload.method": ""},
		},
		"batch in tasks with data": {
			`{"workload": {"kind": "batch", "batch": {"gpu_hours": "100", "reference_gpu": "T4", "tasks": 7}}, "data": {"size_gb": "5"}}`,
			workload.Relative{GPU: gpu("T4-16GB"), Seconds: 360_000, Tasks: 7, DatasetGB: 5},
			map[string]string{"workload.batch.tasks": "", "data.size_gb": "", "data.place": "where the first stage runs"},
		},
		"a family of which two are measured": {
			`{"workload": {"kind": "batch", "batch": {"gpu_hours": "1", "reference_gpu": "A100"}}}`,
			workload.Relative{GPU: gpu("A100-80GB-SXM"), Seconds: 3600},
			map[string]string{"workload.batch.reference_gpu": "A100-80GB-SXM"},
		},
		"frames": {
			`{"workload": {"kind": "render", "render": {"frames": 240, "seconds_per_frame": "0.1", "reference_gpu": "H100"}}}`,
			workload.Relative{GPU: gpu("H100-80GB-SXM"), Seconds: 24, Tasks: 240, Render: true},
			map[string]string{"workload.render.tasks": "240"},
		},
		"frames in tasks": {
			`{"workload": {"kind": "render", "render": {"frames": 240, "seconds_per_frame": "10", "reference_gpu": "L4", "tasks": 24}}}`,
			workload.Relative{GPU: gpu("L4-24GB"), Seconds: 2400, Tasks: 24, Render: true},
			map[string]string{"workload.render.tasks": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := accepted(t, row.document)
			if diff := cmp.Diff(&row.want, r.Relative); diff != "" || r.Work != nil {
				t.Errorf("work (-want +got):\n%s", diff)
			}
			for field, want := range row.assumed {
				if got := assumed(r, field); got != want {
					t.Errorf("assumed %s = %q, want %q", field, got, want)
				}
			}
		})
	}
}

func TestLinks(t *testing.T) {
	r := accepted(t, `{"workload": {"kind": "pretrain", "model": {"params_b": "7"}}, "hardware": {"interconnect": "nvlink", "fabric": "efa"}}`)
	if diff := cmp.Diff(candidate.Pin{Link: candidate.NVLink, Fabric: workload.EFA}, r.Hardware); diff != "" || r.Hardware.Open() {
		t.Errorf("pin (-want +got):\n%s", diff)
	}
	open := accepted(t, `{"workload": {"kind": "pretrain", "model": {"params_b": "7"}}, "hardware": {"interconnect": null, "fabric": ""}}`)
	if !open.Hardware.Open() {
		t.Errorf("got %+v, want nothing pinned", open.Hardware)
	}
}

// Work on a reference that never met its schema must not do harm either.
func TestRelativeWithoutSchema(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, w := range map[string]schemas.Workload{
		"no batch":      {Kind: "batch"},
		"no hours":      {Kind: "batch", Batch: &schemas.Batch{ReferenceGPU: "T4"}},
		"no reference":  {Kind: "batch", Batch: &schemas.Batch{GPUHours: text("1")}},
		"huge exponent": {Kind: "batch", Batch: &schemas.Batch{GPUHours: text("1e999999999"), ReferenceGPU: "T4"}},
		"no render":     {Kind: "render"},
		"no frames":     {Kind: "render", Render: &schemas.Render{SecondsPerFrame: text("1"), ReferenceGPU: "T4"}},
		"other fields":  {Kind: "batch", Batch: &schemas.Batch{GPUHours: text("1"), ReferenceGPU: "T4"}, Method: "lora"},
		"batch of a fine-tune": {Kind: "finetune", Model: &schemas.Model{ParamsB: text("7")},
			Batch: &schemas.Batch{GPUHours: text("1"), ReferenceGPU: "T4"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Request(smallCatalogue(t), schemas.RecommendRequest{Workload: &w}, at())
			if invalid, ok := errors.AsType[*schemas.ValidationError](err); !ok || len(invalid.Problems) == 0 {
				t.Errorf("got error %v, want a *schemas.ValidationError", err)
			}
			_, err = EstimateRequest(smallCatalogue(t), schemas.EstimateRequest{Workload: &w, Hardware: &schemas.EstimatedHardware{GPU: "T4"}}, at())
			if invalid, ok := errors.AsType[*schemas.ValidationError](err); !ok || len(invalid.Problems) == 0 {
				t.Errorf("estimate: got error %v, want a *schemas.ValidationError", err)
			}
		})
	}
	for _, link := range []schemas.Hardware{{Interconnect: "string"}, {Fabric: "pigeon"}} {
		_, err := Request(smallCatalogue(t), schemas.RecommendRequest{Rental: &schemas.Rental{}, Hardware: &link}, at())
		if _, ok := errors.AsType[*schemas.ValidationError](err); !ok {
			t.Errorf("%+v: got error %v, want a *schemas.ValidationError", link, err)
		}
	}
	if got := Blamed(workload.FieldError{Field: "batch.tasks", Want: "few"}); got.Error() != schemas.Invalid("/workload/batch/tasks", "want few").Error() {
		t.Errorf("got %v", got)
	}
}
