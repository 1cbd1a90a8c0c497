package convert

import (
	"errors"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// Request turns a valid wire request into the engine's, with every default filled
// in and listed under Assumed. The error is a *schemas.ValidationError: a name
// that the catalogue does not have, a combination that makes no sense, or a field
// that is not supported yet.
func Request(s *catalog.Snapshot, wire schemas.RecommendRequest, computedAt time.Time) (engine.Request, error) {
	r := &reader{snapshot: s, language: wording.Language(wire.Language)}
	out := engine.Request{ComputedAt: computedAt, Seed: seedOf(wire), Language: r.language}
	switch {
	case isPool(wire.Workload):
		out.Pool = r.pool(wire.Workload, wire.Data)
	case isRelative(wire.Workload):
		out.Relative, out.Data = r.relative(wire.Workload, wire.Data)
	case wire.Workload != nil:
		out.Work, out.Data = r.work(wire.Workload, wire.Data)
	case wire.Rental != nil:
		out.RentalSeconds = r.rental(wire)
	default:
		r.fail("", "want a workload (work to be done) or a rental (time on hardware)")
	}
	out.Hardware = r.pin(wire.Hardware)
	out.Critical = value(wire.Critical)
	out.VerifySeconds = r.verify(wire)
	out.Constraints = r.constraints(wire)
	r.contradictions(wire, &out)
	r.limits(wire.Constraints, &out)
	r.preferences(wire, &out)
	out.Assumed = r.assumed
	if err := r.refused(); err != nil {
		return engine.Request{}, err
	}
	return out, nil
}

// mostProblems is how many problems of one request are reported.
const mostProblems = 20

// rental is how long a rental lasts, in seconds.
func (r *reader) rental(wire schemas.RecommendRequest) float64 {
	if d := wire.Data; d != nil && (d.SizeGB != nil || d.Place != "" || d.ResultsTo != "") {
		r.fail("/data", "a rental moves no data: leave it out, or describe a workload")
	}
	if wire.Hardware == nil || wire.Hardware.GPU == "" {
		r.fail("/hardware/gpu", "want the name of the GPU that the rental is on, such as \"H100\"")
	}
	stated := wire.Rental.Hours
	hours := r.decimalOr(stated, preset[string]{"rental.hours", "1", "one hour, so that the total is an hourly price"})
	if !hours.IsPositive() {
		r.fail("/rental/hours", "want more than 0")
	}
	return hours.Mul(decimal.NewFromInt(3600)).InexactFloat64()
}

// limits reads the limits of whole plans.
func (r *reader) limits(c *schemas.Constraints, out *engine.Request) {
	if c == nil {
		return
	}
	out.Budget = r.positive(c.Budget, "/constraints/budget")
	hours := r.positive(c.DeadlineHours, "/constraints/deadline_hours")
	if !hours.Valid {
		return
	}
	out.DeadlineSeconds = hours.Decimal.Mul(decimal.NewFromInt(3600)).IntPart()
	if out.DeadlineSeconds == 0 {
		r.fail("/constraints/deadline_hours", "want at least a second")
	}
}

// preferences reads how plans are ranked and answered.
func (r *reader) preferences(wire schemas.RecommendRequest, out *engine.Request) {
	objective, err := stageplan.ParseObjective(string(orWord(r, wire.Objective,
		preset[stageplan.Objective]{"objective", stageplan.Cost, "least total cost"})))
	if err != nil {
		r.fail("/objective", "want cost, time or balanced; got %s", schemas.Quoted(wire.Objective))
	}
	out.Objective = objective
	out.Currency = orWord(r, wire.Currency, preset[catalog.Currency]{"currency", catalog.USD, "the currency of most sources"})
	if _, ok := r.snapshot.FX(out.Currency, catalog.Date{}); !ok {
		r.fail("/currency", "%s", noRate(out.Currency))
	}
	out.Alternatives = or(r, wire.Alternatives, preset[int]{"alternatives", 5, "plans that differ in provider, GPU or purchase model"})
}

// noRate says that a currency is not known.
func noRate(c catalog.Currency) string {
	return "the catalogue has no exchange rate for " + schemas.Quoted(string(c))
}

// machineGPUs is the most GPUs that one machine commonly has: a count up to it means
// one machine unless nodes says otherwise.
const machineGPUs = 8

// pin reads the hardware of the main stage.
func (r *reader) pin(h *schemas.Hardware) candidate.Pin {
	if h == nil {
		return candidate.Pin{}
	}
	pin := candidate.Pin{GPUCount: value(h.GPUCount), Nodes: value(h.Nodes)}
	if h.GPU != "" {
		pin.GPUs = candidate.SetOf(r.gpus(h.GPU, "/hardware/gpu")...)
	}
	if h.Nodes == nil && pin.GPUCount > 0 && pin.GPUCount <= machineGPUs {
		pin.MaxNodes = 1
		r.assume("hardware.nodes", "1", "that many GPUs come in one machine; state nodes to spread them over several")
	}
	if pin.Nodes > 0 && pin.GPUCount%pin.Nodes != 0 {
		r.fail("/hardware/gpu_count", "want a multiple of nodes, %d; got %d", pin.Nodes, pin.GPUCount)
	}
	r.links(h, &pin)
	return pin
}

// links reads what joins the GPUs of a node, and the nodes.
func (r *reader) links(h *schemas.Hardware, pin *candidate.Pin) {
	var err error
	if pin.Link, err = candidate.ParseLink(h.Interconnect); err != nil {
		r.fail("/hardware/interconnect", "want nvlink or pcie; got %s", schemas.Quoted(h.Interconnect))
	}
	if pin.Fabric, err = workload.ParseFabric(h.Fabric); err != nil {
		r.fail("/hardware/fabric", "want infiniband, efa, omnipath, ethernet or internet; got %s", schemas.Quoted(h.Fabric))
	}
}

// value is what a pointer points to; nil is zero.
func value[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

// Blamed turns an error of the engine that the request is to blame for into a
// *schemas.ValidationError. Any other error stays as it is.
func Blamed(err error) error {
	if field, ok := errors.AsType[workload.FieldError](err); ok {
		return schemas.Invalid(fieldPointer(field.Field), "want %s", field.Want)
	}
	if currency, ok := errors.AsType[engine.CurrencyError](err); ok {
		return schemas.Invalid("/currency", "%s", noRate(currency.Currency))
	}
	return err
}

// fieldPointer is the place in a request of a field of the work, by the name that
// package workload gives it.
func fieldPointer(field string) string {
	switch field {
	case "data.size_gb", "hardware.gpu":
		return pointerOf(field)
	case "params":
		return "/workload/model/params_b"
	case "active_params":
		return "/workload/model/active_params_b"
	case "layers", "width":
		return "/workload/model/" + field
	case "tokens":
		return "/workload/tokens_b"
	default:
		return "/workload/" + strings.ReplaceAll(field, ".", "/")
	}
}
