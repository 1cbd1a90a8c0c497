package stageplan

import "github.com/tierwise/tierwise/functions/internal/tco"

// reach is the labels of one stage by where they are worth going on: at their
// own site, to other sites of their provider, and anywhere else. A label that
// another certainly beats even at the worst price of moving is worth no move.
type reach struct {
	bySite     [][]*label // by site number
	byProvider [][]*label // by provider number: worth a move within the provider
	abroad     []*label   // worth a move to another provider
	start      []*label   // the empty label, before the first stage
}

// reach sorts labels by where they are worth going on into the stage at hand.
func (s *searcher) reach(labels []label, at step) reach {
	if at.index == 0 {
		return reach{start: []*label{&labels[0]}}
	}
	better := s.movable(labels, at)
	r := reach{
		bySite:     make([][]*label, s.problem.Market.Sites()),
		byProvider: make([][]*label, s.problem.Market.Providers()),
	}
	for i := range labels {
		l := &labels[i]
		if better.beats(l.point) {
			continue
		}
		site, provider := l.choice.SiteNumber, l.choice.ProviderNumber
		r.bySite[site] = append(r.bySite[site], l)
		region, internet, seconds := s.carrier.out(at.index, l.choice)
		if !better.beats(l.point.plus(s.moved(region, seconds))) {
			r.byProvider[provider] = append(r.byProvider[provider], l)
		}
		if !better.beats(l.point.plus(s.moved(internet, seconds))) {
			r.abroad = append(r.abroad, l)
		}
	}
	return r
}

// movable is the front of the labels as they are after a move at the worst price.
func (s *searcher) movable(labels []label, at step) front {
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

// towards are the labels that a choice can follow: those at its site, and those
// elsewhere that are worth the move, in its provider and beyond. Labels at the
// site or of the provider are in more than one list; beyond and within drop them.
func (r *reach) towards(c *choice) [3][]*label {
	if r.start != nil {
		return [3][]*label{r.start}
	}
	return [3][]*label{r.bySite[c.SiteNumber], r.within(c), r.beyond(c)}
}

// within are the labels of the choice's provider at other sites that are worth a
// move within it.
func (r *reach) within(c *choice) []*label {
	var found []*label
	for _, l := range r.byProvider[c.ProviderNumber] {
		if l.choice.SiteNumber != c.SiteNumber {
			found = append(found, l)
		}
	}
	return found
}

// beyond are the labels of other providers that are worth a move between providers.
func (r *reach) beyond(c *choice) []*label {
	found := make([]*label, 0, len(r.abroad))
	for _, l := range r.abroad {
		if l.choice.ProviderNumber != c.ProviderNumber {
			found = append(found, l)
		}
	}
	return found
}
