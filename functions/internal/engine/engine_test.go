package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

func load(t *testing.T) *engine.Engine {
	t.Helper()
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	return engine.New(snapshot)
}

func recommend(t *testing.T, e *engine.Engine, change func(*engine.Request)) engine.Answer {
	t.Helper()
	r := sevenBillion()
	if change != nil {
		change(&r)
	}
	a, err := e.Recommend(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPlansHoldTogether checks on the embedded catalogue what must hold of every
// answer: lines sum to totals, times to hours, savings to the two totals, and the
// frontier falls in time as it rises in cost.
func TestPlansHoldTogether(t *testing.T) {
	e := load(t)
	for name, change := range map[string]func(*engine.Request){
		"cheapest": nil,
		"fastest":  func(r *engine.Request) { r.Objective = stageplan.Time },
		"balanced": func(r *engine.Request) { r.Objective = stageplan.Balanced },
		"in euros": func(r *engine.Request) { r.Currency = "EUR" },
		"in a day": func(r *engine.Request) { r.DeadlineSeconds = 24 * 3600 },
		"data moves": func(r *engine.Request) {
			from, to := catalog.Place{Provider: "aws", Region: "us-east-1"}, catalog.Place{Provider: "gcp", Region: "us-central1"}
			r.Data.Place, r.Data.ResultsTo = &from, &to
		},
		"GPU-hours": func(r *engine.Request) {
			r.Work, r.Relative = nil, &workload.Relative{GPU: modelOf(t, e, "A100-80GB-SXM"), Seconds: 1e6}
		},
		"frames by a deadline": func(r *engine.Request) {
			r.Work, r.DeadlineSeconds = nil, 48*3600
			r.Relative = &workload.Relative{GPU: modelOf(t, e, "RTX-4090-24GB"), Seconds: 1e6, Tasks: 5000, Render: true, DatasetGB: 20}
		},
		"rental": func(r *engine.Request) {
			r.Work, r.RentalSeconds = nil, 168*3600
			r.Hardware = candidate.Pin{GPUs: candidate.SetOf[catalog.GPUID]("H100-80GB-SXM"), GPUCount: 8}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := recommend(t, e, change)
			if len(a.Plans) == 0 {
				t.Fatalf("no plan; rejected %v", a.Rejected)
			}
			for i := range a.Plans {
				holdsTogether(t, &a.Plans[i])
			}
			for i := 1; i < len(a.Frontier); i++ {
				if a.Frontier[i].Total.Cmp(a.Frontier[i-1].Total) <= 0 || a.Frontier[i].Seconds >= a.Frontier[i-1].Seconds {
					t.Fatalf("frontier out of order at %d: %v, %v", i, a.Frontier[i-1], a.Frontier[i])
				}
			}
		})
	}
}

// modelOf is a GPU of the catalogue.
func modelOf(t *testing.T, e *engine.Engine, id catalog.GPUID) catalog.GPUModel {
	t.Helper()
	g, ok := e.Snapshot().GPU(id)
	if !ok {
		t.Fatalf("no %s", id)
	}
	return g
}

func holdsTogether(t *testing.T, p *engine.Plan) {
	t.Helper()
	sum, seconds := decimal.Zero, int64(0)
	for i, lines := range p.Lines {
		for _, line := range []decimal.Decimal{lines.Instance, lines.Idle, lines.Storage, lines.Network,
			lines.Interruption, lines.Setup, lines.Verification, lines.Discount} {
			if line.IsNegative() {
				t.Errorf("stage %s: a negative line in %+v", p.Stages[i], lines)
			}
			sum = sum.Add(line)
		}
		seconds += p.Choices[i].Seconds
	}
	for _, m := range p.Moves {
		seconds += m.Seconds
	}
	if !sum.Equal(p.Total) || seconds != p.Seconds {
		t.Errorf("lines sum to %s and stages to %d s, the plan says %s and %d s", sum, seconds, p.Total, p.Seconds)
	}
	if p.P95 < p.Seconds {
		t.Errorf("p95 %d below the expectation %d", p.P95, p.Seconds)
	}
	if b := p.Baseline; b != nil {
		want := b.Total.Sub(p.Total).Mul(decimal.NewFromInt(100)).DivRound(b.Total, 12)
		if want.Sub(b.SavingsPct).Abs().GreaterThan(decimal.New(5, -2)) {
			t.Errorf("savings: got %s%%, want %s", b.SavingsPct, want)
		}
	}
}

// TestDataMovesAreCharged: bringing data from AWS costs AWS's egress, and results
// go where they belong.
func TestDataMovesAreCharged(t *testing.T) {
	aws := catalog.Place{Provider: "aws", Region: "us-east-1"}
	a := recommend(t, load(t), func(r *engine.Request) {
		r.Work.DatasetGB = 1000
		r.Data.Place, r.Data.ResultsTo = &aws, &aws
		r.Constraints.ExcludeProviders = candidate.SetOf[catalog.ProviderID]("aws")
	})
	first := a.Plans[0].Moves[0]
	if want := decimal.RequireFromString("81"); !first.Cost.Equal(want) { // (1000 - 100 free) x 0.09
		t.Errorf("1,000 GB out of aws/us-east-1: got %s, want %s", first.Cost, want)
	}
	if first.Seconds != 8000 {
		t.Errorf("1,000 GB at 1 Gbit/s: got %d s, want 8000", first.Seconds)
	}
	last := a.Plans[0].Moves[len(a.Plans[0].Moves)-1]
	if last.To.Place != aws {
		t.Errorf("results end at %s, want %s", last.To.Place, aws)
	}
}

// TestMonotone: what limits more never costs less, what allows more never more.
func TestMonotone(t *testing.T) {
	e := load(t)
	free := recommend(t, e, nil).Plans[0].Total
	for name, change := range map[string]func(*engine.Request){
		"no spot":     func(r *engine.Request) { r.Constraints.Markets = candidate.SetOf(catalog.OnDemand) },
		"ECC":         func(r *engine.Request) { r.Constraints.ECC = true },
		"one class":   func(r *engine.Request) { r.Constraints.Classes = candidate.SetOf(catalog.Hyperscaler) },
		"EU":          func(r *engine.Request) { r.Constraints.Countries = candidate.SetOf("DE", "FR", "FI") },
		"deadline":    func(r *engine.Request) { r.DeadlineSeconds = 6 * 3600 },
		"more tokens": func(r *engine.Request) { r.Work.Tokens *= 2 },
	} {
		t.Run(name, func(t *testing.T) {
			a := recommend(t, e, change)
			if len(a.Plans) > 0 && a.Plans[0].Total.LessThan(free) {
				t.Errorf("got %s, less than the free choice's %s", a.Plans[0].Total, free)
			}
		})
	}
}

func TestDeadlineHoldsAtP95(t *testing.T) {
	a := recommend(t, load(t), func(r *engine.Request) { r.DeadlineSeconds = 4 * 3600 })
	if len(a.Plans) == 0 {
		t.Fatal("no plan in four hours")
	}
	for _, p := range a.Plans {
		if p.P95 > 4*3600 {
			t.Errorf("plan %s takes %d s at the 95th percentile", p.Why, p.P95)
		}
	}
}

// TestNearest: an impossible deadline or budget comes back with the least value
// that works, and that value works.
func TestNearest(t *testing.T) {
	e := load(t)
	late := recommend(t, e, func(r *engine.Request) { r.DeadlineSeconds = 60 })
	if len(late.Plans) != 0 || len(late.Nearest) != 1 || late.Nearest[0].Field != "constraints.deadline_hours" {
		t.Fatalf("a minute: got %d plans, nearest %+v", len(late.Plans), late.Nearest)
	}
	enough := decimal.RequireFromString(late.Nearest[0].Value).Mul(decimal.NewFromInt(3600)).IntPart()
	if a := recommend(t, e, func(r *engine.Request) { r.DeadlineSeconds = enough }); len(a.Plans) == 0 {
		t.Errorf("the nearest deadline, %s h, gives no plan", late.Nearest[0].Value)
	}
	poor := recommend(t, e, func(r *engine.Request) { r.Budget = decimal.NewNullDecimal(decimal.New(1, -2)) })
	if len(poor.Plans) != 0 || len(poor.Nearest) != 1 || poor.Nearest[0].Field != "constraints.budget" {
		t.Fatalf("a cent: got %d plans, nearest %+v", len(poor.Plans), poor.Nearest)
	}
	if a := recommend(t, e, func(r *engine.Request) {
		r.Budget = decimal.NewNullDecimal(decimal.RequireFromString(poor.Nearest[0].Value))
	}); len(a.Plans) == 0 {
		t.Errorf("the nearest budget, %s, gives no plan", poor.Nearest[0].Value)
	}
}

// TestNothingFits: no plan, and reasons that account for every offer and stage.
func TestNothingFits(t *testing.T) {
	a := recommend(t, load(t), func(r *engine.Request) {
		r.Work.Method, r.Work.Shape = workload.Full, workload.FitShape(5e13, 5e13, 0, 0)
	})
	if len(a.Plans) != 0 || len(a.Frontier) != 0 {
		t.Fatalf("got %d plans", len(a.Plans))
	}
	fits := slices.ContainsFunc(a.Rejected, func(r engine.StageRejection) bool {
		return r.Stage == workload.Train && r.Reason == candidate.DoesNotFit && r.Count > 100
	})
	if !fits {
		t.Errorf("rejections do not say that nothing fits: %v", a.Rejected)
	}
}

func TestErrors(t *testing.T) {
	e := load(t)
	r := sevenBillion()
	r.Currency = "XAU"
	var currency engine.CurrencyError
	if _, err := e.Recommend(r); !errors.As(err, &currency) {
		t.Errorf("gold: got %v, want a currency error", err)
	}
	r = sevenBillion()
	r.Work.SeqLen = 0
	var field workload.FieldError
	if _, err := e.Recommend(r); !errors.As(err, &field) || field.Field != "seq_len" {
		t.Errorf("no sequence: got %v, want an error of seq_len", err)
	}
}

// TestSameAnswer: equal requests have equal answers.
func TestSameAnswer(t *testing.T) {
	e := load(t)
	first, second := recommend(t, e, nil), recommend(t, load(t), nil)
	same := cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) })
	whole := cmp.Exporter(func(reflect.Type) bool { return true })
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Sizing" }, cmp.Ignore())
	if diff := cmp.Diff(first, second, same, whole, ignore); diff != "" {
		t.Error(diff)
	}
}

// TestCriticalWork: ECC memory is taken where it costs at most a fifth more, with
// its premium told; where it costs more the plain plan is warned about.
func TestCriticalWork(t *testing.T) {
	e := load(t)
	plain := recommend(t, e, nil).Plans[0].Total
	only := recommend(t, e, func(r *engine.Request) { r.Constraints.ECC = true }).Plans[0].Total
	got := recommend(t, e, func(r *engine.Request) { r.Critical = true }).Plans[0]
	if want := only.Sub(plain); !got.ECCPremium.Valid || !got.ECCPremium.Decimal.Equal(want) {
		t.Errorf("premium: got %v, want %s", got.ECCPremium, want)
	}
	worth := only.LessThanOrEqual(plain.Mul(decimal.RequireFromString("1.2")))
	warned := slices.ContainsFunc(got.Warnings, func(w engine.Warning) bool { return w.Code == engine.WarnECCDear })
	if worth && !got.Total.Equal(only) || !worth && (!got.Total.Equal(plain) || !warned) {
		t.Errorf("total %s of %s with ECC and %s without, warned %v", got.Total, only, plain, warned)
	}
	consumer := recommend(t, e, func(r *engine.Request) {
		r.Critical = true
		r.Constraints.Classes = candidate.SetOf(catalog.Community)
		r.Constraints.Providers = candidate.SetOf[catalog.ProviderID]("salad")
	})
	if len(consumer.Plans) > 0 && consumer.Plans[0].ECCPremium.Valid {
		t.Errorf("no ECC to be had, and a premium of %s", consumer.Plans[0].ECCPremium.Decimal)
	}
}

// TestAnswersStay checks that later searches, which use the room of earlier ones, change
// nothing of what was answered.
func TestAnswersStay(t *testing.T) {
	e := load(t)
	text := func(a *engine.Answer) []string {
		var all []string
		for i := range a.Plans {
			p := &a.Plans[i].Plan
			all = append(all, fmt.Sprint(told([]stageplan.Outline{p.Outline}, true), p.Total, p.Lines, p.Moves, a.Plans[i].Why))
		}
		for _, p := range a.Frontier {
			all = append(all, fmt.Sprint(p.Total.Decimal(), p.Seconds, p.Plan))
		}
		return all
	}
	first := recommend(t, e, nil)
	before := text(&first)
	for _, change := range []func(*engine.Request){
		func(r *engine.Request) { r.Objective = stageplan.Time },
		func(r *engine.Request) { r.DeadlineSeconds = 6 * 3600 },
		func(r *engine.Request) { r.Budget = decimal.NewNullDecimal(decimal.NewFromInt(1)) },
		nil,
	} {
		recommend(t, e, change)
	}
	if diff := cmp.Diff(before, text(&first)); diff != "" {
		t.Errorf("the first answer changed (-before +after):\n%s", diff)
	}
	again := recommend(t, e, nil)
	if diff := cmp.Diff(before, text(&again)); diff != "" {
		t.Errorf("asked again (-before +after):\n%s", diff)
	}
}
