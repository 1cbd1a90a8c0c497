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

	numbers []int32 // by site of the market, by the problem's site or by exit: the number of a rivalry, from 1
	places  []int32 // the problem's numbers of sites, from 1, if it is by those
	rivals  []rivalry
	kept    []kept
}

// rivalry is candidates that can take each other's place.
type rivalry struct {
	head int32   // the last that was kept, in kept, counted from 1
	best float64 // the lowest value that one of them surely has

	// Of the main stage: their kind, and the number of another rivalry at the site.
	kind, next int32

	// What is useless for the run at hand: all that take so much at least.
	run  int32
	from least
}

// kept is a candidate that was kept, and the one of its rivalry before it.
type kept struct {
	point  point
	before int32
}

// sieve is a sieve for a stage of the problem, in its room, by so many numbers.
func (s *searcher) sieve(main bool, numbers int) *Sieve {
	return &Sieve{
		late: s.problem.DeadlineSeconds > 0, apart: main, numbers: s.room.numbers.Take(numbers),
		rivals: s.room.rivals.Empty(usualCandidates), kept: s.room.kept.Empty(usualCandidates),
	}
}

// rivalry is that of candidates on an offer. It is good until the next is asked for.
func (s *Sieve) rivalry(t *candidate.Tag) *rivalry {
	at := s.first(t)
	before := *at
	for n := before; n != 0; n = s.rivals[n-1].next {
		if r := &s.rivals[n-1]; !s.apart || r.kind == t.Kind {
			return r
		}
	}
	s.rivals = append(s.rivals, rivalry{best: math.Inf(1), kind: t.Kind, next: before})
	*at = int32(len(s.rivals))
	return &s.rivals[*at-1]
}

// first is the number of the first rivalry that may be that of candidates on an offer.
func (s *Sieve) first(t *candidate.Tag) *int32 {
	switch {
	case s.moving:
		return &s.numbers[t.Exit]
	case s.places != nil:
		return &s.numbers[s.places[t.Site]-1]
	default:
		return &s.numbers[t.Site]
	}
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
