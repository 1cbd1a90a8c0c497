package stageplan

import (
	"math"

	"github.com/tierwise/tierwise/functions/internal/candidate"
)

// Sieve holds back candidates of one stage that another at the same site
// certainly replaces in every plan, so that they need not even be collected.
type Sieve struct {
	late  bool // a deadline makes it matter how late a candidate can be in any scenario
	apart bool // candidates of the main stage compete only within their kind
	// moving candidates are reached and left over the way of their provider, so that
	// all of them with one way compete.
	moving bool

	numbers []int32            // by the problem's site or by exit: the number of the rivalry, from 1
	places  []int32            // the problem's numbers of sites, from 1
	apartBy map[[2]int32]int32 // instead of numbers: by site and kind
	rivals  []rivalry
	kept    []kept
}

// rivalry is candidates that can take each other's place.
type rivalry struct {
	head int32   // the last that was kept, in kept, counted from 1
	best float64 // the lowest value that one of them surely has

	// What is useless for the run at hand: all that take so much at least.
	run  int32
	from least
}

// kept is a candidate that was kept, and the one of its rivalry before it.
type kept struct {
	point  point
	before int32
}

// NewSieve is a sieve for a stage. main says that it is the stage in which
// alternatives differ, late that plans have a deadline.
func NewSieve(main, late bool) *Sieve {
	return &Sieve{late: late, apart: main, apartBy: make(map[[2]int32]int32)}
}

// sieve is a sieve for a stage of the problem, in its room.
func (s *searcher) sieve(main bool) *Sieve {
	v := NewSieve(main, s.problem.DeadlineSeconds > 0)
	v.rivals, v.kept = s.room.rivals.empty(usualCandidates), s.room.kept.empty(usualCandidates)
	return v
}

// rivalry is that of candidates on an offer. It is good until the next is asked for.
func (s *Sieve) rivalry(t *candidate.Tag) *rivalry {
	if s.numbers == nil {
		key := [2]int32{t.Site, 0}
		if s.apart {
			key[1] = t.Kind
		}
		n := s.apartBy[key]
		if n == 0 {
			n = s.add()
			s.apartBy[key] = n
		}
		return &s.rivals[n-1]
	}
	number := t.Exit
	if !s.moving {
		number = s.places[t.Site] - 1
	}
	at := &s.numbers[number]
	if *at == 0 {
		*at = s.add()
	}
	return &s.rivals[*at-1]
}

// add adds a rivalry and gives its number.
func (s *Sieve) add() int32 {
	s.rivals = append(s.rivals, rivalry{best: math.Inf(1)})
	return int32(len(s.rivals))
}

// keep reports whether a candidate of a rivalry that takes so much is worth collecting,
// given those it was asked about before.
func (s *Sieve) keep(r *rivalry, p point) bool {
	if s.beats(r, p) {
		return false
	}
	s.kept = append(s.kept, kept{p, r.head})
	r.head = int32(len(s.kept))
	return true
}

// beats reports whether a candidate that was kept certainly replaces all of a rivalry
// that take so much at least.
func (s *Sieve) beats(r *rivalry, p point) bool {
	for at := r.head; at != 0; at = s.kept[at-1].before {
		if s.kept[at-1].point.beats(p) {
			return true
		}
	}
	return false
}

// leads reports whether no candidate of a rivalry that it was asked about is certainly
// better by an objective: only they matter where the best plan of a kind is looked for
// and nothing but the objective speaks against it.
func (r *rivalry) leads(o Objective, p point) bool {
	best := r.best
	r.best = min(best, o.most(p))
	return o.least(p) <= best
}

// spent reports whether a candidate of a run that takes so much at least is known to be
// useless.
func (r *rivalry) spent(run int32, p point) bool {
	return r.run == run && p.low >= r.from.Cost && p.seconds >= r.from.Seconds
}

// spend notes that of a run all that take so much at least are useless.
func (r *rivalry) spend(run int32, p point) { r.run, r.from = run, p.least() }
