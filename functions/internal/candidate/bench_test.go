package candidate_test

import (
	"math"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// fineTune is the embedded catalogue in dollars, and the stages and constraints of the
// default fine-tune of a 7B model.
type fineTune struct {
	market      *candidate.Market
	stages      []workload.Stage
	constraints candidate.Constraints
}

// newFineTune makes one.
func newFineTune(b *testing.B) (f fineTune) {
	b.Helper()
	snapshot, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	f.market, _ = candidate.NewMarket(snapshot, catalog.USD)
	f.stages, err = workload.Size(workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0),
		Tokens: 50e6, SeqLen: 2048, MicroBatch: 1, LoRARank: 16, Packing: true, PreprocessCoreHours: 4,
		Evaluate: workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128}, DatasetGB: 10,
	})
	if err != nil {
		b.Fatal(err)
	}
	f.constraints.Markets = candidate.SetOf(catalog.OnDemand, catalog.Spot)
	return f
}

// admit applies the constraints.
func (f *fineTune) admit() *candidate.Admitted {
	return f.market.Admit(&f.constraints, now, candidate.Data{}, new(candidate.Room))
}

// BenchmarkAdmit is what a request does once.
func BenchmarkAdmit(b *testing.B) {
	f := newFineTune(b)
	b.ReportAllocs()
	for b.Loop() {
		f.admit()
	}
}

// BenchmarkSurvey is what it does for each stage.
func BenchmarkSurvey(b *testing.B) {
	f := newFineTune(b)
	admitted := f.admit()
	for i := range f.stages {
		b.Run(string(f.stages[i].Name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				candidate.NewSurvey(admitted, &f.stages[i], candidate.Pin{})
			}
		})
	}
}

// offered is a run on an offer.
type offered struct {
	run *candidate.Run
	tag *candidate.Tag
}

// surveyed surveys a stage and lists its runs, each on the cheapest offers of its first
// lanes.
func (f *fineTune) surveyed(stage *workload.Stage, lanes int) (s *candidate.Survey, list []offered) {
	s = candidate.NewSurvey(f.admit(), stage, candidate.Pin{})
	runs := s.Runs()
	for i := range runs {
		seen := 0
		for tag := range s.Lanes(&runs[i], func() tco.Nano { return math.MaxInt64 }) {
			if seen++; seen > lanes {
				break
			}
			list = append(list, offered{&runs[i], tag})
		}
	}
	return s, list
}

// BenchmarkWork is the figures of a candidate of each run, which need its sizing.
func BenchmarkWork(b *testing.B) {
	f := newFineTune(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		s, list := f.surveyed(&f.stages[1], 1)
		b.StartTimer()
		for _, o := range list {
			s.Figures(o.run, o.tag)
		}
	}
}

// sized calls do for candidates of runs that are sized.
func sized(b *testing.B, do func(*candidate.Survey, offered)) {
	f := newFineTune(b)
	s, list := f.surveyed(&f.stages[1], 5)
	for _, o := range list {
		s.Figures(o.run, o.tag)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range list {
			do(s, o)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list)), "ns/candidate")
}

// BenchmarkFigures is what is worked out of every candidate.
func BenchmarkFigures(b *testing.B) {
	sized(b, func(s *candidate.Survey, o offered) { s.Figures(o.run, o.tag) })
}

// BenchmarkPrice makes those that may matter.
func BenchmarkPrice(b *testing.B) {
	var c candidate.Candidate
	sized(b, func(s *candidate.Survey, o offered) { s.Price(&c, o.run, o.tag) })
}
