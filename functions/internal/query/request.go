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

// workload is the work, nil if nothing is said of it. "Training" with a method is
// fine-tuning, for only that has methods; without one it is pretraining.
func (v *values) workload() *schemas.Workload {
	if !v.job() {
		return nil
	}
	w := &schemas.Workload{
		Kind:       v.word(slotKind),
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
	switch {
	case w.Kind == "pretrain":
		w.Method = "" // "full" says nothing new
	case w.Kind == "" && w.Method != "":
		w.Kind = "finetune"
	case w.Kind == "" && v.any(slotTraining):
		w.Kind = "pretrain"
	}
	return w
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
	if !v.any(slotDataGB, slotSensitive) {
		return nil
	}
	return &schemas.Data{SizeGB: v.amount(slotDataGB), Sensitive: v.flag(slotSensitive)}
}

// hardware is the main stage's hardware, nil if it is left open. A GPU without a
// count only constrains the work; without work it is what is asked for.
func (v *values) hardware() *schemas.Hardware {
	h := schemas.Hardware{GPU: v.word(slotPinned), GPUCount: v.count(slotPinnedCount), Nodes: v.count(slotNodes)}
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
		slotClass, slotNoClass, slotCountry, slotNoCountry, slotRegion, slotCompliance, slotPurchase, slotNoPurchase}
	gpus := v[slotGPU]
	if v.any(slotPinned) || v.asksGPU() {
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
	n, err := strconv.Atoi(v.word(s))
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
