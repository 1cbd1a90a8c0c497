package convert

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// EstimateRequest turns a valid wire request into the engine's, with every default
// filled in and listed under Assumed. The error is a *schemas.ValidationError.
func EstimateRequest(s *catalog.Snapshot, wire schemas.EstimateRequest, computedAt time.Time) (engine.EstimateRequest, error) {
	r := &reader{snapshot: s, language: wording.Language(wire.Language)}
	out := engine.EstimateRequest{ComputedAt: computedAt, Language: r.language, Offer: catalog.OfferID(wire.OfferID)}
	switch {
	case wire.Workload == nil:
		r.fail("/workload", "want the work to estimate")
	case isPool(wire.Workload), isEdge(wire.Workload):
		r.fail("/workload/kind", "kind %s is no work on one piece of hardware: ask for plans", schemas.Quoted(wire.Workload.Kind))
	case isRelative(wire.Workload):
		out.Relative, _ = r.relative(wire.Workload, wire.Data)
	default:
		out.Work, _ = r.work(wire.Workload, wire.Data)
		out.WithinSeconds = r.within(wire.Workload.Inference)
	}
	switch {
	case wire.Hardware != nil && wire.OfferID != "":
		r.fail("/offer_id", "want either hardware or an offer, not both")
	case wire.Hardware != nil:
		out.Hardware = r.hardware(wire.Hardware)
		if wire.Instances != nil {
			r.fail("/instances", "only offers have instances: state hardware.nodes")
		}
	case wire.OfferID != "":
		out.Nodes = or(r, wire.Instances, preset[int]{"instances", 1, "one instance of the offer"})
	default:
		r.fail("/hardware", "want hardware such as {\"gpu\": \"A100-80GB-SXM\", \"gpu_count\": 4}, or offer_id")
	}
	out.Currency = orWord(r, wire.Currency, preset[catalog.Currency]{"currency", catalog.USD, "the currency of most sources"})
	if _, ok := s.FX(out.Currency, catalog.Date{}); !ok {
		r.fail("/currency", "%s", noRate(out.Currency))
	}
	out.Assumed = slices.DeleteFunc(r.assumed, aroundTheStage)
	if err := r.refused(); err != nil {
		return engine.EstimateRequest{}, err
	}
	return out, nil
}

// within is how long requests keep coming, in seconds; 0 if no rate is stated.
func (r *reader) within(i *schemas.Inference) float64 {
	if i == nil || i.QPS == nil {
		return 0
	}
	if i.Hours == nil {
		return 3600 // the default of hours, which is noted already
	}
	return r.decimal(i.Hours, "/workload/inference/hours").Decimal.InexactFloat64() * 3600
}

// aroundTheStage reports whether an assumption is about other stages or the data around
// the one that is estimated.
func aroundTheStage(a engine.Assumption) bool {
	for _, prefix := range []string{"data.", "workload.preprocess.", "workload.evaluate."} {
		if strings.HasPrefix(a.Field, prefix) {
			return true
		}
	}
	return false
}

// hardware reads the hardware of an estimate.
func (r *reader) hardware(h *schemas.EstimatedHardware) workload.Hardware {
	gpu, ok := r.oneGPU(h.GPU)
	count := or(r, h.GPUCount, preset[int]{"hardware.gpu_count", 1, "one GPU"})
	nodes := (count + machineGPUs - 1) / machineGPUs
	if h.Nodes != nil {
		nodes = *h.Nodes
	} else if nodes > 1 {
		r.assume("hardware.nodes", strconv.Itoa(nodes), "eight GPUs come in one machine at most")
	}
	if count%nodes != 0 {
		r.fail("/hardware/gpu_count", "want a multiple of nodes, %d; got %d", nodes, count)
		return workload.Hardware{}
	}
	out := workload.Hardware{GPU: gpu, GPUsPerNode: count / nodes, Nodes: nodes}
	if ok {
		out.NVLink = r.nvlink(h.Interconnect, &gpu, out.GPUsPerNode)
		r.fabric(h.Fabric, &out)
	}
	return out
}

// oneGPU finds the GPU of a name; of several that it stands for the slowest. It must be
// sized.
func (r *reader) oneGPU(name string) (gpu catalog.GPUModel, ok bool) {
	const pointer = "/hardware/gpu"
	ids := r.snapshot.GPUVariants(name)
	for _, id := range ids {
		g, _ := r.snapshot.GPU(id)
		slower := g.BandwidthGBs < gpu.BandwidthGBs || g.BandwidthGBs == gpu.BandwidthGBs && g.MemoryGB < gpu.MemoryGB
		if g.Sizable() && (!ok || slower) {
			gpu, ok = g, true
		}
	}
	switch {
	case len(ids) == 0:
		r.unknown(pointer, "GPU", name, gpuNames(r.snapshot))
	case !ok:
		r.fail(pointer, "no source gives the full specification of %s", joined(ids))
	case len(ids) > 1:
		r.assume("hardware.gpu", string(gpu.ID), "the slowest of %s", joined(ids))
	}
	return gpu, ok
}

// nvlink reads the link between the GPUs of a node.
func (r *reader) nvlink(interconnect string, gpu *catalog.GPUModel, perNode int) bool {
	switch {
	case interconnect == "nvlink" && gpu.NVLinkGBs == 0:
		r.fail("/hardware/interconnect", "no source says that %s has NVLink: want pcie, or leave it out", gpu.ID)
		return false
	case interconnect == "nvlink":
		return perNode > 1
	case interconnect == "pcie" || perNode == 1:
		return false
	}
	has := gpu.NVLink == catalog.Yes
	r.assume("hardware.interconnect", map[bool]string{true: "nvlink", false: "pcie"}[has], "as the GPU is sold")
	return has
}

// fabric reads the network between nodes.
func (r *reader) fabric(name string, h *workload.Hardware) {
	fabric, err := workload.ParseFabric(name)
	if err != nil {
		r.fail("/hardware/fabric", "%s", err.Error())
	}
	h.FabricGBs = fabric.GBs(h.GPU)
	if h.FabricGBs == 0 {
		h.FabricGBs, h.FabricAssumed = candidate.FabricGBs, true
	}
}

// BlamedEstimate is Blamed for an estimate of a kind of work, whose request names
// hardware: what the GPU lacks, and what is wrong with an offer.
func BlamedEstimate(err error, kind string) error {
	if offer, ok := errors.AsType[engine.OfferError](err); ok {
		if offer.Reason == "" {
			return schemas.Invalid("/offer_id", "unknown offer %s", schemas.Quoted(string(offer.Offer)))
		}
		return schemas.Invalid("/offer_id", "the work can't be estimated on this offer: %s", offer.Reason)
	}
	err = Blamed(err)
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		for i := range invalid.Problems {
			invalid.Problems[i].Pointer = inferencePointer(invalid.Problems[i].Pointer, workload.Kind(kind))
		}
	}
	return err
}

// Estimate writes an answer. The snapshot is the one that the engine answered from.
func Estimate(s *catalog.Snapshot, a *engine.Estimated) schemas.EstimateResponse {
	e := &a.Estimate
	out := schemas.EstimateResponse{
		CatalogVersion: string(a.CatalogVersion), ComputedAt: instant(a.ComputedAt), Currency: string(a.Currency),
		Stage: string(a.Stage), Hardware: hardware(&a.Hardware),
		Hours: spanHours(a.Useful), Efficiency: efficiency(a.Efficiency),
		Unpriced: known(string(a.Unpriced)),
	}
	if e.Ratio.Reference != "" {
		out.Relative = relativeSpeed(e, a.Efficiency)
	} else {
		out.Fit, out.Memory, out.Speed = known(fitName(e.Fit)), peak(e), speed(e, &a.Hardware)
	}
	if a.Smallest != nil {
		smallest := hardware(a.Smallest)
		out.Smallest = &smallest
	}
	if e.Batch > 0 {
		out.Serving = serving(e)
	}
	w := writer{snapshot: s, currency: a.Currency, computedAt: a.ComputedAt, language: a.Language, environments: make(map[catalog.GPUID]schemas.Environment)}
	if c := a.Choice; c != nil {
		w.priced(&out, c, e)
	}
	out.Environment = w.environment(a.Hardware.GPU.ID, e)
	out.Assumptions = make([]schemas.Assumption, 0, len(a.Assumptions))
	for _, x := range a.Assumptions {
		out.Assumptions = append(out.Assumptions, schemas.Assumption(x))
	}
	out.Warnings = make([]schemas.Warning, 0, len(a.Warnings))
	for _, x := range a.Warnings {
		out.Warnings = append(out.Warnings, schemas.Warning{Code: string(x.Code), Message: x.Message})
	}
	return out
}

// peak writes the peak memory per GPU.
func peak(e *workload.Estimate) *schemas.EstimatedMemory {
	parts := memory(e)
	return &schemas.EstimatedMemory{
		ExpectedGB: fixed(e.Memory.Total(), gbPlaces), RequiredGB: parts.RequiredGB, PerGPUGB: parts.PerGPUGB,
		LacksGB: fixed(e.LacksGB, gbPlaces), Parts: parts.Parts,
	}
}

// relativeSpeed writes how a GPU compares with the one that the work was timed on.
func relativeSpeed(e *workload.Estimate, eta candidate.Efficiency) *schemas.RelativeSpeed {
	return &schemas.RelativeSpeed{
		ReferenceGPU: string(e.Ratio.Reference), Speed: significant(e.Ratio.Speed), Basis: string(e.Ratio.Basis),
		TaskSeconds: significant(e.PieceSeconds / eta.Value),
	}
}

// priced writes what an offer adds to an estimate.
func (w writer) priced(out *schemas.EstimateResponse, c *candidate.Candidate, e *workload.Estimate) {
	offer, lines := w.offer(c.Quote.Offer, quoted(c.Quote)), c.Lines()
	costs := cost(lines)
	out.Offer, out.Cost, out.Hours = &offer, &costs, stageHours(c)
	out.AsOf = known(c.Offer.AsOf.String())
	made := e.TokensPerSecondPerGPU * float64(c.GPUsPerNode*c.Nodes) * e.Expected
	if out.Serving != nil && made >= 1 {
		perMillion := amount(tco.Exact(lines.Total()).Times(tco.Count(1_000_000)).Over(tco.Count(int(made))).Round(6))
		out.Serving.CostPerMillionTokens = &perMillion
	}
}

// hardware writes the hardware that was estimated on.
func hardware(h *workload.Hardware) schemas.SizedHardware {
	out := schemas.SizedHardware{GPU: string(h.GPU.ID), GPUCount: h.GPUsPerNode * h.Nodes, Nodes: h.Nodes, NVLink: h.NVLink && h.GPUsPerNode > 1}
	if h.Nodes > 1 {
		fabric := trimmed(h.FabricGBs, gbPlaces)
		out.FabricGBs = &fabric
	}
	return out
}

// fitName is a fit for programs.
func fitName(f workload.Fit) string {
	switch f {
	case workload.Fits:
		return "fits"
	case workload.MayNotFit:
		return "may_not_fit"
	default:
		return "does_not_fit"
	}
}

// speed writes the steady state and the layout.
func speed(e *workload.Estimate, h *workload.Hardware) *schemas.Speed {
	out := &schemas.Speed{
		TokensPerSecondPerGPU: significant(e.TokensPerSecondPerGPU),
		TokensPerSecond:       significant(e.TokensPerSecondPerGPU * float64(h.GPUsPerNode*h.Nodes)),
		MFU:                   fixed(e.MFU, 4), Precision: e.Precision, Parallelism: e.Parallelism, Sharding: string(e.Sharding),
		TensorParallel: max(e.TensorParallel, 1), PipelineParallel: max(e.PipelineParallel, 1),
		GPUsPerCopy: max(e.GPUsPerCopy, 1), Recomputation: e.Checkpointed,
	}
	if e.OnPaper > 0 {
		paper := significant(e.OnPaper / 3600)
		out.HoursOnPaper = &paper
	}
	return out
}

// serving writes how requests are answered.
func serving(e *workload.Estimate) *schemas.Serving {
	ms := func(seconds float64) string { return significant(seconds * 1000) }
	return &schemas.Serving{
		Batch: e.Batch, Weights: string(e.Weights),
		FirstTokenMS: ms(e.FirstTokenSeconds), TokenMS: ms(e.TokenSeconds), AnswerMS: ms(e.AnswerSeconds),
	}
}

// spanHours writes a duration.
func spanHours(s candidate.Span) schemas.Hours {
	h := func(seconds float64) string { return hours(int64(math.Ceil(seconds))) }
	return schemas.Hours{Low: h(s.Low), Expected: h(s.Expected), High: h(s.High), P95: h(s.P95)}
}
