package workload

import (
	"errors"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// relative is work of an hour on one A100, as a stage.
func relative(t *testing.T, edit func(*Relative)) Stage {
	t.Helper()
	r := Relative{GPU: a100(), Seconds: 3600}
	edit(&r)
	s, err := RelativeTo(r)
	if err != nil {
		t.Fatalf("RelativeTo: %v", err)
	}
	return s
}

func TestRelativeWork(t *testing.T) {
	unmeasured := a100Small() // the SXM board with 40 GB
	tests := []struct {
		name    string
		edit    func(*Relative)
		hw      Hardware
		seconds float64
	}{
		{"the same GPU", func(*Relative) {}, one(a100(), 1), 3600},
		{"twice as many", func(*Relative) {}, one(a100(), 2), 1800},
		{"measured ratio", func(*Relative) {}, one(rtx4090(), 1), 3600 / 0.712},
		{"by specification", func(*Relative) {}, one(unmeasured, 1), 3600 / 0.8385},
		{"three pieces on two GPUs take two rounds", func(r *Relative) { r.Tasks = 3 }, one(a100(), 2), 2400},
		{"rendering by FP32", func(r *Relative) { r.Render = true }, one(rtx4090(), 1), 3600 * 19.5 / 82.6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := relative(t, tt.edit)
			e, err := s.On(tt.hw)
			if err != nil {
				t.Fatalf("On: %v", err)
			}
			near(t, "seconds", e.Expected, tt.seconds, 1.001)
			if e.Fit != Fits || e.Low >= e.Expected || e.High <= e.Expected {
				t.Errorf("%v, [%g, %g] around %g", e.Fit, e.Low, e.High, e.Expected)
			}
		})
	}
}

func TestRelativeWorkThatCannotBe(t *testing.T) {
	for field, r := range map[string]Relative{
		"gpu_hours":     {GPU: a100()},
		"tasks":         {GPU: a100(), Seconds: 1, Tasks: -1},
		"reference_gpu": {GPU: catalog.GPUModel{ID: "M60-8GB"}, Seconds: 1},
	} {
		_, err := RelativeTo(r)
		if wrong, ok := errors.AsType[FieldError](err); !ok || wrong.Field != field {
			t.Errorf("%+v: error %v, want one about %s", r, err, field)
		}
	}
}
