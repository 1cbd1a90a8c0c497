package query

import "strconv"

// hoursPerMonth is how many hours a month has where prices are per month.
const hoursPerMonth = 730

// addTime enters units of time and what stands before and behind a duration.
func addTime(l *lexicon) {
	units := []struct {
		hours int
		names string
	}{
		{1, "h|hr|hrs|hour|hours|小时|个小时|钟头|个钟头"},
		{24, "day|days|天|日"},
		{7 * 24, "week|weeks|wk|wks|周|星期|个星期|礼拜|个礼拜"},
		{hoursPerMonth, "month|months|月|个月"},
		{12 * hoursPerMonth, "year|years|yr|yrs|年"},
	}
	for _, u := range units {
		l.add(unit, strconv.Itoa(u.hours), u.names)
	}
	l.add(minuteUnit, "", "min|mins|minute|minutes|分钟")
	l.add(shortUnit, "24", "d")
	l.add(shortUnit, strconv.Itoa(7*24), "w")
	l.add(halfOf, "", "half|half a|half an|半|半个")
	l.add(plusHalf, "", "and a half")
	l.add(plusHalf, "zh", "半|个半")
	l.add(isDue, "", "in|within|in under|in less than|in at most|within the next|in the next|under|below|less than|"+
		"at most|up to|max|maximum|no more than|not more than|no longer than|no later than|not longer than|"+
		"shorter than|faster than|<|<=|deadline|deadline of|deadline is|deadline in|due in|time limit|time limit of|"+
		"a deadline of|不超过|不多于|不大于|不能超过|不要超过|别超过|少于|小于|低于|最多|至多|最长|限时|期限|工期|"+
		"时限|在")
	l.add(isDueBack, "", "or less|or under|max|maximum|at most|at the most|tops|deadline|time limit|以内|之内|内|"+
		"以下|内完成|之内完成|以内完成|内跑完|内训完")
	l.add(lasts, "", "for|for the next|rent for|租|租用|租赁|租个|使用时间|为期")
}

// duration reads a time. "in 24h" and 24小时内 are deadlines, "for a week" and
// 租一周 rentals, and what "3 days" is depends on the rest of the text.
func (r *reader) duration(i int) item {
	role, at := slotTime, i
	if end := r.after(i, isDue); end > i {
		role, at = slotDeadline, r.equals(end)
	} else if end := r.after(i, lasts); end > i {
		role, at = slotLasting, end
	}
	hours, end := r.hours(at, role != slotTime)
	if end == at {
		return item{}
	}
	if last := r.after(end, isDueBack); last > end {
		if role == slotLasting {
			return item{class: unknown, end: last}
		}
		role, end = slotDeadline, last
	}
	if _, last := r.per(end); last > end { // 8 hours a day
		return item{class: unknown, end: last}
	}
	return quantity(role, hours, end)
}

// hours reads a duration at i: 3 days, half a day, 两天半. A single letter other
// than h is a unit only if short allows it, and no letter is one in "an h100".
func (r *reader) hours(i int, short bool) (hours number, end int) {
	n, at := r.timeAmount(i)
	p, end := r.match(at, unit)
	if end == at && short && at < len(r.tokens) && r.tokens[at].glue == touching {
		p, end = r.match(at, shortUnit)
	}
	if end == at {
		if end = r.after(at, minuteUnit); at > i && end > at && n.mantissa <= 1e9 {
			return n.sixtieth(), end
		}
		end = at
	}
	if at == i || end == at || n.mantissa > 1e9 || end < len(r.tokens) && r.tokens[end].kind == numberToken && r.tokens[end].glue == touching {
		return number{}, i
	}
	if last := r.andHalf(end); last > end {
		n, end = n.half(), last
	}
	k, _ := strconv.ParseUint(p.value, 10, 64)
	return n.times(k), end
}

// timeAmount reads how many units a duration has: 3, a, half a, 两个半.
func (r *reader) timeAmount(i int) (number, int) {
	if end := r.after(i, halfOf); end > i {
		return number{mantissa: 5, scale: 1}, end
	}
	if end := r.after(i, one); end > i {
		return number{mantissa: 1}, end
	}
	n, end := r.number(i)
	if last := r.andHalf(end); end > i && last > end {
		return n.half(), last
	}
	return n, end
}

// andHalf is the end of what adds one half to the number before it: 两天半,
// 两个半小时, "a day and a half".
func (r *reader) andHalf(i int) int {
	p, end := r.match(i, plusHalf)
	if p.value == "zh" && (i == 0 || r.tokens[i-1].kind == wordToken) {
		return i
	}
	return end
}

// term reads how long a reservation binds: reserved for 3 years, 包三年, 1 year.
func (r *reader) term(i int) item {
	front := r.after(i, reservedTerm)
	at := front
	if front > i {
		at = r.after(front, lasts)
	}
	hours, end := r.hours(at, false)
	if end == at {
		return item{}
	}
	years := isOneOf(r.tokens[end-1].text, "year years yr yrs 年")
	last := end
	for next := r.after(last, reservedTerm); next > last; next = r.after(last, reservedTerm) {
		last = next
	}
	if !years && front == i && last == end {
		return item{}
	}
	switch hours.String() {
	case strconv.Itoa(12 * hoursPerMonth):
		return item{class: said, end: last, facts: []fact{{slotCommitment, "12"}, {slotPurchase, "reserved_1y"}}}
	case strconv.Itoa(36 * hoursPerMonth):
		return item{class: said, end: last, facts: []fact{{slotCommitment, "36"}, {slotPurchase, "reserved_3y"}}}
	}
	return item{class: unknown, end: last}
}
