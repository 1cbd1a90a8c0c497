package engine

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// stages are those of the request's job, the hardware of the main one tried before the
// work if that is asked for. The error is a workload.FieldError.
func (r *Request) stages() (stages []workload.Stage, err error) {
	if r.Pool != nil {
		stage, err := workload.PoolOf(*r.Pool)
		return []workload.Stage{stage}, err
	}
	stages, err = stagesOf(r.Work, r.Relative, r.RentalSeconds)
	if err == nil {
		stages[mainStage(stages)].VerifySeconds = r.VerifySeconds
	}
	return stages, err
}

// compare gives plans of work that is done in an unusual way the usual way as their
// baseline: models that share GPUs are held against one GPU for each, rounds at the
// edge against the same rounds on demand in data centres.
func (e *Engine) compare(r Request, market *candidate.Market, plans []Plan) {
	in, message := r.Language, ""
	switch {
	case len(plans) == 0:
		return
	case r.Pool != nil:
		message = in.Say("every model on a GPU of its own")
		pool := *r.Pool
		pool.Apart, r.Pool = true, &pool
	case r.Relative != nil && r.Relative.Edge != nil:
		message = in.Say("the same rounds on demand on data-centre GPUs")
		r.Constraints.Classes = candidate.SetOf(catalog.Hyperscaler, catalog.Specialist)
		r.Constraints.Providers, r.Constraints.Markets = nil, candidate.SetOf(catalog.OnDemand)
		r.Constraints.GPUs = e.dataCentreGPUs()
	default:
		return
	}
	usual := e.cheapest(r, market)
	if usual == nil {
		return
	}
	message = in.Say("%s: %s", message, describe(in, usual.Choices[0]))
	for i := range plans {
		plans[i].Baseline = &Baseline{
			Description: message,
			Total:       usual.Total,
			SavingsPct:  savings(usual.Total, plans[i].Total),
		}
	}
}

// dataCentreGPUs are the GPUs that are built for data centres.
func (e *Engine) dataCentreGPUs() candidate.Set[catalog.GPUID] {
	set := make(candidate.Set[catalog.GPUID])
	for _, id := range e.snapshot.GPUIDs() {
		if g, _ := e.snapshot.GPU(id); g.Class == catalog.DataCentre {
			set[id] = true
		}
	}
	return set
}

// cheapest is the cheapest plan for a request whatever its budget and deadline; nil if
// there is none.
func (e *Engine) cheapest(r Request, market *candidate.Market) *stageplan.Plan {
	stages, err := r.stages()
	if err != nil {
		return nil
	}
	r.Budget.Valid, r.DeadlineSeconds, r.Objective, r.Alternatives = false, 0, stageplan.Cost, 1
	p := e.problem(r, market, stages, &Answer{})
	plans := e.solve(&p)
	if len(plans) == 0 {
		return nil
	}
	return &plans[0]
}

// shared are the warnings about models that share GPUs and about rounds.
func (a about) shared(c *candidate.Candidate) []Warning {
	var all []Warning
	if c.Slots > 1 && c.Efficiency.Value < 1 {
		all = append(all, Warning{WarnShared, a.say("%s: %d models share each node of %s: each is taken to get %.0f%% of its share, at worst %.0f%%",
			c.Slots, c.Offer.GPU, 100*c.Efficiency.Value, 100*c.Efficiency.Low)})
	}
	if c.Slowest > 1 {
		all = append(all, Warning{WarnSlowest, a.say("%s: a round takes %.4g s: it waits for the slowest of the GPUs, which takes %.3g times the usual step",
			c.RoundSeconds, c.Slowest)})
	}
	return all
}
