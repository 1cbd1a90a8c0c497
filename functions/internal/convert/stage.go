package convert

import (
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// stage writes a stage on the offer chosen for it, which plans may share, once. What it
// costs is each plan's own.
func (w writer) stage(name workload.StageName, c *candidate.Candidate, s *engine.SpotChoice) *schemas.Stage {
	if out, written := w.stages[c]; written {
		return out
	}
	out := &schemas.Stage{
		Name:       string(name),
		Offer:      w.quote(c.Quote),
		Instances:  c.Nodes,
		GPUs:       gpusOf(c),
		Hours:      stageHours(c),
		Memory:     memory(&c.Estimate),
		Efficiency: efficiency(c.Efficiency),
		Models:     c.Slots,
		Spot:       spotOf(c, s),
	}
	if c.Slowest > 0 {
		out.RoundS, out.Slowest = significant(c.RoundSeconds), significant(c.Slowest)
	}
	w.stages[c] = out
	return out
}

// gpusOf is how many GPUs a candidate has over all nodes, parts rounded up.
func gpusOf(c *candidate.Candidate) int {
	if share := c.Offer.GPUs; c.HasGPU && share.Valid && !share.Decimal.IsInteger() {
		return int(share.Decimal.Mul(decimal.NewFromInt(int64(c.Nodes))).Ceil().IntPart())
	}
	return c.GPUsPerNode * c.Nodes
}

// spotOf writes how a stage compares on spot and on demand.
func spotOf(c *candidate.Candidate, s *engine.SpotChoice) schemas.Spot {
	out := schemas.Spot{Reason: string(s.Reason), Total: maybe(s.Spot), TotalP95: maybe(s.SpotP95), OnDemandTotal: maybe(s.OnDemand)}
	if interval := int64(s.Interval); interval > 0 {
		out.CheckpointIntervalS = &interval
	}
	if s.BreakEven > 0 {
		out.BreakEvenPerHour = known(significant(s.BreakEven))
	}
	if c.Offer.Market == catalog.Spot {
		out.Interruptions = known(significant(engine.Interruptions(c)))
		out.RatePerHour = &schemas.SpotRange{
			Low: significant(c.InterruptRate.Low), Central: significant(c.InterruptRate.Central), High: significant(c.InterruptRate.High),
		}
	}
	return out
}

// stageHours writes a stage's wall time. The interval of the work is laid around
// the expected time, start-up and interruptions included.
func stageHours(c *candidate.Candidate) schemas.Hours {
	useful := tco.WholeSeconds(c.Useful.Expected)
	return schemas.Hours{
		Low:      hours(c.Seconds - (useful - tco.WholeSeconds(c.Useful.Low))),
		Expected: hours(c.Seconds),
		High:     hours(c.Seconds + (tco.WholeSeconds(c.Useful.High) - useful)),
		P95:      hours(c.P95),
	}
}

// gbPlaces is how many decimals an estimated volume of memory is shown with.
const gbPlaces = 3

// memory writes an estimate of memory; nil where there is none.
func memory(e *workload.Estimate) *schemas.Memory {
	if e.PerGPUGB == 0 {
		return nil
	}
	gb := func(x float64) string { return fixed(x, gbPlaces) }
	m := e.Memory
	return &schemas.Memory{
		RequiredGB: gb(e.RequiredGB),
		PerGPUGB:   gb(e.PerGPUGB),
		Parts: schemas.MemoryParts{
			Weights: gb(m.Weights), Gradients: gb(m.Gradients), Optimizer: gb(m.Optimizer),
			Adapters: gb(m.Adapters), Activations: gb(m.Activations), Logits: gb(m.Logits),
			KVCache: gb(m.KVCache), Gather: gb(m.Gather), Overhead: gb(m.Overhead),
		},
	}
}

// efficiency writes a coefficient; nil where none applies.
func efficiency(e candidate.Efficiency) *schemas.Efficiency {
	if e.Source == "none" {
		return nil
	}
	out := &schemas.Efficiency{
		Value:    fixed(e.Value, etaPlaces),
		Interval: [2]string{fixed(e.Low, etaPlaces), fixed(e.High, etaPlaces)},
		Source:   e.Source,
		Tier:     e.Tier,
		Terms:    map[string]string{},
	}
	if e.Measured == nil {
		return out
	}
	out.Tenants, out.Boxes = e.Measured.Tenants, e.Measured.Boxes
	for _, t := range e.Measured.Terms {
		out.Terms[string(t.Resource)] = fromPrior
		if t.Measured {
			out.Terms[string(t.Resource)] = fixed(t.Ratio, etaPlaces)
		}
	}
	return out
}

// cost writes the lines of a stage and their sum.
func cost(l tco.Lines) schemas.Cost {
	return schemas.Cost{
		Instance: amount(l.Instance), Idle: amount(l.Idle), Storage: amount(l.Storage), Network: amount(l.Network),
		Interruption: amount(l.Interruption), Setup: amount(l.Setup), Verification: amount(l.Verification),
		Discount: amount(l.Discount), Total: amount(l.Total()),
	}
}
