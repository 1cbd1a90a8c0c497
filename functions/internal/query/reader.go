package query

// reader applies the rules to the tokens of a text.
type reader struct {
	*text
	entries []*entry // of the tokens
	names   Names
	items   []item       // read so far
	loners  map[int]bool // what lone found
	cards   []card       // what gpu found, by token
}

// read cuts the text into items: at every token the longest reading wins, and the
// rule that comes first among equals.
func (r *reader) read() []item {
	rules := []func(*reader, int) item{
		(*reader).phrase, (*reader).place, (*reader).full,
		(*reader).load, (*reader).labelled, (*reader).dataPlace,
		(*reader).term, (*reader).money, (*reader).duration, (*reader).storage, (*reader).count, (*reader).tokenCount, (*reader).size,
		(*reader).nodes, (*reader).hardware, (*reader).gpus, (*reader).model, (*reader).region, (*reader).provider, (*reader).experts,
	}
	r.items = make([]item, 0, len(r.tokens))
	for i := 0; i < len(r.tokens); {
		best := item{class: unknown, end: i + 1}
		read := false
		for _, rule := range rules {
			if it := rule(r, i); it.end > best.end || it.end == best.end && !read {
				best, read = it, true
			}
		}
		best.start = i
		r.items = append(r.items, best)
		i = best.end
	}
	return r.items
}

// phrase reads a phrase of the lexicon that is an item by itself.
func (r *reader) phrase(i int) item {
	p, end := r.find(i, itemClasses)
	if end == i {
		return item{}
	}
	return item{class: p.class, value: p.value, facts: p.facts, end: end}
}

// full reads the "full" of "full fine-tune" and "full 7b fine-tune".
func (r *reader) full(i int) item {
	at := r.after(i, fullMethod)
	if at == i {
		return item{}
	}
	next := max(at, r.size(at).end)
	if it := r.phrase(next); it.class == said && it.facts[0] == (fact{slotKind, "finetune"}) {
		return item{class: said, end: at, facts: []fact{{slotMethod, "full"}}}
	}
	if r.ends(at) && r.tunes() {
		return item{class: said, end: at, facts: []fact{{slotMethod, "full"}}}
	}
	return item{}
}

// ends reports whether a clause ends before the token at i.
func (r *reader) ends(i int) bool {
	return i == len(r.tokens) || r.after(i, parts) > i || r.after(i, joinsAnd) > i
}

// tunes reports whether a fine-tune, or the size or name of what is tuned, was read
// last: "sft 14b full".
func (r *reader) tunes() bool {
	for k := len(r.items) - 1; k >= 0; k-- {
		switch it := r.items[k]; it.class {
		case skips:
			continue
		case said:
			s := it.facts[0].slot
			return s == slotParams || s == slotModel || it.facts[0] == (fact{slotKind, "finetune"})
		}
		return false
	}
	return false
}

// model reads the name of a network.
func (r *reader) model(i int) item {
	if r.han(i) {
		return item{}
	}
	return r.nameItem(i, r.names.Model, slotModel)
}

// region reads the name of a region.
func (r *reader) region(i int) item { return r.nameItem(i, r.names.Region, slotRegion) }

// provider reads the name of a provider.
func (r *reader) provider(i int) item { return r.nameItem(i, r.names.Provider, slotProvider) }

// nameItem reads a name of the catalogue.
func (r *reader) nameItem(i int, lookUp func(string) (string, bool), s slot) item {
	name, end := r.named(i, lookUp, 10)
	if end == i {
		return item{}
	}
	return item{class: said, end: end, facts: []fact{{s, name}}}
}

// named finds the longest name of at most limit tokens that begins at i. A name is
// either of words and numbers, with slashes inside, or of Han characters and
// numbers without a gap.
func (r *reader) named(i int, lookUp func(string) (string, bool), limit int) (name string, end int) {
	if lookUp == nil || i >= len(r.tokens) || r.small(i) {
		return "", i
	}
	for end = r.nameReach(i, limit); end > i; end-- {
		if !r.nameEnds(end) {
			continue
		}
		if name, ok := lookUp(r.name(i, end)); ok {
			return name, end
		}
	}
	return "", i
}

// nameReach is the end of the longest run of tokens at i that may be a name.
func (r *reader) nameReach(i, limit int) int {
	han := r.han(i)
	end := i
	for end < len(r.tokens) && end < i+limit {
		tok := r.tokens[end]
		attached := end == i || r.tokens[end-1].end == tok.start
		slash := tok.text == "/" && attached && end > i && !han
		letters := tok.kind == numberToken || tok.kind == wordToken && !han || tok.kind == hanToken && han
		if !slash && !letters || han && !attached || end > i && !han && r.links(end) {
			break
		}
		end++
	}
	return end
}

// linking is the words that stand between names, and in none: in, on, and, not.
const linking classes = 1<<marks | 1<<denies | 1<<joinsOr | 1<<joinsAnd | 1<<only

// links reports whether the token at i is such a word, standing alone.
func (r *reader) links(i int) bool {
	alone := r.tokens[i].kind == wordToken && r.tokens[i].glue == apart && (i+1 == len(r.tokens) || r.tokens[i+1].glue == apart)
	_, end := r.find(i, linking)
	return alone && end > i
}

// nameEnds reports whether a name may end before token i: not inside of a word,
// but for "a100x4" and "a100s".
func (r *reader) nameEnds(i int) bool {
	return r.tokens[i-1].kind != symbolToken &&
		(i == len(r.tokens) || r.tokens[i].glue != touching || r.tokens[i].text == "s" || r.times(i) > i)
}

// han reports whether the token at i is a Han character. Names of GPUs and models
// never begin with one.
func (r *reader) han(i int) bool { return i < len(r.tokens) && r.tokens[i].kind == hanToken }

// small reports whether the token at i is a word without a meaning, standing
// alone. No name begins with one.
func (r *reader) small(i int) bool {
	if i+1 < len(r.tokens) && r.tokens[i+1].glue != apart {
		return false
	}
	_, end := r.find(i, 1<<skips|1<<marks|1<<parts)
	return end == i+1
}
