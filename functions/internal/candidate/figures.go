package candidate

import (
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// working is a run sized, and what follows for all offers.
type working struct {
	Sizing
	usage tco.Usage // without storage and interruptions
	held  int64     // seconds that a node is held so
	late  int64     // seconds by which the 95th percentile lies beyond the expected time so
	job   spot.Job
	lost  lost
}

// lost is what interruptions take at a rate per hour.
type lost struct {
	rate    float64
	outcome spot.Outcome
	seconds int64 // expected
	late    int64 // as working has it, with them
}

// work is the sizing of a run, worked out once.
func (s *Survey) work(r *Run) *working {
	if r.sized == nil {
		r.sized = s.size(r)
	}
	return r.sized
}

// size works out the sizing of a run, which was found to be possible.
func (s *Survey) size(r *Run) *working {
	w, n := &s.admitted.room.works.Empty(1)[:1][0], &s.stocks[r.stock].rig.node
	config, _, _ := s.f.configure(n)
	s.f.estimate(&w.Sizing, config.of(int(r.nodes), n))
	w.usage = s.f.usage(w.Nodes, w.Useful.Expected, 0)
	w.job = s.f.interruptions(w.Nodes, w.Useful.Expected, w.taskSeconds())
	w.held, w.late, w.lost = w.usage.Occupied(), lateBy(&w.Sizing, spot.Outcome{}), lost{}
	return w
}

// interrupted is what interruptions take at a rate per hour, which mostly is that of
// before.
func (w *working) interrupted(rate float64) *lost {
	if w.lost.rate != rate {
		outcome := w.job.Of(rate)
		w.lost = lost{rate, outcome, tco.WholeSeconds(outcome.Expected), lateBy(&w.Sizing, outcome)}
	}
	return &w.lost
}

// Figures are what a candidate takes, as Candidate has them.
type Figures struct {
	Bound        tco.Bound
	Seconds, P95 int64
}

// Figures are those of the candidate that Price makes; ok is false if it costs more than
// can be handled.
func (s *Survey) Figures(r *Run, t *Tag) (f Figures, ok bool) {
	if s.f.stage.ExchangeGB > 0 { // what is exchanged is priced by place
		var c Candidate
		ok = s.Price(&c, r, t)
		return Figures{c.Bound, c.Seconds, c.P95}, ok
	}
	w := s.work(r)
	f.Seconds, f.P95 = w.held, w.late
	if t.interrupts > 0 {
		lost := w.interrupted(t.interrupts)
		f.Seconds, f.P95 = f.Seconds+lost.seconds, lost.late
	}
	f.P95 += f.Seconds
	f.Bound = s.enclose(r, t, f.Seconds)
	return f, f.Bound.High <= limit
}

// enclose is the Bound of a run on an offer whose nodes are held for so many seconds.
func (s *Survey) enclose(r *Run, t *Tag, seconds int64) tco.Bound {
	return t.rates.EncloseHeld(tco.Billed(seconds, t.step, t.least)*r.nodes, s.diskGB(t)*r.nodes, seconds+s.stopped)
}

// Price makes a candidate of a run on an offer; ok is false if it costs more than can be
// handled.
func (s *Survey) Price(c *Candidate, r *Run, t *Tag) (ok bool) {
	w, late := s.work(r), int64(0)
	*c = Candidate{Quote: s.admitted.quote(t.quote), Sizing: &w.Sizing}
	c.Usage, c.Seconds, late = w.usage, w.held, w.late
	c.Usage.DiskGB = s.diskGB(t)
	if t.interrupts > 0 {
		lost := w.interrupted(t.interrupts)
		c.InterruptRate, c.Job, c.Interruptions, late = c.interrupts, w.job, lost.outcome, lost.late
		c.Usage.Interruption = lost.seconds
		c.Seconds += lost.seconds
	}
	c.P95 = c.Seconds + late
	c.Bound = s.enclose(r, t, c.Seconds)
	if s.f.stage.ExchangeGB > 0 {
		s.f.exchange(c)
	}
	return c.Bound.High <= limit
}
