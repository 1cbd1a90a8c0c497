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
	for i := range runs {
		if tag, l := survey.At(&runs[i], home, there.most(runs[i].Seconds)); tag != nil {
			there.add(l, pick{int32(i), tag})
		}
	}
	return there
}

// treks are what plans up to a stage take at most: those that end at home, and all once
// their data has moved on at the worst price.
type treks struct{ home, gone skyline }

// usualTreks is how many there are usually, at most.
const usualTreks = 256

// learnFrom learns from plans over few choices of each stage that stay at home or move as
// if every move were the dearest out of its place. Percentiles must not matter.
func (s *searcher) learnFrom(stages [][]choice, home *candidate.Tag) {
	var t treks
	t.gone.points = []least{{}}
	for i, stage := range stages[:len(stages)-1] {
		next := treks{s.skyline(), skyline{points: s.room.leasts.Empty(usualTreks)}}
		t.each(stage, home, func(c *choice, l least, there bool) {
			if there {
				next.home.add(l, pick{})
			}
			cost, seconds := s.carrier.dearestOut(i, int(c.way))
			next.gone.add(least{Cost: sum(l.Cost, cost), Seconds: l.Seconds + seconds}, pick{})
		})
		t = next
	}
	t.each(stages[len(stages)-1], home, func(_ *choice, l least, _ bool) {
		if l.Cost < s.bar.at(l.Seconds) {
			s.bar.lower(l.Seconds, l.Cost)
		}
	})
}

// each goes through plans that go on to a stage: what they take at most, and whether they end
// at home.
func (t *treks) each(stage []choice, home *candidate.Tag, do func(c *choice, l least, there bool)) {
	for i := range stage {
		c := &stage[i]
		there := home != nil && c.tag.Site == home.Site
		if there {
			for _, p := range t.home.points {
				do(c, then(p, c), there)
			}
		}
		for _, p := range t.gone.points {
			do(c, then(p, c), there)
		}
	}
}

// then is what a part takes at most with a choice that comes next.
func then(part least, c *choice) least {
	return least{Cost: sum(part.Cost, c.point.high), Seconds: part.Seconds + c.point.seconds}
}
