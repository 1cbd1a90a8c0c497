package query

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// class is what a phrase is good for. Those before notItem make an item of their
// own wherever they stand; the others only help a rule.
type class uint8

const (
	unknown class = iota
	said          // it sets something in the request
	denies        // no, without, 不要
	spares        // no need for, 不需要: only an on-off wish can be denied so
	blocks        // at least, not only: what it turns around can't be said in a request
	joinsOr
	joinsAnd
	parts // ends the reach of a denial
	marks // in, on: introduces a wish of its own
	only
	between // to, 到: the middle of a range
	skips   // means nothing here
	gone    // part of another item by now
	notItem

	atMost       // under, <=, 不超过
	atMostBack   // or less, 以内
	isDue        // in, deadline
	isDueBack    // deadline, 内
	lasts        // for, 租
	unit         // of time; value is its hours
	shortUnit    // d, w: units only where a time is expected
	halfOf       // half a, 半
	plusHalf     // and a half, 半
	one          // a, an
	moneyBefore  // value is the currency
	moneyBehind  //
	purse        // budget; value is "bare" if the amount needs no currency
	rate         // per hour; value is the unit, "" if a request has no cap on it
	magnitude    // k, million; value is the power of ten
	numeral      // value is the number
	tokenUnit    // tokens
	paramUnit    // parameters
	gigabytes    // value is the power of ten, in GB
	vramNoun     //
	datasetNoun  //
	cardNoun     // behind gigabytes
	equalSign    // =, of: between a label and its value
	countBefore  // seq, rank: a label, and the number behind it
	countBehind  // epochs: a number, and the label behind it
	counter      // 张, GPUs
	fewOf        // single, 双; value is the number
	node         // nodes, 台
	nodeUnclear  // 机: total or per node
	country      // value is the code
	countryShort // two letters that may be another word
	fullMethod   // full, if a fine-tune follows
	reservedTerm // commitment, 包
	minuteUnit   // 60 of them are the hour of unit
	qpsNoun
	perSecond
	requestNoun
	frameNoun
	perFrame
	perFrameAhead
	shortTime // value is its seconds
	milliseconds
	latencyNoun
	gpuHourNoun
	coreHourNoun
	promptNoun  // tokens of a request or an answer, behind their number
	promptAhead // the same, ahead of it
	evalNoun
	interruption
	dataAt     // what names a place of the data
	classesEnd // a set of classes has room for 64
)

// phrase is a sequence of tokens with a meaning.
type phrase struct {
	tokens []string
	class  class
	value  string
	facts  []fact
}

// classes is a set of classes, one bit each.
type classes uint64

// itemClasses are those that make items.
const itemClasses classes = 1<<notItem - 1

// entry is the phrases that begin with one token, longest first, and their classes.
type entry struct {
	phrases []phrase
	classes classes
}

// lexicon finds phrases by their first token.
type lexicon struct {
	entries map[string]*entry
}

// vocabulary is the lexicon of every query. It is built once and never changes.
var vocabulary = sync.OnceValue(func() *lexicon {
	l := &lexicon{entries: make(map[string]*entry)}
	addWork(l)
	addMarket(l)
	addQuantities(l)
	addLoads(l)
	addFormats(l)
	addMoney(l)
	addTime(l)
	addHardware(l)
	addDenials(l)
	addPlaces(l)
	addSmallWords(l)
	for _, e := range l.entries {
		slices.SortStableFunc(e.phrases, func(a, b phrase) int { return cmp.Compare(len(b.tokens), len(a.tokens)) })
	}
	return l
})

// add enters phrases, separated by bars, of one class and value.
func (l *lexicon) add(c class, value, phrases string, facts ...fact) {
	for s := range strings.SplitSeq(phrases, "|") {
		p := phrase{tokens: []string{s}, class: c, value: value, facts: facts}
		if s[0] != '^' { // a sign that only the scanner makes
			p.tokens = scan(s).texts()
		}
		e := l.entries[p.tokens[0]]
		if e == nil {
			e = &entry{}
			l.entries[p.tokens[0]] = e
		}
		e.phrases = append(e.phrases, p)
		e.classes |= 1 << c
	}
}

// say enters phrases that put facts into the request.
func (l *lexicon) say(phrases string, facts ...fact) { l.add(said, "", phrases, facts...) }

// look finds the entry of every token.
func (l *lexicon) look(tokens []token) []*entry {
	entries := make([]*entry, len(tokens))
	for i, tok := range tokens {
		entries[i] = l.entries[tok.text]
	}
	return entries
}

// find is the longest phrase at token i of any of the wanted classes, and its end;
// the end is i if there is none.
func (r *reader) find(i int, wanted classes) (p phrase, end int) {
	if i >= len(r.entries) || r.entries[i] == nil || r.entries[i].classes&wanted == 0 {
		return phrase{}, i
	}
	list := r.entries[i].phrases
	for k := range list {
		if wanted&(1<<list[k].class) != 0 && r.fits(i, list[k].tokens) {
			return list[k], i + len(list[k].tokens)
		}
	}
	return phrase{}, i
}

// match is the longest phrase of one class at token i.
func (r *reader) match(i int, c class) (p phrase, end int) { return r.find(i, 1<<c) }

// after is the end of a phrase of class c at i, i if there is none.
func (r *reader) after(i int, c class) int {
	_, end := r.match(i, c)
	return end
}

// fits reports whether the tokens at i read as want.
func (r *reader) fits(i int, want []string) bool {
	if i+len(want) > len(r.tokens) {
		return false
	}
	for k, w := range want {
		if r.tokens[i+k].text != w {
			return false
		}
	}
	return true
}
