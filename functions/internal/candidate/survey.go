package candidate

import (
	"iter"
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Survey is everything that could run a stage on a market, without a candidate for
// every offer: the offers of one rig are sized together, and in the order of their
// prices most can be told to be useless together.
type Survey struct {
	f        finder
	admitted *Admitted
	stocks   []stock // what the survey is about, by rig
	runs     []Run
	timed    bool          // as finder has it
	within   [][]Tag       // of lanes: the offers within the ceilings on hourly prices, if there are any
	disk     int64         // GB that a node needs
	before   int64         // seconds until a node works
	stopped  int64         // seconds that its disks stay while it is switched off
	job      spot.Job      // as interruptions of one node see it, without the work
	at       workload.Node // that was looked at last
	known    []outlines    // of hardware, by its number
	untimed  outlines      // of the rig at hand, if time does not depend on GPUs
	longest  float64       // that a rig works at most in its first number of nodes, in seconds
	widest   int           // the most of those numbers

	// Considered and Rejected are as Found has them.
	Considered int
	Rejected   []Rejection
}

// Run is a number of nodes of a rig.
type Run struct {
	Seconds int64 // that the stage takes at least

	plain    tco.Share // the part of an hour of a node that it takes at least
	cheapest tco.Nano  // what that costs at least
	nodes    int64
	stock    int32
	sized    *working // nil until it is needed
	// lost is the seconds that interruptions at a rate per hour take at least.
	rate float64
	lost int64
}

// NewSurvey sizes a stage on every rig.
func NewSurvey(a *Admitted, stage *workload.Stage, pin Pin) *Survey {
	s := &Survey{
		f: finder{
			market: a.market, stage: stage, demand: Demand{Constraints: a.constraints, Pin: pin},
			counts: slices.Clone(a.refused),
		},
		admitted: a, Considered: len(a.market.quotes),
	}
	s.disk, s.before, s.stopped = s.f.needGB(), s.f.setup()+stage.VerifySeconds, tco.WholeSeconds(stage.StoppedSeconds)
	s.job, s.timed = s.f.interruptions(1, 0, 0), s.f.timed()
	s.stocks = a.stocked(workOf(stage))
	if a.constraints.ceiling() {
		s.within, s.stocks = make([][]Tag, len(a.market.lanes)), slices.Clone(s.stocks)
	}
	s.known = a.room.known.Take(a.market.hardware)
	s.runs = a.room.runs.Empty(mostCounts * len(s.stocks))
	for i := range s.stocks {
		s.take(i)
	}
	s.countLimits()
	s.Rejected = s.f.counts.sorted()
	return s
}

// take adds the runs of what is admitted of a rig, or counts why there are none.
func (s *Survey) take(number int) {
	of := &s.stocks[number]
	n := &of.rig.node
	config, reason, ok := s.f.configure(n)
	if !ok {
		s.f.counts.add(reason, of.offers)
		return
	}
	if s.within != nil {
		s.afford(of, config.perNode)
	}
	counts := s.f.nodeCounts(n, &config)
	if of.offers == 0 {
		return
	}
	if len(counts) == 0 {
		s.f.counts.add(OtherHardware, of.offers)
		return
	}
	if reason = s.run(int32(number), &config, counts); reason != "" {
		s.f.counts.add(reason, of.offers)
	}
}

// run adds the runs of a rig in so many numbers of nodes, or says why there are none.
func (s *Survey) run(stock int32, config *configuration, counts []int) (reason Reason) {
	of := &s.stocks[stock]
	o, reason := s.outlined(&of.rig.node, config, counts)
	if reason != "" {
		return reason
	}
	runs, from, cheapest := s.runs, len(s.runs), of.lanes[0].hour
	one, more := 1.0, 1.0
	if s.timed {
		one, more = s.f.efficiency(config, 1).Value, s.f.efficiency(config, 2).Value
	}
	for i, nodes := range counts {
		at, eta := &o.all[i], more
		if at.fit != workload.Fits {
			reason = unfit(at.fit)
			continue
		}
		if nodes == 1 {
			eta = one
		}
		if len(runs) == from {
			s.longest, s.widest = max(s.longest, o.most/eta), max(s.widest, nodes)
		}
		runs = runs[:len(runs)+1]
		r := &runs[len(runs)-1]
		*r = Run{nodes: int64(nodes), stock: stock}
		r.Seconds = s.before + tco.WholeSeconds(at.seconds/eta)
		r.plain = tco.HourShare(r.Seconds * r.nodes)
		r.cheapest = r.plain.AtLeast(cheapest)
	}
	if s.runs = runs; len(runs) > from {
		return ""
	}
	return reason
}

// terms are what a run on the offers of a lane takes at least: seconds, and what it is
// charged for, a part of an hour of a node and of a month of a GB.
type terms struct {
	seconds       int64
	hour, gbMonth tco.Share
}

// terms are those of a lane.
func (s *Survey) terms(r *Run, l *lane) terms {
	seconds := r.Seconds
	if l.interrupts > 0 {
		seconds += s.lost(r, l.interrupts)
	}
	return terms{seconds, tco.HourShare(tco.Billed(seconds, l.step, l.least) * r.nodes), tco.MonthShare((seconds + s.stopped) * r.nodes * s.disk)}
}

// lost is the seconds that a run loses at least to interruptions at a rate per hour, which
// mostly is that of before.
func (s *Survey) lost(r *Run, rate float64) int64 {
	if r.rate != rate {
		const roundingDown = 1 - 1e-9
		job := s.job
		job.Useful = float64(r.Seconds - s.before - 1) // seconds were rounded up
		if !s.f.stage.Parallel {
			job.Instances = int(r.nodes)
		}
		r.rate, r.lost = rate, tco.WholeSeconds(job.Expected(rate)*roundingDown)
	}
	return r.lost
}

// atLeast is what a run on an offer of a lane takes at least.
func (s *Survey) atLeast(t *Tag, on terms) Least {
	l := Least{on.hour.AtLeast(t.hour()), on.seconds}
	if int64(t.roomGB) < s.disk {
		l.Cost += on.gbMonth.AtLeast(t.rates.GBMonth.Low)
	}
	return l
}

// anywhere is what a run on any offer of a lane takes at least.
func (s *Survey) anywhere(r *Run, on *shelf) Least {
	lane := &s.f.market.lanes[on.lane]
	charged := s.terms(r, lane)
	l := Least{charged.hour.AtLeast(on.hour), charged.seconds}
	if int64(lane.roomGB) < s.disk {
		l.Cost += charged.gbMonth.AtLeast(lane.gbMonth)
	}
	return l
}

// afford leaves of what is admitted the offers within the ceilings on hourly prices.
func (s *Survey) afford(of *stock, gpus int) {
	shelves := of.lanes
	of.lanes, of.offers = nil, 0
	for _, shelf := range shelves {
		n := shelf.lane
		for _, tag := range s.admitted.offers(n) {
			if s.f.affordable(s.admitted.quote(tag.quote), gpus) {
				s.within[n] = append(s.within[n], tag)
			} else {
				s.f.counts.add(TooDear, 1)
			}
		}
		if len(s.within[n]) > 0 {
			shelf.hour = s.within[n][0].hour()
			of.lanes, of.offers = append(of.lanes, shelf), of.offers+len(s.within[n])
		}
	}
}

// offers are those of a lane that the survey is about, in the order of what a node
// costs at least.
func (s *Survey) offers(number int32) []Tag {
	if s.within != nil {
		return s.within[number]
	}
	return s.admitted.offers(number)
}

// longestHeld is the seconds that a node of any offer is held or billed at most in the first
// number of nodes of its rig.
func (s *Survey) longestHeld() int64 {
	if s.f.stage.Workers > 0 { // rounds take longer, and what is exchanged is priced by place
		return math.MaxInt64
	}
	worst, task := &s.f.market.worst, 0.0
	if s.f.stage.Relative() {
		task = s.longest // no task takes longer than all of them
	}
	job := s.f.interruptions(s.widest, s.longest, task)
	return s.before + s.stopped + worst.atOnce + tco.WholeSeconds(s.longest) + tco.WholeSeconds(job.Expected(worst.interrupts))
}

// countLimits counts the offers that have no candidate although nothing speaks against
// them: in every number of nodes they cost too much. Those of most markets certainly cost
// no more than the limit in the first number of nodes, and else those of most rigs.
func (s *Survey) countLimits() {
	held, worst := s.longestHeld(), &s.f.market.worst
	disk := worst.gb / max(s.disk, 1)
	if held <= min(worst.node, disk)/int64(max(s.widest, 1)) {
		return
	}
	for from, to := 0, 0; from < len(s.runs); from = to {
		first := &s.runs[from]
		for to = from; to < len(s.runs) && s.runs[to].stock == first.stock; {
			to++
		}
		if of := &s.stocks[first.stock]; held > min(quarterOfLimit(of.rig.dearest, 1), disk)/first.nodes {
			s.countDear(of, s.runs[from:to])
		}
	}
}

// countDear counts those of a rig that cost too much in each of its runs.
func (s *Survey) countDear(of *stock, runs []Run) {
	for _, shelf := range of.lanes {
		s.countBeyond(shelf.lane, runs)
	}
}

// countBeyond counts those of a lane that cost too much in each of its rig's runs.
func (s *Survey) countBeyond(lane int32, runs []Run) {
	offers := s.admitted.whole(lane)
	if s.within != nil {
		offers = s.within[lane]
	}
	for i := range offers {
		within := false
		for j := 0; j < len(runs) && !within; j++ {
			_, within = s.Figures(&runs[j], &offers[i])
		}
		if !within {
			s.f.counts.add(BeyondLimits, 1)
		}
	}
}

// Runs are all rigs, each in every number of nodes that can do the work. They must not
// be changed.
func (s *Survey) Runs() []Run { return s.runs }

// Least is what a run takes at least, on its cheapest offer.
func (r *Run) Least() Least { return Least{r.cheapest, r.Seconds} }

// lanes are what is admitted of a run's lanes.
func (s *Survey) lanes(r *Run) []shelf { return s.stocks[r.stock].lanes }

// Lanes are the cheapest offers of a run's lanes, which are those of one provider and
// purchase model, and what any offer of the lane takes at least, by ascending price per
// hour, as long as that lets them cost no more than most.
func (s *Survey) Lanes(r *Run, most func() tco.Nano) iter.Seq2[*Tag, Least] {
	return func(yield func(*Tag, Least) bool) {
		if r.cheapest > most() {
			return
		}
		lanes := s.lanes(r)
		for i := range lanes {
			on := &lanes[i]
			if i > 0 && r.plain.AtLeast(on.hour) > most() {
				return
			}
			if !yield(&s.offers(on.lane)[0], s.anywhere(r, on)) {
				return
			}
		}
	}
}

// Wanted is what offers of a run are asked for: those that cost at least no more than
// Anywhere, or where Sites has a number for the site no more than There.
type Wanted struct {
	Anywhere, There tco.Nano
	Sites           []int32
}

// Offers are the offers of a run that are wanted, and what they take at least.
func (s *Survey) Offers(r *Run, w Wanted) iter.Seq2[*Tag, Least] {
	return func(yield func(*Tag, Least) bool) {
		dearest := r.plain.AtMost(max(w.Anywhere, w.There))
		lanes := s.lanes(r)
		for i := range lanes {
			if lanes[i].hour > dearest {
				return
			}
			if !s.onShelf(&lanes[i], r, &w, yield) {
				return
			}
		}
	}
}

// onShelf yields the offers of a lane that are wanted, until it is told to stop.
func (s *Survey) onShelf(on *shelf, r *Run, w *Wanted, yield func(*Tag, Least) bool) (more bool) {
	charged := s.terms(r, &s.f.market.lanes[on.lane])
	anywhere, there := charged.hour.AtMost(w.Anywhere), charged.hour.AtMost(w.There)
	dearest := max(anywhere, there)
	if on.hour > dearest {
		return true
	}
	offers := s.offers(on.lane)
	for j := range offers {
		t := &offers[j]
		if t.hour() > dearest {
			break
		}
		if t.hour() > anywhere && (t.hour() > there || w.Sites[t.Site] == 0) {
			continue
		}
		if !yield(t, s.atLeast(t, charged)) {
			return false
		}
	}
	return true
}

// diskGB is the block storage that a node of an offer rents.
func (s *Survey) diskGB(t *Tag) int64 {
	if int64(t.roomGB) >= s.disk {
		return 0
	}
	return s.disk
}

// Site is where an offer is.
func (s *Survey) Site(t *Tag) Site { return s.admitted.quote(t.quote).Site }
