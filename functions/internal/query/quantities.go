package query

import "strconv"

// addQuantities enters units, currencies and the labels of numbers.
func addQuantities(l *lexicon) {
	for n, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		l.add(numeral, strconv.Itoa(n+1), word)
	}
	for n, word := range []string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"} {
		l.add(numeral, strconv.Itoa(10*(n+2)), word)
	}
	for n, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"} {
		l.add(numeral, strconv.Itoa(100*(n+1)), word+" hundred")
	}
	l.add(numeral, "100", "a hundred|hundred")
	l.add(one, "", "a|an")
	l.add(equalSign, "", ":|=|of|is|为|是|数")
	l.add(magnitude, "3", "k|thousand")
	l.add(magnitude, "6", "m|mn|million")
	l.add(magnitude, "9", "b|bn|billion")
	l.add(magnitude, "12", "t|trillion")
	l.add(tokenUnit, "", "token|tokens|tok|toks|词元|个token|个tokens|的token|的tokens")
	l.add(paramUnit, "", "parameter|parameters|param|params|参数|参数量|个参数|的参数")

	seqLen, epochs := fact{slot: slotSeqLen}, fact{slot: slotEpochs}
	l.add(countBefore, "", "seq|seq len|seqlen|seq length|sequence|sequence length|sequence len|context|"+
		"context length|context window|context size|ctx|ctx len|max length|max seq len|max seq length|序列|序列长度|"+
		"上下文|上下文长度|上下文窗口|最大长度", seqLen)
	l.add(countBehind, "", "seq|seq len|seqlen|seq length|sequence|sequences|sequence length|context|context length|"+
		"context window|ctx|token context|tokens context|token sequence|token sequences|序列|序列长度|上下文|"+
		"长上下文|的上下文|上下文长度|的序列", seqLen)
	l.add(countBefore, "", "epoch|epochs|num epochs|轮数|训练轮数", epochs)
	l.add(countBehind, "", "epoch|epochs|轮|个epoch|个epochs|轮训练", epochs)
	l.add(countBefore, "", "lora rank|rank|lora r|lora秩|秩", fact{slot: slotRank})
	l.add(countBefore, "", "micro batch|micro batch size|microbatch|microbatch size", fact{slot: slotMicroBatch})
	l.add(countBefore, "", "top", fact{slot: slotAlternatives})
	l.add(countBehind, "", "options|alternatives|choices|个方案|种方案|个选择|个选项", fact{slot: slotAlternatives})
}

// size reads a number of parameters: 7b, 0.5 billion, 350m, 70亿参数.
func (r *reader) size(i int) item {
	n, end := r.number(i)
	if end == i {
		return item{}
	}
	power, unitEnd := r.magnitude(end, "6 9 12")
	params := r.after(unitEnd, paramUnit)
	switch {
	case r.after(unitEnd, tokenUnit) > unitEnd && params == unitEnd:
		return item{}
	case unitEnd > end && (power < 12 || params > unitEnd):
	case unitEnd == end && params > end: // 7,000,000,000 parameters
	case r.tokens[end-1].text == "亿":
	default:
		return item{}
	}
	return quantity(slotParams, n.shift(power-9), params)
}

// experts reads "8 x 7b", whose size only a table of models knows.
func (r *reader) experts(i int) item {
	_, end := r.number(i)
	at := r.times(end)
	if end == i || at == end {
		return item{}
	}
	if it := r.size(at); it.end > 0 {
		return item{class: unknown, end: it.end}
	}
	return item{}
}

// tokenCount reads the tokens of the training data: 50M tokens, 2亿tokens.
func (r *reader) tokenCount(i int) item {
	n, end := r.number(i)
	if end == i {
		return item{}
	}
	power, unitEnd := r.magnitude(end, "3 6 9 12")
	last := r.after(unitEnd, tokenUnit)
	if last == unitEnd {
		return item{}
	}
	return quantity(slotTokens, n.shift(power-9), last)
}

// count reads a labelled whole number: 3 epochs, seq 4096, 4k context, top 3.
func (r *reader) count(i int) item {
	if label, at := r.match(i, countBefore); at > i {
		return r.countBehindLabel(label, r.equals(at))
	}
	n, end := r.kibi(r.number(i))
	if end == i {
		return item{}
	}
	label, last := r.labelBehind(end)
	if last == end {
		return item{}
	}
	return whole(label.facts[0].slot, n, last)
}

// countBehindLabel reads the number at i that a label stands before.
func (r *reader) countBehindLabel(label phrase, i int) item {
	n, end := r.kibi(r.number(i))
	if end == i || r.hasUnit(end) {
		return item{}
	}
	target := label.facts[0].slot
	if target == slotSeqLen {
		end = r.after(end, tokenUnit)
	}
	return whole(target, n, end)
}

// labelBehind is the label at i of the number before it. In "seq 4096 epochs 3" the
// label belongs to what follows.
func (r *reader) labelBehind(i int) (label phrase, end int) {
	label, end = r.match(i, countBehind)
	if end > i && r.lone(r.equals(end)) {
		return phrase{}, i
	}
	return label, end
}

// lone reports whether there is a number at i that has no unit of its own. The
// answer may depend on that for the next number, and so on: it is kept.
func (r *reader) lone(i int) bool {
	if i >= len(r.tokens) {
		return false
	}
	known, ok := r.loners[i]
	if !ok {
		_, end := r.kibi(r.number(i))
		known = end > i && !r.hasUnit(end) && r.hardware(i).end == 0
		r.loners[i] = known
	}
	return known
}

// kibi multiplies by the k of "4k context", which means 1,024 for lengths.
func (r *reader) kibi(n number, end int) (number, int) {
	if end < len(r.tokens) && r.tokens[end].text == "k" && r.tokens[end].glue == touching {
		return n.times(1024), end + 1
	}
	return n, end
}

// hasUnit reports whether a number that ends at token i is cut from a longer word
// or has a unit.
func (r *reader) hasUnit(i int) bool {
	if i >= len(r.tokens) {
		return false
	}
	if r.tokens[i].glue != apart {
		return true
	}
	if _, end := r.labelBehind(i); end > i {
		return true
	}
	_, end := r.find(i, 1<<unit|1<<minuteUnit|1<<magnitude|1<<gigabytes|1<<moneyBehind|1<<counter|1<<qpsNoun|1<<requestNoun|1<<frameNoun|1<<promptNoun)
	return end > i
}

// equals skips what may stand between a label and its value.
func (r *reader) equals(i int) int { return r.after(r.after(i, equalSign), equalSign) }

// magnitude reads k, million or the like behind a number. A single letter must
// touch it, but for the b of "7 B".
func (r *reader) magnitude(i int, powers string) (power, end int) {
	p, end := r.match(i, magnitude)
	if end == i || !isOneOf(p.value, powers) {
		return 0, i
	}
	if len(p.tokens[0]) == 1 && p.tokens[0] != "b" && r.tokens[i].glue == apart {
		return 0, i
	}
	power, _ = strconv.Atoi(p.value)
	return power, end
}

// storage reads gigabytes of GPU memory or of data: 24GB vram, 显存80G以上, 500 GB
// dataset. A request has no upper bound for either.
func (r *reader) storage(i int) item {
	at, lower, upper := r.bound(i)
	noun, head := r.storageNoun(at)
	named := head > at
	if named {
		at, lower, upper = r.bound(r.equals(head))
	}
	n, end := r.gigabytes(at)
	if end == at {
		return item{}
	}
	if !named {
		if noun, head = r.storageNoun(end); head == end {
			noun, head = slotVRAM, r.after(end, cardNoun)
		}
		if head == end {
			return item{}
		}
		end = head
	}
	last := r.orMore(end)
	lower = lower || last > end
	upper = upper || r.after(end, atMostBack) > end
	if upper || lower && noun == slotDataGB {
		return item{class: unknown, end: max(last, r.after(end, atMostBack))}
	}
	return quantity(noun, n, last)
}

// bound reads words that make an amount the least or the most.
func (r *reader) bound(i int) (end int, lower, upper bool) {
	low, high := r.after(i, blocks), r.after(i, atMost)
	return max(low, high), low > i, high > i
}

// storageNoun reads what is stored.
func (r *reader) storageNoun(i int) (s slot, end int) {
	if end := r.after(i, vramNoun); end > i {
		return slotVRAM, end
	}
	return slotDataGB, r.after(i, datasetNoun)
}

// gigabytes reads an amount of memory in GB.
func (r *reader) gigabytes(i int) (n number, end int) {
	n, end = r.number(i)
	p, last := r.match(end, gigabytes)
	if end == i || last == end {
		return number{}, i
	}
	power, _ := strconv.Atoi(p.value)
	return n.shift(power), last
}

// quantity is the item of an amount. Nothing of something, and more than a request
// has room for, says nothing.
func quantity(s slot, n number, end int) item {
	if n.mantissa == 0 || !n.fits(room(s)) {
		return item{class: unknown, end: end}
	}
	return item{class: said, end: end, facts: []fact{{s, n.String()}}}
}

// room is how many digits a request has for an amount, before and behind the point.
func room(s slot) (whole, fraction int) {
	switch s {
	case slotParams, slotTokens:
		return 7, 9
	case slotQPS, slotGPUHours, slotFrameSeconds, slotCoreHours:
		return 7, 12
	case slotInterruption:
		return 2, 6
	case slotDeadline, slotLasting, slotTime:
		return 7, 12
	case slotVRAM, slotDataGB:
		return 9, 6
	}
	return 15, 12
}

// whole is the item of an amount that has to be a whole number.
func whole(s slot, n number, end int) item {
	if count, ok := n.count(); !ok || count > most(s) {
		return item{class: unknown, end: end}
	}
	return quantity(s, n, end)
}

// most is the largest whole number that a request takes.
func most(s slot) int {
	switch s {
	case slotEpochs:
		return 10_000
	case slotSeqLen, slotInput, slotOutput:
		return 10_000_000
	case slotRequests, slotFrames, slotEvaluated, slotLatency:
		return 1_000_000_000
	case slotMicroBatch:
		return 1_000_000
	case slotRank:
		return 100_000
	case slotAlternatives:
		return 20
	case slotNodes:
		return 4096
	}
	return 16_384 // GPUs
}

// orMore skips an "or more" that means what is meant anyway.
func (r *reader) orMore(i int) int {
	if p, end := r.match(i, blocks); p.value == behind {
		return end
	}
	return i
}
