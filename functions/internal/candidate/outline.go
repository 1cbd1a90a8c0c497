package candidate

import "github.com/tierwise/tierwise/functions/internal/workload"

// outlines are what a stage takes at least on nodes of a kind, at the speed of the
// reference, in each of the numbers that were asked for.
type outlines struct {
	all []outline
	// most is what the first of them on which the stage fits takes at most, in seconds.
	most float64
}

// outline is that of one number of nodes.
type outline struct {
	seconds float64
	fit     workload.Fit
}

// outlined are the outlines of a stage on a node, or why it has none in any number of nodes.
// Where time depends on the hardware alone, nodes of one provider and of another, measured or
// not, have the same.
func (s *Survey) outlined(n *node, config *configuration, counts []int) (o *outlines, reason Reason) {
	if !s.timed {
		o = &s.untimed
		s.room(o, counts)
		for i, nodes := range counts {
			o.all[i] = outline{s.f.untimed(config.vcpus, nodes), workload.Fits}
		}
		o.most = o.all[0].seconds
		return o, ""
	}
	if o = &s.known[n.hardware]; len(o.all) >= len(counts) { // fewer are the first of more
		return o, ""
	}
	if reason = s.look(*config, n.fabricGBs); reason != "" {
		return nil, reason
	}
	s.room(o, counts)
	s.measure(o, counts)
	return o, ""
}

// room makes room for outlines.
func (s *Survey) room(o *outlines, counts []int) {
	if len(o.all) < len(counts) {
		o.all = s.admitted.room.outlines.Empty(mostCounts)
	}
	o.all = o.all[:len(counts)]
}

// look looks at the hardware of a configuration, or says why it can't do the work in any
// number of nodes.
func (s *Survey) look(config configuration, fabricGBs float64) Reason {
	config.nodes, config.fabricGBs = 1, fabricGBs
	return misfit(workload.Fits, s.f.stage.Look(s.f.hardware(&config), &s.at))
}

// measure sets outlines of the hardware looked at.
func (s *Survey) measure(o *outlines, counts []int) {
	found := false
	for i, nodes := range counts {
		s.at.Over(nodes)
		seconds, fit := s.at.Outline()
		if o.all[i] = (outline{seconds, fit}); fit == workload.Fits && !found {
			o.most, found = s.at.Latest(seconds), true
		}
	}
}
