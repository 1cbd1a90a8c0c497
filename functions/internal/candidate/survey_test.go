package candidate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// jobs are the stages of work of every sort: on CPUs, training, generation, rounds at the
// edge and a rental.
func jobs(t *testing.T) []workload.Stage {
	t.Helper()
	stages, err := workload.Size(workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0), Tokens: 50e6, SeqLen: 2048, MicroBatch: 1,
		LoRARank: 16, Packing: true, PreprocessCoreHours: 4, DatasetGB: 5000,
		Evaluate: workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128},
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	gpu, _ := snapshot.GPU("A100-80GB-SXM")
	edge, err := workload.RelativeTo(workload.Relative{GPU: gpu, Seconds: 1e5, Edge: &workload.Edge{Rounds: 100, Workers: 8, RoundGB: 0.01, UplinkGBs: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	return append(stages, edge, workload.RentalOf(1e5))
}

// TestFiguresAreTheCandidates: what is said of a candidate before it is made is what it
// takes, no less than its run and its offer take at least, and with all that it is made of
// the same as in the plain scan.
func TestFiguresAreTheCandidates(t *testing.T) {
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	market, _ := candidate.NewMarket(snapshot, "EUR")
	constraints := candidate.Constraints{CommitmentMonths: 12}
	admitted := market.Admit(&constraints, now, candidate.Data{}, new(candidate.Room))
	stages := jobs(t)
	for i := range stages {
		survey, compared := candidate.NewSurvey(admitted, &stages[i], candidate.Pin{}), 0
		plain := scanned(market, &stages[i], &constraints)
		runs := survey.Runs()
		for j := range runs {
			r := &runs[j]
			everything := candidate.Wanted{Anywhere: tco.Nano(math.MaxInt64)}
			bound := tco.Nano(math.MaxInt64)
			for _, least := range survey.Lanes(r, func() tco.Nano { return math.MaxInt64 }) {
				bound = min(bound, least.Cost)
			}
			seen := 0
			for tag, least := range survey.Offers(r, everything) {
				if seen++; seen%5 != 1 {
					continue
				}
				var c candidate.Candidate
				ok := survey.Price(&c, r, tag)
				f, same := survey.Figures(r, tag)
				if want := (candidate.Figures{Bound: c.Bound, Seconds: c.Seconds, P95: c.P95}); f != want || same != ok {
					t.Fatalf("%s on %s: got %+v, %v, want %+v, %v", stages[i].Name, c.Offer.ID, f, same, want, ok)
				}
				if least.Cost > c.Bound.Low || least.Seconds > c.Seconds || r.Least().Cost > c.Bound.Low || bound > c.Bound.Low {
					t.Fatalf("%s on %s: takes %+v, at least %+v", stages[i].Name, c.Offer.ID, f, least)
				}
				if want := plain[choice{c.Offer.ID, c.Nodes}]; !alike(&c, want) {
					t.Fatalf("%s on %d of %s: %+v, in the plain scan %+v", stages[i].Name, c.Nodes, c.Offer.ID, c, want)
				}
				compared++
			}
		}
		if compared < 100 {
			t.Errorf("%s: %d candidates compared", stages[i].Name, compared)
		}
	}
}

// choice is what tells candidates of a stage apart.
type choice struct {
	offer catalog.OfferID
	nodes int
}

// scanned are the candidates of the plain scan.
func scanned(m *candidate.Market, stage *workload.Stage, c *candidate.Constraints) map[choice]*candidate.Candidate {
	found := candidate.ForStage(m, stage, candidate.Demand{Constraints: c, Now: now})
	by := make(map[choice]*candidate.Candidate, len(found.Candidates))
	for i := range found.Candidates {
		one := &found.Candidates[i]
		by[choice{one.Offer.ID, one.Nodes}] = one
	}
	return by
}

// alike reports whether two candidates on the same offer are the same.
func alike(a, b *candidate.Candidate) bool {
	return b != nil && a.Quote == b.Quote && *a.Sizing == *b.Sizing && a.Usage == b.Usage && a.Job == b.Job &&
		a.Interruptions == b.Interruptions && a.InterruptRate == b.InterruptRate && a.Network.Equal(b.Network) &&
		a.NetworkAssumed == b.NetworkAssumed && a.Seconds == b.Seconds && a.P95 == b.P95 && a.Bound == b.Bound
}

// TestSurveysRuleOutWhatTheScanDoes counts the same by reason, costs beyond the limit
// included: those of work for ages, of very much of it on the slowest hardware only.
func TestSurveysRuleOutWhatTheScanDoes(t *testing.T) {
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	market, _ := candidate.NewMarket(snapshot, catalog.USD)
	gpu, _ := snapshot.GPU("A100-80GB-SXM")
	beyond := make(map[workload.StageName]int)
	for _, scale := range []float64{1, 1e5, 1e6, 1e7, 1e8} {
		stages, err := workload.Size(workload.Spec{
			Kind: workload.FineTune, Method: workload.LoRA, Shape: workload.FitShape(7e9, 7e9, 0, 0), Tokens: 1e8 * scale, SeqLen: 2048, MicroBatch: 1,
			LoRARank: 16, Packing: true, PreprocessCoreHours: 10 * scale, DatasetGB: 10,
			Evaluate: workload.Evaluation{Requests: int(10 * scale), InputTokens: 4096, OutputTokens: 16384},
		})
		if err != nil {
			t.Fatal(err)
		}
		batch, err := workload.RelativeTo(workload.Relative{GPU: gpu, Seconds: 3e4 * scale, Tasks: 3})
		if err != nil {
			t.Fatal(err)
		}
		stages = append(stages, batch, workload.RentalOf(1e4*scale))
		for _, c := range []candidate.Constraints{{}, {MaxInstanceHour: some("30")}} {
			admitted := market.Admit(&c, now, candidate.Data{}, new(candidate.Room))
			for i := range stages {
				want := candidate.ForStage(market, &stages[i], candidate.Demand{Constraints: &c, Now: now}).Rejected
				got := candidate.NewSurvey(admitted, &stages[i], candidate.Pin{}).Rejected
				if !slices.Equal(got, want) {
					t.Errorf("%s, %g times as much: ruled out %v, want %v", stages[i].Name, scale, got, want)
				}
				for _, r := range want {
					if r.Reason == candidate.BeyondLimits && r.Count < 2000 {
						beyond[stages[i].Name] += r.Count
					}
				}
			}
		}
	}
	for _, name := range []workload.StageName{workload.Preprocess, workload.Train, workload.Evaluate, workload.Batch, workload.Rental} {
		if beyond[name] == 0 {
			t.Errorf("%s: no scale at which a part of the offers cost too much", name)
		}
	}
}

// TestAdmissionRulesOutWhatTheScanDoes counts the same by reason under constraints that tell
// offers of one lane apart, with offers that are in another country than others at their site.
func TestAdmissionRulesOutWhatTheScanDoes(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	parts := s.Parts()
	parts.Offers = slices.Clone(parts.Offers)
	for i := range parts.Offers {
		switch i % 5 {
		case 0:
			parts.Offers[i].Country = "DE"
		case 1:
			parts.Offers[i].Country = ""
		}
	}
	if s, err = catalog.NewSnapshot(parts); err != nil {
		t.Fatal(err)
	}
	market, _ := candidate.NewMarket(s, catalog.USD)
	stage := workload.RentalOf(3600)
	frankfurt := catalog.Region{Latitude: 50.11, Longitude: 8.68, Precision: catalog.PreciseCity}
	for name, c := range map[string]candidate.Constraints{
		"a country":             {Countries: candidate.SetOf("DE")},
		"not a country":         {ExcludeCountries: candidate.SetOf("DE")},
		"a region":              {Regions: candidate.SetOf(catalog.RegionID("us-east-1"), "global")},
		"young prices":          {MaxAgeDays: 200},
		"steady":                {MaxInterruptionPct: some("10")},
		"all of it":             {Countries: candidate.SetOf("DE", "US"), MaxAgeDays: 200, MaxInterruptionPct: some("10")},
		"near":                  {Near: &candidate.Locality{Users: frankfurt, MaxRTTMs: 60}},
		"near in a country":     {Countries: candidate.SetOf("DE"), Near: &candidate.Locality{Users: frankfurt, MaxRTTMs: 60}},
		"attested in a country": {Countries: candidate.SetOf("DE"), Compliance: []string{"SOC 2"}},
	} {
		admitted := market.Admit(&c, now, candidate.Data{}, new(candidate.Room))
		want := candidate.ForStage(market, &stage, candidate.Demand{Constraints: &c, Now: now}).Rejected
		got := candidate.NewSurvey(admitted, &stage, candidate.Pin{}).Rejected
		if !slices.Equal(got, want) {
			t.Errorf("%s: ruled out %v, want %v", name, got, want)
		}
	}
}
