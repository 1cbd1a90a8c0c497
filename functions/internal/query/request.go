package query

import (
	"slices"
	"strconv"

	"github.com/tierwise/tierwise/schemas"
)

// providerClasses are all kinds of provider.
func providerClasses() []string { return []string{"hyperscaler", "specialist", "community"} }

// request is what the values say, and nothing else.
func (v *values) request() schemas.RecommendRequest {
	return schemas.RecommendRequest{
		Workload:         v.workload(),
		Rental:           v.rental(),
		Data:             v.data(),
		Critical:         v.flag(slotCritical),
		Constraints:      v.constraints(),
		Hardware:         v.hardware(),
		CommitmentMonths: v.count(slotCommitment),
		Objective:        v.word(slotObjective),
		Currency:         v.word(slotCurrency),
		Alternatives:     v.count(slotAlternatives),
	}
}

// workload is the work, nil if nothing is said of it.
func (v *values) workload() *schemas.Workload {
	if !v.job() {
		return nil
	}
	w := &schemas.Workload{
		Kind:       v.kind(),
		Method:     v.word(slotMethod),
		TokensB:    v.amount(slotTokens),
		Epochs:     v.count(slotEpochs),
		SeqLen:     v.count(slotSeqLen),
		MicroBatch: v.count(slotMicroBatch),
		LoRARank:   v.count(slotRank),
	}
	if v.any(slotModel, slotParams) {
		w.Model = &schemas.Model{Name: v.word(slotModel), ParamsB: v.amount(slotParams)}
	}
	switch w.Kind {
	case "finetune":
		v.train(w)
	case "pretrain":
		v.train(w)
		w.Method = "" // "full" says nothing new
	case "inference":
		w.Inference = v.inference()
	case "batch":
		w.Batch = v.batch()
	case "render":
		w.Render = v.render()
	}
	return w
}

// train adds how a training is run, and its stages before and after.
func (v *values) train(w *schemas.Workload) {
	w.Precision, w.Quantizer = v.word(slotFormat), v.word(slotQuantizer)
	w.Framework, w.Sharding, w.Optimizer = v.word(slotFramework), v.word(slotSharding), v.word(slotOptimizer)
	if v.any(slotCoreHours) {
		w.Preprocess = &schemas.Preprocess{CPUCoreHours: v.amount(slotCoreHours)}
	}
	if v.any(slotEvaluated) {
		w.Evaluate = &schemas.Evaluate{Requests: v.count(slotEvaluated)}
	}
}

// inference is what is said of the requests, nil if nothing is.
func (v *values) inference() *schemas.Inference {
	if !v.any(slotRequests, slotQPS, slotServedHours, slotInput, slotOutput, slotLatency, slotFormat, slotFramework) {
		return nil
	}
	return &schemas.Inference{
		Requests:     v.count(slotRequests),
		QPS:          v.amount(slotQPS),
		Hours:        v.amount(slotServedHours),
		InputTokens:  v.count(slotInput),
		OutputTokens: v.count(slotOutput),
		MaxLatencyMS: v.count(slotLatency),
		Weights:      v.word(slotFormat),
		Framework:    v.word(slotFramework),
	}
}

// batch is the work in hours of the GPU that is named with them.
func (v *values) batch() *schemas.Batch {
	if !v.any(slotGPUHours) {
		return nil
	}
	return &schemas.Batch{GPUHours: v.amount(slotGPUHours), ReferenceGPU: v.reference()}
}

// render is the frames, timed on the GPU that is named with them.
func (v *values) render() *schemas.Render {
	if !v.any(slotFrames, slotFrameSeconds) {
		return nil
	}
	return &schemas.Render{Frames: v.count(slotFrames), SecondsPerFrame: v.amount(slotFrameSeconds), ReferenceGPU: v.reference()}
}

// timed reports whether the work is given as time on a reference GPU.
func (v *values) timed() bool { return v.kind() == "batch" || v.kind() == "render" }

// reference is the one GPU that the work was timed on, "" if none or several are named.
func (v *values) reference() string {
	switch {
	case v.any(slotPinned):
		return v.word(slotPinned)
	case len(v[slotGPU]) == 1:
		return v.word(slotGPU)
	}
	return ""
}

// rental is time on the hardware, nil if that is not what is asked for. Hardware
// alone asks for the price of the usual time.
func (v *values) rental() *schemas.Rental {
	if !v.rents() {
		return nil
	}
	return &schemas.Rental{Hours: v.amount(slotRental)}
}

// data is what is said of the data, nil if nothing is.
func (v *values) data() *schemas.Data {
	if !v.any(slotDataGB, slotSensitive, slotDataPlace) {
		return nil
	}
	return &schemas.Data{SizeGB: v.amount(slotDataGB), Place: v.word(slotDataPlace), Sensitive: v.flag(slotSensitive)}
}

// hardware is the main stage's hardware, nil if it is left open. A GPU without a
// count only constrains the work; without work it is what is asked for.
func (v *values) hardware() *schemas.Hardware {
	h := schemas.Hardware{GPU: v.word(slotPinned), GPUCount: v.count(slotPinnedCount), Nodes: v.count(slotNodes), Fabric: v.word(slotFabric)}
	if h.GPUCount == nil {
		h.GPUCount = v.count(slotCount)
	}
	if h.GPU == "" && v.asksGPU() {
		h.GPU = v.word(slotGPU)
	}
	if h == (schemas.Hardware{}) {
		return nil
	}
	return &h
}

// asksGPU reports whether the one GPU that is named is the hardware itself.
func (v *values) asksGPU() bool {
	return len(v[slotGPU]) == 1 && (v.any(slotCount) || v.rents())
}

// constraints are the limits that the text sets, nil if it sets none.
func (v *values) constraints() *schemas.Constraints {
	limits := []slot{slotDeadline, slotBudget, slotPerInstance, slotPerGPU, slotVRAM, slotECC, slotNVLink, slotProvider, slotNoProvider,
		slotClass, slotNoClass, slotCountry, slotNoCountry, slotRegion, slotCompliance, slotPurchase, slotNoPurchase, slotInterruption}
	gpus := v[slotGPU]
	if v.any(slotPinned) || v.asksGPU() || v.timed() && v.reference() != "" {
		gpus = nil
	}
	if !v.any(limits...) && len(gpus) == 0 {
		return nil
	}
	return &schemas.Constraints{
		DeadlineHours:           v.amount(slotDeadline),
		Budget:                  v.amount(slotBudget),
		MaxPricePerInstanceHour: v.amount(slotPerInstance),
		MaxPricePerGPUHour:      v.amount(slotPerGPU),
		MinVRAMGB:               v.amount(slotVRAM),
		ProviderClasses:         v.allowed(slotClass, providerClasses()),
		Providers:               v[slotProvider],
		ExcludeProviders:        v[slotNoProvider],
		Countries:               v[slotCountry],
		ExcludeCountries:        v[slotNoCountry],
		Regions:                 v[slotRegion],
		Compliance:              v[slotCompliance],
		ECC:                     v.flag(slotECC),
		NVLink:                  v.flag(slotNVLink),
		PurchaseModels:          v.allowed(slotPurchase, []string{"on_demand", "spot"}),
		MaxInterruptionPct:      v.amount(slotInterruption),
		GPUs:                    gpus,
	}
}

// allowed is what is wanted of a list, or, if only something unwanted is named, what
// is usual but for that. The slot behind s holds the unwanted.
func (v *values) allowed(s slot, usual []string) []string {
	if len(v[s]) > 0 || len(v[s+1]) == 0 {
		return v[s]
	}
	return slices.DeleteFunc(usual, func(value string) bool { return v.has(s+1, value) })
}

// word is the value of a slot, "" if it is not set.
func (v *values) word(s slot) string {
	if len(v[s]) == 0 {
		return ""
	}
	return v[s][0]
}

// amount is the decimal of a slot, nil if it is not set.
func (v *values) amount(s slot) *string {
	if len(v[s]) == 0 {
		return nil
	}
	return &v[s][0]
}

// count is the whole number of a slot, nil if it is not set.
func (v *values) count(s slot) *int {
	if len(v[s]) == 0 {
		return nil
	}
	n, err := strconv.Atoi(v[s][0])
	if err != nil {
		return nil
	}
	return &n
}

// flag is the truth value of a slot, nil if it is not set.
func (v *values) flag(s slot) *bool {
	if len(v[s]) == 0 {
		return nil
	}
	on := v[s][0] == "true"
	return &on
}
