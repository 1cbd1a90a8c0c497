package stageplan

import (
	"slices"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// MaxStages is the longest chain that can be searched.
const MaxStages = 7

// label is a partial plan: a choice for a stage and for those before it, and what
// they take.
type label struct {
	point   point
	choice  int32 // among those of the stage
	before  int32 // what it goes on from, among the labels of the stage before
	next    int32 // another label at the same site, counted from 1; 0 if there is none
	gone    bool  // another is certainly better
	history history
}

// history is what left whom so far, as far as later moves may depend on it: for
// every move the number of the provider that it left, counted from 1, 0 if nothing moved.
type history [MaxStages + 1]uint16

// tableau is the labels of a chain's stages, as far as it was extended.
type tableau struct {
	s      *searcher
	stages [][]choice
	labels [][]label
	heads  []int32 // by site: the first of the last labels there, counted from 1
}

// newTableau is a tableau over choices that is not extended yet. Stages may be added to
// it as it grows.
func (s *searcher) newTableau(stages [][]choice) *tableau {
	return &tableau{s: s, stages: stages, labels: s.room.tables.Empty(s.problem.stages())}
}

// usualLabels is how many labels there are of a choice usually, at most.
const usualLabels = 8

// extend appends every choice of the next stage to every label that it can follow,
// keeping per site what nothing certainly beats.
func (t *tableau) extend(o outlook) {
	i := len(t.labels)
	e := extension{
		tableau: t, index: i, look: o, stage: t.stages[i], last: i == t.s.problem.stages()-1,
		heads: t.s.room.numbers.Take(int(t.s.sites)), spread: t.s.spread(i + 1), labels: t.s.room.labels.Empty(usualLabels * len(t.stages[i])),
	}
	if i == 0 {
		for j := range e.stage {
			e.first(int32(j))
		}
	} else {
		e.before = t.labels[i-1]
		e.follow(t.reach())
	}
	t.labels, t.heads = append(t.labels, e.labels), e.heads
}

// extension is a tableau that grows by a stage.
type extension struct {
	*tableau
	look   outlook
	index  int
	stage  []choice
	last   bool // nothing moves on, so that sites are no matter
	before []label
	labels []label
	heads  []int32
	spread tco.Nano // how much history can matter to later moves
}

// feasible reports whether a partial plan that takes so much can be within the limits. Only a
// whole one must certainly meet the deadline: another may meet it by simulation, and what
// stages to come are gathered for must not leave it out.
func (e *extension) feasible(p point) bool {
	if !e.last {
		p.p95 = e.s.late(p.seconds)
	}
	return e.s.feasible(p.plus(e.look.floor))
}

// first starts a label with a choice of the first stage.
func (e *extension) first(choice int32) {
	c := &e.stage[choice]
	if c.point.low <= e.look.most(c.point.seconds) && e.feasible(c.point) {
		l := label{point: c.point, choice: choice}
		if from := e.s.problem.From; from != nil {
			l.history[0] = e.s.carrier.arrival(from, e.s.whole(0, c))
		}
		if e.last {
			e.s.learn(c.point)
		}
		e.add(l, c.site)
	}
}

// follow appends all choices to the labels within reach.
func (e *extension) follow(r reach) {
	for j := range e.stage {
		c := &e.stage[j]
		most := e.look.most(e.s.time(c.point.seconds+r.floor.seconds)) - c.point.low
		if r.floor.low > most {
			continue
		}
		e.stay(int32(j), most)
		if c.still && e.index > e.s.problem.Main {
			continue
		}
		most = e.look.most(e.s.time(c.point.seconds+r.soonest)) - c.point.low
		e.arrive(int32(j), r.within(c.provider), most, true)
		e.arrive(int32(j), r.abroad, most, false)
	}
}

// stay appends a choice to the labels at its site, as long as they cost no more than most.
func (e *extension) stay(choice int32, most tco.Nano) {
	c := &e.stage[choice]
	if int(c.site) >= len(e.tableau.heads) {
		return // no label is there
	}
	for at := e.tableau.heads[c.site]; at != 0; at = e.before[at-1].next {
		if l := &e.before[at-1]; l.point.low <= most && !l.gone && e.hopes(&l.point, c) {
			e.append(choice, &moved{label: at - 1, point: l.point})
		}
	}
}

// hopes reports whether a choice does not cost too much after a part of a plan.
func (e *extension) hopes(part *point, c *choice) bool {
	return part.low <= e.look.most(part.seconds+c.point.seconds)-c.point.low
}

// arrive appends a choice to labels that moved within its provider, or to it from
// others, as long as they cost no more than most.
func (e *extension) arrive(choice int32, list []moved, most tco.Nano, within bool) {
	c := &e.stage[choice]
	for i := range list {
		m := &list[i]
		if m.point.low > most {
			return
		}
		if (within && m.site != c.site || !within && m.provider != c.provider) && e.hopes(&m.point, c) {
			e.append(choice, m)
		}
	}
}

// append appends a choice to a label that is where the choice is, or moved there.
func (e *extension) append(choice int32, m *moved) {
	c := &e.stage[choice]
	p := m.point.plus(c.point)
	if !e.feasible(p) {
		return
	}
	if e.last {
		e.s.learn(p)
		if e.s.learning {
			return
		}
	}
	l := label{point: p, choice: choice, before: m.label, history: e.before[m.label].history}
	if m.left != 0 {
		l.history[e.index] = m.left
	}
	if e.last {
		e.labels = append(e.labels, l)
		return
	}
	e.add(l, c.site)
}

// add puts a label among those of its site, where none may beat another. What left a
// provider earlier can change what later moves cost, by at most the spread: a label of
// another history must win by more than that.
func (e *extension) add(l label, site int32) {
	for at := &e.heads[site]; *at != 0; {
		other := &e.labels[*at-1]
		margin := e.spread
		if other.history == l.history {
			margin = 0
		}
		if other.point.behind(margin, 0, 0).beats(l.point) {
			return
		}
		if l.point.behind(margin, 0, 0).beats(other.point) {
			other.gone, *at = true, other.next
			continue
		}
		at = &other.next
	}
	l.next = e.heads[site]
	e.labels = append(e.labels, l)
	e.heads[site] = int32(len(e.labels))
}

// skyline is what the last labels take at least.
func (t *tableau) skyline() []least {
	sky := t.s.skyline()
	for _, l := range t.labels[len(t.labels)-1] {
		if !l.gone {
			sky.add(least{Cost: l.point.low, Seconds: l.point.seconds}, pick{})
		}
	}
	return t.s.coarsened(sky.points)
}

// complete are the labels of whole plans that no other certainly beats, the cheapest about
// first.
func (t *tableau) complete() []label {
	if len(t.labels) < t.s.problem.stages() {
		return nil
	}
	all := t.labels[len(t.labels)-1]
	list := t.s.room.numbers.Empty(len(all))
	for i := range all {
		if l := &all[i]; !l.gone && l.point.low <= t.s.bar.at(l.point.seconds) { // which was lowered since
			list = append(list, int32(i))
		}
	}
	kept, order := t.s.room.labels.Empty(len(list)), t.s.cheapestFirst(len(list), func(i int) tco.Nano { return all[list[i]].point.high })
	only, before := t.s.problem.DeadlineSeconds == 0, newCheaper() // cost and time count
	for _, at := range order {
		if l := &all[list[at]]; !only || !before.beat(&l.point) {
			kept = append(kept, *l)
		}
	}
	if only {
		return kept // the bar that all of them lowered leaves few more than nothing beats
	}
	points := t.s.room.points.Take(len(kept))
	for i := range kept {
		points[i] = kept[i].point
	}
	best := t.s.frontOf(points)
	return slices.DeleteFunc(kept, func(l label) bool { return best.beats(l.point) })
}

// chain sets the choices of a complete plan.
func (t *tableau) chain(l *label, chain []*choice) {
	for i := len(t.labels) - 1; ; i-- {
		chain[i] = &t.stages[i][l.choice]
		if i == 0 {
			return
		}
		l = &t.labels[i-1][l.before]
	}
}
