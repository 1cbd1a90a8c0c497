package workload

import "math"

// roundingDown keeps a bound that is computed in another order than an estimate below it.
const roundingDown = 1 - 1e-9

// FitOn is the Fit, and the error, that On gives.
func (s *Stage) FitOn(h Hardware) (Fit, error) {
	var m machine
	if err := s.read(&h, &m); err != nil {
		return DoesNotFit, err
	}
	switch {
	case s.relative != nil:
		if err := s.relative.comparesWith(&h.GPU); err != nil {
			return DoesNotFit, err
		}
		return Fits, nil
	case s.generation != nil:
		var v serving
		s.generation.begin(&m, &v)
		return s.generation.fit(&m, &v), nil
	default:
		var l layout
		var scratch Memory
		_, fit := s.training.choose(&m, &l, &scratch)
		return fit, nil
	}
}

// seconds is the time that estimate expects if the training fits, but for rounding; else
// 0.
func (t *training) seconds(m *machine) (seconds float64, fit Fit) {
	l := &m.laid
	if !m.copies || m.gpus == 1 {
		var scratch Memory
		if _, fit = t.choose(m, l, &scratch); fit != Fits {
			return 0, fit
		}
		m.copies = m.gpus > 1 && l.whole()
	}
	micro, step := t.tokens(m, l)
	one := t.microStep(m, l, micro, step)
	seconds = one.total() * (t.Tokens * t.padding() * l.split() / (micro * float64(m.gpus)))
	if !t.SteadyState {
		seconds = t.wholeRun(seconds, t.flops/(float64(m.gpus)*m.topRate()*unconfiguredMFU))
	}
	return seconds, Fits
}

// atLeast is a lower bound of the time of copies of one width, with as large a batch as
// there is room for; infinite if there is none for any. Sums of softMaximum are at
// least softMaximum of the sums, and that is at least softLeast.
func (g *generation) atLeast(m *machine, v *serving, room float64) float64 {
	batch := g.most(v)
	if room < batch {
		if room < 1 || g.Evaluate.Batch > 0 {
			return math.Inf(1)
		}
		batch = math.Floor(room)
	}
	if latency := g.Evaluate.MaxLatencySeconds; latency > 0 && g.Evaluate.Batch == 0 {
		batch = max(1, math.Floor(min(batch, g.timely(v, latency))))
	}
	perByte, perFLOP := v.paces()
	requests, batches, passes := v.requests, 1.0, 0.0
	if requests > batch {
		batches = math.Ceil(requests / batch)
	}
	if g.in > 0 {
		passes = larger(batches, requests*g.in/prefillChunk)
	}
	reading := batches * v.store.step
	if g.routed { // (1 - p)^n <= 1 / (1 + np); the more requests, the fewer new experts
		share := 1 - g.idle
		reading = requests * share / (1 + batch*share) * v.store.step
	}
	busy := requests*g.held*v.store.cache*perByte + softLeast(reading*perByte, requests*g.token*perFLOP)
	t := g.out*(larger(busy, batches*v.store.pass)+batches*g.gap) + larger(requests*g.in*g.prompt*perFLOP, passes*v.store.pass)
	if v.together > 1 {
		bytes := requests * (g.in + g.out) * g.reduced * (1 - v.share)
		t += 2 * g.layers * ((batches*g.out+passes)*reduceLatency + bytes/m.nodeLink())
	}
	return t * roundingDown
}

// latest is an upper bound of the time if a copy fits on a node: of a copy which answers
// its requests one by one, as a batch takes no longer than its requests would alone. A copy
// over most of the GPUs fits; if batches are asked for, that over any number of them may be
// the only one.
func (g *generation) latest(m *machine, v *serving) (seconds float64) {
	widest := m.doublings()
	doublings := widest
	if g.Evaluate.Batch > 0 {
		doublings = 0
	}
	for ; doublings <= widest; doublings++ {
		g.widen(m, v, doublings)
		each, _ := g.batchSeconds(m, v, 1)
		seconds = max(seconds, v.requests*each.total()/roundingDown)
	}
	return seconds
}

// timely is how many requests may be answered together within the latency asked for, or
// more; less than 1 if not even one.
func (g *generation) timely(v *serving, latency float64) float64 {
	perByte, perFLOP := v.paces()
	reading := v.store.step * perByte
	if g.routed {
		reading *= 1 - g.idle
	}
	if g.out*(max(reading, v.store.pass)+g.gap)*roundingDown > latency {
		return 0
	}
	each := g.in*g.prompt*perFLOP + g.out*g.held*v.store.cache*perByte
	return (latency - g.out*(reading+g.gap)*roundingDown) / (each * roundingDown)
}

// paces is the seconds of a copy per byte and FLOP, but for rounding.
func (v *serving) paces() (perByte, perFLOP float64) {
	if v.together == 1 {
		return v.perByte, v.perFLOP
	}
	return v.perByte * v.share, v.perFLOP * v.share
}

// larger is the maximum of two numbers of which neither is NaN: a branch is foreseen.
func larger(a, b float64) float64 {
	if a < b {
		return b
	}
	return a
}

// softLeast is at most softMaximum, and at most 1.2% less: (1 + u)^(1/4) is above its
// chord from u = 0 to 1.
func softLeast(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	x := b / a
	return a + 0.189*a*(x*x*x*x)
}
