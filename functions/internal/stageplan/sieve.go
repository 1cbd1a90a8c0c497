package stageplan

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// Sieve holds back candidates of one stage that another at the same site
// certainly replaces in every plan, so that they need not even be collected.
type Sieve struct {
	late  bool // a deadline makes the 95th percentile matter
	apart bool // candidates of the main stage compete only within their kind
	front map[sieveKey]*front
}

// sieveKey is where a candidate can be replaced by another.
type sieveKey struct {
	site   int
	gpu    catalog.GPUID
	market catalog.PurchaseModel
}

// NewSieve is a sieve for a stage. main says that it is the stage in which
// alternatives differ, late that plans have a deadline.
func NewSieve(main, late bool) *Sieve {
	return &Sieve{late: late, apart: main, front: make(map[sieveKey]*front)}
}

// Keep reports whether a candidate is worth collecting, given those it was asked
// about before.
func (s *Sieve) Keep(c *candidate.Candidate) bool {
	key := sieveKey{site: c.SiteNumber}
	if s.apart {
		key.gpu, key.market = c.Offer.GPU, c.Offer.Market
	}
	f := s.front[key]
	if f == nil {
		f = new(front)
		s.front[key] = f
	}
	p := point{c.Bound.Low, c.Bound.High, c.Seconds, 0}
	if s.late {
		p.p95 = c.P95
	}
	if f.beats(p) {
		return false
	}
	f.add(p)
	return true
}
