package query

import "slices"

// values collects what items say, by slot.
type values [slotsEnd][]string

// collect reads the facts of all items that count.
func collect(items []item) (v values) {
	for _, it := range items {
		if it.class != said {
			continue
		}
		for _, f := range it.facts {
			if !v.has(f.slot, f.value) {
				v[f.slot] = append(v[f.slot], f.value)
			}
		}
	}
	return v
}

// has reports whether a slot holds a value.
func (v *values) has(s slot, value string) bool {
	for _, other := range v[s] {
		if other == value {
			return true
		}
	}
	return false
}

// any reports whether any of the slots holds a value.
func (v *values) any(slots ...slot) bool {
	for _, s := range slots {
		if len(v[s]) > 0 {
			return true
		}
	}
	return false
}

// kind is the kind of work, "" if nothing says. "Training" with a method is
// fine-tuning, for only that has methods; without one it is pretraining. Frames,
// GPU-hours and requests say what they are of.
func (v *values) kind() string {
	switch {
	case v.any(slotKind):
		return v.word(slotKind)
	case v.any(slotMethod):
		return "finetune"
	case v.any(slotTraining):
		return "pretrain"
	case v.any(slotFrames, slotFrameSeconds):
		return "render"
	case v.any(slotGPUHours):
		return "batch"
	case v.any(slotQPS, slotRequests):
		return "inference"
	}
	return ""
}

// work reports whether there is a kind of work.
func (v *values) work() bool { return v.kind() != "" }

// job reports whether there is work, or at least something that only work has.
func (v *values) job() bool {
	return v.work() || v.any(slotModel, slotParams, slotTokens, slotEpochs, slotSeqLen, slotMicroBatch, slotRank, slotInput, slotOutput, slotLatency)
}

// gpu reports whether a GPU is named.
func (v *values) gpu() bool { return v.any(slotPinned, slotGPU) }

// rents reports whether time on one kind of hardware is asked for, and no work.
func (v *values) rents() bool { return !v.job() && (v.any(slotPinned) || len(v[slotGPU]) == 1) }

// settle drops what contradicts itself, and then gives the times that are neither
// marked as a deadline nor as a rental their meaning.
func settle(items []item) {
	joinKinds(items)
	dropConflicts(items)
	dropContradictions(items)
	giveTimes(items)
	dropConflicts(items)
}

// drop makes all items not understood that say something that bad accepts.
func drop(items []item, bad func(fact) bool) {
	for i, it := range items {
		if it.class != said {
			continue
		}
		for _, f := range it.facts {
			if bad(f) {
				items[i].class = unknown
			}
		}
	}
}

// joinKinds takes the batch of "inference batch job" for a word about the inference.
func joinKinds(items []item) {
	is := func(kind string) func(item) bool {
		return func(it item) bool { return it.class == said && it.facts[0] == fact{slotKind, kind} }
	}
	for i, it := range items {
		if is("batch")(it) && slices.ContainsFunc(items, is("inference")) {
			items[i].class = skips
		}
	}
}

// dropConflicts drops everything that gives a slot of one value two of them:
// nobody knows which one is meant.
func dropConflicts(items []item) {
	v := collect(items)
	drop(items, func(f fact) bool { return f.slot < firstList && len(v[f.slot]) > 1 })
}

// dropContradictions drops pairs of wishes that exclude each other, and sizes that
// a named model already has.
func dropContradictions(items []item) {
	v := collect(items)
	adapters := v.has(slotMethod, "lora") || v.has(slotMethod, "qlora")
	noMarket := !v.any(slotPurchase) && v.has(slotNoPurchase, "spot") && v.has(slotNoPurchase, "on_demand")
	noClass := len(v[slotNoClass]) == len(providerClasses())
	pinned := v.any(slotPinned)
	kind := v.kind()
	drop(items, func(f fact) bool {
		switch f.slot {
		case slotFormat, slotQuantizer:
			return !v.takesFormat(kind, f)
		case slotProvider, slotClass, slotCountry, slotPurchase:
			return v.has(f.slot+1, f.value) || f.value == "reserved_3y" && v.has(slotNoPurchase, "reserved_1y")
		case slotNoProvider, slotNoCountry:
			return v.has(f.slot-1, f.value)
		case slotNoClass:
			return noClass || v.has(slotClass, f.value)
		case slotNoPurchase:
			return noMarket || v.has(slotPurchase, f.value) || f.value == "reserved_1y" && v.has(slotPurchase, "reserved_3y")
		case slotKind, slotMethod:
			return adapters && v.has(slotKind, "pretrain")
		case slotParams:
			return v.any(slotModel)
		case slotPinned:
			return v.any(slotGPU) && !(len(v[slotGPU]) == 1 && v.has(slotGPU, f.value))
		case slotGPU:
			return pinned && !v.has(slotPinned, f.value)
		case slotCount:
			return pinned && !v.has(slotPinnedCount, f.value) || len(v[slotGPU]) > 1
		}
		return foreign(kind, f.slot)
	})
}

// foreign reports whether a kind of work has no room for a quantity.
func foreign(kind string, s slot) bool {
	timed := kind == "batch" || kind == "render"
	switch s {
	case slotModel, slotParams:
		return timed
	case slotMethod, slotTokens, slotEpochs, slotSeqLen, slotMicroBatch, slotRank, slotCoreHours, slotEvaluated, slotSharding, slotOptimizer:
		return timed || kind == "inference"
	case slotFramework:
		return timed || kind == ""
	case slotRequests, slotQPS, slotInput, slotOutput, slotLatency:
		return kind != "inference"
	case slotGPUHours:
		return kind != "batch"
	case slotFrames, slotFrameSeconds:
		return kind != "render"
	}
	return false
}

// takesFormat reports whether a kind of work can have its numbers in a format.
func (v *values) takesFormat(kind string, f fact) bool {
	switch {
	case f.slot == slotQuantizer:
		return v.has(slotMethod, "qlora")
	case kind == "inference":
		return f.value != "fp16" && f.value != "fp32"
	case kind == "finetune" || kind == "pretrain":
		return isOneOf(f.value, "bf16 fp16 fp8 fp32")
	}
	return false
}

// giveTimes decides what a time is for: "for 3 days" is a rental where there is
// hardware and no work, "3 days" is the deadline of work or a rental of hardware.
func giveTimes(items []item) {
	v := collect(items)
	rental := v.rents()
	for i, it := range items {
		if it.class != said || it.facts[0].slot != slotLasting && it.facts[0].slot != slotTime {
			continue
		}
		hours := it.facts[0].value
		switch {
		case rental:
			items[i].facts = []fact{{slotRental, hours}}
		case v.kind() == "inference" && !v.any(slotRequests):
			items[i].facts = []fact{{slotServedHours, hours}}
		case it.facts[0].slot == slotTime && v.work():
			items[i].facts = []fact{{slotDeadline, hours}}
		default:
			items[i].class = unknown
		}
	}
}

// breakRanges drops "2 to 3 days" and "8 or 16 H100": a request holds one value,
// and the last one is as arbitrary as the first.
func breakRanges(tokens []token, items []item) {
	for i := 1; i+1 < len(items); i++ {
		if c := items[i].class; c != between && c != joinsOr {
			continue
		}
		left, right := items[i-1], items[i+1]
		if left.amount() && bareNumber(tokens, right) || bareNumber(tokens, left) && right.amount() {
			merge(items, i-1, i+1, unknown)
		}
	}
}

// bareNumber reports whether an item is a number that nothing makes sense of.
func bareNumber(tokens []token, it item) bool {
	tok := tokens[it.start]
	return it.class == unknown && (tok.kind == numberToken || hanDigit(tok.text) > 0 || hanPower(tok.text) > 0)
}
