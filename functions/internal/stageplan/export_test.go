package stageplan

import (
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
)

// NewSieve is a sieve for a stage. main says that it is the stage in which alternatives
// differ, late that plans have a deadline, and sites how many sites there are.
func NewSieve(main, late bool, sites int) *Sieve {
	return &Sieve{late: late, apart: main, numbers: make([]int32, sites)}
}

// Keep reports whether a candidate is worth collecting, given those it was asked
// about before.
func (s *Sieve) Keep(c *candidate.Candidate) bool {
	p := point{c.Bound.Low, c.Bound.High, c.Seconds, 0}
	if s.late {
		p.p95 = c.Seconds + spot.Farthest*max(0, c.P95-c.Seconds)
	}
	return s.keep(s.rivalry(&candidate.Tag{Site: int32(c.SiteNumber), Kind: int32(c.KindNumber)}), p)
}
