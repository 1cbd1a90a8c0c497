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

// How the speeds compare is said, and what is not known is an error rather than no time.
func TestRatios(t *testing.T) {
	quadro := catalog.GPUModel{ID: "Quadro-RTX-8000-48GB", Vendor: "nvidia"} // measured, its specification is in no source
	a10g := rtx4090()
	a10g.ID, a10g.FP32TFLOPS = "A10G-24GB", 0
	for name, row := range map[string]struct {
		edit  func(*Relative)
		on    catalog.GPUModel
		speed float64
		basis Basis
	}{
		"same":                      {func(*Relative) {}, a100(), 1, SameGPU},
		"measured":                  {func(*Relative) {}, h100(), 1.814, Measured},
		"measured on a bare name":   {func(r *Relative) { r.GPU = quadro }, a100(), 1 / 0.365, Measured},
		"one of the two measured":   {func(*Relative) {}, t4(), 0.203, Specification},
		"rendered":                  {func(r *Relative) { r.Render = true }, h100(), 67.0 / 19.5, FP32Rates},
		"rendered on the reference": {func(r *Relative) { r.Render = true }, a100(), 1, SameGPU},
	} {
		t.Run(name, func(t *testing.T) {
			s := relative(t, row.edit)
			e, err := s.On(one(row.on, 1))
			if err != nil {
				t.Fatalf("On: %v", err)
			}
			near(t, "speed", e.Ratio.Speed, row.speed, 1.01)
			near(t, "seconds of a piece", e.PieceSeconds, 360/row.speed, 1.01)
			if e.Ratio.Basis != row.basis || !s.Relative() || e.RequiredGB != 0 {
				t.Errorf("basis %s, want %s; %g GB", e.Ratio.Basis, row.basis, e.RequiredGB)
			}
		})
	}
	s := relative(t, func(r *Relative) { r.Render = true })
	_, err := s.On(one(a10g, 1))
	if wrong, ok := errors.AsType[FieldError](err); !ok || wrong.Field != "hardware.gpu" {
		t.Errorf("rendering on a GPU of unknown FP32 rate: error %v, want one about hardware.gpu", err)
	}
}

func TestRelativeWorkThatCannotBe(t *testing.T) {
	for field, r := range map[string]Relative{
		"batch.gpu_hours":     {GPU: a100()},
		"render.frames":       {GPU: a100(), Render: true},
		"data.size_gb":        {GPU: a100(), Seconds: 1, DatasetGB: -1},
		"batch.tasks":         {GPU: a100(), Seconds: 1, Tasks: -1},
		"batch.reference_gpu": {GPU: catalog.GPUModel{ID: "M60-8GB"}, Seconds: 1},
	} {
		_, err := RelativeTo(r)
		if wrong, ok := errors.AsType[FieldError](err); !ok || wrong.Field != field {
			t.Errorf("%+v: error %v, want one about %s", r, err, field)
		}
	}
}
