package query

// addLoads enters how much there is to serve, to render and to compute, and what
// stands around such an amount.
func addLoads(l *lexicon) {
	l.add(qpsNoun, "", "qps|rps|req/s|reqs/s|req/sec|requests/s|requests/sec|requests/second|requests per second|"+
		"requests per sec|requests a second|requests every second|requests each second|request per second|req per second|queries per second|queries/s|"+
		"queries a second|calls per second|prompts per second|请求每秒|个请求每秒|次每秒|请求/秒|次/秒|个请求/秒|的qps|的并发请求")
	l.add(perSecond, "", "每秒|每秒钟|每秒处理|每秒大约|一秒")
	l.add(requestNoun, "", "request|requests|reqs|query|queries|prompt|prompts|call|calls|inferences|completions|请求|个请求|次请求|条请求|"+
		"次|条|次调用|次推理|条数据|个样本|条样本|条prompt")
	l.add(frameNoun, "", "frame|frames|帧|张图|幅|帧画面|帧动画")
	l.add(perFrame, "", "per frame|/frame|a frame|each frame|every frame|each|frame|for each frame|每帧|一帧|/帧|渲染一帧")
	l.add(perFrameAhead, "", "每帧|每一帧|每帧需要|每帧要|每帧约|单帧|一帧|一帧要|per frame|each frame takes|each frame|a frame takes|every frame takes|"+
		"frame takes|frame time|time per frame|seconds per frame")
	l.add(shortTime, "1", "s|sec|secs|second|seconds|秒|秒钟")
	l.add(shortTime, "60", "min|mins|minute|minutes|分钟|分")
	l.add(milliseconds, "", "ms|msec|millisecond|milliseconds|毫秒")
	l.add(latencyNoun, "", "latency|max latency|maximum latency|response time|latencies|latency budget|answer time|延迟|时延|响应时间|"+
		"响应|最大延迟|的延迟")
	l.add(gpuHourNoun, "", "gpu hour|gpu hours|gpu hr|gpu hrs|gpuh|gpu h|gpuhours|card hour|card hours|卡时|个卡时|gpu小时|个gpu小时|卡小时|gpu时")
	l.add(coreHourNoun, "", "core hour|core hours|cpu hour|cpu hours|cpu core hour|cpu core hours|vcpu hours|核时|核小时|cpu小时|个核时|"+
		"cpu核时|core hours of preprocessing|cpu hours of preprocessing|core hours preprocessing|cpu hours preprocessing")
	l.add(promptNoun, "", "input|input tokens|prompt tokens|tokens input|tokens in|tokens of input|token input|token prompt|token prompts|"+
		"输入|个输入token|输入token|token输入|tokens输入", fact{slot: slotInput})
	l.add(promptNoun, "", "output|output tokens|generated tokens|tokens output|tokens out|tokens of output|token output|token outputs|"+
		"token answers|token completions|输出|个输出token|输出token|token输出|tokens输出", fact{slot: slotOutput})
	l.add(promptAhead, "", "input|inputs of|input of|prompt of|prompts of|input length|prompt length|input tokens|输入|输入长度|提示词", fact{slot: slotInput})
	l.add(promptAhead, "", "output|outputs of|output of|answers of|output length|output tokens|输出|输出长度", fact{slot: slotOutput})
	l.add(evalNoun, "", "evaluate|evaluate on|evaluate with|evaluating on|eval|eval on|eval with|evaluation|evaluation on|evaluation of|evaluation with|test on|then evaluate on|"+
		"评测|评估|测试集|评测集|用于评测")
	l.add(interruption, "", "interruption|interruptions|interruption rate|interruption risk|max interruption|eviction rate|preemption rate|中断率|中断|"+
		"中断概率|被抢占率|抢占率")
	l.add(dataAt, "", "data in|data is in|data lies in|data lives in|data stored in|data at|data on|data is on|data sits in|dataset in|dataset is in|dataset on|my data in|"+
		"数据在|数据放在|数据存在|数据集在|数据位于")
}

// load reads an amount of work with its unit behind it: 20 qps, 1M requests,
// 2400 frames, 90 seconds per frame, 100 GPU hours, 500 input tokens.
func (r *reader) load(i int) item {
	at := max(i, r.after(i, atMost))
	n, end := r.number(at)
	if end == at {
		return item{}
	}
	if at > i {
		return r.shortLoad(n, end)
	}
	power, unitEnd := r.magnitude(end, "3 6")
	big := n.shift(power)
	if last := r.after(unitEnd, qpsNoun); last > unitEnd && !r.lone(r.equals(last)) {
		return quantity(slotQPS, big, last)
	}
	for _, noun := range [...]struct {
		class class
		slot  slot
	}{{requestNoun, slotRequests}, {frameNoun, slotFrames}} {
		if last := r.after(unitEnd, noun.class); last > unitEnd {
			return whole(noun.slot, big, last)
		}
	}
	if p, last := r.match(unitEnd, promptNoun); last > unitEnd && !r.lone(r.equals(last)) {
		return whole(p.facts[0].slot, big, last)
	}
	if it := r.hourly(big, unitEnd); it.end > 0 {
		return it
	}
	return r.shortLoad(n, end)
}

// hourly reads the unit of machine time at i: GPU hours, A100 hours, core hours.
func (r *reader) hourly(n number, i int) item {
	if last := r.after(i, gpuHourNoun); last > i {
		return quantity(slotGPUHours, n, last)
	}
	if last := r.after(i, coreHourNoun); last > i {
		return quantity(slotCoreHours, n, last)
	}
	name, end := r.gpu(i)
	last := r.after(end, gpuHourNoun)
	if p, behind := r.match(end, unit); p.value == "1" {
		last = behind
	}
	if end == i || last == end {
		return item{}
	}
	it := quantity(slotGPUHours, n, last)
	if it.class == said {
		it.facts = append(it.facts, fact{slotGPU, name})
	}
	return it
}

// shortLoad reads what the time at i is of, if it is one of a frame or of an answer:
// "90 seconds per frame", "2s latency".
func (r *reader) shortLoad(n number, i int) item {
	n, end := r.short(n, i)
	if end == i {
		return item{}
	}
	if last := r.after(end, perFrame); last > end {
		return quantity(slotFrameSeconds, n, last)
	}
	last := r.after(end, atMostBack)
	if behind := r.after(last, latencyNoun); behind > last {
		return whole(slotLatency, n.times(1000), behind)
	}
	return item{}
}

// short reads the unit of a time of seconds behind its number, in seconds.
func (r *reader) short(n number, i int) (seconds number, end int) {
	if end := r.after(i, milliseconds); end > i {
		return n.shift(-3), end
	}
	p, end := r.match(i, shortTime)
	switch {
	case end == i || n.mantissa > 1e9:
		return n, i
	case p.value == "60":
		n = n.times(60)
	}
	return n, end
}

// labelled reads an amount of work with its label ahead: QPS 10, 每帧90秒, latency
// under 2s, evaluate on 500 requests.
func (r *reader) labelled(i int) item {
	p, at := r.find(i, 1<<qpsNoun|1<<perSecond|1<<perFrameAhead|1<<latencyNoun|1<<promptAhead|1<<evalNoun|1<<interruption)
	if at == i {
		return item{}
	}
	at = r.equals(at)
	if p.class == latencyNoun || p.class == interruption {
		at = r.equals(r.after(at, atMost))
	}
	n, end := r.number(at)
	if end == at {
		return item{}
	}
	switch p.class {
	case perFrameAhead:
		if seconds, last := r.short(n, end); last > end {
			return quantity(slotFrameSeconds, seconds, last)
		}
		return item{}
	case latencyNoun:
		seconds, last := r.short(n, end)
		if last == end {
			return item{}
		}
		return whole(slotLatency, seconds.times(1000), r.after(last, atMostBack))
	case interruption:
		return r.percentage(n, end)
	}
	return r.counted(p, n, end)
}

// counted reads what is counted behind a label.
func (r *reader) counted(p phrase, n number, i int) item {
	power, end := r.magnitude(i, "3 6 9")
	n = n.shift(power)
	switch p.class {
	case qpsNoun:
		if r.hasUnit(end) {
			return item{}
		}
		return quantity(slotQPS, n, end)
	case perSecond:
		last := max(end, r.after(end, requestNoun), r.after(end, qpsNoun))
		if last == end {
			return item{}
		}
		return quantity(slotQPS, n, last)
	case promptAhead:
		return whole(p.facts[0].slot, n, r.after(end, tokenUnit))
	}
	return whole(slotEvaluated, n, r.after(end, requestNoun))
}

// percentage reads the sign behind the number of a rate.
func (r *reader) percentage(n number, i int) item {
	if i >= len(r.tokens) || !isOneOf(r.tokens[i].text, "% percent pct") || n.mantissa == 0 || n.scale > 6 || !n.fits(2, 6) {
		return item{}
	}
	return quantity(slotInterruption, n, r.after(i+1, atMostBack))
}

// dataPlace reads where the data lies: "data in aws/us-east-1", 数据在阿里云 cn-beijing.
func (r *reader) dataPlace(i int) item {
	at := r.after(i, dataAt)
	if at == i {
		return item{}
	}
	provider, end := r.named(at, r.names.Provider, 10)
	if end == at {
		return item{}
	}
	if end < len(r.tokens) && r.tokens[end].text == "/" {
		end++
	}
	region, last := r.named(end, r.names.Region, 10)
	if last == end {
		return item{}
	}
	return item{class: said, end: last, facts: []fact{{slotDataPlace, provider + "/" + region}}}
}
