package workload

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// Shape is the architecture of a decoder as the formulas need it. Counts are of
// parameters, not bytes.
type Shape struct {
	Name         string
	Params       float64 // all parameters
	ActiveParams float64 // parameters one token passes through; equals Params without routed experts

	Layers     int
	Width      int // d_model
	FFN        int // hidden size of the feed-forward part
	GatedFFN   bool
	Heads      int
	KVHeads    int
	HeadSize   int
	Vocabulary int
	TiedHead   bool // input and output embedding are one matrix
	Experts    int  // routed experts per layer, 0 if none or not known

	// Fitted says that the dimensions come from FitShape, not from a published
	// configuration.
	Fitted bool
}

// ShapeOf is the shape of a named model. Dimensions that the catalogue does not
// have come from FitShape, and Fitted says so.
func ShapeOf(m catalog.Model) Shape {
	active := m.ActiveParams
	if active <= 0 {
		active = m.Params
	}
	if m.Layers <= 0 || m.Width <= 0 {
		s := FitShape(m.Params, active, m.Layers, m.Width)
		s.Name = m.Name
		return s
	}
	s := Shape{
		Name: m.Name, Params: m.Params, ActiveParams: active,
		Layers: m.Layers, Width: m.Width, FFN: m.FFN, GatedFFN: m.GatedFFN,
		Heads: m.Heads, KVHeads: m.KVHeads, HeadSize: m.HeadSize,
		Vocabulary: m.Vocabulary, TiedHead: m.TiedHead, Experts: m.Experts,
	}
	return s.filled()
}

// FitShape is a typical published shape for a number of parameters N: d = 0.243
// N^0.424 and L = 0.120 N^0.252, regressions on 178 published decoders from 14
// million to 406 billion parameters (median error 12% in d, 9% in L x d). layers and
// width are 0 where they are not known; where one is, the other follows from 12 d^2
// parameters per layer (4 d^2 attention, 8 d^2 feed-forward: Kaplan et al. 2020,
// table 1). Routed experts leave a model as deep and wide as its active parameters
// make it.
func FitShape(params, activeParams float64, layers, width int) Shape {
	if activeParams <= 0 {
		activeParams = params
	}
	s := Shape{Params: params, ActiveParams: activeParams, Layers: layers, Width: width, Fitted: true}
	switch {
	case layers <= 0 && width <= 0:
		s.Width = nearest64(0.243 * math.Pow(activeParams, 0.424))
		s.Layers = atLeast2(0.120 * math.Pow(activeParams, 0.252))
	case width <= 0:
		s.Width = nearest64(math.Sqrt(activeParams / (12 * float64(layers))))
	case layers <= 0:
		s.Layers = atLeast2(activeParams / (12 * float64(width) * float64(width)))
	}
	s.FFN, s.GatedFFN = nearest64(8.0/3*float64(s.Width)), true
	s.Vocabulary, s.TiedHead = 64_000, false
	if activeParams < 1e9 { // small models share the embedding: it would be most of them
		s.Vocabulary, s.TiedHead = 50_304, true
	}
	return s.filled()
}

// filled completes attention dimensions that no source gives: heads of 128 (64 up
// to a width of 1,024), as many for keys and values as for queries, which is the
// case that needs most memory.
func (s Shape) filled() Shape {
	if s.HeadSize <= 0 && s.Heads > 0 {
		s.HeadSize = max(1, s.Width/s.Heads)
	}
	if s.HeadSize <= 0 {
		s.HeadSize = 128
		if s.Width <= 1024 {
			s.HeadSize = 64
		}
	}
	if s.Heads <= 0 {
		s.Heads = max(1, s.Width/s.HeadSize)
	}
	if s.KVHeads <= 0 {
		s.KVHeads = s.Heads
	}
	if s.FFN <= 0 {
		s.FFN = 4 * s.Width
	}
	return s
}

// nearest64 rounds to the multiples of 64 that tensor cores like, at least 64.
func nearest64(x float64) int { return max(64, int(math.Round(x/64))*64) }

// atLeast2 rounds to a number of layers.
func atLeast2(x float64) int { return max(2, int(math.Round(x))) }

// mixture reports whether tokens are routed to experts.
func (s *Shape) mixture() bool { return s.Params > 1.5*s.ActiveParams }
