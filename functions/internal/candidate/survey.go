package candidate

import (
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Survey is everything that could run a stage on a market, without a candidate for
// every offer: offers of one lane differ in little, so that most can be told to be
// useless together.
type Survey struct {
	f        finder
	admitted *Admitted
	runs     []run
	byLane   []span // of runs
	groups   map[group][]size

	// Considered and Rejected are as Found has them.
	Considered int
	Rejected   []Rejection
}

// run is a lane in a number of nodes.
type run struct {
	offers  lane
	sizing  *Sizing
	seconds int64 // that a stage takes at least
}

// span is a part of a list.
type span struct{ from, to int32 }

// NewSurvey sizes a stage on every lane.
func NewSurvey(a *Admitted, stage *workload.Stage, pin Pin) *Survey {
	s := &Survey{
		f: finder{
			market: a.market, stage: stage, demand: Demand{Constraints: a.constraints, Pin: pin},
			counts: a.counts(),
		},
		admitted: a, groups: make(map[group][]size), byLane: make([]span, len(a.lanes)), Considered: len(a.market.quotes),
	}
	for i, l := range a.lanes {
		if len(l) > 0 {
			s.lane(i, l, a.whole(i))
		}
	}
	s.Rejected = s.f.rejections()
	return s
}

// lane adds the runs of a lane, or counts why the whole of it has none.
func (s *Survey) lane(number int, l, whole lane) {
	q := s.admitted.quote(l[0])
	config, reason, ok := s.f.configure(q.Offer)
	switch {
	case q.Unpriced != "":
		s.f.counts[q.Unpriced] += len(whole)
		return
	case !ok:
		s.f.counts[reason] += len(whole)
		return
	}
	if s.f.demand.Constraints.ceiling() {
		l = s.affordable(l, config.perNode)
		whole = l
	}
	if len(l) == 0 {
		return
	}
	from := int32(len(s.runs))
	alone := q.Offer.Service == catalog.Marketplace
	for _, size := range s.sizes(group{config, q.SourcedFabricGBs, alone, q.Coefficient}, q) {
		if size.sizing == nil {
			reason = size.reason
			continue
		}
		s.runs = append(s.runs, run{l, size.sizing, size.seconds})
	}
	s.byLane[number] = span{from, int32(len(s.runs))}
	s.countLimits(whole, s.runs[from:], reason)
}

// group is what decides about the sizes of a lane: the hardware, and whether it is a
// box of a marketplace.
type group struct {
	config configuration
	fabric float64
	market bool

	measured *catalog.Coefficient
}

// size is a sizing in a number of nodes, or why there is none, and what it takes at
// least.
type size struct {
	sized
	seconds int64
}

// sizes are those of an offer's lane, remembered by group.
func (s *Survey) sizes(g group, q *Quote) []size {
	sizes, seen := s.groups[g]
	if seen {
		return sizes
	}
	for _, nodes := range s.f.nodeCounts(q.Offer, g.config) {
		one := size{sized: s.f.estimate(g.config.of(nodes, q))}
		if one.sizing != nil {
			one.seconds = s.f.setup() + tco.WholeSeconds(one.sizing.Useful.Expected)
		}
		sizes = append(sizes, one)
	}
	s.groups[g] = sizes
	return sizes
}

// affordable is the offers of a lane within the ceilings on hourly prices.
func (s *Survey) affordable(l lane, gpus int) lane {
	var within lane
	for _, at := range l {
		if s.f.affordable(s.admitted.quote(at), gpus) {
			within = append(within, at)
		} else {
			s.f.counts[TooDear]++
		}
	}
	return within
}

// countLimits counts the offers of a lane that have no candidate although nothing
// speaks against them: no number of nodes can do the work, or all cost too much.
func (s *Survey) countLimits(l lane, runs []run, reason Reason) {
	if len(runs) == 0 {
		if reason == "" {
			reason = OtherHardware
		}
		s.f.counts[reason] += len(l)
		return
	}
	if dearest := s.admitted.quote(l[len(l)-1]); s.within(dearest, runs) {
		return
	}
	for _, at := range l {
		if !s.within(s.admitted.quote(at), runs) {
			s.f.counts[BeyondLimits]++
		}
	}
}

// within reports whether an offer's cost stays within the limit in some number of
// nodes.
func (s *Survey) within(q *Quote, runs []run) bool {
	return slices.ContainsFunc(runs, func(r run) bool {
		c := s.f.price(q, r.sizing)
		return c.Bound.High <= limit
	})
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

// Runs is how many runs there are: lanes, each in a number of nodes.
func (s *Survey) Runs() int { return len(s.runs) }

// Cheapest is the cheapest offer of a run, and what it takes at least.
func (s *Survey) Cheapest(run int) (*Quote, Least) {
	r := &s.runs[run]
	q := s.admitted.quote(r.offers[0])
	return q, q.atLeast(r.seconds, int64(r.sizing.Nodes))
}

// Price is the candidate of a run on its cheapest offer.
func (s *Survey) Price(run int) Candidate {
	r := &s.runs[run]
	return s.f.price(s.admitted.quote(r.offers[0]), r.sizing)
}

// Judge says which candidates are worth collecting. Neither may keep less of what
// takes more.
type Judge struct {
	Hope func(Least) bool      // given what a candidate takes at least
	Keep func(*Candidate) bool // given the candidate
}

// Collect is every candidate that the judge keeps.
func (s *Survey) Collect(j Judge) []Candidate {
	var list []Candidate
	for i := range s.runs {
		r := &s.runs[i]
		for _, at := range r.offers {
			q := s.admitted.quote(at)
			if !j.Hope(q.atLeast(r.seconds, int64(r.sizing.Nodes))) {
				break
			}
			list = s.judge(list, q, r, j)
		}
	}
	return list
}

// CollectAt is the same of one site alone.
func (s *Survey) CollectAt(list []Candidate, site int, j Judge) []Candidate {
	for _, at := range s.f.market.bySite[site] {
		if !s.admitted.holds(at) {
			continue
		}
		q, of := s.admitted.quote(at), s.byLane[s.f.market.laneOf[at]]
		for i := of.from; i < of.to; i++ {
			r := &s.runs[i]
			if j.Hope(q.atLeast(r.seconds, int64(r.sizing.Nodes))) && s.f.affordable(q, r.sizing.GPUsPerNode) {
				list = s.judge(list, q, r, j)
			}
		}
	}
	return list
}

// judge adds a candidate if it is worth it.
func (s *Survey) judge(list []Candidate, q *Quote, r *run, j Judge) []Candidate {
	list = append(list, s.f.price(q, r.sizing))
	if c := &list[len(list)-1]; c.Bound.High > limit || !j.Keep(c) {
		return list[:len(list)-1]
	}
	return list
}
