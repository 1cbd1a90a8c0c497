package stageplan

import "github.com/tierwise/tierwise/functions/internal/tco"

// reach is the labels of one stage by where they are worth going on: at their
// own site, to other sites of their provider, and anywhere else. A label that
// another certainly beats even at the worst price of moving is worth no move.
type reach struct {
	bySite     map[int][]*label // by site number
	byProvider map[int][]moved  // by provider number: worth a move within the provider
	abroad     []moved          // worth a move to another provider
	start      bool             // before the first stage
}

// moved is a label with what it takes once its data has moved, and the number of the
// provider that it left, 0 if nothing moved.
type moved struct {
	label    *label
	point    point
	provider uint16
}

// reach sorts labels by where they are worth going on into the stage at hand.
func (s *searcher) reach(labels []label, at *step) reach {
	if at.index == 0 {
		return reach{start: true}
	}
	better := s.movable(labels, at)
	r := reach{bySite: make(map[int][]*label), byProvider: make(map[int][]moved)}
	for i := range labels {
		l := &labels[i]
		if better.beats(l.point) {
			continue
		}
		site, provider := l.choice.SiteNumber, l.choice.ProviderNumber
		r.bySite[site] = append(r.bySite[site], l)
		if l.choice.still && at.index <= s.problem.Main {
			continue
		}
		left := uint16(0)
		region, internet, seconds := s.carrier.out(at.index, l.choice)
		if seconds > 0 {
			left = s.carrier.number(l.choice.Offer.Provider)
		}
		if p := l.point.plus(s.moved(region, seconds)); !better.beats(p) {
			r.byProvider[provider] = append(r.byProvider[provider], moved{l, p, left})
		}
		if p := l.point.plus(s.moved(internet, seconds)); !better.beats(p) {
			r.abroad = append(r.abroad, moved{l, p, left})
		}
	}
	return r
}

// movable is the front of the labels as they are after a move at the worst price.
func (s *searcher) movable(labels []label, at *step) front {
	points := make([]point, len(labels))
	for i := range labels {
		region, internet, seconds := s.carrier.out(at.index, labels[i].choice)
		worst := max(region.High, internet.High)
		margin := tco.Bound{High: worst}.Add(tco.Bound{High: at.spread})
		points[i] = labels[i].point.behind(margin.High, s.time(seconds), s.late(seconds))
	}
	return newFront(points)
}

// moved is a move as a point.
func (s *searcher) moved(cost tco.Bound, seconds int64) point {
	return point{cost.Low, cost.High, s.time(seconds), s.late(seconds)}
}
