package convert

import (
	"encoding/json"
	"hash/fnv"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// isEdge reports whether a workload is training in rounds.
func isEdge(w *schemas.Workload) bool { return w != nil && w.Kind == string(workload.EdgeRounds) }

// isPool reports whether a workload is models that share GPUs.
func isPool(w *schemas.Workload) bool { return w != nil && w.Kind == string(workload.DevTest) }

// edge reads rounds.
func (r *reader) edge(e schemas.EdgeRounds, work *workload.Relative) {
	const at = "/workload/edge_incremental/"
	step := r.positive(e.StepSeconds, at+"step_seconds")
	rounds := value(e.Rounds)
	uplink := or(r, e.UplinkMbitS, preset[int]{"workload.edge_incremental.uplink_mbit_s", 100, "Mbit/s: a usual internet link of a worker, both ways"})
	weights := r.decimalOr(e.WeightsGB, preset[string]{"workload.edge_incremental.weights_gb", "0", "GB: the base weights are on the workers already"})
	work.Seconds = step.Decimal.Mul(decimal.NewFromInt(int64(rounds))).InexactFloat64()
	work.GPU = r.reference(e.ReferenceGPU, string(workload.EdgeRounds))
	work.Edge = &workload.Edge{
		Rounds: rounds, Workers: value(e.Workers),
		RoundGB:   decimal.NewFromInt(value(e.BytesPerRound)).Shift(-9).InexactFloat64(),
		UplinkGBs: float64(uplink) / 8 / 1000,
		WeightsGB: weights.InexactFloat64(),
	}
	r.assume("workload.edge_incremental.exchange", "10 Gbit/s in a data centre", "workers of one data centre stand side by side, and their exchange is not charged; those of a community meet over the internet")
}

// pool reads models that share GPUs.
func (r *reader) pool(w *schemas.Workload, d *schemas.Data) *workload.Pool {
	r.only(w, w.Kind)
	if data := value(d); data.SizeGB != nil || data.Place != "" || data.ResultsTo != "" {
		r.fail("/data", "kind devtest moves no data: leave it out")
	}
	const at = "/workload/devtest/"
	t := value(w.DevTest)
	pool := workload.Pool{
		Models: value(t.Models), Days: value(t.Days),
		VRAMGB:      r.positive(t.VRAMGBEach, at+"vram_gb_each").Decimal.InexactFloat64(),
		HoursPerDay: r.positive(t.HoursPerDay, at+"hours_per_day").Decimal.InexactFloat64(),
	}
	r.assume("workload.devtest.share", "7 by MIG, else at most 16", "models on one GPU: each has memory of its own; without MIG they take turns")
	if len(r.problems) == 0 {
		if err := pool.Check(); err != nil {
			r.problems = append(r.problems, asProblems(Blamed(err))...)
		}
	}
	return &pool
}

// verifySeconds is what the three steps take: the benchmark, the cut of the network and
// the look at the disk.
const verifySeconds = (30 + 15 + 15) * 60

// verify is how long hardware is tried before the work.
func (r *reader) verify(wire schemas.RecommendRequest) int64 {
	switch {
	case !value(wire.Verify):
		return 0
	case wire.Rental != nil || isPool(wire.Workload):
		r.fail("/verify", "time on hardware is not tried first: leave it out, or ask for a rental that is an hour longer")
		return 0
	}
	return verifySeconds
}

// seedOf makes the seed of the simulation from the work alone, so that plans for the
// same work meet the same draws whatever else is asked of them.
func seedOf(wire schemas.RecommendRequest) uint64 {
	document, err := json.Marshal(schemas.RecommendRequest{Workload: wire.Workload, Rental: wire.Rental})
	if err != nil {
		return 0 // any seed will do
	}
	digest := fnv.New64a()
	digest.Write(document)
	return digest.Sum64()
}
