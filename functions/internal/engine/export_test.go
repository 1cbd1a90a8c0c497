package engine

import (
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Found is what a search finds, without what is said about it.
type Found struct {
	stageplan.Result
	Considered int
	Rejected   [][]candidate.Rejection // by stage
}

// Gathered searches as Recommend does.
func Gathered(e *Engine, r Request) (Found, error) {
	return e.find(r, func(p *stageplan.Problem, surveys []*candidate.Survey, f *Found) {
		for _, s := range surveys {
			f.Considered += s.Considered
			f.Rejected = append(f.Rejected, s.Rejected)
		}
		stageplan.Gather(p, surveys)
	})
}

// Plain searches among all candidates: every offer in every number of nodes.
func Plain(e *Engine, r Request) (Found, error) {
	stages, err := r.stages()
	if err != nil {
		return Found{}, err
	}
	return e.find(r, func(p *stageplan.Problem, _ []*candidate.Survey, f *Found) {
		for i := range stages {
			demand := candidate.Demand{Constraints: &r.Constraints, Pin: r.pin(i == p.Main), Now: r.ComputedAt}
			found := candidate.ForStage(p.Market, &stages[i], demand)
			p.Stages = append(p.Stages, found.Candidates)
			f.Considered += found.Considered
			f.Rejected = append(f.Rejected, found.Rejected)
		}
	})
}

// find searches among the candidates that fill sets.
func (e *Engine) find(r Request, fill func(*stageplan.Problem, []*candidate.Survey, *Found)) (f Found, err error) {
	market, err := e.market(r.Currency)
	if err != nil {
		return f, err
	}
	stages, err := r.stages()
	if err != nil {
		return f, err
	}
	problem := frame(&r, market, stages)
	admitted := market.Admit(&r.Constraints, r.ComputedAt, r.moved(&problem), new(candidate.Room))
	var surveys []*candidate.Survey
	for i := range stages {
		surveys = append(surveys, candidate.NewSurvey(admitted, &stages[i], r.pin(i == problem.Main)))
	}
	fill(&problem, surveys, &f)
	f.Result = stageplan.Solve(problem)
	return f, nil
}

// Stages are what a request is planned from: the market, the stages and the main one.
func Stages(t interface{ Fatal(...any) }, e *Engine, r *Request) (*candidate.Market, []workload.Stage, int) {
	market, err := e.market(r.Currency)
	if err != nil {
		t.Fatal(err)
	}
	stages, err := r.stages()
	if err != nil {
		t.Fatal(err)
	}
	return market, stages, mainStage(stages)
}
