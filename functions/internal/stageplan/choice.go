package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// choice is a candidate for a stage with what choosing it takes: the moves from
// where the data lies and to where results belong are part of the first and the
// last stage's.
type choice struct {
	whole        *candidate.Candidate // see searcher.whole
	run          *candidate.Run       // on an offer, what it is made of if it was gathered
	tag          *candidate.Tag
	point        point
	seconds, p95 int64 // of the stage alone, as candidates have them
	// site is its number among the sites of the problem, from 0; provider, way and kind are
	// as the market numbers them.
	site, provider, way, kind int32
	// still says that no move is worth it between the choice and the neighbour of its
	// stage towards the main one.
	still bool

	total  tco.Units // see searcher.cost
	priced bool
}

// whole is the candidate that a choice of a stage is, made when it is first asked for: few
// of those that were gathered are.
func (s *searcher) whole(stage int, c *choice) *candidate.Candidate {
	if c.whole == nil {
		c.whole = &s.room.wholes.Take(1)[0]
		s.surveys[stage].Price(c.whole, c.run, c.tag)
	}
	return c.whole
}

// choices are the candidates of a stage, about the cheapest first.
func (s *searcher) choices(index int, candidates []candidate.Candidate) []choice {
	list := s.room.choices.Take(len(candidates))
	for i, at := range s.cheapestFirst(len(candidates), func(i int) tco.Nano { return candidates[i].Bound.Low }) {
		list[i] = s.choice(index, &candidates[at])
	}
	return list
}

// cheapestFirst are the numbers of so many things, about the cheapest first: costs of one rank
// are as good as each other.
func (s *searcher) cheapestFirst(n int, cost func(int) tco.Nano) []int32 {
	ranks, order := s.room.numbers.Empty(n)[:n], s.room.numbers.Empty(n)[:n] // all of both is set
	lowest, highest := math.MaxInt32, 0
	for i := range ranks {
		r := rankOf(int64(cost(i)), costly)
		ranks[i], lowest, highest = int32(r), min(lowest, r), max(highest, r)
	}
	starts := s.room.numbers.Take(max(0, highest-lowest) + 2) // of ranks, in order
	for _, r := range ranks {
		starts[int(r)-lowest+1]++
	}
	for i := range len(starts) - 1 {
		starts[i+1] += starts[i]
	}
	for i, r := range ranks {
		at := &starts[int(r)-lowest]
		order[*at] = int32(i)
		*at++
	}
	return order
}

// choice is a candidate of a stage.
func (s *searcher) choice(index int, c *candidate.Candidate) choice {
	f := candidate.Figures{Bound: c.Bound, Seconds: c.Seconds, P95: c.P95}
	return choice{
		whole: c, point: s.pointAt(index, f, func() candidate.Site { return c.Site }), seconds: c.Seconds, p95: c.P95,
		site: s.siteOf(c.SiteNumber), provider: int32(c.ProviderNumber), way: int32(c.WayNumber), kind: int32(c.KindNumber),
	}
}

// gathered is a choice of a stage that a run on an offer makes.
func (s *searcher) gathered(r *candidate.Run, t *candidate.Tag, p point, f *candidate.Figures) choice {
	return choice{
		run: r, tag: t, point: p, seconds: f.Seconds, p95: f.P95,
		site: s.siteOf(int(t.Site)), provider: t.Provider, way: t.Way, kind: t.Kind,
	}
}

// pointAt is what a candidate of such figures at a site takes.
func (s *searcher) pointAt(index int, f candidate.Figures, site func() candidate.Site) point {
	cost, seconds := s.ends(index, site)
	cost = cost.Add(f.Bound)
	return point{cost.Low, cost.High, f.Seconds + seconds, s.late(f.P95 + seconds)}
}

// siteOf numbers the sites of a problem, so that lists by site are short.
func (s *searcher) siteOf(number int) int32 {
	if s.places[number] == 0 {
		s.sites++
		s.places[number] = s.sites
	}
	return s.places[number] - 1
}

// ends are the moves at the ends of the chain, as far as a stage has them.
func (s *searcher) ends(index int, site func() candidate.Site) (cost tco.Bound, seconds int64) {
	if index == 0 && s.problem.From != nil {
		cost, seconds = s.carrier.bound(0, *s.problem.From, site())
	}
	if last := s.problem.stages(); index == last-1 && s.problem.To != nil {
		out, time := s.carrier.bound(last, site(), *s.problem.To)
		cost, seconds = cost.Add(out), seconds+time
	}
	return cost, seconds
}

// late is a 95th percentile as far as it matters: without a deadline it decides
// nothing, so it must not keep plans alive.
func (s *searcher) late(p95 int64) int64 {
	if s.problem.DeadlineSeconds == 0 {
		return 0
	}
	return p95
}

// skylineOf is what choices take at least.
func (s *searcher) skylineOf(list []choice) skyline {
	sky := s.skyline()
	for i := range list {
		sky.add(least{Cost: list[i].point.low, Seconds: list[i].point.seconds}, pick{})
	}
	return sky
}
