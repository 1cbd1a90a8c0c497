package aggregate

import (
	"cmp"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Input is what coefficients are made of besides reports.
type Input struct {
	// Catalogue has the GPUs, the priors, and the coefficients that are published.
	Catalogue *catalog.Snapshot
	Now       time.Time
}

// Result is what reports come to.
type Result struct {
	Coefficients []catalog.Coefficient // by GPU, provider and SKU
	Checks       []catalog.CheckRate   // by GPU, provider, SKU and check
	Alerts       []Alert
	Counted      int               // reports that a figure rests on
	Excluded     map[Exclusion]int // reports that count for nothing, by reason
}

// Run makes coefficients of reports, in any order. Reports that came before the
// window, or after now, count for nothing.
func Run(reports []catalog.Report, in Input) Result {
	kept, excluded := admitted(reports, in.Now)
	result := Result{Excluded: excluded}
	all, week := make(ballots), make(ballots)
	for _, r := range kept {
		if counted := count(r, in.Now, all, week); counted {
			result.Counted++
		} else if r.Kind == catalog.WatchReport {
			excluded[why(r)]++
		}
	}
	m := maker{in: in, refs: referencesOf(all, in.Catalogue), all: all, week: week, result: &result}
	for at := range all {
		m.place(at)
	}
	slices.SortFunc(result.Coefficients, func(a, b catalog.Coefficient) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.SKU, b.SKU))
	})
	slices.SortFunc(result.Alerts, func(a, b Alert) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.SKU, b.SKU))
	})
	result.Checks = checkRates(kept, in.Now)
	return result
}

// count brings the readings of a report to the ballots that they belong to.
func count(r *catalog.Report, now time.Time, all, week ballots) (counted bool) {
	if r.Provider == "" {
		return false
	}
	for i := range r.Readings {
		x := &r.Readings[i]
		if !counts(x) {
			continue
		}
		counted = true
		all.count(r, x, now)
		if now.Sub(r.ReceivedAt) <= guardWindow {
			week.count(r, x, now)
		}
	}
	return counted
}

// counts reports whether a figure can rest on a reading.
func counts(x *catalog.Reading) bool {
	return x.GPU != "" && x.Sufficient && !x.Partitioned
}

// maker makes the coefficients of one run.
type maker struct {
	in        Input
	refs      map[catalog.GPUID]reference
	all, week ballots
	result    *Result
}

// place makes the coefficients of a GPU at a provider: of all its boxes, and of those
// of each SKU.
func (m *maker) place(at place) {
	boxes := m.all[at]
	m.publish(at, "", boxes, m.week[at])
	for _, sku := range skusOf(boxes) {
		m.publish(at, sku, ofSKU(boxes, sku), ofSKU(m.week[at], sku))
	}
}

// skusOf are the SKUs of boxes.
func skusOf(boxes map[catalog.BoxID]*ballot) []catalog.SKU {
	seen := make(map[catalog.SKU]bool)
	var skus []catalog.SKU
	for _, b := range boxes {
		if b.sku != "" && !seen[b.sku] {
			seen[b.sku] = true
			skus = append(skus, b.sku)
		}
	}
	return skus
}

// ofSKU are the boxes of a SKU.
func ofSKU(boxes map[catalog.BoxID]*ballot, sku catalog.SKU) map[catalog.BoxID]*ballot {
	some := make(map[catalog.BoxID]*ballot)
	for id, b := range boxes {
		if b.sku == sku {
			some[id] = b
		}
	}
	return some
}

// publish makes a coefficient if enough tenants measured, and guards it.
func (m *maker) publish(at place, sku catalog.SKU, boxes, week map[catalog.BoxID]*ballot) {
	prior := priorOf(m.in.Catalogue, at.gpu)
	ref := m.refs[at.gpu]
	votes, hosts := votesOf(boxes, ref, prior)
	if len(votes) < MinTenants {
		return
	}
	c := coefficientOf(votes, prior)
	c.GPU, c.Provider, c.SKU, c.ComputedAt = at.gpu, at.provider, sku, m.in.Now
	if c.Reference = catalog.SpecReference; ref.clockLearnt {
		c.Reference = catalog.LearntReference
	}
	if c.HostBoxes = len(hosts); len(hosts) > 0 {
		c.HostMeasured = medianOf(hosts, func(f figure) float64 { return f.eta })
	}
	recent, _ := votesOf(week, ref, prior)
	guarded, alert := guard(m.in, c, recent, prior)
	if alert != nil {
		m.result.Alerts = append(m.result.Alerts, *alert)
	}
	if guarded != nil {
		m.result.Coefficients = append(m.result.Coefficients, *guarded)
	}
}

// priorOf is the prior of a GPU's class; the lowest if there is none.
func priorOf(s *catalog.Snapshot, id catalog.GPUID) catalog.Prior {
	g, _ := s.GPU(id)
	if p, ok := s.Prior(g.Class); ok {
		return p
	}
	p, ok := s.Prior(catalog.Consumer)
	if !ok {
		return catalog.Prior{Value: 1, Low: 1, High: 1}
	}
	return p
}

// leastEta is the least that a coefficient can be.
const leastEta = 0.05

// coefficientOf pools votes.
func coefficientOf(votes []vote, prior catalog.Prior) catalog.Coefficient {
	etas := make([]float64, len(votes))
	for i, v := range votes {
		etas[i] = v.eta
	}
	p := Pool(etas, prior.Value)
	c := catalog.Coefficient{
		Prior: prior.Value, Measured: bounded(p.Measured), Value: bounded(p.Value),
		MeasuredInterval: catalog.Interval{Low: bounded(p.Interval.Low), High: bounded(p.Interval.High)},
		Tenants:          p.Tenants, Outliers: p.Outliers,
	}
	for _, v := range votes {
		for _, f := range v.figures {
			c.Boxes++
			c.Reports += f.ballot.reports
			*c.Kinds.Of(f.evidence)++
			if c.NewestAt.Before(f.ballot.newest) {
				c.NewestAt = f.ballot.newest
			}
		}
	}
	c.Evidence = c.Kinds.Strongest()
	c.Availability = medianOf(votes, func(v vote) float64 {
		return medianOf(v.figures, func(f figure) float64 { return f.availability })
	})
	c.Terms = termsOf(votes)
	c.Interval = intervalOf(&c, prior)
	return c
}

// bounded is a coefficient within what one can be.
func bounded(eta float64) float64 { return min(max(eta, leastEta), 1) }

// termsOf are the medians of the tenants' terms. One counts as measured if most
// tenants measured it.
func termsOf(votes []vote) []catalog.Term {
	var terms []catalog.Term
	for i, resource := range catalog.Resources() {
		measured := 0
		for _, v := range votes {
			if slices.ContainsFunc(v.figures, func(f figure) bool { return f.terms[i].Measured }) {
				measured++
			}
		}
		terms = append(terms, catalog.Term{
			Resource: resource, Measured: 2*measured > len(votes),
			Ratio: medianOf(votes, func(v vote) float64 {
				return medianOf(v.figures, func(f figure) float64 { return f.terms[i].Ratio })
			}),
		})
	}
	return terms
}

// intervalOf holds the measurement's interval and the value, widened by what the terms
// that nobody measured may be.
func intervalOf(c *catalog.Coefficient, prior catalog.Prior) catalog.Interval {
	at := func(missing float64) float64 {
		terms := slices.Clone(c.Terms)
		for i := range terms {
			if !terms[i].Measured {
				terms[i].Ratio = missing
			}
		}
		return catalog.TrainingShares().Speed(terms)
	}
	middle := at(prior.Value)
	return catalog.Interval{
		Low:  bounded(min(c.MeasuredInterval.Low, c.Value) * min(1, at(prior.Low)/middle)),
		High: bounded(max(c.MeasuredInterval.High, c.Value) * max(1, at(prior.High)/middle)),
	}
}
