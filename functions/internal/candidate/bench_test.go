package candidate_test

import (
	"math"
	"testing"
	"time"

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
	snapshot, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	f.market, _ = candidate.NewMarket(snapshot, catalog.USD)
	f.stages, err = workload.Size(workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0),
		Tokens: 50e6, SeqLen: 2048, MicroBatch: 1, LoRARank: 16, Packing: true,
		PreprocessCoreHours: 4, DatasetGB: 10,
		Evaluate: workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128},
	})
	if err != nil {
		b.Fatal(err)
	}
	f.constraints.Markets = candidate.SetOf(catalog.OnDemand, catalog.Spot)
	return f
}

// admit applies the constraints.
func (f *fineTune) admit() *candidate.Admitted {
	return f.market.Admit(&f.constraints, time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), candidate.Data{})
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

// offered is a run on its cheapest offer.
type offered struct {
	run *candidate.Run
	tag *candidate.Tag
}

// each is every run of every stage on its cheapest offer.
func each(b *testing.B, do func(*candidate.Survey, []offered)) {
	f := newFineTune(b)
	admitted := f.admit()
	var surveys []*candidate.Survey
	var lists [][]offered
	made := 0
	make := func() {
		surveys, lists = surveys[:0], lists[:0]
		for i := range f.stages {
			s := candidate.NewSurvey(admitted, &f.stages[i], candidate.Pin{})
			var list []offered
			runs := s.Runs()
			for j := range runs {
				for tag := range s.Lanes(&runs[j], func() tco.Nano { return math.MaxInt64 }) {
					list = append(list, offered{&runs[j], tag})
					break
				}
			}
			surveys, lists = append(surveys, s), append(lists, list)
		}
	}
	make()
	for i := range lists {
		made += len(lists[i])
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		make()
		b.StartTimer()
		for i, s := range surveys {
			do(s, lists[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(made), "ns/candidate")
}

// BenchmarkFirstFigures is the figures of every run's first candidate, which need its
// sizing.
func BenchmarkFirstFigures(b *testing.B) {
	each(b, func(s *candidate.Survey, list []offered) {
		for _, o := range list {
			s.Figures(o.run, o.tag)
		}
	})
}

// BenchmarkFigures is the figures of candidates whose runs are sized.
func BenchmarkFigures(b *testing.B) {
	again(b, func(s *candidate.Survey, o offered) { s.Figures(o.run, o.tag) })
}

// BenchmarkPrice makes such candidates.
func BenchmarkPrice(b *testing.B) {
	var c candidate.Candidate
	again(b, func(s *candidate.Survey, o offered) { s.Price(&c, o.run, o.tag) })
}

var _ = again

func again(b *testing.B, do func(*candidate.Survey, offered)) {
	f := newFineTune(b)
	admitted := f.admit()
	var surveys []*candidate.Survey
	var lists [][]offered
	made := 0
	for i := range f.stages {
		s := candidate.NewSurvey(admitted, &f.stages[i], candidate.Pin{})
		var list []offered
		runs := s.Runs()
		for j := range runs {
			for tag := range s.Lanes(&runs[j], func() tco.Nano { return math.MaxInt64 }) {
				list = append(list, offered{&runs[j], tag})
			}
		}
		surveys, lists = append(surveys, s), append(lists, list)
		made += len(list)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, s := range surveys {
			for _, o := range lists[i] {
				do(s, o)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(made), "ns/candidate")
}
