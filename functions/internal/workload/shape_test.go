package workload

import (
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

func TestShapeOf(t *testing.T) {
	m := catalog.Model{
		Name: "llama-2-70b", Params: 68.98e9, Layers: 80, Width: 8192, FFN: 28672, GatedFFN: true,
		Heads: 64, KVHeads: 8, HeadSize: 128, Vocabulary: 32_000,
	}
	got := ShapeOf(m)
	if got.Fitted || got.Layers != 80 || got.KVHeads != 8 || got.ActiveParams != 68.98e9 {
		t.Errorf("ShapeOf = %+v, want the published dimensions", got)
	}
	m.Layers, m.Width, m.KVHeads = 0, 0, 0
	if got := ShapeOf(m); !got.Fitted || got.Name != "llama-2-70b" || got.Layers < 1 {
		t.Errorf("ShapeOf without dimensions = %+v, want a fitted shape of that name", got)
	}
}

func TestFitShapeIsNearPublishedOnes(t *testing.T) {
	tests := []struct {
		name          string
		params        float64
		layers, width int
	}{
		{"pythia-160m", 0.162e9, 12, 768},
		{"pythia-1.4b", 1.41e9, 24, 2048},
		{"llama-7b", 6.74e9, 32, 4096},
		{"llama-13b", 13.0e9, 40, 5120},
		{"llama-65b", 65.3e9, 80, 8192},
		{"gpt3-175b", 174.6e9, 96, 12288},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := FitShape(tt.params, 0, 0, 0)
			if !got.Fitted || got.ActiveParams != tt.params {
				t.Errorf("FitShape = %+v, want it marked as fitted with all parameters active", got)
			}
			near(t, "width", float64(got.Width), float64(tt.width), 1.35)
			near(t, "layers", float64(got.Layers), float64(tt.layers), 1.5)
			near(t, "L x d", float64(got.Layers*got.Width), float64(tt.layers*tt.width), 1.35)
		})
	}
}

func TestFitShapeKeepsWhatIsStated(t *testing.T) {
	if got := FitShape(7e9, 0, 40, 0); got.Layers != 40 || got.Width != 3840 {
		t.Errorf("40 layers of 7e9: %d x %d, want width sqrt(7e9/480) = 3,819 -> 3,840", got.Layers, got.Width)
	}
	if got := FitShape(7e9, 0, 0, 4096); got.Layers != 35 || got.Width != 4096 {
		t.Errorf("width 4096 of 7e9: %d x %d, want 7e9/(12 x 4096^2) = 34.8 -> 35 layers", got.Layers, got.Width)
	}
	if got := FitShape(47e9, 13e9, 0, 0); got.Params != 47e9 || got.ActiveParams != 13e9 || got.Width > 5300 {
		t.Errorf("mixture: %+v, want the width of its active parameters", got)
	}
}

func TestTinyShapeIsValid(t *testing.T) {
	s := loraJob(FitShape(1, 0, 0, 0))
	if err := s.Check(); err != nil {
		t.Fatalf("Check: %v", err)
	}
	on(t, s, Train, one(a100(), 8))
}

func TestAdaptersCountThreeMatricesWhenGated(t *testing.T) {
	// The count that PEFT prints for LoRA of rank 16 on every linear layer of Llama 7B:
	// 16 x 32 x (4 x (4096+4096) + 3 x (4096+11008)).
	s := loraJob(llama7B())
	if got := s.adapterParams(); got != 39_976_960 {
		t.Errorf("gated: %.0f adapter parameters, want 39,976,960", got)
	}
	s.Shape.GatedFFN = false
	if got := s.adapterParams(); got != 32_243_712 {
		t.Errorf("not gated: %.0f adapter parameters, want 32,243,712", got)
	}
}

func TestActiveExperts(t *testing.T) {
	m := mixtral()
	near(t, "experts per token of Mixtral", m.activeExperts(), 2, 1.05)
	m.Experts = 0
	if got := m.activeExperts(); got != 2 {
		t.Errorf("unknown experts: %g, want 2", got)
	}
	m.Params = 9 * m.ActiveParams
	if got := m.activeExperts(); got != 8 {
		t.Errorf("unknown, very sparse: %g, want 8", got)
	}
}
