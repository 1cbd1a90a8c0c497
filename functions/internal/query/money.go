package query

import "strings"

// addMoney enters currencies, and what stands before and behind an amount.
func addMoney(l *lexicon) {
	l.add(moneyBefore, "USD", "$|us$|usd|usd $")
	l.add(moneyBefore, "EUR", "€|eur")
	l.add(moneyBefore, "GBP", "£|gbp")
	l.add(moneyBefore, "CNY", "¥|cny|rmb|人民币|rmb ¥|cny ¥|人民币¥")
	l.add(moneyBefore, "HKD", "hk$|hkd")
	l.add(moneyBefore, "INR", "₹|inr")
	l.add(moneyBefore, "JPY", "jpy")
	l.add(moneyBefore, "KRW", "₩|krw")
	l.add(moneyBehind, "USD", "$|usd|dollar|dollars|us dollars|bucks|美元|美金|美刀|刀")
	l.add(moneyBehind, "EUR", "€|eur|euro|euros|欧元")
	l.add(moneyBehind, "GBP", "£|gbp|pound|pounds|英镑")
	l.add(moneyBehind, "CNY", "¥|cny|rmb|yuan|元|块|块钱|人民币|元人民币|圆")
	l.add(moneyBehind, "HKD", "hkd|港币|港元")
	l.add(moneyBehind, "JPY", "jpy|yen|日元|円")
	l.add(moneyBehind, "INR", "₹|inr|rupees|卢比")
	l.add(moneyBehind, "KRW", "₩|krw|韩元")
	l.add(moneyBefore, "AUD", "a$|au$")
	l.add(moneyBefore, "CAD", "c$|ca$")
	l.add(moneyBefore, "SGD", "s$|sg$")
	for _, code := range []string{"AUD", "BRL", "CAD", "CHF", "DKK", "NOK", "SEK", "SGD"} {
		l.add(moneyBefore, code, strings.ToLower(code))
		l.add(moneyBehind, code, strings.ToLower(code))
	}

	l.add(purse, "bare", "budget|a budget|total budget|max budget|maximum budget|budget cap|spend|预算|总预算|"+
		"预算上限|最高预算|最大预算|花费|总花费")
	l.add(purse, "", "cost|costs|total cost|price|spending|费用|总费用|成本|总成本|总价|价格|单价|开销|costing|"+
		"max price|max cost|price cap|cost cap|total")
	l.add(atMost, "", "under|below|less than|at most|up to|no more than|not more than|not over|not above|"+
		"not exceeding|no greater than|fewer than|lower than|cheaper than|max|maximum|maximum of|max of|<|<=|cap|"+
		"capped at|limit|limited to|limit of|for under|for less than|for at most|in under|in less than|in at most|"+
		"不超过|不多于|不大于|不高于|低于|少于|小于|最多|至多|最高|最大|控制在|限制在|上限|不要超过|不能超过|别超过|"+
		"不超")
	l.add(atMostBack, "", "or less|or under|or below|or cheaper|max|maximum|at most|at the most|tops|total|in total|"+
		"cap|limit|以内|之内|内|以下|及以下|封顶|上限")
	l.add(atMostBack, "bare", "budget|total budget|max budget|预算|的预算")

	l.add(rate, "instance", "/h|/hr|/hour|per h|per hr|per hour|an hour|a hour|hourly|per instance hour|"+
		"per instance per hour|/instance/hour|/instance hour|每小时|每个小时|/小时|一小时|一个小时|/时|每台每小时")
	l.add(rate, "gpu", "/gpu/h|/gpu/hr|/gpu/hour|/gpu hour|/gpu hr|/gpu h|per gpu hour|per gpu hr|per gpu per hour|"+
		"per gpu an hour|an hour per gpu|hourly per gpu|/h/gpu|/hr/gpu|/hour/gpu|/h per gpu|/hr per gpu|"+
		"/hour per gpu|per hour per gpu|per card hour|per card per hour|/卡时|每卡时|每卡每小时|每张卡每小时|"+
		"每小时每卡|/卡/小时|/小时/卡|/卡/时|/gpu/小时|每gpu每小时|/card/hour")
	l.add(rate, "", "/|per|every|each|每|a day|a week|a month|a year|daily|weekly|monthly|yearly|annually|一天|一周|"+
		"一个月|一年|每天|每日|每周|每月|每年|per gpu|/gpu|per run|per epoch|per job|each month")
}

// bill is the frame of an amount: what stands before it, as far as it was read.
type bill struct {
	per  string // the rate's unit
	rate bool   // there is a rate
	bare bool   // a label stands for the currency
	end  int
}

// money reads an upper bound on what is spent: under $200, 预算1000元以内,
// at most 2 usd per gpu hour.
func (r *reader) money(i int) item {
	b := r.billHead(i)
	n, currency, end := r.amount(b.end)
	if label, labelEnd := r.match(end, atMostBack); label.value == "bare" && !r.priced(labelEnd) {
		b.bare = true
	}
	switch {
	case end == b.end, currency == "" && (!b.bare || r.hasUnit(end)):
		return item{}
	case b.end == i && r.counts(end):
		return item{}
	}
	b.end = end
	b = r.billTail(b)
	bound := slotBudget
	switch {
	case b.rate && b.per == "gpu":
		bound = slotPerGPU
	case b.rate && b.per == "instance":
		bound = slotPerInstance
	case b.rate:
		return item{class: unknown, end: b.end}
	}
	it := quantity(bound, n, b.end)
	if it.class == said && currency != "" {
		it.facts = append(it.facts, fact{slotCurrency, currency})
	}
	return it
}

// counts reports whether the 块 before token i counts something that looks like a
// GPU, and is no currency: 4块X999.
func (r *reader) counts(i int) bool {
	if r.tokens[i-1].text != "块" || i >= len(r.tokens) {
		return false
	}
	word := r.tokens[i].kind == wordToken && i+1 < len(r.tokens) && r.tokens[i+1].kind == numberToken && r.tokens[i+1].glue != apart
	return word || r.lone(i)
}

// billHead reads what stands before an amount: 每小时, budget of, under.
func (r *reader) billHead(i int) bill {
	p, at := r.match(i, rate)
	b := bill{per: p.value, rate: at > i, end: i}
	if b.rate && p.value == "" && !strings.HasPrefix(p.tokens[0], "每") {
		return b
	}
	at = r.after(at, atMost)
	label, labelEnd := r.match(at, purse)
	b.bare = label.value == "bare"
	b.end = r.after(r.equals(labelEnd), atMost)
	return b
}

// billTail reads what stands behind an amount: 以内, per GPU hour. Whatever an
// amount is spent per, it is no budget.
func (r *reader) billTail(b bill) bill {
	b.end = r.after(b.end, atMostBack)
	per, end := r.per(b.end)
	if end == b.end {
		return b
	}
	if b.rate && b.per != per {
		per = ""
	}
	b.rate, b.per = true, per
	b.end = r.after(end, atMostBack)
	return b
}

// priced reports whether an amount begins at token i: the label before it is its own.
func (r *reader) priced(i int) bool {
	i = r.equals(i)
	_, currency, end := r.amount(i)
	return end > i && (currency != "" || !r.hasUnit(end))
}

// per reads a rate behind an amount, and "" is the unit of one that a request has
// no cap on. A slash between spaces separates.
func (r *reader) per(i int) (unit string, end int) {
	p, end := r.match(i, rate)
	if end == i || p.tokens[0] == "/" && i > 0 && r.tokens[i].start > r.tokens[i-1].end {
		return "", i
	}
	if p.value == "" && len(p.tokens) == 1 {
		if end < len(r.tokens) && r.tokens[end].kind != symbolToken {
			end++ // "per" what
		}
	}
	return p.value, end
}

// amount reads an amount of money; currency is "" if it names none. The end is i
// where there is no amount, or none that can be read in one way only.
func (r *reader) amount(i int) (n number, currency string, end int) {
	before, at := r.match(i, moneyBefore)
	n, end = r.number(at)
	if end == at || at > i && r.tokens[at].glue == hyphened || r.unclearGroups(at, end) {
		return number{}, "", i
	}
	power, end := r.thousands(end)
	behind, behindEnd := r.match(end, moneyBehind)
	if r.belongsRight(end, behindEnd) {
		behind, behindEnd = phrase{}, end
	}
	currency, ok := oneCurrency(before.value, behind.value)
	if !ok {
		return number{}, "", i
	}
	return n.shift(power), currency, behindEnd
}

// thousands reads k, thousand or million behind an amount. An m or b belongs to the
// size of a model: "7b usd 200".
func (r *reader) thousands(i int) (power, end int) {
	power, end = r.magnitude(i, "3 6")
	if power == 6 && r.tokens[i].text != "million" {
		return 0, i
	}
	return power, end
}

// unclearGroups reports whether the number of tokens at to end may be one group of
// a longer one, or have a thousands point: "10 500", "1.000".
func (r *reader) unclearGroups(at, end int) bool {
	tok := r.tokens[at]
	_, fraction, _ := strings.Cut(tok.text, ".")
	if len(fraction) == 3 && end == at+1 {
		return true
	}
	group := func(k int) bool { return k >= 0 && k < len(r.tokens) && r.tokens[k].kind == numberToken }
	return group(at-1) && len(r.tokens[at-1].text) <= 3 && len(tok.text) == 3 && r.tokens[at-1].glue == apart ||
		group(end) && len(r.tokens[end].text) == 3 && len(tok.text) <= 3 && !r.hasUnit(end+1)
}

// belongsRight reports whether the currency of tokens i to end is that of the
// number behind it: "$200 ¥300", "top 3 usd 200".
func (r *reader) belongsRight(i, end int) bool {
	return end > i && r.after(i, moneyBefore) > i && r.lone(end)
}

// oneCurrency joins what stands before and behind an amount. The dollar sign is
// that of any dollar.
func oneCurrency(before, behind string) (currency string, ok bool) {
	switch {
	case before == "" || before == behind:
		return behind, true
	case behind == "":
		return before, true
	case before == "USD" && isOneOf(behind, "AUD CAD HKD SGD"):
		return behind, true
	case before == "CNY" && behind == "JPY":
		return behind, true
	}
	return "", false
}
