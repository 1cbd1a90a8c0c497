package stageplan

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
)

// Sieve holds back candidates of one stage that another at the same site
// certainly replaces in every plan, so that they need not even be collected.
type Sieve struct {
	late  bool // a deadline makes it matter how late a candidate can be in any scenario
	apart bool // candidates of the main stage compete only within their kind
	front map[sieveKey]*front
	// moving candidates are reached and left over the way of their provider, so that
	// all of them with one way compete.
	moving bool
}

// sieveKey is where a candidate can be replaced by another.
type sieveKey struct {
	site   int // or the provider, if apart from sites
	way    int
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
	p := point{c.Bound.Low, c.Bound.High, c.Seconds, 0}
	if s.late {
		p.p95 = c.Seconds + spot.Farthest*max(0, c.P95-c.Seconds)
	}
	return s.keep(s.key(c), p)
}

// keep is Keep of a candidate at a place that takes so much.
func (s *Sieve) keep(key sieveKey, p point) bool {
	f := s.front[key]
	if f == nil {
		f = new(front)
		s.front[key] = f
	}
	if f.beats(p) {
		return false
	}
	f.add(p)
	return true
}

// key is where a candidate can be replaced.
func (s *Sieve) key(c *candidate.Candidate) sieveKey {
	key := sieveKey{site: c.SiteNumber}
	if s.moving {
		key = sieveKey{c.ProviderNumber, c.WayNumber + 1, "", ""}
	}
	if s.apart {
		key.gpu, key.market = c.Offer.GPU, c.Offer.Market
	}
	return key
}

// beats reports whether a candidate that was kept certainly replaces all that take so
// much at least. It is for a sieve of one site.
func (s *Sieve) beats(p point) bool {
	for _, f := range s.front {
		return f.beats(p)
	}
	return false
}
