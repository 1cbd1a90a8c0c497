package stageplan

import (
	"cmp"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// home is an offer at the site that has the best of most stages; nil if there is none.
// Plans that run all of their stages at one site move nothing and so are often good.
func (g *gatherer) home() *candidate.Tag {
	type votes struct {
		at                  *candidate.Tag
		stages, picks, last int
	}
	var list []votes
	for i := range g.fronts {
		for _, p := range g.fronts[i].whose {
			at := slices.IndexFunc(list, func(v votes) bool { return v.at.Site == p.tag.Site })
			if at < 0 {
				at, list = len(list), append(list, votes{at: p.tag, last: -1})
			}
			v := &list[at]
			v.picks++
			if v.last != i {
				v.stages, v.last = v.stages+1, i
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	best := slices.MinFunc(list, func(a, b votes) int { return cmp.Or(b.stages-a.stages, b.picks-a.picks) })
	return best.at
}

// at is the skyline of a stage's runs on the offers at a site.
func (g *gatherer) at(stage int, home *candidate.Tag) skyline {
	there := g.s.skyline()
	survey := g.surveys[stage]
	runs := survey.Runs()
	for _, i := range g.orders[stage] {
		if there.outdoes(runs[i].Least()) {
			continue
		}
		if tag, l := survey.At(&runs[i], home, there.most(runs[i].Seconds)); tag != nil {
			there.add(l, pick{i, tag})
		}
	}
	return there
}

// treks are what plans up to a stage take at most: those that end at home, and all once
// their data has moved on at the worst price.
type treks struct{ home, gone []least }

// learnFrom learns from plans over few choices of each stage that stay at home or move as
// if every move were the dearest out of its place. Percentiles must not matter.
func (s *searcher) learnFrom(stages [][]choice, home *candidate.Tag) {
	t, last := treks{gone: []least{{}}}, len(stages)-1
	for i, stage := range stages[:last] {
		t = s.further(t, i, stage, home)
	}
	for i := range stages[last] {
		c := &stages[last][i]
		if c.isAt(home) {
			s.lower(t.home, c)
		}
		s.lower(t.gone, c)
	}
}

// further is where treks lead through a stage.
func (s *searcher) further(t treks, stage int, choices []choice, home *candidate.Tag) treks {
	there, gone := s.union(usualUnion), s.union(usualUnion)
	for i := range choices {
		c := &choices[i]
		stays := least{Cost: c.point.high, Seconds: c.point.seconds}
		cost, seconds := s.carrier.dearestOut(stage, int(c.way))
		moves := least{Cost: sum(stays.Cost, cost), Seconds: stays.Seconds + seconds}
		if c.isAt(home) {
			there.add(t.home, stays)
			there.add(t.gone, stays)
			gone.add(t.home, moves)
		}
		gone.add(t.gone, moves)
	}
	return treks{there.points, gone.points}
}

// isAt reports whether a choice is at the site of an offer, if there is one.
func (c *choice) isAt(home *candidate.Tag) bool { return home != nil && c.tag.Site == home.Site }

// lower lowers the bar by plans of parts and a last choice.
func (s *searcher) lower(parts []least, c *choice) {
	for _, p := range parts {
		cost, seconds := sum(p.Cost, c.point.high), p.Seconds+c.point.seconds
		if cost < s.bar.at(seconds) {
			s.bar.lower(seconds, cost)
		}
	}
}
