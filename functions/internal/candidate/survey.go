package candidate

import (
	"iter"
	"slices"
	"strings"

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
	configs  []configuration // of rigs
	runs     []Run
	within   [][]Tag    // of lanes: the offers within the ceilings on hourly prices, if there are any
	disk     int64      // GB that a node needs
	sized    []*working // by run; nil until it is needed

	// Considered and Rejected are as Found has them.
	Considered int
	Rejected   []Rejection
}

// Run is a number of nodes of a rig.
type Run struct {
	Seconds int64 // that the stage takes at least

	nodes  int64
	lanes  []shelf
	disk   int64 // GB-seconds of block storage at least, on nodes without room of their own
	config int32
	number int32
}

// NewSurvey sizes a stage on every rig.
func NewSurvey(a *Admitted, stage *workload.Stage, pin Pin) *Survey {
	s := &Survey{
		f: finder{
			market: a.market, stage: stage, demand: Demand{Constraints: a.constraints, Pin: pin},
			counts: a.counts(),
		},
		admitted: a, Considered: len(a.market.quotes),
	}
	s.disk = s.f.needGB()
	if a.constraints.ceiling() {
		s.within = make([][]Tag, len(a.market.lanes))
	}
	w := onCPUs
	if stage.GPU() {
		w = onGPUs
	}
	s.configs, s.runs = make([]configuration, 0, len(a.stocks[w])), make([]Run, 0, usualNodes*len(a.stocks[w]))
	for i := range a.stocks[w] {
		s.stock(&a.stocks[w][i])
	}
	s.sized = make([]*working, len(s.runs))
	s.Rejected = s.f.rejections()
	return s
}

// usualNodes is in about how many numbers of nodes a rig can do the work.
const usualNodes = 5

// stock adds the runs of what is admitted of a rig, or counts why there are none.
func (s *Survey) stock(of *stock) {
	q := s.admitted.quote(of.rig.sample)
	config, reason, ok := s.f.configure(q.Offer)
	if !ok {
		s.f.counts[reason] += of.offers
		return
	}
	lanes, offers := of.lanes, of.offers
	if s.within != nil {
		lanes, offers = s.affordable(of, config.perNode)
	}
	from := len(s.runs)
	for _, nodes := range s.f.nodeCounts(q.Offer, config) {
		useful, why := s.f.atLeast(config.of(nodes, q))
		if why != "" {
			reason = why
			continue
		}
		s.runs = append(s.runs, s.run(useful, nodes, lanes))
	}
	s.configs = append(s.configs, config)
	switch {
	case offers == 0:
		s.runs = s.runs[:from]
	case len(s.runs) > from:
		s.countLimits(of, s.runs[from:])
	case reason == "":
		s.f.counts[OtherHardware] += offers
	default:
		s.f.counts[reason] += offers
	}
}

// run is a run of the configuration that comes next, given how long the work takes at
// least.
func (s *Survey) run(useful float64, nodes int, lanes []shelf) Run {
	seconds := s.f.setup() + tco.WholeSeconds(useful) + s.f.stage.VerifySeconds
	stored := seconds + tco.WholeSeconds(s.f.stage.StoppedSeconds)
	return Run{
		Seconds: seconds, nodes: int64(nodes), lanes: lanes, disk: stored * int64(nodes) * s.disk,
		config: int32(len(s.configs)), number: int32(len(s.runs)),
	}
}

// working is a run sized, and what follows for all offers.
type working struct {
	Sizing
	usage tco.Usage // without storage and interruptions
	job   spot.Job
}

// work is the sizing of a run, worked out once.
func (s *Survey) work(r *Run) *working {
	if int(r.number) >= len(s.sized) {
		return s.size(r) // while the survey is made
	}
	if s.sized[r.number] == nil {
		s.sized[r.number] = s.size(r)
	}
	return s.sized[r.number]
}

// size works out the sizing of a run, which was found to be possible.
func (s *Survey) size(r *Run) *working {
	w := new(working)
	q := s.admitted.quote(r.lanes[0].first.quote)
	s.f.estimate(&w.Sizing, s.configs[r.config].of(int(r.nodes), q))
	w.usage, w.job = s.f.usage(&w.Sizing, 0), s.f.interruptions(&w.Sizing)
	return w
}

// terms are what a run on the offers of a lane is charged for at least: a part of an hour
// of a node, and of a month of a GB.
type terms struct{ hour, gbMonth tco.Share }

// terms are those of a lane.
func (s *Survey) terms(r *Run, on *shelf) terms {
	l := &s.f.market.lanes[on.lane]
	return terms{tco.HourShare(tco.Billed(r.Seconds, l.step, l.least) * r.nodes), tco.MonthShare(r.disk)}
}

// atLeast is what a run on an offer takes at least.
func (s *Survey) atLeast(r *Run, t *Tag, on terms) Least {
	l := Least{on.hour.AtLeast(t.hour()), r.Seconds}
	if int64(t.roomGB) < s.disk {
		l.Cost += on.gbMonth.AtLeast(t.rates.GBMonth.Low)
	}
	return l
}

// anywhere is what a run on any offer of a lane takes at least.
func (s *Survey) anywhere(r *Run, on *shelf) Least {
	charged, lane := s.terms(r, on), &s.f.market.lanes[on.lane]
	l := Least{charged.hour.AtLeast(on.hour), r.Seconds}
	if int64(lane.roomGB) < s.disk {
		l.Cost += charged.gbMonth.AtLeast(lane.gbMonth)
	}
	return l
}

// affordable keeps of what is admitted the offers within the ceilings on hourly prices.
func (s *Survey) affordable(of *stock, gpus int) (lanes []shelf, offers int) {
	for _, shelf := range of.lanes {
		n := shelf.lane
		for _, tag := range s.admitted.offers(n) {
			if s.f.affordable(s.admitted.quote(tag.quote), gpus) {
				s.within[n] = append(s.within[n], tag)
			} else {
				s.f.counts[TooDear]++
			}
		}
		if len(s.within[n]) > 0 {
			shelf.first, shelf.hour = &s.within[n][0], s.within[n][0].hour()
			lanes, offers = append(lanes, shelf), offers+len(s.within[n])
		}
	}
	return lanes, offers
}

// offers are those of a lane that the survey is about, in the order of what a node
// costs at least.
func (s *Survey) offers(number int32) []Tag {
	if s.within != nil {
		return s.within[number]
	}
	return s.admitted.offers(number)
}

// countLimits counts the offers of a rig that have no candidate although nothing speaks
// against them: in every number of nodes they cost too much.
func (s *Survey) countLimits(of *stock, runs []Run) {
	var first Sizing
	s.f.estimate(&first, s.configs[runs[0].config].of(int(runs[0].nodes), s.admitted.quote(of.rig.sample)))
	if s.cheapEnough(of.rig, &first) {
		return
	}
	for _, shelf := range runs[0].lanes {
		offers := s.admitted.whole(shelf.lane)
		if s.within != nil {
			offers = s.within[shelf.lane]
		}
		for _, tag := range offers {
			q := s.admitted.quote(tag.quote)
			if !slices.ContainsFunc(runs, func(r Run) bool { return s.f.price(q, &s.work(&r).Sizing).Bound.High <= limit }) {
				s.f.counts[BeyondLimits]++
			}
		}
	}
}

// cheapEnough reports whether a sizing certainly costs no more than the limit on any
// offer of a rig.
func (s *Survey) cheapEnough(r *rig, sizing *Sizing) bool {
	if s.f.stage.ExchangeGB > 0 {
		return false
	}
	dearest := tco.Rates{NodeHour: tco.Bound{High: r.dearest}, GBMonth: s.f.market.storage}
	u := s.f.usage(sizing, s.disk)
	u.Interruption = tco.WholeSeconds(s.f.interruptions(sizing).Of(spot.RateOf(nil).Central).Expected)
	u.Useful += r.atOnce
	return dearest.Enclose(&tco.Tariff{}, u).High <= limit
}

// rejections are the counts by reason, ascending.
func (f *finder) rejections() []Rejection {
	var list []Rejection
	for reason, count := range f.counts {
		list = append(list, Rejection{reason, count})
	}
	slices.SortFunc(list, func(a, b Rejection) int { return strings.Compare(string(a.Reason), string(b.Reason)) })
	return list
}

// Runs are all rigs, each in every number of nodes that can do the work. They must not
// be changed.
func (s *Survey) Runs() []Run { return s.runs }

// Least is what a run takes at least, on its cheapest offer.
func (s *Survey) Least(r *Run) Least {
	return Least{r.plain().AtLeast(r.lanes[0].hour), r.Seconds}
}

// plain is the part of an hour of a node that a run takes at least.
func (r *Run) plain() tco.Share { return tco.HourShare(r.Seconds * r.nodes) }

// Lanes are the cheapest offers of a run's lanes, which are those of one provider and
// purchase model, and what any offer of the lane takes at least, by ascending price per
// hour, as long as that lets them cost no more than most.
func (s *Survey) Lanes(r *Run, most func() tco.Nano) iter.Seq2[*Tag, Least] {
	return func(yield func(*Tag, Least) bool) {
		plain := r.plain()
		for i := range r.lanes {
			on := &r.lanes[i]
			if plain.AtLeast(on.hour) > most() {
				return
			}
			if !yield(on.first, s.anywhere(r, on)) {
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
		dearest := r.plain().AtMost(max(w.Anywhere, w.There))
		for i := range r.lanes {
			on := &r.lanes[i]
			if on.hour > dearest {
				return
			}
			if !s.onShelf(on, r, &w, yield) {
				return
			}
		}
	}
}

// onShelf yields the offers of a lane that are wanted, until it is told to stop.
func (s *Survey) onShelf(on *shelf, r *Run, w *Wanted, yield func(*Tag, Least) bool) (more bool) {
	charged := s.terms(r, on)
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
		if !yield(t, s.atLeast(r, t, charged)) {
			return false
		}
	}
	return true
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
	u, lost := w.usage, spot.Outcome{}
	if t.interrupts > 0 {
		lost = w.job.Of(t.interrupts)
		u.Interruption = tco.WholeSeconds(lost.Expected)
	}
	u.DiskGB = s.diskGB(t)
	f.Seconds = u.Occupied()
	f.P95 = f.Seconds + lateBy(&w.Sizing, lost)
	f.Bound = t.rates.EncloseBilled(tco.Billed(f.Seconds, t.step, t.least), u)
	return f, f.Bound.High <= limit
}

// Price makes a candidate of a run on an offer; ok is false if it costs more than can be
// handled.
func (s *Survey) Price(c *Candidate, r *Run, t *Tag) (ok bool) {
	s.f.fill(c, s.admitted.quote(t.quote), &s.work(r).Sizing, s.diskGB(t))
	return c.Bound.High <= limit
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
