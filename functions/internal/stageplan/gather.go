package stageplan

import (
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Gather finds the candidates of a problem that can be part of its answer, and few others,
// and searches among them: Solve goes on from there. The surveys are of its stages.
//
// The main stage comes first. Of the stages around it only two sorts of candidates
// matter: those at the site of a candidate of the neighbour towards the main stage,
// and those that are best where the data must move in between.
func Gather(p *Problem, surveys []*candidate.Survey) {
	none := func(s *candidate.Survey) bool { return len(s.Runs()) == 0 }
	if p.Check() != nil || slices.ContainsFunc(surveys, none) {
		p.Stages = make([][]candidate.Candidate, len(surveys)) // no plan
		return
	}
	g := newGatherer(p, surveys)
	g.collect(p.Main, g.others(p.Main), &sites{})
	for i := p.Main - 1; i >= 0; i-- {
		g.collect(i, g.others(i), g.before(i))
	}
	t := g.s.newTableau(g.choices)
	for i := range surveys {
		if i > p.Main {
			g.collect(i, g.s.sums(t.skyline(), g.later(i)), g.behind(i, t))
		}
		t.extend(g.s.outlook(g.later(i)))
	}
	g.s.all = g.choices
	p.found = &found{s: g.s, stages: g.choices, tableau: t, complete: t.complete(), ceiling: g.ceiling, ceilings: g.ceilings}
}

// gatherer collects candidates stage by stage.
type gatherer struct {
	s       *searcher
	surveys []*candidate.Survey
	choices [][]choice
	fronts  []skyline  // per stage: what its runs, or once collected its choices, take at least
	orders  [][]int32  // per stage: the numbers of its runs, about the cheapest first
	first   []glance   // per stage
	samples [][]choice // per stage: see sample
	rests   [][]least  // per stage: see later
	ceiling float64    // an objective value that the last alternative does not exceed
	// ceilings are objective values that the best plan of each kind does not exceed if it
	// is an alternative.
	ceilings []float64
}

// newGatherer looks at what the stages take at least, and learns some plans.
func newGatherer(p *Problem, surveys []*candidate.Survey) *gatherer {
	n := len(surveys)
	g := &gatherer{s: newSearcher(p), surveys: surveys, choices: make([][]choice, n), ceiling: math.Inf(1)}
	g.s.surveys, g.rests = surveys, g.s.room.rests.Take(n)
	for i, survey := range surveys {
		runs := survey.Runs()
		g.orders = append(g.orders, g.s.cheapestFirst(len(runs), func(i int) tco.Nano { return runs[i].Least().Cost }))
		first := g.glance(i)
		g.first, g.fronts = append(g.first, first), append(g.fronts, first[stays])
	}
	g.s.since(g.floor(0).seconds)
	home := g.home()
	for i := range surveys {
		g.samples = append(g.samples, g.sample(i, home))
	}
	if p.DeadlineSeconds == 0 {
		g.s.learnFrom(g.samples, home)
	} else {
		g.s.study(g.samples)
	}
	g.limit(g.samples)
	return g
}

// later is what the stages after one take at least. It is worked out once, until one of them
// is collected.
func (g *gatherer) later(stage int) []least {
	if g.rests[stage] == nil {
		if last := len(g.fronts) - 1; stage == last {
			g.rests[stage] = g.s.room.leasts.Take(1)
		} else {
			g.rests[stage] = g.s.sums(g.fronts[stage+1].points, g.later(stage+1))
		}
	}
	return g.rests[stage]
}

// others is what all stages but one take at least.
func (g *gatherer) others(stage int) []least {
	rest := g.later(stage)
	for i := range stage {
		rest = g.s.sums(g.fronts[i].points, rest)
	}
	return rest
}

// floor is what the stages from one on take at least, some apart, each quantity by itself.
func (g *gatherer) floor(from int, apart ...int) (sum point) {
	for i := from; i < len(g.fronts); i++ {
		if !slices.Contains(apart, i) {
			sum = sum.plus(floorOf(g.fronts[i].points))
		}
	}
	return sum
}

// sample is few choices of a stage that are part of good plans: the best once the data has
// moved out of them over the internet, and the best at home.
func (g *gatherer) sample(stage int, home *candidate.Tag) []choice {
	picks := g.s.room.picks.Clone(g.first[stage][abroad].whose)
	if home != nil {
		for _, p := range g.at(stage, home).whose {
			if !slices.Contains(picks, p) {
				picks = append(picks, p)
			}
		}
	}
	return g.price(stage, picks)
}

// pointAt is what a run on an offer takes of such figures.
func (g *gatherer) pointAt(stage int, t *candidate.Tag, f *candidate.Figures) point {
	return g.s.pointAt(stage, *f, func() candidate.Site { return g.surveys[stage].Site(t) })
}

// price makes choices of picks.
func (g *gatherer) price(stage int, picks []pick) []choice {
	list, survey := g.s.room.choices.Empty(len(picks)), g.surveys[stage]
	for _, p := range picks {
		r := &survey.Runs()[p.run]
		if f, ok := survey.Figures(r, p.tag); ok {
			list = append(list, g.s.gathered(r, p.tag, g.pointAt(stage, p.tag, &f), &f))
		}
	}
	return list
}

// glance is the skylines of a stage's runs on the cheapest offers of their lanes. The move
// out of the last stage is part of its candidates' points.
type glance [sights]skyline

// The sights: runs as they are, and once the data has moved out of them over the internet.
const (
	stays = iota
	abroad
	sights
)

// glance looks at a stage.
func (g *gatherer) glance(stage int) glance {
	var l glance
	for k := range l {
		l[k] = g.s.skyline()
	}
	moves := stage < len(g.surveys)-1 && !g.s.carrier.none[stage+1]
	survey := g.surveys[stage]
	runs, last := survey.Runs(), &l[stays]
	if moves {
		last = &l[abroad] // moving makes none cheaper
	}
	for _, i := range g.orders[stage] {
		if last.outdoes(runs[i].Least()) {
			continue
		}
		most := func() tco.Nano { return last.most(runs[i].Seconds) }
		for tag, at := range survey.Lanes(&runs[i], most) {
			l[stays].add(at, pick{i, tag})
			if moves {
				at.Cost = sum(at.Cost, g.s.carrier.internetOut(stage, int(tag.Way)))
				l[abroad].add(at, pick{i, tag})
			}
		}
	}
	if !moves {
		l[abroad] = l[stays]
	}
	return l
}

// collect collects the candidates of a stage, given what the others take at least and
// the sites of its neighbour.
func (g *gatherer) collect(stage int, others []least, around *sites) {
	c := g.newCollection(stage, others, around)
	runs, hopeless := c.survey.Runs(), lost{}
	for _, number := range g.orders[stage] { // the cheapest rule out most
		r := &runs[number]
		least := r.Least()
		if hopeless.has(least) {
			continue
		}
		wanted := c.wanted(least)
		if least.Cost > max(wanted.Anywhere, wanted.There) {
			hopeless.add(least)
			continue
		}
		c.run = number + 1
		for tag, l := range c.survey.Offers(r, wanted) {
			c.offer(r, tag, pointOf(l))
		}
	}
	g.choices[stage] = c.list
	g.fronts[stage] = g.s.skylineOf(g.choices[stage])
	clear(g.rests[:stage])
}

// wanted are the offers of the run at hand that may be worth it, given what it takes at least.
// What one may cost is noted.
func (c *collection) wanted(l least) candidate.Wanted {
	c.hope, c.worth = c.look.most(l.Seconds), c.around.hub.worthAt(l.Seconds)
	most := c.hope
	if c.s.feasible(pointOf(l).plus(c.floor)) {
		most = max(most, c.otherwise(l.Seconds))
	}
	return candidate.Wanted{Anywhere: min(most, c.worth), There: min(most, c.around.hub.mayStayAt(l.Seconds)), Sites: c.s.places}
}

// otherwise is the most that a candidate of so many seconds may cost to be part of an
// alternative.
func (c *collection) otherwise(seconds int64) tco.Nano {
	most := c.s.problem.Objective.cost(c.ceiling, seconds+c.floor.seconds)
	return min(most, c.s.budget.High) - c.floor.low
}

// other reports whether a plan that takes so much at least can be an alternative.
func (g *gatherer) other(p point) bool {
	return p.low <= g.s.budget.High && g.s.problem.Objective.least(p) <= g.ceiling && g.s.feasible(p)
}

// worst is the point of a candidate whose own percentile is so late, with the latest that
// it can be in any scenario: one that is no worse in that and in the expected time is never
// later.
func (g *gatherer) worst(p point, late int64) point {
	p.p95 = g.s.late(p.p95 + (spot.Farthest-1)*max(0, late))
	return p
}

// collection is the candidates of a stage as they are collected.
type collection struct {
	*gatherer
	stage  int
	survey *candidate.Survey
	look   outlook
	floor  point // what the others take at least, each quantity apart
	around *sites
	// Of the run at hand: its number from 1, and what a candidate may cost at most to be part
	// of the frontier, and to be worth a move.
	run         int32
	hope, worth tco.Nano
	// list is what was collected.
	list          []choice
	sieve, beside *Sieve
	// leading says that of candidates that can take each other's place only the best by
	// the objective matter for alternatives.
	leading bool
}

// newCollection is an empty one.
func (g *gatherer) newCollection(stage int, others []least, around *sites) *collection {
	p := g.s.problem
	c := &collection{
		gatherer: g, stage: stage, survey: g.surveys[stage], look: g.s.outlook(others), floor: g.floor(0, stage), around: around,
		list: g.s.room.choices.Empty(usualCandidates), leading: p.leads(),
	}
	// Data only enters or only leaves a stage at an end, wherever it runs: candidates of
	// one provider with one way out then differ in nothing but their own cost and time,
	// once the data moves. One at the neighbour's own site moves nothing, though: before the
	// main stage that must not make later moves dearer.
	atEnd := stage == 0 && p.From == nil && p.Market.Steady(decimal.Sum(decimal.Zero, p.VolumesGB...)) ||
		stage == len(g.surveys)-1 && p.To == nil
	if around.hub != nil && atEnd {
		c.sieve = g.s.sieve(false, len(p.Market.Exits()))
		c.sieve.moving = true
	} else {
		c.sieve = g.s.sieve(stage == p.Main, p.Market.Sites())
	}
	c.beside = g.s.sieve(false, len(around.list))
	c.beside.places = g.s.places
	return c
}

// leads reports whether the best candidate by the objective is that of the best plan:
// nothing else speaks against it.
func (p *Problem) leads() bool {
	return p.DeadlineSeconds == 0 && (p.Objective == Cost || p.Objective == Time && !p.Budget.Valid)
}

// entry is a candidate on an offer that may be collected: with what it takes, and that at
// the worst.
type entry struct {
	tag          *candidate.Tag
	point, worst point
}

// usualCandidates is about how many candidates of a stage are collected.
const usualCandidates = 512

// offer collects the candidate of a run on an offer that takes so much at least, if it
// is worth it.
func (c *collection) offer(r *candidate.Run, tag *candidate.Tag, least point) {
	movers, company := c.mayMove(tag, least), c.around.at(c.s, tag.Site)
	var stayers *rivalry
	if company != nil && !company.lost.has(least.least()) {
		stayers = c.mayStay(company, tag, least)
	}
	if movers == nil && stayers == nil {
		return
	}
	f, ok := c.survey.Figures(r, tag)
	if !ok {
		return
	}
	p := c.pointAt(c.stage, tag, &f)
	e := entry{tag, p, c.worst(p, f.P95-f.Seconds)}
	moves := movers != nil && c.worthMoves(movers, &e)
	if moves || stayers != nil && c.worthStaying(company, stayers, &e) {
		c.list = append(c.list, c.s.gathered(r, tag, p, &f))
		c.list[len(c.list)-1].still = !moves
	}
}

// mayMove are the rivals of a candidate that takes so much at least, if it may be worth a
// move; nil if not.
func (c *collection) mayMove(tag *candidate.Tag, least point) *rivalry {
	if !c.around.hub.mayBeWorth(tag, least.low, c.worth) {
		return nil
	}
	rivals := c.sieve.rivalry(tag)
	if rivals.spent(c.run, least) {
		return nil
	}
	if least.low > c.hope && !c.mayLead(rivals, tag, least) || c.sieve.beats(rivals, least) {
		rivals.spend(c.run, least)
		return nil
	}
	return rivals
}

// mayStay are the rivals of a candidate that takes so much at least, if it may be worth it
// in company at its site; nil if not.
func (c *collection) mayStay(with *company, tag *candidate.Tag, least point) *rivalry {
	rivals := c.beside.rivalry(tag)
	if rivals.spent(c.run, least) || c.beside.beats(rivals, least) {
		return nil
	}
	leads := least.low <= c.hope && with.leads(c.gatherer, least)
	if !leads && !with.others(c.gatherer, least) {
		with.lost.add(least.least())
		return nil
	}
	if !leads && !c.mayLead(rivals, tag, least) || !c.around.hub.keeps(tag, least) {
		rivals.spend(c.run, least)
		return nil
	}
	return rivals
}

// mayLead reports whether a candidate that takes so much at least may matter for
// alternatives.
func (c *collection) mayLead(rivals *rivalry, tag *candidate.Tag, least point) bool {
	o := c.s.problem.Objective
	if c.around.hub == nil && o.least(least.plus(c.floor)) > c.ceilings[tag.Kind] {
		return false
	}
	return !c.leading || o.least(least) <= rivals.best
}

// worthMoves reports whether the candidate at hand is hopeful, and worth a move if there
// is a hub, unless one of its rivals replaces it.
func (c *collection) worthMoves(rivals *rivalry, e *entry) bool {
	leads := c.leads(rivals, e.point)
	return c.around.hub.worth(e.tag, e.worst) &&
		(c.look.hopes(e.point) || leads && c.mayLead(rivals, e.tag, e.point) && c.other(e.point.plus(c.floor))) && c.sieve.keep(rivals, e.worst)
}

// worthStaying reports whether the candidate at hand is hopeful in company at its site,
// unless one of its rivals there replaces it.
func (c *collection) worthStaying(with *company, rivals *rivalry, e *entry) bool {
	leads := c.leads(rivals, e.point)
	return c.around.hub.keeps(e.tag, e.worst) &&
		(with.leads(c.gatherer, e.point) || leads && with.others(c.gatherer, e.point)) && c.beside.keep(rivals, e.worst)
}

// leads reports whether a candidate matters for alternatives.
func (c *collection) leads(r *rivalry, p point) bool {
	return r.leads(c.s.problem.Objective, p) || !c.leading
}
