package workload

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// anyWork draws a stage of any kind: training, generation, work relative to a GPU, and
// now and then one that is no work for a GPU.
func anyWork(t *rapid.T) Stage {
	switch rapid.IntRange(0, 9).Draw(t, "sort") {
	case 0:
		return RentalOf(3600)
	case 1, 2:
		return anyRelative(t)
	}
	s, name := anyStage(t)
	s.TensorParallel = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 8}).Draw(t, "tensor")
	s.PipelineParallel = rapid.SampledFrom([]int{0, 0, 0, 1, 4}).Draw(t, "pipeline")
	s.Evaluate.MaxLatencySeconds = rapid.SampledFrom([]float64{0, 0, 0.5, 10, 600}).Draw(t, "latency")
	s.Precision = rapid.SampledFrom([]Precision{"", "", PrecisionAuto, BF16, FP16, FP8, FP32}).Draw(t, "any precision")
	if rapid.IntRange(0, 3).Draw(t, "computed") == 0 {
		s.Evaluate.Weights = rapid.SampledFrom([]Format{FormatFP8, FormatFP4, Bits3, Bits2}).Draw(t, "other weights")
	}
	if name == Evaluate && rapid.Bool().Draw(t, "published") {
		s.Kind, s.Method = Inference, ""
	}
	stages, err := Size(s)
	if err != nil {
		t.Fatalf("Size: %v", err)
	}
	for i := range stages {
		if stages[i].Name == name {
			return stages[i]
		}
	}
	t.Fatalf("no stage %s", name)
	return Stage{}
}

// anyRelative draws work whose time on one of the GPUs is known.
func anyRelative(t *rapid.T) Stage {
	r := Relative{
		GPU:     anyHardware(t).GPU,
		Seconds: rapid.Float64Range(1, 1e8).Draw(t, "seconds"),
		Tasks:   rapid.SampledFrom([]int{0, 1, 7, 1000}).Draw(t, "tasks"),
		Render:  rapid.Bool().Draw(t, "render"),
	}
	if !r.Render && rapid.Bool().Draw(t, "edge") {
		r.Edge = &Edge{Rounds: 100, Workers: 4, RoundGB: 0.1, UplinkGBs: 0.1, WeightsGB: 1}
	}
	s, err := RelativeTo(r)
	if err != nil {
		t.Fatalf("RelativeTo: %v", err)
	}
	return s
}

// anyMachine is anyHardware, and now and then some that can't be estimated.
func anyMachine(t *rapid.T) Hardware {
	h := anyHardware(t)
	switch rapid.IntRange(0, 19).Draw(t, "flaw") {
	case 0:
		h.GPU.BandwidthGBs = 0
	case 1:
		h.Nodes = 0
	case 2:
		h.GPU.FP32TFLOPS = 0
	case 3, 4, 5:
		h.GPU.Architecture = "Blackwell"
	}
	return h
}

// machinesEach is how many machines a drawn stage is tried on.
const machinesEach = 50

func TestFitIsThatOfTheEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyWork(t)
		for range machinesEach {
			h := anyMachine(t)
			want, wantErr := s.On(h)
			got, err := s.FitOn(h)
			_, _, fit, outlineErr := outlined(&s, &h)
			if got != want.Fit || fit != want.Fit {
				t.Errorf("FitOn = %v, Outline = %v, On = %v", got, fit, want.Fit)
			}
			if !sameError(err, wantErr) || !sameError(outlineErr, wantErr) {
				t.Errorf("FitOn: %v; Outline: %v; On: %v", err, outlineErr, wantErr)
			}
		}
	})
}

// outlined is the Outline of hardware, and what is Latest.
func outlined(s *Stage, h *Hardware) (soonest, latest float64, fit Fit, err error) {
	var n Node
	if err := s.Look(h, &n); err != nil {
		return 0, 0, DoesNotFit, err
	}
	n.Over(3)
	n.Outline() // of others, which must not matter
	n.Over(h.Nodes)
	soonest, fit = n.Outline()
	return soonest, n.Latest(soonest), fit, nil
}

// sameError reports whether two errors say the same of the same field.
func sameError(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	field, isField := a.(FieldError)
	other, otherIs := b.(FieldError)
	return isField == otherIs && field == other && a.Error() == b.Error()
}

func TestWhatFitsTakesAsLongAsIsOutlined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyWork(t)
		for range machinesEach {
			h := anyMachine(t)
			least, most, _, _ := outlined(&s, &h)
			if !(least >= 0) || math.IsInf(least, 0) {
				t.Errorf("at least %g s", least)
			}
			if e, err := s.On(h); err == nil && e.Fit == Fits && (least > e.Expected || most < e.Expected) {
				t.Errorf("at least %g s and at most %g s, expected %g s", least, most, e.Expected)
			}
		}
	})
}

// TestOutlineIsClose holds the bound to be of use: over the GPUs of the catalogue it is
// nearly what is expected in the median, and never far below.
func TestOutlineIsClose(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	job := loraJob(FitShape(7e9, 7e9, 0, 0))
	job.Framework = ""
	for name, want := range map[StageName]struct{ median, least float64 }{
		Train:    {0.9999, 0.9999},
		Evaluate: {0.98, 0.8},
	} {
		shares := sharesOfExpected(stage(t, job, name), s.Parts().GPUs)
		if len(shares) < 150 {
			t.Fatalf("%s: fits on %d machines only", name, len(shares))
		}
		if median := shares[len(shares)/2]; median < want.median || shares[0] < want.least {
			t.Errorf("%s: the outline is %.4f of what is expected in the median, %.4f at least; want %g and %g",
				name, median, shares[0], want.median, want.least)
		}
	}
}

// sharesOfExpected is the outline over what is expected, ascending, on 1 to 8 of each GPU in 1
// or 2 nodes.
func sharesOfExpected(s *Stage, gpus []catalog.GPUModel) (shares []float64) {
	for i := range gpus {
		for _, count := range [...]Hardware{{GPUsPerNode: 1, Nodes: 1}, {GPUsPerNode: 2, Nodes: 1}, {GPUsPerNode: 8, Nodes: 1}, {GPUsPerNode: 8, Nodes: 2}} {
			h := one(gpus[i], count.GPUsPerNode)
			h.Nodes = count.Nodes
			if e, err := s.On(h); err == nil && e.Fit == Fits {
				seconds, _, _, _ := outlined(s, &h)
				shares = append(shares, seconds/e.Expected)
			}
		}
	}
	slices.Sort(shares)
	return shares
}

// TestServingIsTheBestOfAll compares the layout that is chosen with a plain search over
// every width and batch.
func TestServingIsTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyWork(t)
		if s.generation == nil || s.generation.Evaluate.Batch > 0 {
			return
		}
		for range machinesEach {
			h := anyHardware(t)
			var m machine
			if err := s.read(&h, &m); err != nil {
				continue
			}
			m.clock = m.k.powerFactor(m.peak, h.GPU.TDPWatts)
			var v serving
			var scratch [2]answering
			got := s.generation.serve(&m, &v, &scratch).all.total()
			if want := bestOfAll(s.generation, &m); got != want && !math.IsInf(want, 1) {
				t.Errorf("%d GPUs, batches of %d: %g s; the best of all takes %g s", v.width, v.batch, got, want)
			}
		}
	})
}

// bestOfAll is the seconds of the width that ends soonest; infinite if a copy fits on none.
func bestOfAll(g *generation, m *machine) float64 {
	var v serving
	g.begin(m, &v)
	soonest := math.Inf(1)
	for doublings := range m.doublings() + 1 {
		g.widen(m, &v, doublings)
		soonest = min(soonest, plainly(g, m, &v))
	}
	return soonest
}

// plainly is the seconds with the largest batch that suits, or 1, whatever is known of
// larger ones; infinite if a copy does not fit.
func plainly(g *generation, m *machine, v *serving) float64 {
	largest := 1
	for v.batch = 1; v.batch <= int(g.most(v)); v.batch++ {
		if g.suits(m, v) {
			largest = v.batch
		}
	}
	var t answering
	if v.batch = largest; !g.serves(m, v) {
		return math.Inf(1)
	}
	g.answer(m, v, &t)
	return t.all.total()
}
