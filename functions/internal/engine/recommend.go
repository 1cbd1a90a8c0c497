package engine

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Engine answers requests from one snapshot. Any number of goroutines may use it.
type Engine struct {
	snapshot *catalog.Snapshot
	dollars  func() *candidate.Market         // made once, when it is first asked for
	other    atomic.Pointer[candidate.Market] // in the currency that was asked for last, dollars apart
	rooms    sync.Pool                        // of *stageplan.Room that are free
}

// New is an engine over a snapshot.
func New(s *catalog.Snapshot) *Engine {
	return &Engine{snapshot: s, dollars: sync.OnceValue(func() *candidate.Market {
		dollars, _ := candidate.NewMarket(s, catalog.USD) // a dollar needs no exchange rate
		return dollars
	})}
}

// Warm prices the catalogue ahead of the first request that needs it.
func (e *Engine) Warm() { e.dollars() }

// Snapshot is the catalogue that the engine answers from.
func (e *Engine) Snapshot() *catalog.Snapshot { return e.snapshot }

// CurrencyError says that the catalogue has no exchange rate for a currency.
type CurrencyError struct{ Currency catalog.Currency }

// Error names the currency.
func (e CurrencyError) Error() string {
	return fmt.Sprintf("no exchange rate for currency %q", e.Currency)
}

// Recommend finds the plans for a request. The error is a workload.FieldError for
// work that can't be, or a CurrencyError. A request that nothing meets is no
// error: it has no plans, and rejections that say why.
func (e *Engine) Recommend(r Request) (Answer, error) {
	if r.Critical && !r.Constraints.ECC {
		return e.critical(r)
	}
	return e.plans(r)
}

// plans answers a request as it stands.
func (e *Engine) plans(r Request) (Answer, error) {
	market, err := e.market(r.Currency)
	if err != nil {
		return Answer{}, err
	}
	stages, err := r.stages()
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{CatalogVersion: e.snapshot.Version(), ComputedAt: r.ComputedAt, Currency: r.Currency}
	problem := e.problem(r, market, stages, &answer)
	x := explainer{Language: r.Language, request: &r, stages: stages, problem: &problem}
	x.explain(e, stageplan.Solve(problem), &answer)
	e.leave(&problem)
	if len(answer.Plans) == 0 {
		answer.Nearest = relaxer{e, market, stages}.nearest(r)
	}
	return answer, nil
}

// problem gathers the candidates of every stage; what it looked at and ruled out
// is noted in the answer.
func (e *Engine) problem(r Request, market *candidate.Market, stages []workload.Stage, answer *Answer) stageplan.Problem {
	problem := frame(&r, market, stages)
	problem.Room = e.room()
	admitted := market.Admit(&r.Constraints, r.ComputedAt, r.moved(&problem), &problem.Room.Candidates)
	surveys := make([]*candidate.Survey, len(stages))
	for i := range stages {
		surveys[i] = candidate.NewSurvey(admitted, &stages[i], r.pin(i == problem.Main))
		answer.Considered += surveys[i].Considered
		answer.reject(r.Language, stages[i].Name, surveys[i].Rejected)
	}
	stageplan.Gather(&problem, surveys)
	return problem
}

// room is free room.
func (e *Engine) room() *stageplan.Room {
	if room, ok := e.rooms.Get().(*stageplan.Room); ok {
		return room
	}
	return new(stageplan.Room)
}

// solve gives the plans of a problem that was made by problem, once.
func (e *Engine) solve(p *stageplan.Problem) []stageplan.Plan {
	defer e.leave(p)
	result := stageplan.Solve(*p)
	return result.Plans()
}

// leave gives the room of a problem back, which is of no use any longer.
func (e *Engine) leave(p *stageplan.Problem) {
	if room := p.Leave(); room != nil {
		e.rooms.Put(room)
	}
}

// frame is a request's problem without candidates.
func frame(r *Request, market *candidate.Market, stages []workload.Stage) stageplan.Problem {
	return stageplan.Problem{
		Market: market, Main: mainStage(stages),
		VolumesGB: volumes(stages), From: site(r.Data.Place), To: site(r.Data.ResultsTo),
		Budget: r.Budget, DeadlineSeconds: r.DeadlineSeconds,
		Objective: r.Objective, Alternatives: max(r.Alternatives, 1), Seed: r.Seed,
	}
}

// moved is what moves for a request.
func (r *Request) moved(p *stageplan.Problem) candidate.Data {
	return candidate.Data{GB: decimal.Sum(decimal.Zero, p.VolumesGB...), From: r.Data.Place, To: r.Data.ResultsTo}
}

// pin is the hardware that a stage is held to: the main one alone.
func (r *Request) pin(main bool) candidate.Pin {
	if !main {
		return candidate.Pin{}
	}
	return r.Hardware
}

// market prices the snapshot in a currency; dollars are at hand, and what was asked for
// last.
func (e *Engine) market(currency catalog.Currency) (*candidate.Market, error) {
	if currency == catalog.USD {
		return e.dollars(), nil
	}
	if m := e.other.Load(); m != nil && m.Converter.Target() == currency {
		return m, nil
	}
	market, ok := candidate.NewMarket(e.snapshot, currency)
	if !ok {
		return nil, CurrencyError{currency}
	}
	e.other.Store(market)
	return market, nil
}

// stagesOf are the stages of a request's work or, without any, of a rental.
func stagesOf(work *workload.Spec, relative *workload.Relative, rentalSeconds float64) ([]workload.Stage, error) {
	switch {
	case work != nil:
		return workload.Size(*work)
	case relative != nil:
		stage, err := workload.RelativeTo(*relative)
		return []workload.Stage{stage}, err
	default:
		return []workload.Stage{workload.RentalOf(rentalSeconds)}, nil
	}
}

// mainStage is the stage that the job is about.
func mainStage(stages []workload.Stage) int {
	for i := range stages {
		if stages[i].Name == workload.Train {
			return i
		}
	}
	return 0
}

// volumes are what moves into the first stage, between stages, and out of the last.
func volumes(stages []workload.Stage) []decimal.Decimal {
	moves := []decimal.Decimal{tco.Volume(stages[0].InputGB)}
	for i := range stages {
		moves = append(moves, tco.Volume(stages[i].OutputGB))
	}
	return moves
}

// site is a place as a site; nil stays nil.
func site(p *catalog.Place) *candidate.Site {
	if p == nil {
		return nil
	}
	return &candidate.Site{Place: *p}
}

// reject notes a stage's rejections.
func (a *Answer) reject(in wording.Language, stage workload.StageName, rejections []candidate.Rejection) {
	for _, r := range rejections {
		a.Rejected = append(a.Rejected, StageRejection{stage, r, rejectedFor(in, r.Reason)})
	}
}

// points are the frontier in short, with the ranks of the plans it shares.
func points(result *stageplan.Result) []Point {
	front := make([]Point, len(result.Frontier))
	for i := range result.Frontier {
		p := &result.Frontier[i]
		front[i] = Point{Total: p.Units, Seconds: p.Seconds}
	}
	for rank := range result.Best {
		at, found := sort.Find(len(front), func(i int) int { return stageplan.Compare(&result.Best[rank], &result.Frontier[i]) })
		if found {
			front[at].Plan = rank + 1
		}
	}
	return front
}

// oldest is the earliest price date among the plans' offers; unknown if one is.
func oldest(plans []stageplan.Plan) catalog.Date {
	var least catalog.Date
	for i := range plans {
		for _, c := range plans[i].Choices {
			if !c.Offer.AsOf.Known() {
				return catalog.Date{}
			}
			if !least.Known() || c.Offer.AsOf.Before(least) {
				least = c.Offer.AsOf
			}
		}
	}
	return least
}
