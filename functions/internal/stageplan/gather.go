package stageplan

import (
	"maps"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Gather sets the candidates of a problem: all that can be part of its answer, and
// few others. The surveys are of its stages.
//
// The main stage comes first. Of the stages around it only two sorts of candidates
// matter: those at the site of a candidate of the neighbour towards the main stage,
// and those that are best where the data must move in between.
func Gather(p *Problem, surveys []*candidate.Survey) {
	g := &gatherer{gauge: newGauge(*p, surveys), surveys: surveys, stages: make([][]candidate.Candidate, len(surveys)),
		movers: make([]int, len(surveys)), main: p.Main}
	g.stages[p.Main] = surveys[p.Main].Collect(g.judge(p.Main, nil))
	g.movers[p.Main] = len(g.stages[p.Main])
	for i := p.Main - 1; i >= 0; i-- {
		g.collect(i, i+1)
	}
	for i := p.Main + 1; i < len(surveys); i++ {
		g.collect(i, i-1)
	}
	p.Stages, p.movers, p.known, p.later = g.stages, g.movers, g.gauge.known, g.gauge.later
}

// gatherer collects candidates stage by stage.
type gatherer struct {
	gauge   *gauge
	surveys []*candidate.Survey
	stages  [][]candidate.Candidate
	movers  []int // how many of each stage are worth moves, the first ones
	main    int
}

// collect collects the candidates of a stage, given those of a neighbour.
func (g *gatherer) collect(stage, neighbour int) {
	h := g.hub(stage, neighbour)
	var labels []label
	if neighbour < stage {
		labels = g.labels(neighbour)
		g.learn(labels, stage, h.sample)
	}
	list := g.surveys[stage].Collect(g.judge(stage, h))
	g.movers[stage] = len(list)
	moving := make(map[named]bool, len(list))
	for i := range list {
		moving[named{list[i].Quote, list[i].Nodes}] = true
	}
	there := g.there(stage, neighbour, labels)
	for _, site := range slices.Sorted(maps.Keys(there)) {
		list = g.surveys[stage].CollectAt(list, site, g.beside(stage, moving, there[site]))
	}
	g.stages[stage] = list
}

// named is what tells a candidate of a stage from others.
type named struct {
	quote *candidate.Quote
	nodes int
}

// company is what the rest of a plan takes at least that has a stage's neighbour at
// some site, for plans of the frontier and for alternatives.
type company struct{ frontier, others []point }

// there is the company at every site of a neighbour's candidates, or of the partial
// plans that end with it.
func (g *gatherer) there(stage, neighbour int, labels []label) map[int]*company {
	sites := make(map[int]*company)
	at := func(site int) *company {
		if sites[site] == nil {
			sites[site] = new(company)
		}
		return sites[site]
	}
	var rest point // of what is neither the stage nor its neighbour
	for i, p := range g.gauge.each {
		if i != stage && i != neighbour {
			rest = rest.plus(p)
		}
	}
	for i := range g.stages[neighbour] {
		c := &g.stages[neighbour][i]
		p := g.gauge.pointOf(neighbour, c).plus(rest)
		if g.gauge.other(p.plus(g.gauge.each[stage])) {
			at(c.SiteNumber).others = append(at(c.SiteNumber).others, p)
		}
		if neighbour > stage {
			at(c.SiteNumber).frontier = append(at(c.SiteNumber).frontier, p)
		}
	}
	rest = g.after(stage)
	for _, l := range labels {
		site := at(l.choice.SiteNumber)
		site.frontier = append(site.frontier, l.point.plus(rest))
	}
	return sites
}

// learn adds to the known plans those that end with some candidates of the last stage.
func (g *gatherer) learn(labels []label, stage int, sample []candidate.Candidate) {
	if stage != len(g.stages)-1 {
		return
	}
	s, at := g.gauge.s, &step{index: stage, known: g.gauge.known.clone()}
	for _, l := range s.extend(s.reach(labels, at), s.choices(stage, sample), at) {
		g.gauge.learn(l.point)
	}
}

// after is what the stages after one take at least.
func (g *gatherer) after(stage int) point {
	var rest point
	for _, p := range g.gauge.each[stage+1:] {
		rest = rest.plus(p)
	}
	return rest
}

// labels are the partial plans up to a stage that can become one worth having.
func (g *gatherer) labels(last int) []label {
	p := *g.gauge.s.problem
	p.movers = g.movers
	s := *g.gauge.s
	s.problem = &p
	labels := []label{{}}
	for i := range last + 1 {
		at := &step{index: i, rest: g.after(i), known: g.gauge.known, spread: g.spread(i + 1), later: g.gauge.later[i]}
		labels = s.extend(s.reach(labels, at), s.choices(i, g.stages[i]), at)
	}
	return labels
}

// spread is how much the history of moves can change the cost of a move and of those
// after it, the one that takes results away included.
func (g *gatherer) spread(move int) tco.Nano {
	last := len(g.stages) - 1
	if g.gauge.s.problem.To != nil {
		last++
	}
	cost := tco.Nano(0)
	for ; move <= last; move++ {
		widest := tco.Nano(0)
		for way := range g.gauge.s.carrier.market.Ways() {
			region, internet, _ := g.gauge.s.carrier.outOf(move, way)
			widest = max(widest, internet.High-internet.Low, region.High-region.Low)
		}
		cost = tco.Bound{High: cost}.Add(tco.Bound{High: widest}).High
	}
	return cost
}

// beside keeps what is hopeful in the company at a site, and not kept for its moves.
func (g *gatherer) beside(stage int, moving map[named]bool, with *company) candidate.Judge {
	sieve, lead := g.sieve(stage), g.lead()
	floor := nothing()
	for _, q := range with.frontier {
		floor = floor.atMost(q)
	}
	frontier := func(p point) bool {
		return len(with.frontier) > 0 && g.gauge.unbeaten(p.plus(floor)) && slices.ContainsFunc(with.frontier, func(q point) bool { return g.gauge.unbeaten(p.plus(q)) })
	}
	other := func(p point) bool {
		return slices.ContainsFunc(with.others, func(q point) bool { return g.gauge.other(p.plus(q)) })
	}
	return candidate.Judge{
		Hope: func(l candidate.Least) bool {
			p := pointOf(l)
			return !sieve.beats(p) && (frontier(p) || other(p))
		},
		Keep: func(c *candidate.Candidate) bool {
			p := g.gauge.pointOf(stage, c)
			leads := lead.leads(sieve.key(c), p)
			return (leads && other(p) || frontier(p)) && !moving[named{c.Quote, c.Nodes}] && sieve.keep(sieve.key(c), g.gauge.worst(stage, c))
		},
	}
}

// judge keeps what is hopeful, and worth a move if there is a hub, unless another at
// the same site replaces it.
func (g *gatherer) judge(stage int, h *hub) candidate.Judge {
	sieve, lead := g.sieve(stage), g.lead()
	sieve.moving = h != nil && g.atEnd(stage)
	return candidate.Judge{
		Hope: func(l candidate.Least) bool {
			p := pointOf(l)
			return (h == nil || !h.best.beats(p.cheaper(h.saved(true)))) && g.gauge.hopeful(stage, p, true)
		},
		Keep: func(c *candidate.Candidate) bool {
			p := g.gauge.pointOf(stage, c)
			leads := lead.leads(sieve.key(c), p)
			return (h == nil || h.worth(c)) && g.gauge.hopeful(stage, p, leads) && sieve.keep(sieve.key(c), g.gauge.worst(stage, c))
		},
	}
}

// atEnd reports whether data only enters or only leaves a stage, wherever it runs:
// candidates of one provider with one way out then differ in nothing but their own cost
// and time, once the data moves.
func (g *gatherer) atEnd(stage int) bool {
	p := g.gauge.s.problem
	return stage == 0 && p.From == nil || stage == len(g.stages)-1 && p.To == nil
}

// sieve is a sieve for a stage.
func (g *gatherer) sieve(stage int) *Sieve {
	return NewSieve(stage == g.main, g.gauge.s.problem.DeadlineSeconds > 0)
}

// lead tells which candidates are best by the objective among those that can take each
// other's place: only they matter where the best plan of a kind is looked for and
// nothing but the objective speaks against it.
type lead struct {
	objective Objective
	alone     bool // the best by the objective may miss a limit, or is not the best in a plan
	best      map[sieveKey]float64
}

// lead makes a lead over no candidates yet.
func (g *gatherer) lead() *lead {
	p := g.gauge.s.problem
	decides := p.Objective == Cost && p.DeadlineSeconds == 0 || p.Objective == Time && !p.Budget.Valid
	return &lead{p.Objective, !decides, make(map[sieveKey]float64)}
}

// leads reports whether no candidate it was asked about is certainly better.
func (l *lead) leads(key sieveKey, p point) bool {
	if l.alone {
		return true
	}
	best, seen := l.best[key]
	if most := l.objective.most(p); !seen || most < best {
		l.best[key] = most
	}
	return !seen || l.objective.least(p) <= best
}

// hub is the candidates of a stage that are best where the data moves in between
// them and a neighbour.
type hub struct {
	gauge  *gauge
	stage  int
	sample []candidate.Candidate
	best   front // of the sample, as they are at the worst
	// move is the index of the move in between, out whether it leaves the stage.
	move int
	out  bool
	// near are the providers that the neighbour's candidates have.
	near map[catalog.ProviderID]bool
	// within and across are what a move from the neighbour can cost a candidate less
	// than one that replaces it: within the provider, and from another.
	within, across tco.Nano
}

// hub finds the best of a stage's sample.
func (g *gatherer) hub(stage, neighbour int) *hub {
	h := &hub{gauge: g.gauge, stage: stage, move: max(stage, neighbour), out: neighbour > stage, near: make(map[catalog.ProviderID]bool)}
	for i := range g.stages[neighbour] {
		c := &g.stages[neighbour][i]
		h.near[c.Offer.Provider] = true
		if !h.out {
			region, internet, _ := g.gauge.s.carrier.outOf(h.move, c.WayNumber)
			h.within, h.across = max(h.within, internet.High-region.Low), max(h.across, region.High-internet.Low)
		}
	}
	margin, seconds := g.margin(stage, neighbour)
	survey := g.surveys[stage]
	for _, run := range g.gauge.s.moving(stage, survey).runs {
		c := survey.Price(int(run))
		h.sample = append(h.sample, c)
		cost, move := g.gauge.s.leaving(stage, c.WayNumber)
		if h.out {
			move = 0 // the other moves, too
		}
		cost = tco.Bound{High: cost}.Add(tco.Bound{High: margin}).High
		h.best.add(g.gauge.worst(stage, &c).behind(cost, g.gauge.s.time(seconds+move), g.gauge.s.late(seconds+move)))
	}
	return h
}

// margin is what a replacement can cost and take more, its own way out apart: the
// move on the far side of the stage if it is the first one, and what the history of
// moves changes.
func (g *gatherer) margin(stage, neighbour int) (cost tco.Nano, seconds int64) {
	cost = g.spread(stage + 2)
	c := g.gauge.s.carrier
	if neighbour > stage && stage > 0 {
		dearest := tco.Nano(0)
		for way := range c.market.Ways() {
			region, internet, time := c.outOf(stage, way)
			dearest, seconds = max(dearest, region.High, internet.High), time
		}
		cost = tco.Bound{High: cost}.Add(tco.Bound{High: dearest}).High
	}
	return cost, seconds
}

// worth reports whether no other is certainly better than a candidate from or to
// which the data moves.
func (h *hub) worth(c *candidate.Candidate) bool {
	p := h.gauge.worst(h.stage, c)
	near := h.near[c.Offer.Provider]
	if !h.out {
		return !h.best.beats(p.cheaper(h.saved(near)))
	}
	region, internet, _ := h.gauge.s.carrier.outOf(h.move, c.WayNumber)
	least := internet.Low
	if near {
		least = min(least, region.Low)
	}
	return !h.best.beats(p.plus(point{low: least, high: least}))
}

// saved is what a move from the neighbour can cost less than one to a replacement,
// near it or not.
func (h *hub) saved(near bool) tco.Nano {
	if near {
		return max(h.within, h.across)
	}
	return h.across
}

// cheaper is the point with so much less cost.
func (p point) cheaper(by tco.Nano) point {
	p.low = max(0, p.low-by)
	return p
}
