package query

// slot is a place in the request. Those before firstList hold one value.
type slot uint8

const (
	slotKind         slot = iota
	slotTraining          // "training": fine-tuning or pretraining, as the rest says
	slotMethod            //
	slotModel             // a name
	slotParams            // 10^9
	slotTokens            // 10^9
	slotEpochs            //
	slotSeqLen            //
	slotMicroBatch        //
	slotRank              //
	slotDataGB            //
	slotSensitive         //
	slotCritical          //
	slotDeadline          // hours
	slotLasting           // hours of "for 3 days": a rental, if anything
	slotTime              // hours of "3 days": a deadline of work, a rental of hardware
	slotRental            // hours
	slotBudget            //
	slotPerInstance       // price per hour
	slotPerGPU            // price per hour
	slotVRAM              // GB
	slotECC               //
	slotNVLink            //
	slotPinned            // the GPU of "8xH100"
	slotPinnedCount       // in all, over the nodes
	slotNodes             //
	slotCount             // GPUs of no name
	slotCommitment        // months
	slotObjective         //
	slotCurrency          //
	slotAlternatives      //
	slotRequests          // of inference
	slotQPS               //
	slotServedHours       // how long the requests come
	slotInput             // tokens of a request
	slotOutput            // tokens of an answer
	slotLatency           // ms
	slotGPUHours          // of a batch
	slotFrames            //
	slotFrameSeconds      //
	slotCoreHours         // of preprocessing
	slotEvaluated         // requests
	slotInterruption      // percent
	slotDataPlace         // provider/region
	slotFormat            // of numbers: of a training's products, or of served weights
	slotQuantizer         //
	slotFramework         //
	slotSharding          //
	slotOptimizer         //
	slotFabric            //

	slotGPU
	slotProvider
	slotNoProvider
	slotClass
	slotNoClass
	slotCountry
	slotNoCountry
	slotRegion
	slotCompliance
	slotPurchase
	slotNoPurchase
	slotsEnd

	firstList = slotGPU
)

// fact is one value for the request.
type fact struct {
	slot  slot
	value string
}

// item is a span of tokens with one reading. Facts have effect while the class is
// said.
type item struct {
	class      class
	value      string
	facts      []fact
	denied     bool // the facts are what a denial made of it
	start, end int  // tokens
}

// denial is what denying the item says; ok is false if a request can't say it. The
// last fact is the one that is denied: "no reserved" is about the market, not about
// the months.
func (it item) denial() (f fact, ok bool) {
	if it.class != said || it.denied {
		return fact{}, false
	}
	f = it.facts[len(it.facts)-1]
	switch f.slot {
	case slotProvider, slotClass, slotCountry, slotPurchase:
		return fact{f.slot + 1, f.value}, true
	}
	return fact{f.slot, "false"}, it.onOff()
}

// onOff reports whether the item is a wish that is either on or off.
func (it item) onOff() bool {
	switch it.facts[0].slot {
	case slotECC, slotNVLink, slotCritical, slotSensitive:
		return true
	}
	return false
}

// wish reports whether the item is something to want or not, and no description of
// the work.
func (it item) wish() bool {
	switch it.facts[0].slot {
	case slotGPU, slotPinned, slotRegion, slotCompliance, slotObjective:
		return true
	}
	_, ok := it.denial()
	return ok
}

// amount reports whether the item is an amount of something.
func (it item) amount() bool {
	if it.class != said {
		return false
	}
	switch it.facts[0].slot {
	case slotParams, slotTokens, slotEpochs, slotSeqLen, slotMicroBatch, slotRank, slotDataGB, slotDeadline, slotLasting,
		slotTime, slotBudget, slotPerInstance, slotPerGPU, slotVRAM, slotPinned, slotCount, slotAlternatives, slotRequests,
		slotQPS, slotInput, slotOutput, slotLatency, slotGPUHours, slotFrames, slotFrameSeconds, slotCoreHours, slotEvaluated, slotInterruption:
		return true
	}
	return false
}

// merge makes items a to b one item of class c.
func merge(items []item, a, b int, c class) {
	items[a].class, items[a].end = c, items[b].end
	for i := a + 1; i <= b; i++ {
		items[i].class = gone
	}
}

// breakCompounds drops every joined word that is not understood as a whole:
// neither "us" nor anything else is known of "us-west-7".
func breakCompounds(tokens []token, items []item) {
	from := 0
	for a := 0; a < len(tokens); {
		b := a + 1
		for b < len(tokens) && tokens[b].glue != apart {
			b++
		}
		for items[from].end <= a {
			from++
		}
		if b-a > 1 {
			breakCompound(tokens[:b], items[from:], a)
		}
		a = b
	}
}

// breakCompound looks at the joined word that begins at token a and ends with the
// last token; the first of the items is the first in it. A word without meaning may
// hang on the others by a hyphen ("70b-instruct"), not without ("a$200").
func breakCompound(tokens []token, items []item, a int) {
	last, broken := 0, false
	for i, it := range items {
		if it.start >= len(tokens) {
			break
		}
		last = i
		loose := it.class == skips || it.class == marks
		glued := it.start > a && tokens[it.start].glue == touching || it.end < len(tokens) && tokens[it.end].glue == touching
		broken = broken || it.class == unknown || loose && glued
	}
	if broken {
		merge(items, 0, last, unknown)
	}
}

// unread is what was not understood, as it was written.
func (r *reader) unread(items []item) []string {
	words := []string{}
	last := -1 // the token behind the last word, if Han characters may go on there
	for _, it := range items {
		goesOn := it.start == last && r.joined(it.start)
		if it.class == gone || it.class != unknown && !(goesOn && r.meansLittle(it)) {
			continue
		}
		word := string(r.source[r.tokens[it.start].start:r.tokens[it.end-1].end])
		if goesOn {
			words[len(words)-1] += word
		} else {
			words = append(words, word)
		}
		last = it.end
	}
	return words
}

// joined reports whether token i and the one before it are Han characters without a
// gap.
func (r *reader) joined(i int) bool {
	a, b := r.tokens[i-1], r.tokens[i]
	return a.kind == hanToken && b.kind == hanToken && a.end == b.start
}

// meansLittle reports whether an item is a single Han character that is as likely
// part of a word before it as a word without a meaning: the 里 of 阿里.
func (r *reader) meansLittle(it item) bool {
	return it.class == skips && it.end == it.start+1 && !isOneOf(r.tokens[it.start].text, "的 了 吗 呢 吧 啊")
}
