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
