package query

import "strconv"

// hardware reads GPUs by their names: H100, 8xH100, A100 x4, 四张A100.
func (r *reader) hardware(i int) item {
	if it := r.countedGPU(i); it.end > 0 {
		return it
	}
	name, end := r.gpu(i)
	if end == i {
		return item{}
	}
	if n, last := r.gpuCount(end); last > end {
		return pin(name, n, last)
	}
	return item{class: said, end: end, facts: []fact{{slotGPU, name}}}
}

// countedGPU reads a count in front of a GPU: 8xH100, 4张A100.
func (r *reader) countedGPU(i int) item {
	n, at := r.howMany(i)
	if at == i {
		return item{}
	}
	at = max(r.times(at), r.after(at, counter))
	name, end := r.gpu(at)
	if end == at {
		return item{}
	}
	if _, last := r.gpuCount(end); last > end { // 8xH100 x 2
		return item{class: unknown, end: last}
	}
	return pin(name, n, end)
}

// gpuCount reads a count behind a GPU: x4, * 8, 8卡.
func (r *reader) gpuCount(i int) (n number, end int) {
	at := r.times(i)
	n, end = r.howMany(at)
	if _, last := r.hours(at, true); end == at || last > end { // A100一个月
		return number{}, i
	}
	if last := r.after(end, counter); last > end {
		return n, last
	}
	if at == i || r.times(end) > end || r.hasUnit(end) {
		return number{}, i
	}
	return n, end
}

// gpus reads a count of GPUs without a name: 8 GPUs, 单卡.
func (r *reader) gpus(i int) item {
	n, at := r.howMany(i)
	end := r.after(at, counter)
	if at == i || end == at || !isOneOf(r.tokens[end-1].text, "gpu gpus card cards 卡") {
		return item{}
	}
	return whole(slotCount, n, end)
}

// nodes reads machines of several GPUs each: 2 nodes of 8xH100, 2台8卡A100,
// 2x8xH100. 两机八卡 is read both as eight in each and as eight in all: not here.
func (r *reader) nodes(i int) item {
	n, at := r.howMany(i)
	if at == i {
		return item{}
	}
	end := max(r.times(at), r.after(at, node))
	unclear := r.after(at, nodeUnclear) > end
	end = max(end, r.after(at, nodeUnclear))
	if end == at {
		return item{}
	}
	for end < len(r.tokens) && isOneOf(r.tokens[end].text, "of with each , 的") {
		end++
	}
	it := r.countedGPU(end)
	nodes, ok := n.count()
	switch {
	case it.class != said:
		return item{}
	case unclear || !ok || nodes > most(slotNodes):
		return item{class: unknown, end: it.end}
	}
	each, _ := strconv.Atoi(it.facts[1].value)
	if each*nodes > most(slotPinnedCount) {
		return item{class: unknown, end: it.end}
	}
	end = it.end
	if end < len(r.tokens) && r.tokens[end].text == "each" {
		end++
	}
	return item{class: said, end: end, facts: []fact{it.facts[0], {slotPinnedCount, strconv.Itoa(each * nodes)}, {slotNodes, strconv.Itoa(nodes)}}}
}

// howMany reads how many GPUs or machines there are.
func (r *reader) howMany(i int) (n number, end int) {
	if n, end = r.number(i); end > i {
		return n, end
	}
	if p, end := r.match(i, fewOf); end > i {
		n, _ = parseNumber(p.value)
		return n, end
	}
	return number{}, i
}

// times is the end of a multiplication sign at i.
func (r *reader) times(i int) int {
	if i < len(r.tokens) && (r.tokens[i].text == "x" || r.tokens[i].text == "×") {
		return i + 1
	}
	return i
}

// gpu reads the name of a GPU, perhaps in the plural.
func (r *reader) gpu(i int) (name string, end int) {
	if i >= len(r.tokens) {
		return "", i
	}
	if r.cards == nil {
		r.cards = make([]card, len(r.tokens))
	}
	if r.cards[i].end == 0 {
		name, end := r.findGPU(i)
		r.cards[i] = card{name, end + 1}
	}
	return r.cards[i].name, r.cards[i].end - 1
}

// card is the name of a GPU, and one more than where it ends: 0 until it is looked for.
type card struct {
	name string
	end  int
}

// findGPU looks for the name of a GPU at i.
func (r *reader) findGPU(i int) (name string, end int) {
	if r.han(i) || i+1 < len(r.tokens) && len(r.tokens[i].text) == 1 && r.tokens[i+1].glue == apart {
		return "", i // "a 100", "h 100gb"
	}
	name, end = r.named(i, r.names.GPU, 8)
	if end > i && end < len(r.tokens) && r.tokens[end].text == "s" && r.tokens[end].glue == touching {
		end++
	}
	return name, end
}

// pin is the item of a GPU with its count.
func pin(name string, n number, end int) item {
	count, ok := n.count()
	if !ok || count > most(slotPinnedCount) {
		return item{class: unknown, end: end}
	}
	return item{class: said, end: end, facts: []fact{{slotPinned, name}, {slotPinnedCount, strconv.Itoa(count)}}}
}
